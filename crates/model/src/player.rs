//! A player, as an event or a scoreboard names one.

use std::borrow::Cow;

use serde::Serialize;

use crate::Text;

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
