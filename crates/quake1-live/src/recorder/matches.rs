//! Detects the start of a match from the server's `status`: `Standby`, `Countdown`, then the time left.

use fragreel_model::replay::info_string;

use crate::handshake::{commands, words};
use fragreel_quake1::unstable::message::Message;

/// The stage of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Countdown,
    Running,
}

/// Follows the server's `status`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Matches {
    stage: Option<Stage>,
}

impl Matches {
    /// Follows a message. Returns true if a match starts with it: at the countdown, or at the match if there is none.
    pub(super) fn receive(&mut self, message: &Message) -> bool {
        match message {
            Message::ServerInfoKey(change) if change.key.0 == b"status" => self.status(&change.value.0),
            Message::StuffText(stuffed) => {
                let mut begins = false;
                for command in commands(&stuffed.text.0).map(words) {
                    if let [name, info] = &command[..]
                        && name == b"fullserverinfo"
                        && let Some(status) = info_string::get(info, b"status")
                    {
                        begins |= self.status(status);
                    }
                }
                begins
            }
            _ => false,
        }
    }

    fn status(&mut self, status: &[u8]) -> bool {
        let is = |word: &[u8]| status.len() >= word.len() && status[..word.len()].eq_ignore_ascii_case(word);
        let stage = if status.is_empty() || is(b"standby") {
            Stage::Waiting
        } else if is(b"countdown") {
            Stage::Countdown
        } else {
            Stage::Running
        };
        let before = self.stage.replace(stage);
        matches!((before, stage), (Some(Stage::Waiting | Stage::Running), Stage::Countdown) | (Some(Stage::Waiting), Stage::Running))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_quake1::unstable::message::{ServerInfoKey, StuffText, Text};

    #[test]
    fn a_match_begins_with_its_countdown() {
        let mut matches = Matches::default();
        let info = Text(b"fullserverinfo \"\\map\\dm3\\status\\Standby\"\n".to_vec());
        assert!(!matches.receive(&Message::StuffText(StuffText { text: info })));
        let mut hear = |status: &str| {
            let (key, value) = (Text(b"status".to_vec()), Text(status.as_bytes().to_vec()));
            matches.receive(&Message::ServerInfoKey(ServerInfoKey { key, value }))
        };
        let begins: Vec<bool> = ["Countdown", "10 min left", "9 min left", "Standby", "5 min left", "Countdown", "Standby"].map(&mut hear).to_vec();
        assert_eq!(begins, [true, false, false, false, true, true, false]);
    }
}
