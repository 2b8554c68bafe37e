//! Walks over a recording, and what several floors above conclude from them.

pub(crate) mod describe;
pub(crate) mod findings;
pub(crate) mod input;
pub(crate) mod match_clock;
pub(crate) mod match_state;
mod playback;
pub(crate) mod roster;
pub(crate) mod scoreboard;
pub(crate) mod timeline;
pub(crate) mod weapons;

pub use input::Input;
pub(crate) use playback::Checkpoint;
pub use playback::{At, Playback, Visitor, WalkOptions, WalkSummary, walk};
