//! Who is in which slot, from the players' configstrings.

use std::borrow::Cow;
use std::sync::Arc;

use fragreel_model::{Player, Text};

use crate::game::{Game, names::TEAMS};
use crate::state::State;
use crate::strings::{clean, info, number, text};

/// A player as a configstring describes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    /// The name as sent.
    pub raw: Vec<u8>,
    pub name: Arc<Text>,
    /// The team's number, one of [`TEAMS`].
    pub team: Option<usize>,
    /// The name that DeFRaG credits runs to, where the string states one.
    pub runner: Option<Arc<Text>>,
}

impl Person {
    /// `None` for an empty slot.
    fn read(string: &[u8]) -> Option<Person> {
        if string.is_empty() {
            return None;
        }
        let raw = info(string, "n").to_vec();
        let team = info(string, "t");
        let team = if team.is_empty() { None } else { usize::try_from(number(team)).ok().filter(|team| *team < TEAMS.len()) };
        let runner = Some(info(string, "dfn")).filter(|name| !name.is_empty()).map(|name| Arc::new(text(name)));
        Some(Person { name: Arc::new(text(&raw)), raw, team, runner })
    }

    /// The name of the team.
    pub(crate) fn team_name(&self) -> Option<&'static str> {
        self.team.and_then(|team| TEAMS.get(team)).copied()
    }

    pub(crate) fn is_spectator(&self) -> bool {
        self.team_name() == Some("spectator")
    }

    /// The player for events.
    pub(crate) fn player(&self, slot: usize) -> Player {
        Player { slot: Some(slot as u16), name: (*self.name).clone(), team: self.team_name().map(Cow::Borrowed) }
    }
}

/// The players by slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roster {
    slots: Vec<Option<Person>>,
    /// The teams that players left in this message.
    left: Vec<(usize, Option<usize>)>,
}

impl Roster {
    /// Reads the players of a new level.
    pub(crate) fn start_level(&mut self, state: &State, game: &Game) {
        self.slots.clear();
        self.left.clear();
        self.slots.extend((0..game.strings.player_slots()).map(|slot| Person::read(state.string(game.strings.players + slot))));
    }

    /// Reads the configstring of a slot again. Returns who was there and who is there now; `None` where there is no such slot.
    pub(crate) fn update(&mut self, slot: usize, string: &[u8]) -> Option<(Option<Person>, Option<&Person>)> {
        let place = self.slots.get_mut(slot)?;
        let before = std::mem::replace(place, Person::read(string));
        if let (Some(before), Some(after)) = (&before, &*place)
            && before.team != after.team
            && self.left.iter().all(|(known, _)| *known != slot)
        {
            self.left.push((slot, before.team));
        }
        Some((before, place.as_ref()))
    }

    /// The number of slots.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The slots, with the players in them.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, Option<&Person>)> {
        self.slots.iter().map(Option::as_ref).enumerate()
    }

    /// Whether there can be a player in the slot.
    pub(crate) fn has_slot(&self, slot: u32) -> bool {
        (slot as usize) < self.slots.len()
    }

    /// The player in a slot; without a name when nobody is known there.
    pub(crate) fn player(&self, slot: u32) -> Player {
        match self.slots.get(slot as usize) {
            Some(Some(person)) => person.player(slot as usize),
            _ => Player { slot: Some(slot as u16), name: Text::default(), team: None },
        }
    }

    /// The player in a slot under the name that DeFRaG credits runs to.
    pub(crate) fn runner(&self, slot: u32) -> Player {
        let player = self.player(slot);
        match self.slots.get(slot as usize).and_then(|person| person.as_ref()?.runner.as_ref()) {
            Some(name) => Player { name: (**name).clone(), ..player },
            None => player,
        }
    }

    /// A message begins.
    pub(crate) fn start_message(&mut self) {
        self.left.clear();
    }

    /// The player in a slot, with the team before this message: a death may change the team in the frame that shows it.
    pub(crate) fn player_before(&self, slot: u32) -> Player {
        let player = self.player(slot);
        match self.left.iter().find(|(left, _)| *left == slot as usize) {
            Some((_, team)) => Player { team: team.and_then(|team| TEAMS.get(team)).map(|team| Cow::Borrowed(*team)), ..player },
            None => player,
        }
    }

    /// The raw name of the player in a slot.
    pub(crate) fn raw_name(&self, slot: u32) -> Option<&[u8]> {
        self.slots.get(slot as usize)?.as_ref().map(|person| &person.raw[..])
    }

    /// All raw names.
    pub(crate) fn raw_names(&self) -> impl Iterator<Item = &[u8]> {
        self.slots.iter().flatten().map(|person| &person.raw[..])
    }

    /// The player with this name. Without a slot when nobody has it, or several do.
    pub(crate) fn named(&self, raw: &[u8]) -> Player {
        self.only(|person| person.raw == raw)
            .or_else(|| {
                let clean = clean(raw);
                self.only(|person| person.name.clean == clean)
            })
            .unwrap_or_else(|| Player { slot: None, name: text(raw), team: None })
    }

    /// The player of a clean name that a table may have cut off. Without a slot when nobody has it, or several do.
    pub(crate) fn named_or_cut(&self, name: &str) -> Player {
        let whole = self.only(|person| person.name.clean == name);
        whole.or_else(|| self.only(|person| person.name.clean.starts_with(name))).unwrap_or_else(|| Player { slot: None, name: Text::plain(name), team: None })
    }

    /// The player whose clean name `line` ends with. A clan tag may precede it.
    pub(crate) fn named_at_end(&self, line: &str) -> Option<Player> {
        let ends = |person: &Person| {
            let rest = line.strip_suffix(person.name.clean.as_str());
            rest.is_some_and(|rest| !person.name.clean.is_empty() && (rest.is_empty() || rest.ends_with(' ')))
        };
        self.only(|person| person.name.clean == line).or_else(|| self.only(ends))
    }

    fn only(&self, is: impl Fn(&Person) -> bool) -> Option<Player> {
        let mut found = self.slots.iter().enumerate().filter_map(|(slot, person)| person.as_ref().filter(|person| is(person)).map(|person| (slot, person)));
        let (slot, person) = found.next()?;
        found.next().is_none().then(|| person.player(slot))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Players with these names in the slots from 0; 64 slots.
    pub(crate) fn roster(names: &[&str]) -> Roster {
        let mut slots: Vec<Option<Person>> = names.iter().map(|name| Person::read(format!("n\\{name}\\t\\0").as_bytes())).collect();
        slots.resize(64, None);
        Roster { slots, left: Vec::new() }
    }

    #[test]
    fn defrag_credits_runs_to_a_name_of_its_own() {
        let mut players = roster(&["ann"]);
        players.update(0, b"n\\^1*\\t\\0\\dfn\\uN-DeaD!ann");
        assert_eq!((players.runner(0).name.clean.as_str(), players.player(0).name.clean.as_str()), ("uN-DeaD!ann", "*"));
        players.update(0, b"n\\bob\\t\\0");
        assert_eq!(players.runner(0).name.clean, "bob");
    }

    #[test]
    fn names_are_found_when_one_player_has_them() {
        let players = roster(&["ann", "bob", "ann", "^1bobby"]);
        assert_eq!(players.named(b"bob").slot, Some(1));
        assert_eq!(players.named(b"^3bob").slot, Some(1));
        assert_eq!(players.named(b"ann").slot, None);
        assert_eq!(players.named_at_end("[x] bobby").unwrap().slot, Some(3));
        assert!(players.named_at_end("xbobby").is_none());
    }
}
