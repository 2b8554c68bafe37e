//! Being built.
pub mod replacement;
