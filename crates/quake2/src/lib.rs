//! Reads and writes Quake II recordings: `.dm2` of clients, networks and servers from the 1997 release to the 2023 rerelease, Relay's
//! `.rla`, and Q2PRO's `.mvd2`. `docs/formats/quake2.md` describes the format.
//!
//! Most programs want the crate `fragreel`, which supports all families. In this crate, `Recording`, `Frames`, `detect` and their
//! arguments and results are stable. Modules, message trees and states follow the format, and may change in any version.

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
