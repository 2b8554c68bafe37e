//! The clock of the match: it runs from where the server says that a match starts to where it says that it is over.

use model::{MatchState, Milliseconds};

use super::match_state::{in_course, match_state};
use crate::chars;
use crate::state::Effect;

/// The clock of the match that runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MatchClock {
    /// When the match began that runs, since the recording's first frame.
    started: Option<Milliseconds>,
    /// Since when the match is interrupted: its clock stands.
    paused: Option<Milliseconds>,
}

impl MatchClock {
    /// Takes in what a message did: no match goes on over a level's end.
    #[inline]
    pub fn effect(&mut self, effect: Effect) {
        if matches!(effect, Effect::Level | Effect::LevelUnannounced) {
            *self = MatchClock::default();
        }
    }

    /// A line that the server prints.
    pub fn print(&mut self, text: &[u8], now: Milliseconds) {
        let Some(state) = match_state(&chars::plain(text)) else { return };
        let mut paused = self.paused.is_some();
        match in_course(state, &mut paused) {
            MatchState::Started => *self = MatchClock { started: Some(now), paused: None },
            MatchState::Paused => drop(self.paused.get_or_insert(now)),
            MatchState::Resumed => {
                if let (Some(started), Some(paused)) = (&mut self.started, self.paused.take()) {
                    *started = *started + (now - paused);
                }
            }
            MatchState::Intermission | MatchState::Restarted => *self = MatchClock::default(),
            _ => {}
        }
    }

    /// What it shows, while a match runs whose start is in the recording.
    #[inline]
    pub fn at(&self, now: Milliseconds) -> Option<Milliseconds> {
        self.started.map(|started| self.paused.unwrap_or(now) - started)
    }
}
