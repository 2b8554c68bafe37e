//! What events are made of.

use serde::Serialize;

use crate::Player;

/// How an event is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The stream says so in a field of its own.
    Stated,
    /// Concluded from text or from a change of state.
    Inferred,
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
    /// Over: the game says so, or shows the scores.
    Intermission,
    /// Restarted on the same map.
    Restarted,
    /// Broken off by a vote or an administrator. The game states its scores as at an end.
    Stopped,
    /// Given up by a side.
    Forfeited,
    /// Called off: nothing of it counts.
    Aborted,
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
