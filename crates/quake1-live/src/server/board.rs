//! Persistent messages that all clients receive: users, scores, light styles, music.

use std::collections::BTreeMap;

use fragreel_quake1::unstable::message::{Message, Text, UpdateUserInfo};

/// Persistent messages, each replacing its predecessor. Joining clients receive all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Board {
    entries: BTreeMap<Key, Message>,
}

/// What a message replaces: a kind and a slot or number.
type Key = (u8, u32);

const USER: u8 = 0;
const FRAGS: u8 = 1;

impl Board {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a message. Says whether it is one that lasts and says something new.
    pub fn apply(&mut self, message: &Message) -> bool {
        let key = match message {
            Message::UpdateUserInfo(m) => (USER, u32::from(m.slot)),
            Message::SetInfo(m) => return self.set_info(m.slot, m.key.bytes(), m.value.bytes()),
            Message::UpdateFrags(m) => (FRAGS, u32::from(m.slot)),
            Message::UpdatePing(m) => (2, u32::from(m.slot)),
            Message::UpdateLoss(m) => (3, u32::from(m.slot)),
            Message::UpdateEnterTime(m) => (4, u32::from(m.slot)),
            Message::LightStyle(m) => (5, u32::from(m.style)),
            Message::QwCdTrack(_) => (6, 0),
            _ => return false,
        };
        self.entries.insert(key, message.clone()).is_none_or(|before| before != *message)
    }

    fn set_info(&mut self, slot: u8, key: &[u8], value: &[u8]) -> bool {
        let entry = self.entries.entry((USER, u32::from(slot)));
        let Message::UpdateUserInfo(user) = entry.or_insert_with(|| Message::UpdateUserInfo(UpdateUserInfo { slot, ..UpdateUserInfo::default() })) else {
            return false;
        };
        match fragreel_model::replay::info_string::set(user.userinfo.bytes(), key, value) {
            Some(info) if info != user.userinfo.bytes() => {
                user.userinfo = Text(info);
                true
            }
            _ => false,
        }
    }

    /// All of it, players first.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.entries.values()
    }

    /// What makes this board of `before`; slots of players who are gone become empty.
    pub fn changes<'b>(&'b self, before: &'b Board) -> impl Iterator<Item = Message> + 'b {
        let gone = before
            .entries
            .iter()
            .filter(|(key, _)| key.0 == USER && !self.entries.contains_key(*key))
            .map(|(key, _)| Message::UpdateUserInfo(UpdateUserInfo { slot: key.1 as u8, ..UpdateUserInfo::default() }));
        let new = self.entries.iter().filter(|(key, message)| before.entries.get(*key) != Some(*message)).map(|(_, message)| message.clone());
        gone.chain(new)
    }

    /// The score of a slot.
    pub fn frags(&self, slot: u8) -> i16 {
        match self.entries.get(&(FRAGS, u32::from(slot))) {
            Some(Message::UpdateFrags(frags)) => frags.frags,
            _ => 0,
        }
    }

    /// The user in a slot.
    pub fn user(&self, slot: u8) -> Option<&UpdateUserInfo> {
        match self.entries.get(&(USER, u32::from(slot))) {
            Some(Message::UpdateUserInfo(user)) if !user.userinfo.bytes().is_empty() => Some(user),
            _ => None,
        }
    }
}
