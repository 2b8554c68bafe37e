//! What a recording is, without rebuilding its state.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Damage, Family, Milliseconds, Text};

/// The answer to `info`. What a format cannot say is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Info {
    /// The family.
    pub family: Family,
    /// The dialect within it, such as `68` or `mvd`.
    pub dialect: String,
    /// What kind of recording it is, such as `client`, `server`, `multi-view`.
    pub recording: String,
    /// The game's name.
    pub game: String,
    /// The mod or game directory.
    #[serde(rename = "mod")]
    pub game_mod: Option<String>,
    /// The mod's version as it states it.
    pub mod_version: Option<String>,
    /// The engine that served or recorded, as it states itself.
    pub engine: Option<String>,
    /// When it was played, as far as the recording says: `2015-07-25T20:52:45Z`, without the `Z` in the server's own time.
    pub date: Option<String>,
    /// Maps in the order played, by file name.
    pub maps: Vec<String>,
    /// The game type, named.
    pub game_type: Option<String>,
    /// The server's name.
    pub server: Option<Text>,
    /// From the first frame to the last; several levels are added up. On the server's clock, in Half-Life on the recorder's.
    pub duration: Option<Milliseconds>,
    /// How far the server's clock advanced meanwhile, where the recording has both clocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_duration: Option<Milliseconds>,
    /// The match clock's first and last reading, where there is one.
    pub match_clock: Option<(Milliseconds, Milliseconds)>,
    /// Who recorded, or whose view it is.
    pub recorder: Option<PlayerInfo>,
    /// Everybody who took part, in slot order.
    pub players: Vec<PlayerInfo>,
    /// Frames (snapshots) per second of server time.
    pub snapshot_rate: Option<f64>,
    /// Frames (snapshots).
    pub snapshots: u64,
    /// Messages of the container.
    pub messages: u64,
    /// Bytes of the recording, after decompression.
    pub bytes: u64,
    /// What the server says of itself, by key.
    pub server_settings: BTreeMap<String, String>,
    /// The timer of a speedrunner's tool, where one wrote its data into the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<Timer>,
    /// What is broken as far as this question looked; `verify` looks everywhere.
    pub damage: Vec<Damage>,
}

impl Info {
    /// Frames a second: the number of intervals between frames, over the time that they take.
    pub fn rate(frames: u64, duration: Option<Milliseconds>) -> Option<f64> {
        duration.filter(|time| time.0 > 0 && frames > 1).map(|time| (frames - 1) as f64 / time.seconds())
    }

    /// An answer that knows nothing yet.
    pub fn new(family: Family, dialect: impl Into<String>, bytes: u64) -> Self {
        Info {
            family,
            dialect: dialect.into(),
            recording: String::from("client"),
            game: String::new(),
            game_mod: None,
            mod_version: None,
            engine: None,
            date: None,
            maps: Vec::new(),
            game_type: None,
            server: None,
            duration: None,
            server_duration: None,
            match_clock: None,
            recorder: None,
            players: Vec::new(),
            snapshot_rate: None,
            snapshots: 0,
            messages: 0,
            bytes,
            server_settings: BTreeMap::new(),
            timer: None,
            damage: Vec::new(),
        }
    }
}

/// The timer of a speedrunner's tool, as the tool wrote it into the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Timer {
    /// The tool.
    pub tool: &'static str,
    /// The tool's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The build of the game that it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game_build: Option<i32>,
    /// The last time that the timer showed, in milliseconds of game time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Milliseconds>,
    /// Whether the tool saw the game end.
    pub ended: bool,
    /// The splits that were reached, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<TimerSplit>,
}

impl Timer {
    /// A timer without any figures.
    pub fn new(tool: &'static str) -> Self {
        Timer { tool, ..Timer::default() }
    }
}

/// A split of a timer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TimerSplit {
    /// The name that the player gave it; may be empty.
    pub name: String,
    /// The map that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// When it was reached, since the recording's first frame.
    pub at: Milliseconds,
    /// What the timer showed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Milliseconds>,
}

impl TimerSplit {
    /// A split that was reached.
    pub fn new(name: String, map: Option<String>, at: Milliseconds, time: Option<Milliseconds>) -> Self {
        TimerSplit { name, map, at, time }
    }
}

/// A player as the recording's strings describe them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerInfo {
    /// The slot that the server gave.
    pub slot: u16,
    /// The last name used.
    pub name: Text,
    /// The last team, where the game has teams.
    pub team: Option<String>,
}
