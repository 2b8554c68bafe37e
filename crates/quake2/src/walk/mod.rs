//! Walks over a recording, and conclusions that several floors above share: timeline, match clock, roster, damage.

pub(crate) mod describe;
pub(crate) mod findings;
pub(crate) mod input;
pub(crate) mod match_clock;
mod playback;
pub(crate) mod repeats;
pub(crate) mod roster;
pub(crate) mod scoreboard;
pub(crate) mod timeline;
mod visitor_walk;
pub(crate) mod weapons;
mod witnesses;

pub use input::Input;
pub(crate) use playback::Checkpoint;
pub use playback::{At, Playback, Visitor, WalkOptions, WalkSummary, walk};
pub(crate) use visitor_walk::{StoppingWalk, VisitorWalk};
