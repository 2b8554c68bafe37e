//! What differs between two recordings, two moments, or two messages, field by field.
//!
//! ```
//! use fragreel::differences::between_recordings;
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let recording = demo.open()?;
//! let found = between_recordings(&recording, &recording, &mut |difference| panic!("{difference:?}"))?;
//! assert!(found.is_equal() && found.frames > 1000);
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
pub use recordings::between_recordings;

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
pub fn between_moments(a: &Moment, b: &Moment, sink: &mut dyn FnMut(Difference)) {
    fields::compare(&Fields::of_moment(a), &Fields::of_moment(b), At::default(), sink);
}

/// The fields that differ between two messages, in stream order. Where they stand in the message is not compared.
pub fn between_messages(a: &Explained, b: &Explained, sink: &mut dyn FnMut(Difference)) {
    fields::compare(&Fields::of_message(a), &Fields::of_message(b), At::default(), sink);
}
