//! Matches: when they were, how they ended, and what everybody did in them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::lines::{PlayerStats, TeamStats};
use crate::{EndCause, Identity, Milliseconds, Outcome};

impl MatchStats {
    /// Whether scores are times of runs, in milliseconds: Quake Live's races and DeFRaG.
    pub fn is_race(&self) -> bool {
        self.mode.as_deref().is_some_and(|mode| mode == "Race" || mode.starts_with("DeFRaG"))
    }

    /// Whether such a score is of somebody who finished.
    pub fn is_run(score: i64) -> bool {
        (1..i64::from(i32::MAX)).contains(&score)
    }
}

/// A part of a match that has a result of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Segment {
    /// Its number, where the game states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i32>,
    /// When it began; absent if the recording does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Milliseconds>,
    /// When it ended; absent if the recording does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Milliseconds>,
    /// The side that won it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Cow<'static, str>>,
}

/// A pause of a match, on the recording's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pause {
    /// When it began.
    pub from: Milliseconds,
    /// When the match went on; absent if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Milliseconds>,
}

/// A check of a match's figures against each other (`docs/statistics.md`, "Checks").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// A side's score is the sum of its players' scores.
    SideSum,
    /// The printed result is the last stated score.
    Result,
    /// Kills of enemies are deaths by enemies.
    KillsAndDeaths,
    /// Damage given is damage taken.
    Damage,
    /// A score is kills less suicides, deaths by the world and team kills.
    Score,
    /// Stated kills and deaths are the counted ones.
    Counted,
    /// A printed table has the figures of the server's data.
    Table,
    /// The length is the limit with its overtimes.
    Length,
    /// The side with the highest score won.
    Winner,
}

impl Check {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Check::SideSum => "side_sum",
            Check::Result => "result",
            Check::KillsAndDeaths => "kills_and_deaths",
            Check::Damage => "damage",
            Check::Score => "score",
            Check::Counted => "counted",
            Check::Table => "table",
            Check::Length => "length",
            Check::Winner => "winner",
        }
    }
}

/// Two figures that should be one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contradiction {
    /// Which check found it.
    pub check: Check,
    /// The player or side; absent if it is about the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Cow<'static, str>>,
    /// What both say.
    pub figures: [(Cow<'static, str>, i64); 2],
    /// Why they may differ, if the recording shows a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'static, str>>,
}

impl Contradiction {
    /// Two figures, each with its name and source.
    pub fn new(check: Check, about: Option<Cow<'static, str>>, figures: [(Cow<'static, str>, i64); 2]) -> Self {
        Contradiction { check, about, figures, reason: None }
    }

    /// The contradiction in a sentence.
    pub fn sentence(&self) -> String {
        Self::sentence_of(self.about.as_deref(), &self.figures, self.reason.as_deref())
    }

    /// The sentence of a contradiction that was read back from JSON.
    pub fn sentence_of<N: std::fmt::Display>(about: Option<&str>, figures: &[(N, i64); 2], reason: Option<&str>) -> String {
        let about = about.map_or_else(String::new, |about| format!("{about}: "));
        let [(first, one), (second, two)] = figures;
        let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
        format!("{about}{first} {one}, {second} {two}{reason}")
    }
}

/// The scoreboard of a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatchStats {
    /// Its number in the recording, from 1.
    pub number: u32,
    /// The map.
    pub map: String,
    /// The game type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// When it was, as far as the recording says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Since the recording's first frame: when it began, or the recording did.
    pub from: Milliseconds,
    /// When it ended, or the recording did.
    pub to: Milliseconds,
    /// Whether the recording has its start.
    pub has_start: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// What ended it, where the recording says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EndCause>,
    /// Who gave up. The scores are those before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forfeited_by: Option<Cow<'static, str>>,
    /// Whether an event of it is [uncertain](crate::Event::uncertain).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// The team or player who won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Cow<'static, str>>,
    /// Teams, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamStats>,
    /// Players, best first.
    pub players: Vec<PlayerStats>,
    /// Rounds and points, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segment>,
    /// Pauses, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// When it was prolonged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overtimes: Vec<Milliseconds>,
    /// Figures that contradict each other, and why where that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Contradiction>,
    /// Which match it is, whatever recording of it is looked at.
    pub identity: Identity,
    /// What stated figures, such as `ktxstats` or `scores_duel`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Cow<'static, str>>,
    /// What a statement of the whole match says besides, under its own names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, String>,
}

impl MatchStats {
    /// How long it lasted in the recording, pauses included.
    pub fn length(&self) -> Milliseconds {
        self.to - self.from
    }
}
