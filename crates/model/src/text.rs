//! Text as games wrote it.

use fragreel_base::characters::game_text;
use serde::Serialize;

/// A string from a game, as sent and as a person reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Text {
    /// Exactly what was sent, colors and all; see [`game_text`] for bytes that are no UTF-8.
    pub raw: String,
    /// Without color codes and control characters.
    pub clean: String,
}

impl Text {
    /// `raw` bytes with the family's idea of what they look like.
    pub fn new(raw: &[u8], clean: impl Into<String>) -> Self {
        Self { raw: game_text(raw), clean: clean.into() }
    }

    /// Text that needs no cleaning.
    pub fn plain(text: impl Into<String>) -> Self {
        let clean = text.into();
        Self { raw: clean.clone(), clean }
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.clean)
    }
}
