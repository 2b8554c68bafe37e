//! Matches of CPMA: a string describes the match, and prints say that it is over.

use std::borrow::Cow;

use fragreel_model::{EndCause, MatchState, Milliseconds};

use super::tracker::{Cpma, Fact, MatchTracker, Said};
use crate::events::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::{info, number};
use crate::walk::match_clock::{MatchReading, MatchStage, counts_down_to_rounds};

/// For how long after the match's string says "warm-up" the end may still be printed: round modes end so.
const LATE_END: Milliseconds = Milliseconds(2000);
/// Nobody there, in a score.
const NOBODY: i32 = -9999;
/// The number of the game type of duels.
const DUEL: i32 = 1;

impl MatchTracker {
    /// The facts of a message.
    pub(super) fn cpma_facts(&mut self, said: &Said, reading: MatchReading, state: &State, game: &Game, out: &EventSink, facts: &mut Vec<Fact>) {
        use MatchStage::{Countdown, Over, Running, Warmup};
        let before = self.stage;
        let own = game.strings.cpma.map_or(&[][..], |(own, _)| state.string(own));
        let in_rounds = counts_down_to_rounds(state, game);
        let is_over = said.over || said.end.is_some();
        if let Some(loser) = &said.loser
            && before == Some(Running)
        {
            facts.push(Fact::stated(MatchState::Forfeited).end(Some(EndCause::Forfeit), Some(loser.clone())));
            self.cpma.forfeit = true;
        }
        if before == Some(Running) && said.cpma {
            self.forfeit(said, state, game, facts);
        }
        let next = match (before, reading.stage) {
            // it may be the countdown to a round of a match that runs
            (None, Countdown) if in_rounds => return,
            (None, stage) => stage,
            (Some(Running), Running) if is_over => Over,
            (Some(Running), Countdown) if in_rounds => Running,
            (Some(Over), Running) => Over,
            (_, stage) => stage,
        };
        self.stage = Some(next);
        match (before, next) {
            _ if before == Some(next) => {}
            (Some(Running), Warmup | Countdown) => {
                let cause = said.arena.then_some(EndCause::Restart);
                let empty = empty_side(own).filter(|_| !self.cpma.forfeit && !is_over);
                self.cpma.left = (!self.cpma.forfeit && empty.is_none()).then(|| out.demo_time());
                if let Some(side) = empty {
                    facts.push(Fact::inferred(MatchState::Forfeited).end(Some(EndCause::Forfeit), Some(Cow::Borrowed(side))));
                }
                facts.push(Fact::stated(if next == Warmup { MatchState::Warmup } else { MatchState::Countdown }).end(cause, None));
            }
            (_, Warmup) => facts.push(Fact::stated(MatchState::Warmup)),
            (_, Countdown) => facts.push(Fact::stated(MatchState::Countdown)),
            (Some(_), Running) => {
                self.cpma = Cpma::default();
                facts.push(Fact::inferred(MatchState::Started));
            }
            (None, Running) => {}
            (_, Over) => facts.push(Fact::inferred(MatchState::Intermission).end(said.end, None)),
        }
        if is_over && next != Over && self.cpma.left.take().is_some_and(|left| out.demo_time() - left <= LATE_END) {
            facts.push(Fact::inferred(MatchState::Intermission).end(said.end, None));
        }
        self.pause(reading.paused && next == Running, facts);
    }

    /// A duellist's score gives way to the mark for nobody: the other one won.
    fn forfeit(&mut self, said: &Said, state: &State, game: &Game, facts: &mut Vec<Fact>) {
        let Some((own, round)) = game.strings.cpma else { return };
        if number(info(state.string(own), "t")) != DUEL {
            return;
        }
        let scores = |index: usize| ["sb", "sr"].map(|key| Some(info(state.string(index), key)).filter(|score| !score.is_empty()).map(number));
        let has_left = [own, round].iter().any(|&index| {
            let stated = scores(index);
            stated.contains(&Some(NOBODY)) && stated.iter().flatten().any(|score| *score != NOBODY)
        });
        if has_left && self.cpma.both && !self.cpma.forfeit {
            self.cpma.forfeit = true;
            facts.push(Fact::inferred(MatchState::Forfeited).end(Some(EndCause::Forfeit), said.first_gone(false)));
        }
        self.cpma.both |= scores(own).iter().all(|score| score.is_some_and(|score| score != NOBODY));
    }
}

/// The side without players, where the other has some.
fn empty_side(own: &[u8]) -> Option<&'static str> {
    let players = |key| Some(info(own, key)).filter(|text| !text.is_empty()).map(number);
    match (players("cr")?, players("cb")?) {
        (0, 1..) => Some("red"),
        (1.., 0) => Some("blue"),
        _ => None,
    }
}
