//! The course of matches: warm-up, countdown, start, pause, overtime, end (`docs/formats/quake3-events.md`, "The match").
//!
//! Facts are changes, never that a string is on: id's game leaves the intermission's string on for good, and OSP sets warm-up and start when a
//! time-out ends.

mod cpma;
mod prints;
mod strings;
mod tracker;

use fragreel_model::{EventKind, Kind, MatchState, Player};

use super::sink::EventSink;
use crate::game::Game;
use crate::game::strings::SERVERINFO;
use crate::state::State;
use crate::walk::Roster;
use crate::walk::match_clock::{MatchStage, counts_down_to_rounds, read};
use tracker::Fact;
pub(super) use tracker::MatchTracker;

impl MatchTracker {
    /// Starts a level.
    pub(super) fn start_level(&mut self) {
        *self = MatchTracker::default();
    }

    /// Notes a `map_restart`.
    pub(super) fn restarted(&mut self) {
        self.said.restarted = true;
    }

    /// Whether a `map_restart` came in this message.
    pub(super) fn is_restarting(&self) -> bool {
        self.said.restarted
    }

    /// Notes that the string at `index` changed.
    pub(super) fn string_changed(&mut self, game: &Game, index: usize) {
        let places = &game.strings;
        match index {
            SERVERINFO => self.said.settings = true,
            _ if index == places.level_start => self.said.start = true,
            _ if index == places.intermission => self.said.intermission = true,
            _ if places.cpma.is_some_and(|(own, round)| index == own || index == round) => self.said.cpma = true,
            _ => {}
        }
    }

    /// Notes that somebody left, or went to the spectators.
    pub(super) fn gone(&mut self, player: Player) {
        self.said.gone.push(player);
    }

    /// Notes CPMA's word on a duel that was given up.
    pub(super) fn given_up(&mut self, loser: &[u8]) {
        self.said.loser = Some(crate::strings::clean(loser).into());
    }

    /// Whether the match runs; the time between two rounds counts.
    pub(super) fn is_running(&self) -> bool {
        self.stage == Some(MatchStage::Running)
    }

    /// Whether a match may run: it does, or a countdown is to it or to one of its rounds.
    pub(super) fn may_run(&self) -> bool {
        self.stage.is_none() || self.is_running()
    }

    /// Handles a printed line.
    pub(super) fn printed(&mut self, line: &[u8], game: &Game) {
        self.said.end = self.said.end.or_else(|| prints::end(line));
        self.said.overtime |= prints::is_overtime(line);
        if game.strings.cpma.is_some() {
            self.said.over |= prints::is_over(line);
            self.said.arena |= line.windows(15).any(|words| words.eq_ignore_ascii_case(b"Arena Restarted"));
        }
    }

    /// Whether the match runs as the strings are now.
    pub(super) fn runs_on(&self, state: &State, game: &Game) -> bool {
        let said = read(state, game).stage;
        let between = said == MatchStage::Countdown && self.is_running() && counts_down_to_rounds(state, game);
        between || (said == MatchStage::Running && self.stage != Some(MatchStage::Over))
    }

    /// Reports facts after all commands of a message. Returns whether the level was restarted.
    pub(super) fn update(&mut self, state: &State, game: &Game, players: &Roster, out: &mut EventSink) -> bool {
        let said = std::mem::take(&mut self.said);
        let reading = read(state, game);
        out.match_clock = reading.clock;
        let mut facts = Vec::new();
        if said.overtime && self.is_running() {
            facts.push(Fact::inferred(MatchState::Overtime));
        }
        if game.strings.cpma.is_some() {
            self.cpma_facts(&said, reading, state, game, out, &mut facts);
        } else {
            self.string_facts(&said, reading, state, game, players, out.now(), &mut facts);
        }
        for fact in facts {
            out.push(fact.evidence, Kind::Match, || EventKind::match_end(fact.state, fact.cause, fact.by));
        }
        said.restarted
    }
}
