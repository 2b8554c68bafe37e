//! Every state in turn.

use model::Milliseconds;

use super::Recording;
use crate::dialect::Dialect;
use crate::playback::Playback;
use crate::state::Game;

/// Where a replay stands: after a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// Since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock.
    pub server_time: Milliseconds,
    /// The container's message.
    pub message: u32,
}

impl Recording<'_> {
    /// Shows the whole game after every block that brings a frame, in stream order. What cannot be read is passed over;
    /// [`verify`](Self::verify) reports it. [`frames`](Self::frames) gives the same in the vocabulary of all games.
    pub fn replay(&self, mut show: impl FnMut(Replayed, &Dialect, &Game)) {
        let mut playback = Playback::new(self, true);
        while let Some(block) = playback.next_frame() {
            let at = Replayed { time: playback.clock.demo, server_time: playback.clock.server, message: block.number };
            show(at, playback.dialect(), &playback.game);
        }
    }
}
