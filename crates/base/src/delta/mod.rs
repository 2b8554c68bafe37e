//! Rows of 32-bit words, field tables, and the two delta encodings of the Quake family.
//!
//! A row holds integers as they are, floats as their bits, and quantized values as they were sent. A change is then a word compare, copying a
//! base is a memcpy, and encoding never quantizes twice. Typed accessors give the meaning of a word; the row has none.
//!
//! [`interleaved`] is Quake III's encoding: a field count, then a flag before each value. [`masked`] is that of Quake II, QuakeWorld with FTE,
//! and GoldSrc: a mask, then the fields in wire order. Each is one function over [`crate::wire::Wire`] and takes its table as a value.
//!
//! A decoded delta keeps a dense scratch row beside the list of fields that were sent. Reading touches only those fields, and nothing is
//! cleared between messages.

mod field_set;
pub mod interleaved;
pub mod masked;
mod word;

pub use field_set::FieldSet;
pub use word::Word;
