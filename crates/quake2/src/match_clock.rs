//! The clock of the match: it runs from where the server says that a match starts to where it says that it is over.

use model::{MatchState, Milliseconds};

use crate::chars;
use crate::events::match_state;
use crate::state::Effect;

/// The clock of the match that runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MatchClock {
    /// When the match began that runs, since the recording's first frame.
    started: Option<Milliseconds>,
}

impl MatchClock {
    /// Takes in what a message did: no match goes on over a level's end.
    #[inline]
    pub fn effect(&mut self, effect: Effect) {
        if matches!(effect, Effect::Level | Effect::LevelUnannounced) {
            self.started = None;
        }
    }

    /// A line that the server prints.
    pub fn print(&mut self, text: &[u8], now: Milliseconds) {
        match match_state(&chars::plain(text)) {
            Some(MatchState::Started) => self.started = Some(now),
            Some(MatchState::Intermission | MatchState::Restarted) => self.started = None,
            _ => {}
        }
    }

    /// What it shows, while a match runs whose start is in the recording.
    #[inline]
    pub fn at(&self, now: Milliseconds) -> Option<Milliseconds> {
        self.started.map(|started| now - started)
    }
}
