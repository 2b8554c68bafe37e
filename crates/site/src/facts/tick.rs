//! Something that happened, as pages show it.

use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// When, in milliseconds since the recording's first frame.
    pub time: i64,
    /// The group of its kind: `kills`, `flags`, `items`, `chat` and so on.
    pub group: String,
    /// The kind of event.
    pub kind: String,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Whose side that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// To whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whom: Option<String>,
    /// The item, the weapon, the action, in common names where there are any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Whether a kill counts for who did it: an enemy's death.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts: bool,
    /// The sentence of the library, in words and names.
    pub sentence: Vec<Word>,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// Words.
    #[serde(rename = "w")]
    Words(String),
    /// A name, or a line that somebody wrote.
    #[serde(rename = "n")]
    Text(String),
}

impl Word {
    /// The characters.
    pub fn text(&self) -> &str {
        match self {
            Word::Words(text) | Word::Text(text) => text,
        }
    }
}

impl Tick {
    /// The sentence as one text.
    pub fn said(&self) -> String {
        self.sentence.iter().map(Word::text).collect()
    }
}
