//! The state of a game at one time.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Milliseconds, Text};

/// Everything known at one moment: the answer to `state`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    /// Time since the recording's first frame, of the frame shown.
    pub time: Milliseconds,
    /// The server's clock, as the server states it: it may start again, and be negative. 0 before a server states any.
    pub server_time: Milliseconds,
    /// The container's message that completed the frame.
    pub message: u32,
    /// Tables, such as `player` and `entities`.
    pub sections: Vec<Section>,
}

impl Moment {
    /// The table called `name`.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// A table of records with the same fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its rows.
    pub records: Vec<Record>,
}

/// A thing with named values, in the order of the format document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record(pub Vec<(Cow<'static, str>, Value)>);

impl Record {
    /// Adds a value.
    pub fn push(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
        self.0.push((name.into(), value.into()));
    }

    /// The value called `name`.
    pub fn find(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

impl Serialize for Record {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A value of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f32),
    /// A yes or no.
    Bool(bool),
    /// A name from the game's own lists, or other text.
    Text(Cow<'static, str>),
    /// Text from the game.
    Game(Text),
    /// Several numbers: a vector, an array.
    Floats(Vec<f32>),
    /// Several whole numbers.
    Ints(Vec<i64>),
}

impl Value {
    /// The whole number that it is; 0 or 1 for a no or yes.
    ///
    /// ```
    /// use fragreel_model::Value;
    ///
    /// assert_eq!((Value::Int(7).as_int(), Value::Float(7.5).as_int()), (Some(7), None));
    /// assert_eq!((Value::Int(7).as_float(), Value::Float(7.5).as_float()), (Some(7.0), Some(7.5)));
    /// assert_eq!(Value::Floats(vec![1.0, 2.0, 3.0]).as_vector(), Some([1.0, 2.0, 3.0]));
    /// assert_eq!(Value::from("red").as_str(), Some("red"));
    /// ```
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            Value::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// The number that it is, with its fraction; a whole number as nearly as `f32` can say it.
    pub fn as_float(&self) -> Option<f32> {
        match self {
            Value::Float(value) => Some(*value),
            Value::Int(value) => Some(*value as f32),
            _ => None,
        }
    }

    /// The text that it is; of the game's own text, what is legible of it.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(value) => Some(value),
            Value::Game(value) => Some(&value.clean),
            _ => None,
        }
    }

    /// The vector that it is: three numbers.
    pub fn as_vector(&self) -> Option<[f32; 3]> {
        match self {
            Value::Floats(values) => values.as_slice().try_into().ok(),
            Value::Ints(values) => values.iter().map(|value| *value as f32).collect::<Vec<f32>>().try_into().ok(),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn list<T: ToString>(values: &[T]) -> String {
            values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
        }
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Text(value) => f.write_str(value),
            Value::Game(value) => write!(f, "{value}"),
            Value::Floats(values) => f.write_str(&list(values)),
            Value::Ints(values) => f.write_str(&list(values)),
        }
    }
}

macro_rules! values {
    ($($from:ty => $variant:ident),* $(,)?) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Value::$variant(value.into())
            }
        })*
    };
}

values! {
    i64 => Int, i32 => Int, u32 => Int, u16 => Int, i16 => Int, u8 => Int, f32 => Float, bool => Bool,
    &'static str => Text, String => Text, Cow<'static, str> => Text, Text => Game, Vec<f32> => Floats, Vec<i64> => Ints,
}
