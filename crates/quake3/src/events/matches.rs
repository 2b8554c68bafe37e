//! The stages of the match: warmup, countdown, running, paused, over (`docs/formats/quake3-events.md`, "The match").

use fragreel_model::{EventKind, Evidence, Kind, MatchState};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::clean;
use crate::walk::match_clock::{MatchReading, MatchStage, counts_down_to_rounds, read};

/// Follows the match by its strings.
#[derive(Debug, Default)]
pub(super) struct MatchTracker {
    last: Option<MatchReading>,
    restarted: bool,
    /// CPMA: a print said that the match is over.
    said_over: bool,
}

impl MatchTracker {
    /// Starts a level.
    pub(super) fn start_level(&mut self) {
        *self = MatchTracker::default();
    }

    /// Notes a `map_restart`.
    pub(super) fn restarted(&mut self) {
        self.restarted = true;
    }

    /// Whether the match runs; the time between two rounds counts.
    pub(super) fn is_running(&self) -> bool {
        self.last.is_some_and(|last| last.stage == MatchStage::Running)
    }

    /// Handles a printed line.
    pub(super) fn printed(&mut self, line: &[u8], game: &Game, out: &mut EventSink) {
        let says = |words: &str| line.len() >= words.len() && line.windows(words.len()).any(|found| found.eq_ignore_ascii_case(words.as_bytes()));
        if game.strings.cpma.is_some() && self.is_running() && OVER.iter().any(|words| says(words)) {
            self.said_over = true;
        }
        let overtime = (says("overtime") || says("sudden death")) && !says("overtime mode") && !says("overtime:");
        if overtime && self.is_running() && !clean(line).contains(": ") {
            out.push(Evidence::Inferred, Kind::Match, || EventKind::match_state(MatchState::Overtime));
        }
    }

    /// Whether the match runs as the strings are now.
    pub(super) fn runs_on(&self, state: &State, game: &Game) -> bool {
        self.stage(read(state, game, self.said_over).stage, state, game) == MatchStage::Running
    }

    /// The stage of the match: that of the strings, except that CPMA's countdown to a round counts as running.
    fn stage(&self, said: MatchStage, state: &State, game: &Game) -> MatchStage {
        if said == MatchStage::Countdown && self.is_running() && counts_down_to_rounds(state, game) { MatchStage::Running } else { said }
    }

    /// Reports changes after all commands of a message. Returns whether the level was restarted.
    pub(super) fn update(&mut self, state: &State, game: &Game, out: &mut EventSink) -> bool {
        let restarted = std::mem::take(&mut self.restarted);
        let mut new = read(state, game, self.said_over);
        let before = self.last;
        new.stage = self.stage(new.stage, state, game);
        if new.stage != MatchStage::Running && new.stage != MatchStage::Over {
            self.said_over = false;
        }
        self.last = Some(new);
        out.match_clock = new.clock;
        let mut push = |evidence, state| out.push(evidence, Kind::Match, || EventKind::match_state(state));
        let evidence = if game.strings.cpma.is_some() || new.stage == MatchStage::Running { Evidence::Inferred } else { Evidence::Stated };
        let same = before.is_some_and(|before| before.stage == new.stage);
        match (new.stage, before) {
            _ if same => {
                if restarted {
                    push(Evidence::Stated, MatchState::Restarted);
                }
            }
            (MatchStage::Warmup, _) => push(Evidence::Stated, MatchState::Warmup),
            (MatchStage::Countdown, _) => push(Evidence::Stated, MatchState::Countdown),
            (MatchStage::Over, _) => push(evidence, MatchState::Intermission),
            (MatchStage::Running, Some(_)) => push(evidence, MatchState::Started),
            // it may have run for long
            (MatchStage::Running, None) => {}
        }
        if before.map_or(new.paused, |before| before.paused != new.paused) {
            push(Evidence::Stated, if new.paused { MatchState::Paused } else { MatchState::Resumed });
        }
        restarted
    }
}

/// What CPMA prints at the end of a match. It has no string for it.
const OVER: &[&str] = &["limit hit", "match over", "match complete", "has won the match"];
