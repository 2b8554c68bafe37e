//! What a site knows of one recording. Facts are made once for each content, kept as JSON, and read again by later runs.

mod board;
mod of;
mod tick;

use serde::{Deserialize, Serialize};

pub use board::{Board, Figure, Figures, Finding, Identity, Line, Name, Opponent, Person, Segment, Side};
pub use of::of;
pub use tick::{Tick, Word};

/// The version of these facts. Facts of another version are made again.
pub const VERSION: u32 = 2;

/// Everything that pages, lists and feeds say of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// SHA-256 of the recording, unpacked, in hexadecimal digits.
    pub hash: String,
    /// The name of its file, without folders.
    pub file: String,
    /// The extension of its kind of recording, without a packing's.
    pub extension: String,
    /// Bytes, unpacked.
    pub bytes: u64,
    /// The family of its game.
    pub family: String,
    /// The dialect within the family.
    pub dialect: String,
    /// What kind of recording it is, such as `client` or `multi-view`.
    pub recording: String,
    /// The mod or game directory.
    pub game_mod: Option<String>,
    /// The server's name.
    pub server: Option<String>,
    /// When it was played, as far as the recording says.
    pub date: Option<String>,
    /// The maps in their order.
    pub maps: Vec<String>,
    /// Its length in milliseconds.
    pub duration: Option<i64>,
    /// Whose view it is.
    pub recorder: Option<String>,
    /// What is broken, a sentence each.
    pub damage: Vec<String>,
    /// The grade that `audit` gives it.
    pub grade: String,
    /// Its matches.
    pub matches: Vec<Board>,
    /// What happened, in order of time.
    pub ticks: Vec<Tick>,
    /// Moments worth watching, in order of time.
    pub moments: Vec<Moment>,
    /// Runs against the clock.
    pub runs: Vec<Run>,
    /// Where players stood, a row for each cell of a map that somebody was in.
    pub plans: Vec<Plan>,
}

/// A moment worth watching.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// From when, in milliseconds since the recording's first frame.
    pub from: i64,
    /// Until when.
    pub to: i64,
    /// How good it is, for ranking.
    pub points: u32,
    /// Who did it, where one player did.
    pub player: Option<String>,
    /// What it is, without the player: `3 kills in 4.2 s`.
    pub what: String,
    /// The map.
    pub map: String,
    /// The number of the match that it is in.
    pub number: Option<u32>,
}

/// A run against the clock that was finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What sort of run it is.
    pub course: String,
    /// The map.
    pub map: String,
    /// Whose run it is.
    pub player: Option<String>,
    /// How long it took, in milliseconds.
    pub time: Option<i64>,
    /// Whether the game states the time.
    pub stated: bool,
    /// When it began.
    pub from: Option<i64>,
    /// When it ended.
    pub to: i64,
    /// The physics.
    pub physics: Option<String>,
    /// The kind of course, in the game's terms.
    pub mode: Option<String>,
    /// The grade that `audit` gives to the recording between start and end.
    pub grade: Option<String>,
    /// Whether the seal that the game put on the time holds; absent where there is none.
    pub sealed: Option<bool>,
    /// What speaks against comparing it with others.
    pub remarks: Vec<String>,
}

/// The cells of a map in which players were, and in which they died.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The map.
    pub map: String,
    /// Column, row, the height in the middle of the cell, and how many players died there.
    pub cells: Vec<(i16, i16, i16, u32)>,
}

impl Facts {
    /// The first 16 digits of the hash: its name in addresses.
    pub fn id(&self) -> &str {
        self.hash.get(..16).unwrap_or(&self.hash)
    }
}
