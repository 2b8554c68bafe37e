//! Scoreboards and statistics: what servers state of a match and what can be counted of it (`docs/statistics.md`).

mod figures;
mod lines;
mod matches;

use serde::Serialize;

pub use figures::{Figure, Figures, ItemStat, Source, Stat, WeaponStat};
pub use lines::{Against, PlayerStats, Statement, TeamStats};
pub use matches::{Check, Contradiction, MatchStats, Pause, Segment};

/// Why a recording has no match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoMatch {
    /// No level is entered.
    NoLevel,
    /// A warm-up or a countdown is stated, and no start.
    NoStart,
    /// A level runs, and nobody joins it, scores in it or dies in it.
    NoPlayers,
    /// Players are there, and nobody scores or dies.
    NothingHappens,
}

impl NoMatch {
    /// The reason in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            NoMatch::NoLevel => "the recording has no level",
            NoMatch::NoStart => "the recording has a warm-up or a countdown, but no start of a match",
            NoMatch::NoPlayers => "the recording has no players: nobody joins, scores or dies",
            NoMatch::NothingHappens => "the recording has players, but nobody scores or dies",
        }
    }
}
