//! A match, as `scores --json` prints it: the same keys and numbers, read back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text;

/// A match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Its number in the recording, from 1.
    pub number: u32,
    /// The map.
    pub map: String,
    /// The game type.
    #[serde(default)]
    pub mode: Option<String>,
    /// When it was.
    #[serde(default)]
    pub date: Option<String>,
    /// When it began, in milliseconds since the recording's first frame.
    pub from: i64,
    /// When it ended.
    pub to: i64,
    /// Whether the recording has its start.
    pub has_start: bool,
    /// How it ended.
    pub outcome: String,
    /// What ended it.
    #[serde(default)]
    pub cause: Option<String>,
    /// Who gave up.
    #[serde(default)]
    pub forfeited_by: Option<String>,
    /// Who won.
    #[serde(default)]
    pub winner: Option<String>,
    /// Teams, best first.
    #[serde(default)]
    pub teams: Vec<Side>,
    /// Players, best first.
    pub players: Vec<Line>,
    /// Rounds and points.
    #[serde(default)]
    pub segments: Vec<Segment>,
    /// Figures that contradict each other.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Which match it is, whatever recording of it is looked at.
    #[serde(default)]
    pub identity: Identity,
    /// Whether scores are times of runs.
    #[serde(default)]
    pub is_race: bool,
}

/// A team.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Its name.
    pub name: String,
    /// Its figures.
    #[serde(default)]
    pub stats: Figures,
}

/// A player's line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Whose.
    pub player: Person,
    /// The figures.
    #[serde(default)]
    pub stats: Figures,
    /// By weapon.
    #[serde(default)]
    pub weapons: BTreeMap<String, Figures>,
    /// By item.
    #[serde(default)]
    pub items: BTreeMap<String, Figures>,
    /// What was done to whom.
    #[serde(default)]
    pub against: Vec<Opponent>,
}

/// What a player did to another one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Opponent {
    /// To whom.
    pub player: Person,
    /// How often he killed him.
    pub kills: i64,
}

/// A player as a board names one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The slot.
    #[serde(default)]
    pub slot: Option<u16>,
    /// The name.
    pub name: Name,
    /// The team.
    #[serde(default)]
    pub team: Option<String>,
}

/// A name as the game has it, and as people read it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// With colors.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub raw: String,
    /// Without.
    pub clean: String,
}

/// Figures by name.
pub type Figures = BTreeMap<String, Figure>;

/// A number, as the server states it and as events count it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// The server says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<i64>,
    /// Counted from what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<i64>,
}

impl Figure {
    /// What the server states, otherwise what was counted.
    pub fn value(self) -> Option<i64> {
        self.stated.or(self.counted)
    }

    /// Whether both are known and differ.
    pub fn differs(self) -> bool {
        matches!((self.stated, self.counted), (Some(stated), Some(counted)) if stated != counted)
    }
}

/// A part of a match that has a result of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Its number.
    #[serde(default)]
    pub number: Option<i32>,
    /// When it began.
    #[serde(default)]
    pub from: Option<i64>,
    /// When it ended.
    #[serde(default)]
    pub to: Option<i64>,
    /// The side that won it.
    #[serde(default)]
    pub winner: Option<String>,
}

/// Two figures that should be one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The player or side.
    #[serde(default)]
    pub about: Option<String>,
    /// What both say.
    pub figures: [(String, i64); 2],
    /// Why they may differ.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Which match it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Map, players and final scores in one word.
    #[serde(default)]
    pub key: Option<String>,
    /// Marks of the kills.
    #[serde(default)]
    pub kills: Vec<u32>,
}

impl Board {
    /// The board of a match, through the keys of `scores --json`.
    pub fn of(stats: &fragreel::model::MatchStats) -> Self {
        let value = serde_json::to_value(stats).unwrap_or_default();
        let mut board: Board = serde_json::from_value(value).unwrap_or_default();
        board.is_race = stats.is_race();
        board
    }

    /// The sides of the result, best first: teams where there are any, otherwise players. Each with its score.
    pub fn sides(&self) -> Vec<(&str, Option<i64>)> {
        let score = |figures: &Figures| figures.get("score").and_then(|figure| figure.value());
        if self.is_in_teams() {
            return self.teams.iter().map(|side| (side.name.as_str(), score(&side.stats))).collect();
        }
        self.players.iter().map(|line| (line.player.name.clean.as_str(), score(&line.stats))).collect()
    }

    /// Whether teams played it.
    pub fn is_in_teams(&self) -> bool {
        self.teams.len() > 1
    }

    /// A score as boards show it: of races, a time.
    pub fn shown_score(&self, score: i64) -> String {
        match self.is_race {
            true if fragreel::model::MatchStats::is_run(score) => text::run_time(score),
            true => String::from("–"),
            false => score.to_string(),
        }
    }

    /// Its length in milliseconds.
    pub fn length(&self) -> i64 {
        self.to - self.from
    }
}

impl Line {
    /// A figure, empty where it is unknown.
    pub fn get(&self, name: &str) -> Figure {
        self.stats.get(name).copied().unwrap_or_default()
    }
}
