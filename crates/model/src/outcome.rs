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
            Outcome::Unfinished => "unfinished",
        }
    }
}
