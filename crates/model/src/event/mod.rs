//! What happened in a game.

mod kind;
mod kinds;
mod sentence;

use std::borrow::Cow;

use serde::{Serialize, Serializer};

pub use kind::{EventKind, Group, Kind};
pub use kinds::Kinds;
pub use sentence::Piece;

use crate::{Milliseconds, Text};

/// Something that happened, when, and how we know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Time since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock, as the server states it: it may start again, and be negative. 0 before a server states any.
    pub server_time: Milliseconds,
    /// The match clock, where the game has one that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
    /// Number of the container's message that said it, from 0.
    pub message: u32,
    /// Whether the stream states it or we concluded it.
    pub evidence: Evidence,
    /// Whether it rests on state that damage made uncertain: a delta base was lost before it, and nothing stated the state in full since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// What happened. The JSON has it with its sentence.
    #[serde(flatten, serialize_with = "with_sentence")]
    pub kind: EventKind,
}

fn with_sentence<S: Serializer>(kind: &EventKind, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        kind: &'a EventKind,
        sentence: String,
    }
    Whole { kind, sentence: kind.to_string() }.serialize(serializer)
}

/// How an event is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The stream says so in a field of its own.
    Stated,
    /// Concluded from text or from a change of state.
    Inferred,
}

/// A player as known at that moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Player {
    /// The slot that the server gave; absent where only a name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u16>,
    /// The name, colored and clean.
    pub name: Text,
    /// The team, where the game has teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Cow<'static, str>>,
}

impl Player {
    /// Somebody of whom at most the team is known.
    pub fn unknown(team: Option<Cow<'static, str>>) -> Self {
        Player { slot: None, name: Text::plain(""), team }
    }
}

/// Who can read a chat line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Channel {
    /// Everybody.
    Public,
    /// The speaker's team.
    Team,
    /// Spectators.
    Spectator,
    /// One player.
    Private,
    /// The server speaks.
    Server,
}

/// What happened to a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FlagAction {
    /// Taken from its base or the ground.
    Taken,
    /// Dropped by its carrier.
    Dropped,
    /// Brought back by its own team or by time.
    Returned,
    /// Brought home.
    Captured,
}

/// Where a match stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MatchState {
    /// Before the match.
    Warmup,
    /// The match is about to start.
    Countdown,
    /// The match runs.
    Started,
    /// Interrupted by players or an official.
    Paused,
    /// Going on after a pause.
    Resumed,
    /// Tied and prolonged.
    Overtime,
    /// Over; scores are shown.
    Intermission,
    /// Restarted on the same map.
    Restarted,
}

/// One line of a scoreboard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Whose.
    pub player: Player,
    /// The score that the game ranks by.
    pub score: i32,
    /// Deaths, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deaths: Option<i32>,
    /// Round-trip time in milliseconds, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<i32>,
    /// Minutes in the game, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<i32>,
}
