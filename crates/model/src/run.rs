//! Runs: levels, courses and races against the clock.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Figure, Grade, Milliseconds, Player, Seal};

/// What sort of run it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Course {
    /// A level of single player or cooperative Quake.
    #[default]
    Level,
    /// Several levels without a break, added up.
    Marathon,
    /// A DeFRaG course.
    Defrag,
    /// A race of KTX or Quake Live.
    Race,
    /// A climb: KZ and its like.
    Climb,
    /// A run through a game that a speedrunner's tool timed.
    Speedrun,
}

impl Course {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Course::Level => "level",
            Course::Marathon => "marathon",
            Course::Defrag => "defrag",
            Course::Race => "race",
            Course::Climb => "climb",
            Course::Speedrun => "speedrun",
        }
    }
}

/// How many of a level's monsters or secrets were found: `found` of `total`, as the game's intermission shows them.
///
/// Of several levels in a row, both numbers are sums. Absent where the level has none, and where the game does not count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The number that was found.
    pub found: i64,
    /// Of this number.
    pub total: i64,
}

/// A run that was finished.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// What sort of run it is.
    pub course: Course,
    /// The map's file name without folder and extension; of a marathon, the maps with `+` between them.
    pub map: String,
    /// Whose run it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<Player>,
    /// How long it took, in milliseconds: as the game states it, and as the recording's clock has it.
    #[serde(rename = "run_time")]
    pub time: Figure,
    /// When it began, since the recording's first frame; absent where the recording does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Milliseconds>,
    /// When it ended.
    pub to: Milliseconds,
    /// The physics: `vq3`, `cpm`, `qw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physics: Option<Cow<'static, str>>,
    /// The kind of course, in the game's terms, or the route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Cow<'static, str>>,
    /// Times at which checkpoints were passed, since the run began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Milliseconds>,
    /// Monsters killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kills: Option<Share>,
    /// Secrets found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Share>,
    /// Difficulty, from 0, where it is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<i32>,
    /// Settings that bear on the run, under the game's own names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// A seal that the game put on the run's time in every frame of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
    /// The worst grade that `audit` gives to the recording between the start and the end of the run. Events do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// What speaks against comparing it with others: cheats, another speed of time, a start that is not there. Words; not stable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl Run {
    /// A run without anything else known.
    pub fn new(course: Course, map: impl Into<String>, to: Milliseconds) -> Self {
        Run { course, map: map.into(), to, ..Run::default() }
    }
}
