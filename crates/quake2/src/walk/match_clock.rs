//! The match clock. It runs from the line that starts a match to the one that ends it.

use fragreel_model::{EndCause, MatchState, Milliseconds};

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

    /// Reads a printed line. Returns what it announces of the match, if anything.
    ///
    /// OpenTDM also prints "Fight!" when a match resumes after a time out: that is [`MatchState::Resumed`].
    pub(crate) fn print(&mut self, text: &[u8], now: Milliseconds) -> Option<Announced> {
        let (announced, cause) = match_state(&chars::plain(text))?;
        let state = if announced == MatchState::Started && self.paused.is_some() { MatchState::Resumed } else { announced };
        match state {
            MatchState::Started => *self = MatchClock { started: Some(now), paused: None },
            MatchState::Paused => drop(self.paused.get_or_insert(now)),
            MatchState::Resumed => {
                if let (Some(started), Some(paused)) = (&mut self.started, self.paused.take()) {
                    *started = *started + (now - paused);
                }
            }
            MatchState::Intermission | MatchState::Restarted | MatchState::Aborted | MatchState::Warmup => *self = MatchClock::default(),
            _ => {}
        }
        Some(Announced { state, cause })
    }

    /// The match time, while a match runs that started within the recording.
    #[inline]
    pub(crate) fn at(&self, now: Milliseconds) -> Option<Milliseconds> {
        self.started.map(|started| self.paused.unwrap_or(now) - started)
    }
}

/// What a line announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    pub(crate) state: MatchState,
    pub(crate) cause: Option<EndCause>,
}

/// The match state that a printed line of the stock games, CTF, OpenTDM or Action Quake II announces, and what ended the match.
fn match_state(plain: &[u8]) -> Option<(MatchState, Option<EndCause>)> {
    let line = plain.strip_suffix(b"\n").unwrap_or(plain);
    let text = std::str::from_utf8(line).ok()?;
    let ended = |cause| Some((MatchState::Intermission, cause));
    match text {
        "Timelimit hit." | "Timelimit hit. Match ended." => return ended(Some(EndCause::Time)),
        "Fraglimit hit." => return ended(Some(EndCause::Frags)),
        "Capturelimit hit." => return ended(Some(EndCause::Captures)),
        "Roundlimit hit." => return ended(Some(EndCause::Rounds)),
        "Match ended." | "MATCH COMPLETED!" => return ended(None),
        "Match canceled, no players remaining." => return Some((MatchState::Aborted, Some(EndCause::NobodyLeft))),
        _ if text.starts_with("Match is over, waiting for next map") => return ended(None),
        _ => {}
    }
    let state = match text {
        "Fight!" | "The match has started!" => MatchState::Started,
        "Restarting the match..." => MatchState::Restarted,
        "All players have commited.  Match starting" => MatchState::Countdown,
        _ if text.contains(" called a time out.") => MatchState::Paused,
        "Match halted." => MatchState::Aborted,
        "Countdown aborted!" => MatchState::Warmup,
        _ if text.starts_with("Scores and time were reset by ") => MatchState::Restarted,
        _ if text.starts_with("Scores are tied ") => MatchState::Overtime,
        _ => return None,
    };
    Some((state, None))
}
