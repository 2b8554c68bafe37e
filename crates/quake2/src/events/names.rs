//! Who is who: names by slot, as the configstrings give them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use model::{EventKind, Player};

use crate::chars;

#[derive(Debug, Clone, Default)]
struct Known {
    name: Vec<u8>,
    /// His coming was told of.
    announced: bool,
}

/// The players known.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    slots: Vec<Known>,
    /// Names whose leaving was told of while their slot still has them.
    left: HashSet<Vec<u8>>,
    teams: HashMap<Vec<u8>, String>,
}

impl Names {
    /// Takes a slot's new name. What that tells, when it is news: somebody came, left, or took another name.
    pub(super) fn set(&mut self, slot: u16, name: &[u8], news: bool) -> Option<EventKind> {
        let at = usize::from(slot);
        if self.slots.len() <= at {
            self.slots.resize_with(at + 1, Known::default);
        }
        let old = std::mem::replace(&mut self.slots[at].name, name.to_vec());
        if old == name {
            return None;
        }
        if !news {
            return None;
        }
        if name.is_empty() {
            self.slots[at].announced = false;
            let events = self.forget_leaving(&old);
            let player = Player { slot: Some(slot), ..self.describe(&old, None) };
            return (!events).then_some(EventKind::Leave { player, reason: None });
        }
        if old.is_empty() || self.forget_leaving(&old) {
            self.slots[at].announced = true;
            return Some(EventKind::Join { player: self.in_slot(slot) });
        }
        if let Some(team) = self.teams.remove(&*chars::plain(&old)) {
            self.teams.insert(chars::plain(name).into_owned(), team);
        }
        Some(EventKind::Rename { player: self.in_slot(slot), from: chars::text(&old) })
    }

    fn forget_leaving(&mut self, name: &[u8]) -> bool {
        self.left.remove(&*chars::plain(name))
    }

    /// A print says that somebody entered the game. Whether that is news.
    pub(super) fn entered(&mut self, name: &[u8]) -> bool {
        self.forget_leaving(name);
        match self.find(name) {
            Some(at) => !std::mem::replace(&mut self.slots[at].announced, true),
            None => true,
        }
    }

    /// A print says that somebody left.
    pub(super) fn leaves(&mut self, name: &[u8]) {
        if let Some(at) = self.find(name) {
            self.slots[at].announced = false;
            self.left.insert(chars::plain(name).into_owned());
        }
    }

    /// A print says which team somebody belongs to now; the answer is the team before.
    pub(super) fn joins_team(&mut self, name: &[u8], team: Option<&str>) -> Option<String> {
        let name = chars::plain(name).into_owned();
        match team {
            Some(team) => self.teams.insert(name, team.to_owned()),
            None => self.teams.remove(&name),
        }
    }

    fn find(&self, name: &[u8]) -> Option<usize> {
        let plain = chars::plain(name);
        self.slots.iter().position(|known| !known.name.is_empty() && chars::plain(&known.name) == plain)
    }

    /// Whether somebody bears this name.
    pub(super) fn knows(&self, name: &[u8]) -> bool {
        self.find(name).is_some()
    }

    /// The longest name of a player that `text` begins with.
    pub(super) fn prefix<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let plain = chars::plain(text);
        let fitting = self.slots.iter().filter(|known| !known.name.is_empty() && plain.starts_with(&chars::plain(&known.name)));
        fitting.map(|known| known.name.len()).max().map(|length| &text[..length])
    }

    /// The player of this name.
    pub(super) fn player(&self, name: &[u8]) -> Player {
        match self.find(name) {
            Some(at) => self.in_slot(at as u16),
            None => super::stranger(name),
        }
    }

    /// The only player whose name begins so.
    pub(super) fn beginning(&self, start: &[u8]) -> Player {
        let plain = chars::plain(start);
        let mut fitting = (0..self.slots.len()).filter(|&at| !self.slots[at].name.is_empty() && chars::plain(&self.slots[at].name).starts_with(&plain));
        match (fitting.next(), fitting.next()) {
            (Some(at), None) => self.in_slot(at as u16),
            _ => self.player(start),
        }
    }

    /// The player in this slot.
    pub(super) fn in_slot(&self, slot: u16) -> Player {
        let name = self.slots.get(usize::from(slot)).map_or(&[][..], |known| &known.name);
        self.describe(name, Some(slot))
    }

    fn describe(&self, name: &[u8], slot: Option<u16>) -> Player {
        let team = self.teams.get(&*chars::plain(name)).map(|team| Cow::Owned(team.clone()));
        Player { slot, name: chars::text(name), team }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Kind;

    #[test]
    fn coming_and_going_are_told_once() {
        let mut names = Names::default();
        assert_eq!(names.set(0, b"Alice", false), None);
        assert_eq!(names.set(1, b"Bob", true).map(|kind| kind.kind()), Some(Kind::Join));
        assert!(!names.entered(b"Bob") && names.entered(b"Alice") && !names.entered(b"Alice"));
        assert_eq!(names.set(1, b"Rob", true).map(|kind| kind.kind()), Some(Kind::Rename));
        names.leaves(b"Rob");
        assert_eq!(names.set(1, b"", true), None);
        assert_eq!(names.set(0, b"", true).map(|kind| kind.kind()), Some(Kind::Leave));
        assert_eq!(names.prefix(b"x"), None);
        names.set(2, b"Caroline", false);
        names.set(3, b"Carol", false);
        assert_eq!((names.beginning(b"Caroli").slot, names.beginning(b"Carol").slot, names.beginning(b"Ca").slot), (Some(2), Some(3), None));
    }
}
