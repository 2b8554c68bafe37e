//! Reads chat from lines that start with the speaker's name (`docs/formats/quake1.md`, "Chat").

use fragreel_model::{Channel, EventKind, Evidence, Text};

use crate::characters;
use crate::events::EventBuilder;
use crate::state::{Game, player};

impl EventBuilder {
    /// Emits a line of chat, given without its line end.
    pub(super) fn chat(&mut self, game: &Game, line: &[u8]) {
        const SPECTATOR: &[u8] = b"[SPEC] ";
        let mut best: Option<(usize, u8, Channel, &[u8])> = None;
        for (slot, person) in game.roster.iter() {
            let name = person.name.as_slice();
            let forms = [
                (Channel::Public, line.strip_prefix(name).and_then(|rest| rest.strip_prefix(b":"))),
                (Channel::Team, line.strip_prefix(b"(").and_then(|rest| rest.strip_prefix(name)).and_then(|rest| rest.strip_prefix(b"):"))),
                (Channel::Spectator, line.strip_prefix(SPECTATOR).and_then(|rest| rest.strip_prefix(name)).and_then(|rest| rest.strip_prefix(b":"))),
                (Channel::Private, line.strip_prefix(b"[").and_then(|rest| rest.strip_prefix(name)).and_then(|rest| rest.strip_prefix(b"]:"))),
            ];
            for (channel, text) in forms {
                let Some(text) = text else { continue };
                if best.is_none_or(|(length, ..)| name.len() > length) {
                    best = Some((name.len(), slot, channel, text));
                }
            }
        }
        let kind = match best {
            Some((_, slot, mut channel, text)) => {
                let person = &game.roster.people[usize::from(slot)];
                // the team of a spectator is the spectators
                if person.spectator && channel == Channel::Team {
                    channel = Channel::Spectator;
                }
                EventKind::Chat { from: Some(player(slot, person)), channel, text: said(text) }
            }
            None => EventKind::Chat { from: None, channel: Channel::Server, text: said(line) },
        };
        // the line is stated; its speaker is inferred
        self.out.emit(Evidence::Inferred, kind);
    }
}

/// A text without a prefix.
fn said(text: &[u8]) -> Text {
    characters::text(text.strip_prefix(b" ").unwrap_or(text))
}
