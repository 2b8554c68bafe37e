//! Rounds inside of a match: Quake Live's and CPMA's round-based games (`docs/formats/quake3-events.md`, "Rounds").

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::{info, number};
use crate::walk::match_clock::{counts_down_to_rounds, is_between_rounds};

/// Follows the rounds.
#[derive(Debug, Default)]
pub(super) struct RoundTracker {
    number: Option<i32>,
    /// `None` until the strings have been read once.
    running: Option<bool>,
    /// The team that scored since the round started.
    winner: Option<usize>,
}

impl RoundTracker {
    /// Reports changes after all commands of a message. `scored` is the team whose score rose.
    pub(super) fn update(&mut self, state: &State, game: &Game, in_match: bool, scored: Option<usize>, out: &mut EventSink) {
        if scored.is_some() {
            self.winner = scored;
        }
        let Some(running) = self.is_on(state, game, in_match) else { return };
        let before = self.running.replace(running);
        if before == Some(running) {
            return;
        }
        if running {
            self.winner = None;
        }
        // the state at the start of the recording is no event
        if before.is_none() {
            return;
        }
        let winner = self.winner.filter(|_| !running).map(|team| Cow::Borrowed(["red", "blue"][team & 1]));
        let number = self.number;
        out.push(Evidence::Inferred, Kind::Round, || EventKind::Round { number, started: running, winner });
    }

    /// Whether a round is on; `None` in games without rounds.
    fn is_on(&mut self, state: &State, game: &Game, in_match: bool) -> Option<bool> {
        if game.strings.cpma.is_some() {
            return counts_down_to_rounds(state, game).then(|| in_match && !is_between_rounds(state, game));
        }
        let round = game.strings.round?;
        let announced = info(state.string(round), "round");
        if !announced.is_empty() {
            self.number = Some(number(announced)).filter(|&number| number > 0);
        }
        // the start time, -1 between rounds
        let began = state.string(round + 1);
        let has_rounds = !state.string(round).is_empty() || !began.is_empty();
        has_rounds.then(|| in_match && number(began) > 0)
    }
}
