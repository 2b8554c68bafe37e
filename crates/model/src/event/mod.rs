//! What happened in a game.

mod kind;
mod kinds;
mod parts;
mod sentence;

use serde::{Serialize, Serializer};

pub use kind::{EventKind, Group, Kind};
pub use kinds::Kinds;
pub use parts::{Channel, Evidence, FlagAction, MatchState, Score};
pub use sentence::Piece;

use crate::Milliseconds;

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
