//! Quake II recordings, both directions: `.dm2` of clients, networks and servers from the 1997 release to the 2023
//! rerelease, Relay's `.rla`, Q2PRO's `.mvd2`. The format is described in `docs/formats/quake2.md`.

pub mod chars;
pub mod container;
pub mod dialect;
pub mod fields;
pub mod message;
pub mod identify;

pub use identify::detect;
pub mod state;
pub mod playback;
