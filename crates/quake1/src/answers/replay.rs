//! Every state in turn.

use model::Milliseconds;

use crate::dialect::Dialect;
use crate::state::Game;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

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

/// Passes the whole game to `show` after every block that brings a frame. Skips what cannot be read.
pub fn replay(input: &Input<'_>, mut show: impl FnMut(Replayed, &Dialect, &Game)) {
    let mut playback = Playback::new(input, true);
    while let Some(block) = playback.next_frame() {
        let at = Replayed { time: playback.clock.demo, server_time: playback.clock.server, message: block.number };
        show(at, playback.dialect(), &playback.game);
    }
}
