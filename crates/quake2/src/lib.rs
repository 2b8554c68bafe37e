//! Quake II recordings, both directions: `.dm2` of clients, networks and servers from the 1997 release to the 2023
//! rerelease, Relay's `.rla`, Q2PRO's `.mvd2`. The format is described in `docs/formats/quake2.md`.
//!
//! Most programs want the crate `fragreel`, which has all families. Of this one, `Recording`, `Frames`, `detect` and what they take and
//! give are stable; modules, trees of messages and states follow the format, and may change in any version.

mod audit;
pub mod canonical;
pub mod chars;
pub mod container;
pub mod dialect;
mod edit;
mod events;
mod explain;
pub mod fields;
mod findings;
mod frames;
pub mod identify;
mod info;
mod limits;
mod match_clock;
pub mod message;
mod moment;
pub mod playback;
#[doc(hidden)]
pub mod properties;
pub mod protocol;
mod recording;
pub mod state;
pub mod text_form;
mod verify;

pub use edit::Comparer;
pub use frames::Frames;
pub use identify::detect;
pub use recording::Recording;
