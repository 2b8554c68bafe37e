//! Reads and writes Quake III Arena recordings: `.dm_66` to `.dm_71`, the older `.dm3` and `.dm_48`, Quake Live's `.dm_73`, `.dm_90` and
//! `.dm_91`, and `.urtdemo`. `docs/formats/quake3.md` describes the format, `docs/errata/quake3.md` the deviations of real engines.
//!
//! [`Recording`] answers questions and makes edits. Below it, [`container`] splits the file, [`message`] decodes trees in a [`dialect`], and
//! [`state`] keeps the ring of 32 snapshots. One step of [`walk`] is one message.
//!
//! A keyframe for seeking holds the position of the level's gamestate, the strings that changed since, and, encoded, the snapshots that
//! later ones are deltas against. All keyframes take at most a twentieth of the recording's size.
//!
//! Most programs want the crate `fragreel`, which supports all families. In this crate, `Recording`, `Frames`, `detect` and their
//! arguments and results are stable. Modules, message trees and states follow the format, and may change in any version.

#![warn(unreachable_pub)]

mod answers;
mod chunked;
pub mod container;
pub mod detect;
pub mod dialect;
mod edit;
mod encode;
pub mod events;
pub mod fields;
pub mod frames;
pub mod game;
mod limits;
pub mod message;
#[doc(hidden)]
pub mod properties;
pub mod recording;
pub mod state;
pub mod strings;
pub mod text;
#[doc(hidden)]
pub mod unstable;
pub mod walk;

#[doc(hidden)]
pub use chunked::Chunked;
pub use detect::detect;
pub use edit::Comparer;
pub use frames::Frames;
pub use recording::Recording;
