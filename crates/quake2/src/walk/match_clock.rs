//! The match clock. It runs from the line that starts a match to the one that ends it.

use fragreel_model::{MatchState, Milliseconds};

use crate::chars;
use crate::state::Effect;

/// The clock of the current match.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MatchClock {
    /// When the match began, in time since the first frame of the recording.
    started: Option<Milliseconds>,
    /// When the current time out began. The clock stands still until it ends.
    paused: Option<Milliseconds>,
}

impl MatchClock {
    /// Handles the effect of a message. A new level ends the match.
    #[inline]
    pub(crate) fn effect(&mut self, effect: Effect) {
        if matches!(effect, Effect::Level | Effect::LevelUnannounced) {
            *self = MatchClock::default();
        }
    }

    /// Reads a printed line. Returns the match state that it announces, if any.
    ///
    /// OpenTDM also prints "Fight!" when a match resumes after a time out: that is [`MatchState::Resumed`].
    pub(crate) fn print(&mut self, text: &[u8], now: Milliseconds) -> Option<MatchState> {
        let announced = match_state(&chars::plain(text))?;
        let state = if announced == MatchState::Started && self.paused.is_some() { MatchState::Resumed } else { announced };
        match state {
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
        Some(state)
    }

    /// The match time, while a match runs that started within the recording.
    #[inline]
    pub(crate) fn at(&self, now: Milliseconds) -> Option<Milliseconds> {
        self.started.map(|started| self.paused.unwrap_or(now) - started)
    }
}

/// The match state that a printed line of the stock games, CTF or OpenTDM announces.
fn match_state(plain: &[u8]) -> Option<MatchState> {
    let line = plain.strip_suffix(b"\n").unwrap_or(plain);
    let text = std::str::from_utf8(line).ok()?;
    Some(match text {
        "Timelimit hit."
        | "Fraglimit hit."
        | "Capturelimit hit."
        | "Roundlimit hit."
        | "Match ended."
        | "Timelimit hit. Match ended."
        | "Match canceled, no players remaining."
        | "Match is over, waiting for next map..."
        | "MATCH COMPLETED!" => MatchState::Intermission,
        "Fight!" | "The match has started!" => MatchState::Started,
        "Restarting the match..." => MatchState::Restarted,
        "All players have commited.  Match starting" => MatchState::Countdown,
        _ if text.contains(" called a time out.") => MatchState::Paused,
        _ if text.starts_with("Scores are tied ") => MatchState::Overtime,
        _ => return None,
    })
}
