//! What differs between two recordings, two moments, or two messages, field by field.
//!
//! ```
//! use fragreel::Recording;
//! use fragreel::differences::between_recordings;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
//! let mut found = between_recordings(&recording, &recording)?;
//! assert_eq!(found.next(), None);
//! assert!(found.summary().is_equal() && found.summary().frames > 1000);
//! # Ok(())
//! # }
//! ```

mod difference;
mod fields;
mod recordings;

use fragreel_model::{Explained, Moment};
use serde::Serialize;

use difference::At;
pub use difference::Difference;
use fields::Fields;
pub use recordings::{BetweenRecordings, between_recordings};

/// How two recordings agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Differences {
    /// Moments that both show.
    pub frames: u64,
    /// Those among them that differ.
    pub differing: u64,
    /// Frames that only the first has.
    pub only_a: u64,
    /// Frames that only the second has.
    pub only_b: u64,
    /// Events that only the first has.
    pub events_a: u64,
    /// Events that only the second has.
    pub events_b: u64,
}

impl Differences {
    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        *self == Differences { frames: self.frames, ..Differences::default() }
    }
}

/// The fields that differ between two moments, in the order of their tables. Times and numbers of messages are not compared.
pub fn between_moments(a: &Moment, b: &Moment) -> Vec<Difference> {
    fields::compare(&Fields::of_moment(a), &Fields::of_moment(b), At::default())
}

/// The fields that differ between two messages, in stream order. Where they stand in the message is not compared.
pub fn between_messages(a: &Explained, b: &Explained) -> Vec<Difference> {
    fields::compare(&Fields::of_message(a), &Fields::of_message(b), At::default())
}
