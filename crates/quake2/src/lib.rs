//! Quake II recordings, both directions: `.dm2` of clients, networks and servers from the 1997 release to the 2023
//! rerelease, Relay's `.rla`, Q2PRO's `.mvd2`. The format is described in `docs/formats/quake2.md`.
//!
//! Most programs want the crate `fragreel`, which has all families. Of this one, `Recording`, `Frames`, `detect` and what they take and
//! give are stable; modules, trees of messages and states follow the format, and may change in any version.

mod answers;
pub mod chars;
pub mod container;
pub mod detect;
pub mod dialect;
mod edit;
pub mod encode;
mod events;
pub mod fields;
mod frames;
mod limits;
pub mod live;
pub mod message;
#[doc(hidden)]
pub mod properties;
mod recording;
pub mod state;
pub mod text;
pub mod walk;

pub use detect::detect;
pub use frames::Frames;
pub use recording::{Comparer, Recording};
/// The old name of [`text`], for the facade until all families have the new one.
#[doc(hidden)]
pub use text as text_form;
