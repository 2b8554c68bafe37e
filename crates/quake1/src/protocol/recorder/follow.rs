//! Which player a recording spectator follows, so that the server sends what is in his sight. Document: *Recorder*.

use std::collections::BTreeSet;

use crate::dialect::Dialect;
use crate::message::Message;
use crate::protocol::DeltaReceiver;

/// Chooses a player and keeps track of where he is.
#[derive(Debug, Clone)]
pub(super) struct Follow {
    wanted: bool,
    own: Option<u8>,
    players: BTreeSet<u8>,
    /// Who the server was told, and where he was last.
    chosen: Option<u8>,
    told: Option<u8>,
    position: Option<[f32; 3]>,
}

impl Follow {
    pub(super) fn new(wanted: bool) -> Self {
        Self { wanted, own: None, players: BTreeSet::new(), chosen: None, told: None, position: None }
    }

    /// A new level: everybody arrives anew.
    pub(super) fn forget(&mut self) {
        (self.chosen, self.told, self.position) = (None, None, None);
    }

    /// Takes a message.
    pub(super) fn hear(&mut self, message: &Message, dialect: &Dialect, deltas: &DeltaReceiver) {
        match message {
            Message::ServerData(data) => self.own = data.players.first().map(|slot| slot & 127),
            Message::UpdateUserInfo(user) => {
                let plays = !user.userinfo.0.is_empty() && value(&user.userinfo.0, b"*spectator").is_none_or(|value| value == b"0" || value.is_empty());
                if plays && Some(user.slot) != self.own {
                    self.players.insert(user.slot);
                } else {
                    self.players.remove(&user.slot);
                }
            }
            Message::PlayerInfo(player) if Some(player.slot) == self.chosen => {
                self.position = Some(player.origin.map(|part| dialect.entity_coord.units(part.0)));
            }
            Message::UpdateEntities(_) => {
                if let Some(known) = self.chosen.and_then(|slot| deltas.entities().get(u32::from(slot) + 1)) {
                    self.position = Some(deltas.flags().position(&known.state));
                }
            }
            _ => {}
        }
    }

    /// The command that tells the server whom we follow, when that changed.
    pub(super) fn command(&mut self) -> Option<String> {
        if !self.wanted {
            return None;
        }
        if self.chosen.is_none_or(|slot| !self.players.contains(&slot)) {
            (self.chosen, self.position) = (self.players.first().copied(), None);
        }
        if self.chosen == self.told {
            return None;
        }
        self.told = self.chosen;
        Some(self.chosen.map_or_else(|| String::from("ptrack"), |slot| format!("ptrack {slot}")))
    }

    /// Where he is.
    pub(super) fn position(&self) -> Option<[f32; 3]> {
        self.position
    }
}

/// A key's value among backslash-separated keys and values.
fn value<'a>(info: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut parts = info.strip_prefix(b"\\").unwrap_or(info).split(|&byte| byte == b'\\');
    while let Some(found) = parts.next() {
        let value = parts.next()?;
        if found == key {
            return Some(value);
        }
    }
    None
}
