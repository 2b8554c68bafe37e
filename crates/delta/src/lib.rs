//! Rows of words and the two ways in which the Quake family sends their changes.
//!
//! A row of state is a row of 32-bit words: integers as they are, floats as their bits, quantised values *as
//! sent*. A change is then a word compare, a base copy is a memcpy, and re-encoding never re-quantises. What a
//! word means is said by typed accessors, never by the row.
//!
//! Two wire shapes: [`interleaved`] (Quake III: a field count, then a flag before each value) and [`masked`]
//! (Quake II, QuakeWorld with FTE, GoldSrc: a mask first, then fields in wire order). Both are one function over
//! [`wire::Wire`] each, and both take their table as a value.

mod field_set;
pub mod interleaved;
pub mod masked;
mod word;

pub use field_set::FieldSet;
pub use word::Word;
