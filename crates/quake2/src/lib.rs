//! Reads and writes Quake II recordings: `.dm2` of clients, networks and servers from the 1997 release to the 2023 rerelease, Relay's
//! `.rla`, and Q2PRO's `.mvd2`. `docs/formats/quake2.md` describes the format, `docs/errata/quake2.md` the deviations of real engines.
//!
//! [`Recording`] answers questions and makes edits. Below it, [`container`] splits the file into blocks, [`message`] decodes trees in a
//! [`dialect`], and [`state`] keeps the ring of 16 frames. One step of [`walk`] is one block.
//!
//! A keyframe for seeking holds the encoded frames that later ones are deltas against. The strings and baselines of a level are kept once.
//!
//! Most programs want the crate `fragreel`, which supports all families. In this crate, `Recording`, `Frames`, `detect` and their
//! arguments and results are stable. Modules, message trees and states follow the format, and may change in any version.

#![warn(unreachable_pub)]

mod answers;
pub mod chars;
mod chunked;
pub mod container;
pub mod detect;
pub mod dialect;
mod edit;
mod encode;
mod events;
pub mod fields;
mod frames;
mod limits;
pub mod message;
#[doc(hidden)]
pub mod properties;
mod recording;
pub mod state;
pub mod text;
#[doc(hidden)]
pub mod unstable;
pub mod walk;

#[doc(hidden)]
pub use chunked::Chunked;
pub use detect::detect;
pub use frames::Frames;
pub use recording::{Comparer, Recording};
