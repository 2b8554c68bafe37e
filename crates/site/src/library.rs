//! Who has the recordings of a site.

use crate::data;
use crate::facts::{Facts, Moment};

/// What is asked of the one who has the recordings.
pub trait Library {
    /// What goes wrong.
    type Error: From<Failed>;

    /// The facts of a recording, with names as the site shows them.
    fn facts(&self, hash: &str) -> Result<Facts, Self::Error>;

    /// The bytes of a recording as they are published.
    fn published(&self, hash: &str) -> Result<Vec<u8>, Self::Error>;

    /// The bytes of a moment of it, as they are published.
    fn clip(&self, hash: &str, moment: &Moment) -> Result<Vec<u8>, Self::Error>;

    /// A table as a file. The rows have the columns' values in their order.
    fn table(&self, columns: &[data::Column], rows: &mut dyn Iterator<Item = Result<Vec<data::Value>, Self::Error>>) -> Result<Vec<u8>, Self::Error>;
}

/// A file could not be made of its facts.
#[derive(Debug)]
pub struct Failed(String);

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

pub(crate) fn failed(error: impl std::fmt::Display) -> Failed {
    Failed(error.to_string())
}
