//! Rounds inside of a match: Quake Live's and CPMA's round-based games (`docs/formats/quake3-events.md`, "Rounds").

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::{clean, info, number};
use crate::walk::match_clock::{counts_down_to_rounds, is_between_rounds};

/// Follows the rounds.
#[derive(Debug, Default)]
pub(super) struct RoundTracker {
    number: Option<i32>,
    /// `None` until the strings have been read once.
    running: Option<bool>,
    /// The team that scored since the round started.
    winner: Option<usize>,
    printed: Printed,
}

/// What OpenArena says of rounds: when they begin, and how they end.
#[derive(Debug, Default)]
struct Printed {
    /// When the present round begins, on the server's clock.
    begins: Option<i32>,
    /// The beginning of the round that ended last.
    ended: Option<i32>,
    /// How a round ended in this message: the team that won it, if one did.
    end: Option<Option<usize>>,
}

impl RoundTracker {
    /// OpenArena announces the time at which a round begins.
    pub(super) fn announced(&mut self, begins: i32) {
        self.printed.begins = Some(begins).filter(|begins| *begins > 0).or(self.printed.begins);
    }

    /// Reads a line of OpenArena.
    pub(super) fn printed(&mut self, line: &[u8], now: Option<i32>) {
        match read(clean(line).trim()) {
            Some(Said::Begins) => self.printed.begins = now.or(self.printed.begins),
            Some(Said::Ends(winner)) => {
                self.printed.end = Some(winner.or_else(|| self.printed.end.flatten()));
                // the next round may be announced in the same message
                self.printed.ended = self.printed.begins;
            }
            None => {}
        }
    }

    /// Whether an announced round begins now.
    pub(super) fn is_due(&self, now: Option<i32>) -> bool {
        let Printed { begins, ended, .. } = self.printed;
        self.running != Some(true) && begins.is_some() && begins != ended && begins <= now
    }

    /// Reports changes after all commands of a message. `scored` is the team whose score rose.
    pub(super) fn update(&mut self, state: &State, game: &Game, in_match: bool, scored: Option<usize>, out: &mut EventSink) {
        if scored.is_some() {
            self.winner = scored;
        }
        let end = self.printed.end.take();
        if let Some(winner) = end {
            self.winner = winner.or(scored);
        }
        if end.is_some() && self.running != Some(true) && in_match {
            self.ended(out);
        }
        let Some(running) = self.is_on(state, game, in_match, out.now()) else { return };
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
        if !running {
            return self.ended(out);
        }
        let number = self.number;
        out.push(Evidence::Inferred, Kind::Round, || EventKind::Round { number, started: true, winner: None });
    }

    fn ended(&self, out: &mut EventSink) {
        let (number, winner) = (self.number, self.winner.map(|team| Cow::Borrowed(["red", "blue"][team & 1])));
        out.push(Evidence::Inferred, Kind::Round, || EventKind::Round { number, started: false, winner });
    }

    /// Whether a round is on; `None` in games without rounds.
    fn is_on(&mut self, state: &State, game: &Game, in_match: bool, now: Option<i32>) -> Option<bool> {
        if game.prints_rounds() {
            let begins = self.printed.begins?;
            let has_begun = now >= Some(begins);
            // without a match, it is none
            if has_begun && !in_match {
                self.printed.ended = Some(begins);
            }
            return Some(has_begun && self.printed.ended != Some(begins));
        }
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

/// What a line of OpenArena says of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Begins,
    /// The team that won it, if one did.
    Ends(Option<usize>),
}

fn read(line: &str) -> Option<Said> {
    const WON: &[&str] = &["team has most survivers", "team has more health left", "team defended the base", "team scores"];
    let line = line.trim_end_matches(['!', '.']);
    match line {
        "A new round has started" => return Some(Said::Begins),
        "No teams eliminated" | "We have a winner" | "All death... how sad" => return Some(Said::Ends(None)),
        _ => {}
    }
    let (side, what) = line.split_once(' ')?;
    let team = ["Red", "Blue"].iter().position(|name| *name == side)?;
    if what == "Team eliminated" {
        return Some(Said::Ends(Some(1 - team)));
    }
    WON.contains(&what).then_some(Said::Ends(Some(team)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_openarena_end_rounds() {
        for (line, said) in [
            ("Blue Team eliminated!", Some(Said::Ends(Some(0)))),
            ("Red Team eliminated!", Some(Said::Ends(Some(1)))),
            ("No teams eliminated.", Some(Said::Ends(None))),
            ("Red team has most survivers!", Some(Said::Ends(Some(0)))),
            ("Blue team has more health left!", Some(Said::Ends(Some(1)))),
            ("Blue team defended the base", Some(Said::Ends(Some(1)))),
            ("Red team scores!", Some(Said::Ends(Some(0)))),
            ("We have a winner!", Some(Said::Ends(None))),
            ("A new round has started", Some(Said::Begins)),
            ("Grey Team eliminated!", None),
            ("ann: Red Team eliminated!", None),
        ] {
            assert_eq!(read(line), said, "{line}");
        }
    }

    /// The reason of a decision follows the line that nobody was eliminated.
    #[test]
    fn rounds_of_openarena_begin_at_the_announced_time() {
        let mut rounds = RoundTracker::default();
        assert!(!rounds.is_due(Some(9000)));
        rounds.announced(9000);
        assert_eq!([8999, 9000].map(|now| rounds.is_due(Some(now))), [false, true]);
        rounds.printed(b"No teams eliminated.\n", Some(9100));
        rounds.printed(b"Blue team has more health left!\n", Some(9100));
        assert_eq!(rounds.printed.end, Some(Some(1)));
        rounds.announced(13_000);
        assert_eq!([12_999, 13_000].map(|now| rounds.is_due(Some(now))), [false, true], "announced with the end of the round before");
    }
}
