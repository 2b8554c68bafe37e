//! What `decompile` and `compile` have in common: files of any size, a piece at a time.

mod sink;
mod source;

pub use sink::Sink;
pub use source::{Source, unreadable};
