//! QuakeWorld and NetQuake recordings, both directions (`docs/formats/quake1.md`).
//!
//! [`Recording`] answers questions and makes edits.
//!
//! One step of a walk is one block. A keyframe for seeking is the game's state at that time; parts that seldom change are shared between
//! keyframes.
//!
//! ```
//! let bytes = &*std::fs::read("../../samples/quake1/match_e1m1.mvd").unwrap();
//! let recording = fragreel_quake1::Recording::open(bytes, Some("mvd"), fragreel_base::wire::Limits::default())?;
//! assert_eq!(recording.info().maps, ["e1m1"]);
//! # Ok::<(), fragreel_base::wire::Error>(())
//! ```
//!
//! Most programs want the crate `fragreel`, which has all families. What is documented here is stable, but for message trees in [`text`]. The module
//! `unstable` has blocks, messages, states, and encoders, for the crates of this project: it follows the format, and may change in any version.

#![warn(unreachable_pub)]

mod answers;
mod characters;
mod chunked;
mod container;
mod detect;
mod dialect;
mod edit;
mod encode;
mod events;
mod extensions;
mod fields;
mod frames;
mod limits;
mod message;
mod phrase_file;
mod properties;
mod recording;
mod replacement;
mod state;
pub mod text;
#[doc(hidden)]
pub mod unstable;
mod walk;

pub use answers::replay::Replayed;
#[doc(hidden)]
pub use chunked::Chunked;
pub use detect::{detect, is_hexen2};
pub use frames::Frames;
pub use phrase_file::PhraseFile;
pub use recording::{Comparer, Recording};
