//! What `decompile` and `compile` have in common: files of any size, a piece at a time.

mod draft;
mod source;

pub use draft::Draft;
pub use source::{Source, unreadable};
