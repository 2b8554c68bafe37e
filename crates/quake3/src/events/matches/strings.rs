//! Matches of all games but CPMA: warm-up, start and intermission are strings of their own.

use std::borrow::Cow;

use fragreel_model::{EndCause, MatchState};

use super::tracker::{Fact, MatchTracker, Said};
use crate::game::Game;
use crate::state::State;
use crate::strings::{clean, number};
use crate::walk::Roster;
use crate::walk::match_clock::{MatchReading, MatchStage, shows_intermission};

/// The score of a side that gave up, in Quake Live.
const FORFEITED: i32 = -999;

impl MatchTracker {
    /// The facts of a message.
    #[allow(clippy::too_many_arguments, reason = "what a message said, and what it is read with")]
    pub(super) fn string_facts(
        &mut self,
        said: &Said,
        reading: MatchReading,
        state: &State,
        game: &Game,
        players: &Roster,
        now: Option<i32>,
        facts: &mut Vec<Fact>,
    ) {
        use MatchStage::{Countdown, Over, Running, Warmup};
        let before = self.stage;
        let ends = said.end.is_some() || (said.intermission && shows_intermission(state, game));
        let next = match (before, reading.stage) {
            (None, stage) => stage,
            // the level starts again, whatever the intermission's string says
            (Some(_), stage) if said.restarted => {
                if stage == Over && !said.intermission {
                    Running
                } else {
                    stage
                }
            }
            (Some(Running), Running | Over) if ends => Over,
            // Quake Live names the stage
            (Some(Running | Over), stage @ (Warmup | Countdown)) if said.settings && names_stage(state) => stage,
            // a time-out: the warm-up's string counts down to the end of it
            (Some(Running), _) => {
                if ends {
                    Over
                } else {
                    Running
                }
            }
            (Some(Over), _) => Over,
            (Some(Warmup | Countdown), stage @ (Warmup | Countdown)) => stage,
            (Some(Warmup | Countdown), Running) if said.start || (said.settings && names_stage(state)) => Running,
            // a vote for another map ends a warm-up
            (Some(stage @ (Warmup | Countdown)), _) => stage,
        };
        self.stage = Some(next);
        match (before, next) {
            (Some(Running), Running) if said.restarted => facts.push(Fact::stated(MatchState::Restarted)),
            _ if before == Some(next) => {}
            (_, Warmup) => facts.push(Fact::stated(MatchState::Warmup)),
            (_, Countdown) => facts.push(Fact::stated(MatchState::Countdown)),
            (Some(_), Running) => facts.push(Fact::inferred(MatchState::Started)),
            // it may have run for long
            (None, Running) => {}
            (_, Over) => {
                let by = forfeiter(state, game, players).or_else(|| said.first_gone(game.has_team_scores(state)));
                let fact = if said.end == Some(EndCause::Forfeit) { MatchState::Forfeited } else { MatchState::Intermission };
                let evidence = if said.intermission { Fact::stated(fact) } else { Fact::inferred(fact) };
                facts.push(evidence.end(said.end, by.filter(|_| fact == MatchState::Forfeited)));
            }
        }
        // Quake Live has a string for pauses. OSP puts the start into the future.
        let paused = match game.strings.pause {
            Some(_) => reading.paused,
            None => next == Running && now.is_some_and(|now| number(state.string(game.strings.level_start)) > now),
        };
        if next == Running || self.paused {
            self.pause(paused && next == Running, facts);
        }
    }
}

/// Whether the server names the stage of the match.
fn names_stage(state: &State) -> bool {
    !crate::strings::info(state.string(crate::game::strings::SERVERINFO), "g_gameState").is_empty()
}

/// Who gave up: the side whose score says so.
fn forfeiter(state: &State, game: &Game, players: &Roster) -> Option<Cow<'static, str>> {
    let side = (0..2).find(|side| number(state.string(game.strings.scores + side)) == FORFEITED)?;
    if game.plays_in_teams(state) {
        return Some(Cow::Borrowed(["red", "blue"][side]));
    }
    let name = clean(state.string(game.strings.leaders? + side));
    (!name.is_empty()).then(|| players.named(name.as_bytes()).name.clean.into())
}
