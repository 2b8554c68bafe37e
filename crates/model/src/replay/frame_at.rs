//! When a frame of a recording is.

use crate::Milliseconds;

/// A frame of a recording, as far as its place in time goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameAt {
    /// The container's message that holds it.
    pub message: u32,
    /// What the family numbers its frames by: a sequence, a frame's number. Equal in an excerpt unless that renumbers.
    pub key: i64,
    /// The level, counted from 0.
    pub level: u32,
    /// Time since the first frame.
    pub demo: Milliseconds,
    /// The server's clock.
    pub server: Milliseconds,
    /// What the clock of the match shows while one runs.
    pub in_match: Option<Milliseconds>,
    /// Whether a countdown to the next round of the same match runs.
    pub before_round: bool,
}
