//! Players by slot and by name, and which of their arrivals and departures were already reported.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use fragreel_model::{EventKind, Player};

use crate::chars;
use crate::walk::roster::Roster;

/// The roster, with what prints say of players.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    roster: Roster,
    /// Slots whose player's arrival was reported.
    announced: HashSet<u16>,
    /// Names whose departure was reported while their slot still has them.
    left: HashSet<Vec<u8>>,
    /// Teams by name, as prints state them.
    teams: HashMap<Vec<u8>, String>,
}

impl Names {
    /// Sets the skin string of a slot. Returns an event if a player came, left or changed names, unless `news` is false.
    pub(super) fn set(&mut self, slot: u16, skin: &[u8], news: bool) -> Option<EventKind> {
        let raw_name = |roster: &Roster| roster.get(slot).map_or_else(Vec::new, |entry| entry.raw_name().to_vec());
        let old_player = self.in_slot(slot);
        let old = raw_name(&self.roster);
        self.roster.set(slot, skin);
        let name = raw_name(&self.roster);
        if old == name || !news {
            return None;
        }
        if name.is_empty() {
            self.announced.remove(&slot);
            let reported = self.forget_leaving(&old);
            return (!reported).then_some(EventKind::Leave { player: old_player, reason: None });
        }
        if old.is_empty() || self.forget_leaving(&old) {
            self.announced.insert(slot);
            return Some(EventKind::Join { player: self.in_slot(slot) });
        }
        if let Some(team) = self.teams.remove(&*chars::plain(&old)) {
            self.teams.insert(chars::plain(&name).into_owned(), team);
        }
        Some(EventKind::Rename { player: self.in_slot(slot), from: chars::text(&old) })
    }

    fn forget_leaving(&mut self, name: &[u8]) -> bool {
        self.left.remove(&*chars::plain(name))
    }

    /// Handles a print that says that a player entered the game. Returns whether it is news.
    pub(super) fn entered(&mut self, name: &[u8]) -> bool {
        self.forget_leaving(name);
        self.roster.find(name).is_none_or(|slot| self.announced.insert(slot))
    }

    /// Handles a print that says that a player left.
    pub(super) fn leaves(&mut self, name: &[u8]) {
        if let Some(slot) = self.roster.find(name) {
            self.announced.remove(&slot);
            self.left.insert(chars::plain(name).into_owned());
        }
    }

    /// Sets the team of a name, as a print states it. Returns the team before.
    pub(super) fn joins_team(&mut self, name: &[u8], team: Option<&str>) -> Option<String> {
        let name = chars::plain(name).into_owned();
        match team {
            Some(team) => self.teams.insert(name, team.to_owned()),
            None => self.teams.remove(&name),
        }
    }

    /// Whether a player has this name.
    pub(super) fn knows(&self, name: &[u8]) -> bool {
        self.roster.find(name).is_some()
    }

    /// The players of this name. If nobody in the roster has it, a player without a slot.
    pub(super) fn all(&self, name: &[u8]) -> Vec<Player> {
        let plain = chars::plain(name);
        let fitting = self.roster.iter().filter(|(_, entry)| chars::plain(entry.raw_name()) == plain);
        let all: Vec<Player> = fitting.map(|(slot, _)| self.in_slot(slot)).collect();
        if all.is_empty() { vec![stranger(name)] } else { all }
    }

    /// The names in the roster, without the colors of their characters.
    pub(super) fn plain(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        self.roster.iter().map(|(_, entry)| chars::plain(entry.raw_name()))
    }

    /// The longest player name that `text` begins with.
    pub(super) fn prefix<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let plain = chars::plain(text);
        let fitting = self.roster.iter().map(|(_, entry)| entry.raw_name()).filter(|name| plain.starts_with(&chars::plain(name)));
        fitting.map(<[u8]>::len).max().map(|length| &text[..length])
    }

    /// The player of this name. Has no slot if nobody in the roster has it.
    pub(super) fn player(&self, name: &[u8]) -> Player {
        self.roster.find(name).map_or_else(|| stranger(name), |slot| self.in_slot(slot))
    }

    /// The only player whose name begins with `start`.
    pub(super) fn beginning(&self, start: &[u8]) -> Player {
        let plain = chars::plain(start);
        let mut fitting = self.roster.iter().filter(|(_, entry)| chars::plain(entry.raw_name()).starts_with(&plain));
        match (fitting.next(), fitting.next()) {
            (Some((slot, _)), None) => self.in_slot(slot),
            _ => self.player(start),
        }
    }

    /// The player in this slot. The team is the one of prints, or else the one of the skin.
    pub(super) fn in_slot(&self, slot: u16) -> Player {
        let entry = self.roster.get(slot);
        let name = entry.map_or(&[][..], |entry| entry.raw_name());
        let printed = self.teams.get(&*chars::plain(name)).cloned();
        let team = printed.or_else(|| entry?.team.as_deref().map(str::to_owned));
        Player { slot: Some(slot), name: chars::text(name), team: team.map(Cow::Owned) }
    }
}

/// A player known by name only.
fn stranger(name: &[u8]) -> Player {
    Player { slot: None, name: chars::text(name), team: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::Kind;

    #[test]
    fn arrivals_and_departures_are_reported_once() {
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
        names.set(4, b"Car\xefl", false);
        assert_eq!([b"Carol".as_slice(), b"Caroline", b"x"].map(|name| names.all(name).len()), [2, 1, 1]);
        names.set(4, b"", false);
        assert_eq!((names.beginning(b"Caroli").slot, names.beginning(b"Carol").slot, names.beginning(b"Ca").slot), (Some(2), Some(3), None));
    }
}
