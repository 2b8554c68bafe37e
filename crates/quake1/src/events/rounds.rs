//! Rounds of KTX's clan arena and wipeout, from lines.

use std::borrow::Cow;

use fragreel_model::EventKind;

/// The round that is announced.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rounds {
    number: Option<i32>,
}

impl Rounds {
    /// The end of a round that a line states: `Team NAME has won the round`, `The round is a draw!`
    pub(super) fn line(&mut self, text: &str) -> Option<EventKind> {
        if let Some(number) = text.strip_prefix("round [").and_then(|rest| rest.split_once("] starts in ")) {
            self.number = number.0.parse().ok();
            return None;
        }
        let winner = match text.strip_prefix("Team ").and_then(|rest| rest.strip_suffix(" has won the round")) {
            Some(winner) => Some(Cow::Owned(winner.to_owned())),
            None if text == "The round is a draw!" => None,
            None => return None,
        };
        Some(EventKind::Round { number: self.number, started: false, winner })
    }

    /// The start of the announced round, by the text in the middle of the screen.
    pub(super) fn center(self, text: &[u8]) -> Option<EventKind> {
        let number = self.number.filter(|_| text.trim_ascii() == b"FIGHT!")?;
        Some(EventKind::Round { number: Some(number), started: true, winner: None })
    }
}
