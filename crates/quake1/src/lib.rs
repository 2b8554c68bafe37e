//! QuakeWorld and NetQuake recordings, both directions (`docs/formats/quake1.md`).

pub mod characters;
pub mod container;
mod clock;
mod detect;
pub mod dialect;
pub mod fields;
pub mod message;
pub mod protocol;
mod events;
#[doc(hidden)]
pub mod properties;
mod recording;
pub mod replacement;
pub mod state;
mod walk;

pub use detect::detect;
pub use recording::{Frame, Recording};
