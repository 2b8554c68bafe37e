//! A recording taken apart field by field.

use serde::Serialize;

/// Which messages to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// The message of this number, from 0.
    Message(u32),
    /// The message that holds this byte of the (decompressed) file.
    At(u64),
    /// The messages from one number to another, both included; where an entity is named, only the fields of its updates.
    Within {
        /// The first.
        from: u32,
        /// The last.
        to: u32,
        /// The entity's number.
        entity: Option<u32>,
    },
}

impl Selection {
    /// Whether message `number`, which fills the bytes `from..to` of the file, is meant.
    pub fn wants(self, number: u32, from: u64, to: u64) -> bool {
        match self {
            Selection::All => true,
            Selection::Message(wanted) => wanted == number,
            Selection::At(offset) => (from..to).contains(&offset),
            Selection::Within { from, to, .. } => (from..=to).contains(&number),
        }
    }

    /// Whether nothing behind message `number`, which ends at byte `to` of the file, is meant.
    pub fn is_past(self, number: u32, to: u64) -> bool {
        match self {
            Selection::All => false,
            Selection::Message(wanted) => number >= wanted,
            Selection::At(offset) => to > offset,
            Selection::Within { to: last, .. } => number >= last,
        }
    }

    /// The entity that alone is meant.
    pub fn entity(self) -> Option<u32> {
        match self {
            Selection::Within { entity, .. } => entity,
            _ => None,
        }
    }
}

/// One message, field by field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// Its number, from 0.
    pub message: u32,
    /// Where its framing starts in the file.
    pub offset: u64,
    /// Where its data starts; bit 0 of the parts is the first of that byte.
    pub data_offset: u64,
    /// Bytes of data.
    pub length: u64,
    /// The framing in words, such as `sequence 812`.
    pub heading: String,
    /// Its fields in stream order.
    pub parts: Vec<Part>,
    /// Why the rest could not be read, when that is so.
    pub error: Option<String>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What holds it: `snapshot › entity 43`.
    pub path: String,
    /// Its name in the format document.
    pub field: &'static str,
    /// First bit, counted from the message's first.
    pub from_bit: u64,
    /// The bit after the last.
    pub to_bit: u64,
    /// Its bits as one number in hexadecimal digits, a digit for each four bits; the first bit is the lowest. Those behind Huffman codes are the
    /// decoded ones.
    pub raw: String,
    /// What they mean: the value with its sign, in its unit, by its name. The values of a field that has several are separated by commas.
    pub meaning: String,
}

impl From<fragreel_base::wire::Span> for Part {
    fn from(span: fragreel_base::wire::Span) -> Self {
        let path = fragreel_base::wire::path_text(span.path.iter().copied());
        let raw = span.raw.digits();
        let meaning = span.meaning.or_else(|| span.raw.number().map(|number| number.to_string())).unwrap_or_else(|| fragreel_base::wire::hex(span.raw.bytes()));
        Part { path, field: span.field, from_bit: span.from, to_bit: span.to, raw, meaning }
    }
}
