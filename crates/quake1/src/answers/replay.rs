//! Passes every state in order.

use fragreel_model::Milliseconds;

use crate::dialect::Dialect;
use crate::state::Game;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// The position of a replay after a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// Time since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock.
    pub server_time: Milliseconds,
    /// The number of the block.
    pub message: u32,
}

/// Passes the whole game to `show` after every block that brings a frame. Skips what cannot be read.
pub(crate) fn replay(input: &Input<'_>, mut show: impl FnMut(Replayed, &Dialect, &Game)) {
    let mut playback = Playback::new(input, true);
    while let Some(block) = playback.next_frame() {
        let at = Replayed { time: playback.clock.demo, server_time: playback.clock.server, message: block.number };
        show(at, playback.dialect(), &playback.game);
    }
}
