//! What tables there are: the vocabulary in which [`TABLES`](crate::TABLES) is written.

use std::fmt;

use fragreel::model::Family;

/// A table: the same for all games.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Where its rows come from.
    pub source: Origin,
    /// Its columns, the [common ones](crate::COMMON) first.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name: lower case, words joined by `_`.
    pub name: &'static str,
    /// The type of its values. Any value may be missing.
    pub kind: Type,
    /// What its numbers count; empty for all else.
    pub unit: &'static str,
    /// What it says.
    pub about: &'static str,
    /// Which games say it.
    pub games: Games,
    /// Which values it has.
    pub range: Range,
    /// When it has none; nothing where it always has one.
    pub null: Option<&'static str>,
}

/// Which values a column has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Any of its type.
    Any,
    /// Numbers from the first to the second.
    Within(f64, f64),
    /// These words.
    Words(&'static [&'static str]),
}

impl Range {
    /// Whether a number may be there.
    pub fn has(self, number: f64) -> bool {
        match self {
            Range::Within(least, most) => (least..=most).contains(&number),
            _ => number.is_finite(),
        }
    }

    /// Whether a word may be there.
    pub fn has_word(self, word: &str) -> bool {
        match self {
            Range::Words(words) => words.contains(&word),
            _ => true,
        }
    }
}

/// Words are in the meaning of the column.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Within(least, most) if *most >= 1e9 && *least == 0.0 => f.pad("≥ 0"),
            Range::Within(least, most) if *most < 1e9 => f.pad(&format!("{least} to {most}")),
            _ => f.pad(""),
        }
    }
}

/// What the rows of a table are made of; tables of one origin are made in one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// What `info` answers.
    Info,
    /// What happened.
    Events,
    /// Scoreboards.
    Scores,
    /// Moments worth watching.
    Moments,
    /// Runs against the clock.
    Runs,
    /// Frames.
    Frames,
    /// User commands.
    Commands,
    /// Movement.
    Movement,
    /// Aim.
    Aim,
    /// Strings that the server keeps.
    Strings,
    /// What `audit` answers.
    Audit,
}

impl Origin {
    /// The command whose answers are the same facts.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Info => "info",
            Origin::Events => "events",
            Origin::Scores => "scores",
            Origin::Moments => "highlights",
            Origin::Runs => "runs",
            Origin::Frames => "frames",
            Origin::Commands => "usercmds",
            Origin::Movement => "jumps",
            Origin::Aim => "aim",
            Origin::Strings => "state",
            Origin::Audit => "audit",
        }
    }
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Yes or no.
    Bool,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// A number of 32 bits with a fraction.
    Real,
    /// A number of 64 bits with a fraction.
    Double,
    /// UTF-8.
    Text,
}

impl Type {
    /// Its name in the documents.
    pub fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Int => "int32",
            Type::Long => "int64",
            Type::Real => "float32",
            Type::Double => "float64",
            Type::Text => "text",
        }
    }

    /// Its name in SQLite.
    pub fn sql(self) -> &'static str {
        match self {
            Type::Bool | Type::Int | Type::Long => "INTEGER",
            Type::Real | Type::Double => "REAL",
            Type::Text => "TEXT",
        }
    }
}

/// A set of families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Games(u8);

impl Games {
    /// All families.
    pub const ALL: Games = Games(15);
    /// Quake III.
    pub const QUAKE3: Games = Games(1);
    /// Quake II.
    pub const QUAKE2: Games = Games(2);
    /// Half-Life.
    pub const GOLDSRC: Games = Games(4);
    /// Quake and QuakeWorld.
    pub const QUAKE1: Games = Games(8);

    /// These and those.
    pub const fn and(self, other: Games) -> Games {
        Games(self.0 | other.0)
    }

    /// Whether a family is one of them.
    pub fn has(self, family: Family) -> bool {
        let one = match family {
            Family::Quake3 => Games::QUAKE3,
            Family::Quake2 => Games::QUAKE2,
            Family::GoldSrc => Games::GOLDSRC,
            _ => Games::QUAKE1,
        };
        self.0 & one.0 != 0
    }
}

impl fmt::Display for Games {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Games::ALL {
            return f.pad("all");
        }
        let named = [Family::Quake3, Family::Quake2, Family::GoldSrc, Family::Quake1];
        let names: Vec<&str> = named.into_iter().filter(|&family| self.has(family)).map(Family::name).collect();
        f.pad(&names.join(", "))
    }
}

impl Table {
    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// `CREATE TABLE` in the SQL of SQLite.
    pub fn create(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| format!("  \"{}\" {}", column.name, column.kind.sql())).collect();
        format!("CREATE TABLE \"{}\" (\n{}\n)", self.name, columns.join(",\n"))
    }
}
