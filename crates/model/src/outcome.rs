//! How matches end.

use serde::Serialize;

/// How a match ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// Somebody won.
    Won,
    /// Nobody did: the first two have the same score.
    Draw,
    /// It is over, and there was nobody to win against: a level of single player.
    Over,
    /// A side gave up, and the other won.
    Forfeited,
    /// Broken off by a vote or an administrator. The scores are those of that time.
    Stopped,
    /// Called off: a restart, a warm-up or another level came before an end.
    Aborted,
    /// The recording does not show the end.
    #[default]
    Unfinished,
}

impl Outcome {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Won => "won",
            Outcome::Draw => "draw",
            Outcome::Over => "over",
            Outcome::Forfeited => "forfeited",
            Outcome::Stopped => "stopped",
            Outcome::Aborted => "aborted",
            Outcome::Unfinished => "unfinished",
        }
    }

    /// Whether the recording shows that the match came to an end with scores that count.
    pub fn is_final(self) -> bool {
        !matches!(self, Outcome::Aborted | Outcome::Unfinished)
    }
}

/// What ended a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndCause {
    /// The time limit.
    Time,
    /// The limit of frags.
    Frags,
    /// The limit of captures.
    Captures,
    /// The limit of points.
    Points,
    /// The limit of rounds.
    Rounds,
    /// A lead that the rules take for a victory.
    Mercy,
    /// The first score after a tie.
    SuddenDeath,
    /// A side gave up, or left.
    Forfeit,
    /// A vote of the players.
    Vote,
    /// An administrator.
    Admin,
    /// The last player left.
    NobodyLeft,
    /// A restart on the same map.
    Restart,
    /// Another level.
    LevelChange,
    /// A warm-up or countdown began, and no end was announced.
    Warmup,
}

impl EndCause {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            EndCause::Time => "time",
            EndCause::Frags => "frags",
            EndCause::Captures => "captures",
            EndCause::Points => "points",
            EndCause::Rounds => "rounds",
            EndCause::Mercy => "mercy",
            EndCause::SuddenDeath => "sudden_death",
            EndCause::Forfeit => "forfeit",
            EndCause::Vote => "vote",
            EndCause::Admin => "admin",
            EndCause::NobodyLeft => "nobody_left",
            EndCause::Restart => "restart",
            EndCause::LevelChange => "level_change",
            EndCause::Warmup => "warmup",
        }
    }
}
