//! A coder's own fields as text: what needs no form of its own.

use wire::{Bounded, Quantity, Vocabulary, Wire};

use crate::Form;

/// A wire whose stream is an object of text: each field that a coder names becomes a member, fields of one name in a row
/// become a list, scopes become objects, numbered ones lists of objects.
///
/// What a coder says by masks and counts stands in the text as it does in the stream, so forms that people edit much
/// are better described by hand.
///
/// ```
/// use textform::{Reader, Through, Writer};
/// use wire::Wire;
///
/// fn code<W: Wire>(w: &mut W, origin: &mut [i32; 2], text: &mut Vec<u8>) -> Result<(), W::Error> {
///     for word in origin {
///         *word = w.signed("origin", *word, 16)?;
///     }
///     w.enter("text");
///     w.text(text, wire::Bounded { bytes: 9, rule: "too long" })
/// }
///
/// let mut line = Vec::new();
/// let Ok(()) = Through::run(&mut Writer::new(&mut line), |w| code(w, &mut [-3, 40], &mut b"hi".to_vec()));
/// assert_eq!(line, br#"{"origin":[-3,40],"text":"hi"}"#);
///
/// let (mut origin, mut text) = ([0; 2], Vec::new());
/// Through::run(&mut Reader::new(&line), |w| code(w, &mut origin, &mut text)).unwrap();
/// assert_eq!((origin, &text[..]), ([-3, 40], &b"hi"[..]));
/// ```
#[derive(Debug)]
pub struct Through<'f, F: Form> {
    form: &'f mut F,
    name: &'static str,
    levels: Vec<Level>,
    position: u64,
    /// What went wrong where a wire cannot say so.
    trouble: Option<F::Error>,
}

/// An open object.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// The last member.
    name: &'static str,
    /// Where its value stands.
    mark: usize,
    /// It is a list that is still open.
    list: bool,
}

impl<'f, F: Form> Through<'f, F> {
    /// Runs a coder over an object.
    pub fn run<T>(form: &'f mut F, coder: impl FnOnce(&mut Self) -> Result<T, F::Error>) -> Result<T, F::Error> {
        form.open_object()?;
        let mut through = Through { form, name: "", levels: vec![Level::default()], position: 0, trouble: None };
        let result = coder(&mut through)?;
        through.close();
        match through.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(result),
        }
    }

    /// Makes place for a value under the present name. `list`: there may be several.
    fn value(&mut self, list: bool) -> Result<(), F::Error> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let name = self.name;
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if level.name == name {
            if !level.list {
                self.form.widen(level.mark)?;
                level.list = true;
            }
        } else {
            if level.list {
                self.form.close_list()?;
            }
            self.form.require(name)?;
            *level = Level { name, mark: self.form.mark(), list: self.form.open_list(list)? };
        }
        if level.list { self.form.next_item() } else { Ok(()) }
    }

    fn keep(&mut self, result: Result<(), F::Error>) {
        if let Err(error) = result {
            self.trouble.get_or_insert(error);
        }
    }

    fn leave(&mut self) -> Result<(), F::Error> {
        if self.levels.pop().is_some_and(|level| level.list) {
            self.form.close_list()?;
        }
        self.form.close_object()
    }
}

const fn limit(width: u32) -> i64 {
    (1 << width) - 1
}

impl<F: Form> Wire for Through<'_, F> {
    type Error = F::Error;
    const READING: bool = F::READING;

    fn bits(&mut self, value: u32, width: u32) -> Result<u32, F::Error> {
        if width == 0 {
            return Ok(0);
        }
        self.value(false)?;
        self.position += u64::from(width);
        let value = i64::from(value) & limit(width);
        let name = self.name;
        self.form.int(value, 0, limit(width)).map(|value| value as u32).map_err(|error| wire::WireError::inside(error, name, None))
    }

    fn flag(&mut self, on: bool) -> Result<bool, F::Error> {
        self.value(false)?;
        self.position += 1;
        self.form.boolean(on)
    }

    fn run(&mut self, zeros: impl FnOnce() -> u32, max: u32) -> Result<u32, F::Error> {
        self.value(false)?;
        let zeros = if F::READING { 0 } else { zeros() };
        self.form.int(i64::from(zeros), 0, i64::from(max)).map(|value| value as u32)
    }

    fn signed(&mut self, name: &'static str, value: i32, width: u32) -> Result<i32, F::Error> {
        self.enter(name);
        self.quantity(value as u32, width, Quantity::Signed).map(|word| wire::sign_extend(word, width) as i32)
    }

    fn quantity(&mut self, value: u32, width: u32, quantity: Quantity) -> Result<u32, F::Error> {
        self.value(false)?;
        self.position += u64::from(width);
        let name = self.name;
        let (from, to) = (-(1i64 << (width - 1)), limit(width - 1));
        let signed = i64::from(wire::sign_extend(value, width) as i32);
        let unsigned = i64::from(value) & limit(width);
        let number = match quantity {
            Quantity::Float => self.form.float(f32::from_bits(value)).map(|value| i64::from(value.to_bits())),
            Quantity::Signed => self.form.int(signed, from, to),
            Quantity::Scaled { unit, signed: true } => self.form.scaled(signed, unit, from, to),
            Quantity::Scaled { unit, signed: false } => self.form.scaled(unsigned, unit, 0, limit(width)),
        };
        number.map(|number| (number & limit(width)) as u32).map_err(|error| wire::WireError::inside(error, name, None))
    }

    fn named(&mut self, value: u32, width: u32, names: &dyn Vocabulary) -> Result<u32, F::Error> {
        self.value(false)?;
        self.position += u64::from(width);
        let name = self.name;
        self.form.word((i64::from(value) & limit(width)) as u32, limit(width) as u32, names).map_err(|error| wire::WireError::inside(error, name, None))
    }

    fn expect(&mut self, ok: bool, rule: &'static str) -> Result<(), F::Error> {
        self.form.expect(ok, rule)
    }

    fn more(&mut self, more: bool) -> bool {
        if F::READING { self.form.has_more() } else { more }
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn enter(&mut self, field: &'static str) {
        self.name = field;
    }

    fn open(&mut self, name: &'static str, index: Option<u32>) {
        self.name = name;
        let result = self.value(index.is_some()).and_then(|()| self.form.open_object());
        self.keep(result);
        self.levels.push(Level::default());
    }

    fn close(&mut self) {
        let result = self.leave();
        self.keep(result);
    }

    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), F::Error> {
        self.value(false)?;
        self.form.hex(bytes)?;
        self.position += 8 * length as u64;
        self.form.expect(bytes.len() == length, "the number of bytes is not the stated length")
    }

    fn text(&mut self, text: &mut Vec<u8>, limit: Bounded) -> Result<(), F::Error> {
        self.value(false)?;
        self.form.text(text)?;
        self.position += 8 * (text.len() as u64 + 1);
        self.form.expect(!text.contains(&0), "a text cannot hold the character NUL, which ends it")?;
        self.form.expect(text.len() <= limit.bytes, limit.rule)
    }
}
