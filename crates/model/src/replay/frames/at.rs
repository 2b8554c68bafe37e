//! Where a frame is.

use crate::{Frame, Milliseconds};

/// Where a frame stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Its number, from 0; every frame of the recording counts.
    pub number: u32,
    /// The container's message that it came with.
    pub message: u32,
    /// The level that it is of, from 0.
    pub level: u32,
    /// Since the recording's first frame.
    pub time: Milliseconds,
    /// On the server's clock.
    pub server_time: Milliseconds,
    /// On the clock of the match.
    pub match_time: Option<Milliseconds>,
}

impl At {
    /// Says so in a frame.
    pub fn mark(&self, frame: &mut Frame) {
        (frame.number, frame.message, frame.level) = (self.number, self.message, self.level);
        (frame.time, frame.server_time, frame.match_time) = (self.time, self.server_time, self.match_time);
    }
}
