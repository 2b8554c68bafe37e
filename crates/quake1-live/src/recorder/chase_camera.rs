//! The chase camera of a recording spectator: servers only send what the followed player can see. Document: *Recorder*.

use std::collections::BTreeMap;

use fragreel_model::replay::info_string;

use crate::DeltaReceiver;
use crate::recorder::ChaseTarget;
use fragreel_quake1::unstable::characters::folded;
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::Message;

/// Chooses a player, and follows the player's position.
#[derive(Debug, Clone)]
pub(super) struct ChaseCamera {
    target: ChaseTarget,
    own: Option<u8>,
    /// Players' names, without color and case.
    players: BTreeMap<u8, Vec<u8>>,
    /// The player that the server was asked to follow, and the last known position.
    chosen: Option<u8>,
    sent: Option<u8>,
    position: Option<[f32; 3]>,
    /// Whether the player whose name was given was ever there.
    found: bool,
}

impl ChaseCamera {
    pub(super) fn new(target: ChaseTarget) -> Self {
        Self { target, own: None, players: BTreeMap::new(), chosen: None, sent: None, position: None, found: false }
    }

    /// Forgets the choice, for a new level.
    pub(super) fn forget(&mut self) {
        (self.chosen, self.sent, self.position) = (None, None, None);
    }

    /// Follows a message.
    pub(super) fn receive(&mut self, message: &Message, dialect: &Dialect, deltas: &DeltaReceiver) {
        match message {
            Message::ServerData(data) => self.own = data.players.first().map(|slot| slot & 127),
            Message::UpdateUserInfo(user) => {
                let plays =
                    !user.userinfo.0.is_empty() && info_string::get(&user.userinfo.0, b"*spectator").is_none_or(|value| value == b"0" || value.is_empty());
                if plays && Some(user.slot) != self.own {
                    self.players.insert(user.slot, folded(info_string::get(&user.userinfo.0, b"name").unwrap_or_default()));
                } else {
                    self.players.remove(&user.slot);
                }
            }
            Message::SetInfo(change) if change.key.0 == b"name" => {
                if let Some(name) = self.players.get_mut(&change.slot) {
                    *name = folded(&change.value.0);
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

    /// The command that asks the server to follow another player, if the choice changed.
    pub(super) fn command(&mut self) -> Option<String> {
        let wanted = match &self.target {
            ChaseTarget::Nobody => return None,
            ChaseTarget::First => None,
            ChaseTarget::Named(name) => self.named(&folded(name.as_bytes())),
        };
        self.found |= wanted.is_some();
        let lost = self.chosen.is_none_or(|slot| !self.players.contains_key(&slot));
        if lost || (wanted.is_some() && wanted != self.chosen) {
            (self.chosen, self.position) = (wanted.or_else(|| self.players.keys().next().copied()), None);
        }
        if self.chosen == self.sent {
            return None;
        }
        self.sent = self.chosen;
        Some(self.chosen.map_or_else(|| String::from("ptrack"), |slot| format!("ptrack {slot}")))
    }

    /// The player with this name, or else one whose name contains it.
    fn named(&self, name: &[u8]) -> Option<u8> {
        let exact = self.players.iter().find(|(_, player)| *player == name);
        let part = || self.players.iter().find(|(_, player)| !name.is_empty() && player.windows(name.len()).any(|part| part == name));
        exact.or_else(part).map(|(&slot, _)| slot)
    }

    /// The name that was given, if no player had it.
    pub(super) fn missed(&self) -> Option<&str> {
        match &self.target {
            ChaseTarget::Named(name) if !self.found => Some(name),
            _ => None,
        }
    }

    /// True if it never follows a player.
    pub(super) fn is_idle(&self) -> bool {
        self.target == ChaseTarget::Nobody
    }

    /// The followed player.
    pub(super) fn chosen(&self) -> Option<u8> {
        self.chosen
    }

    /// The slots of players.
    pub(super) fn players(&self) -> impl Iterator<Item = u8> + '_ {
        self.players.keys().copied()
    }

    /// True if there is a player in a slot.
    pub(super) fn plays(&self, slot: u8) -> bool {
        self.players.contains_key(&slot)
    }

    /// The last known position of the followed player.
    pub(super) fn position(&self) -> Option<[f32; 3]> {
        self.position
    }
}
