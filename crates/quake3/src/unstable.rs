//! What the crates above the families use of this one. It may change in any version.

pub use crate::encode::canonical;
