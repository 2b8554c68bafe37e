//! Who plays: joining, leaving, other names, other teams, from the players' configstrings.

use std::borrow::Cow;

use model::{EventKind, Evidence, Kind, Player, Text};

use super::outlet::Outlet;
use crate::game::{Game, names::TEAMS};
use crate::state::State;
use crate::text::{clean, info, number, text};

/// The players by slot.
#[derive(Debug, Default)]
pub(super) struct Roster {
    slots: Vec<Option<Entry>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    raw: Vec<u8>,
    name: Text,
    team: Option<&'static str>,
}

impl Entry {
    fn read(string: &[u8]) -> Option<Entry> {
        if string.is_empty() {
            return None;
        }
        let raw = info(string, "n").to_vec();
        let team = info(string, "t");
        let team = if team.is_empty() { None } else { usize::try_from(number(team)).ok().and_then(|team| TEAMS.get(team)).copied() };
        Some(Entry { name: text(&raw), raw, team })
    }

    fn player(&self, slot: usize) -> Player {
        Player { slot: Some(slot as u16), name: self.name.clone(), team: self.team.map(Cow::Borrowed) }
    }
}

impl Roster {
    /// A level begins: whoever is there has not joined in this recording.
    pub(super) fn level_begins(&mut self, state: &State, game: &Game) {
        self.slots.clear();
        self.slots.extend((0..game.strings.player_slots()).map(|slot| Entry::read(state.string(game.strings.players + slot))));
    }

    /// Whether there can be a player in the slot.
    pub(super) fn has_slot(&self, slot: u32) -> bool {
        (slot as usize) < self.slots.len()
    }

    /// The player in a slot; one without a name when nobody is known there.
    pub(super) fn player(&self, slot: u32) -> Player {
        match self.slots.get(slot as usize) {
            Some(Some(entry)) => entry.player(slot as usize),
            _ => Player { slot: Some(slot as u16), name: Text::default(), team: None },
        }
    }

    /// The raw name of the player in a slot.
    pub(super) fn raw_name(&self, slot: u32) -> Option<&[u8]> {
        self.slots.get(slot as usize)?.as_ref().map(|entry| &entry.raw[..])
    }

    /// All raw names.
    pub(super) fn raw_names(&self) -> impl Iterator<Item = &[u8]> {
        self.slots.iter().flatten().map(|entry| &entry.raw[..])
    }

    /// The player of this name; with the name alone when nobody has it or several have.
    pub(super) fn named(&self, raw: &[u8]) -> Player {
        self.only(|entry| entry.raw == raw)
            .or_else(|| {
                let clean = clean(raw);
                self.only(|entry| entry.name.clean == clean)
            })
            .unwrap_or_else(|| Player { slot: None, name: text(raw), team: None })
    }

    /// The player whose clean name `line` ends with: a clan tag may stand before it.
    pub(super) fn named_at_end(&self, line: &str) -> Option<Player> {
        let ends = |entry: &Entry| {
            let rest = line.strip_suffix(entry.name.clean.as_str());
            rest.is_some_and(|rest| !entry.name.clean.is_empty() && (rest.is_empty() || rest.ends_with(' ')))
        };
        self.only(|entry| entry.name.clean == line).or_else(|| self.only(ends))
    }

    fn only(&self, is: impl Fn(&Entry) -> bool) -> Option<Player> {
        let mut found = self.slots.iter().enumerate().filter_map(|(slot, entry)| entry.as_ref().filter(|entry| is(entry)).map(|entry| (slot, entry)));
        let (slot, entry) = found.next()?;
        found.next().is_none().then(|| entry.player(slot))
    }

    /// A player's string changed. `lines` are what the server printed just before.
    pub(super) fn changed(&mut self, slot: usize, string: &[u8], lines: &[Vec<u8>], out: &mut Outlet<'_>) {
        let Some(place) = self.slots.get_mut(slot) else { return };
        let new = Entry::read(string);
        let old = std::mem::replace(place, new.clone());
        match (old, new) {
            (None, Some(new)) => out.tell(Evidence::Stated, Kind::Join, || EventKind::Join { player: new.player(slot) }),
            (Some(old), None) => {
                let reason = || lines.iter().rev().find_map(|line| farewell(line, &old.raw));
                out.tell(Evidence::Stated, Kind::Leave, || EventKind::Leave { player: old.player(slot), reason: reason() });
            }
            (Some(old), Some(new)) => {
                if old.raw != new.raw {
                    out.tell(Evidence::Inferred, Kind::Rename, || EventKind::Rename { player: new.player(slot), from: old.name.clone() });
                }
                if let (Some(from), Some(to)) = (old.team, new.team)
                    && from != to
                {
                    out.tell(Evidence::Inferred, Kind::Team, || EventKind::Team { player: new.player(slot), from: Cow::Borrowed(from) });
                }
            }
            (None, None) => {}
        }
    }
}

/// What `line` says of the player who left: the part behind the name.
fn farewell(line: &[u8], name: &[u8]) -> Option<Text> {
    let at = line.windows(name.len().max(1)).position(|part| part == name)?;
    let rest = &line[at + name.len()..];
    let rest = rest.strip_prefix(b"^7").unwrap_or(rest).trim_ascii();
    (!rest.is_empty()).then(|| text(rest))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Players of these names in the slots from 0, nobody behind them.
    pub fn roster(names: &[&str]) -> Roster {
        let mut slots: Vec<Option<Entry>> = names.iter().map(|name| Entry::read(format!("n\\{name}\\t\\0").as_bytes())).collect();
        slots.resize(64, None);
        Roster { slots }
    }

    #[test]
    fn strings_tell_who_comes_and_goes() {
        let mut told = Vec::new();
        let mut take = |event: model::Event| {
            told.push(event.kind);
            std::ops::ControlFlow::Continue(())
        };
        let mut out = Outlet::new(model::Kinds::ALL, replay::Sink::new(&mut take));
        let mut players = roster(&["a"]);
        let said = [b"^1b^7 disconnected\n".to_vec()];
        for (slot, string) in [(1, "n\\b\\t\\3"), (1, "n\\^1b\\t\\3"), (1, "n\\^1b\\t\\2"), (1, ""), (64, "n\\x"), (0, "n\\a\\t\\0")] {
            players.changed(slot, string.as_bytes(), &said, &mut out);
        }
        out.finish();
        let names: Vec<&str> = told.iter().map(|kind| kind.kind().name()).collect();
        assert_eq!(names, ["join", "rename", "team", "leave"]);
        let EventKind::Leave { player, reason: Some(reason) } = &told[3] else { panic!("{:?}", told[3]) };
        assert_eq!((player.name.clean.as_str(), player.team.as_deref(), reason.clean.as_str()), ("b", Some("blue"), "disconnected"));
    }

    #[test]
    fn names_are_found_if_they_are_one_players() {
        let players = roster(&["ann", "bob", "ann", "^1bobby"]);
        assert_eq!(players.named(b"bob").slot, Some(1));
        assert_eq!(players.named(b"^3bob").slot, Some(1));
        assert_eq!(players.named(b"ann").slot, None);
        assert_eq!(players.named_at_end("[x] bobby").unwrap().slot, Some(3));
        assert!(players.named_at_end("xbobby").is_none());
    }
}
