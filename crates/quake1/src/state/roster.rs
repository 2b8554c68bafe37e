//! Who is there: names, teams, scores (`docs/formats/quake1.md`, "Players").

use std::borrow::Cow;
use std::sync::Arc;

use fragreel_model::replay::info_string::{Pair, pairs};

use crate::characters;
use crate::message::Message;
use crate::message::hot_path::Connection;
use crate::state::stuffed::Stuffed;

/// One slot of the score board.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Person {
    /// The name as sent.
    pub name: Vec<u8>,
    /// The team as sent; empty without one.
    pub team: Vec<u8>,
    /// The number that only this connection has (QuakeWorld).
    pub user_id: i32,
    /// Whether he only watches.
    pub spectator: bool,
    /// Shirt and trousers.
    pub colors: [u8; 2],
    /// The score.
    pub frags: i16,
    /// Round-trip time in milliseconds.
    pub ping: Option<i32>,
    /// Per cent of packets lost.
    pub loss: Option<u8>,
    /// Everything he says of himself.
    pub info: Arc<Vec<(Vec<u8>, Vec<u8>)>>,
}

impl Person {
    /// Whether the slot is taken.
    pub fn is_here(&self) -> bool {
        !self.name.is_empty()
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        let room = self.info.len() < MOST_KEYS;
        match self.info.iter().position(|(known, _)| known == key) {
            Some(at) if self.info[at].1 != value => value.clone_into(&mut Arc::make_mut(&mut self.info)[at].1),
            None if room => Arc::make_mut(&mut self.info).push((key.to_vec(), value.to_vec())),
            _ => {}
        }
        self.understand(key, value);
    }

    fn understand(&mut self, key: &[u8], value: &[u8]) {
        let number = || std::str::from_utf8(value).ok().and_then(|text| text.trim().parse::<u8>().ok()).unwrap_or(0);
        match key {
            b"name" => value.clone_into(&mut self.name),
            b"team" => value.clone_into(&mut self.team),
            b"topcolor" => self.colors[0] = number(),
            b"bottomcolor" => self.colors[1] = number(),
            b"*spectator" => self.spectator = !value.is_empty() && value != b"0",
            _ => {}
        }
    }

    /// The value of a key.
    pub(crate) fn value(&self, key: &[u8]) -> Option<&[u8]> {
        self.info.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_slice())
    }
}

/// More keys than any engine accepts are not kept.
const MOST_KEYS: usize = 256;

/// The score board.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Roster {
    /// By slot.
    pub people: Vec<Person>,
}

impl Roster {
    /// Bytes that a copy takes which shares what it can with `like`.
    pub(super) fn bytes_beside(&self, like: Option<&Roster>) -> usize {
        let of = |(slot, person): (usize, &Person)| {
            let shared = like.and_then(|like| like.people.get(slot)).is_some_and(|like| Arc::ptr_eq(&like.info, &person.info));
            let info = if shared { &[][..] } else { &person.info[..] };
            let info: usize = info.iter().map(|(key, value)| 2 * size_of::<Vec<u8>>() + key.len() + value.len()).sum();
            size_of::<Person>() + person.name.len() + person.team.len() + info
        };
        self.people.iter().enumerate().map(of).sum()
    }

    /// The person in a slot, made when new.
    pub(crate) fn person(&mut self, slot: u8) -> &mut Person {
        let at = usize::from(slot);
        if self.people.len() <= at {
            self.people.resize_with(at + 1, Person::default);
        }
        &mut self.people[at]
    }

    /// The person in a slot, when there is one.
    pub fn get(&self, slot: u8) -> Option<&Person> {
        self.people.get(usize::from(slot)).filter(|person| person.is_here())
    }

    /// Takes in what a message says of people.
    pub(crate) fn apply(&mut self, message: &Message) {
        match message {
            Message::UpdateUserInfo(m) => {
                let person = self.person(m.slot);
                let old = std::mem::take(person);
                person.user_id = m.user_id;
                person.frags = old.frags;
                for Pair { key, value, .. } in pairs(m.userinfo.bytes()) {
                    person.set(key, value);
                }
                if old.is_here() && old.user_id == m.user_id {
                    (person.ping, person.loss) = (old.ping, old.loss);
                }
            }
            Message::SetInfo(m) => self.person(m.slot).set(m.key.bytes(), m.value.bytes()),
            Message::SetInfoBlob(m) if m.slot > 0 && m.offset == 0x8000_0000 => self.person(m.slot - 1).set(m.key.bytes(), &m.data.0),
            Message::UpdateName(m) => {
                let person = self.person(m.slot);
                m.name.bytes().clone_into(&mut person.name);
            }
            Message::UpdateColors(m) => self.person(m.slot).colors = [m.colors >> 4, m.colors & 15],
            Message::UpdateFrags(m) => self.person(m.slot).frags = m.frags,
            Message::StuffText(m) => Stuffed::read(m.text.bytes()).for_each(|command| self.stuffed(&command)),
            Message::UpdatePing(m) => self.connection(Connection::Ping(m.slot, m.ping)),
            Message::UpdateLoss(m) => self.connection(Connection::Loss(m.slot, m.loss)),
            _ => {}
        }
    }

    /// Takes in what is said of a connection.
    pub(crate) fn connection(&mut self, said: Connection) {
        match said {
            Connection::Ping(slot, ping) => self.person(slot).ping = Some(i32::from(ping)),
            Connection::Loss(slot, loss) => self.person(slot).loss = Some(loss),
        }
    }

    /// Takes in what text commands say of people.
    pub(super) fn stuffed(&mut self, command: &Stuffed<'_>) {
        match command {
            Stuffed::UserInfo { slot, info } => {
                let person = self.person(*slot);
                *person = Person { frags: person.frags, ping: person.ping, ..Person::default() };
                pairs(info).for_each(|pair| person.set(pair.key, pair.value));
                // an empty string frees the slot; a player without a name yet still has it
                if !info.is_empty() && person.name.is_empty() {
                    person.name = b"unnamed".to_vec();
                }
            }
            Stuffed::UserKey { slot, key, value } => self.person(*slot).set(key, value),
            _ => {}
        }
    }

    /// The slots whose name, team or presence a message may change.
    pub(crate) fn slots_of(message: &Message) -> Vec<u8> {
        match message {
            Message::UpdateUserInfo(m) => vec![m.slot],
            Message::SetInfo(m) => vec![m.slot],
            Message::SetInfoBlob(m) if m.slot > 0 => vec![m.slot - 1],
            Message::UpdateName(m) => vec![m.slot],
            Message::StuffText(m) => Stuffed::read(m.text.bytes()).filter_map(|command| command.slot()).collect(),
            _ => Vec::new(),
        }
    }

    /// A slot as events name it.
    pub(crate) fn player(&self, slot: u8) -> Option<fragreel_model::Player> {
        self.get(slot).map(|person| player(slot, person))
    }

    /// The player of a name, or a player of whom only the name is known.
    pub(crate) fn named(&self, name: &[u8]) -> fragreel_model::Player {
        match self.iter().find(|(_, person)| person.name == name) {
            Some((slot, person)) => player(slot, person),
            None => fragreel_model::Player { slot: None, name: characters::text(name), team: None },
        }
    }

    /// The slots taken, with those who take them.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &Person)> {
        self.people.iter().enumerate().filter(|(_, person)| person.is_here()).map(|(slot, person)| (slot as u8, person))
    }
}

/// A person's team, for people.
pub(crate) fn team(person: &Person) -> Option<Cow<'static, str>> {
    (!person.team.is_empty() && !person.spectator).then(|| Cow::Owned(characters::clean(&person.team)))
}

/// A person as events name him.
pub(crate) fn player(slot: u8, person: &Person) -> fragreel_model::Player {
    fragreel_model::Player { slot: Some(u16::from(slot)), name: characters::text(&person.name), team: team(person) }
}

/// The slot of a player's entity.
pub(crate) fn slot_of_entity(entity: u32) -> Option<u8> {
    (1..=255).contains(&entity).then(|| (entity - 1) as u8)
}
