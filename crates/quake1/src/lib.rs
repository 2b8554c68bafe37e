//! QuakeWorld and NetQuake recordings, both directions (`docs/formats/quake1.md`).

pub mod characters;
mod clock;
pub mod container;
mod detect;
pub mod dialect;
mod events;
mod fast;
pub mod fields;
pub mod message;
#[doc(hidden)]
pub mod properties;
pub mod protocol;
mod recording;
pub mod replacement;
pub mod state;
mod walk;

pub use detect::detect;
pub use recording::{Frame, Recording};
