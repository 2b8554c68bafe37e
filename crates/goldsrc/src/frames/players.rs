//! Players as messages other than entities describe them: names, teams, scores, and the items of the recording player.

use std::sync::Arc;

use fragreel_model::replay::info_string;
use fragreel_model::{Term, Text};

use super::terms;
use crate::game_text::clean;
use crate::message::Message;
use crate::message::context::Context;
use crate::message::payload::Payload;
use crate::message::user_fields::{self, pair};
use crate::walk::roster::{PackedRoster, Roster, UserUpdate};
use crate::walk::slots::Slots;

/// A slot's name and team, shared between frames, and what only frames need.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Person {
    pub name: Option<Arc<Text>>,
    pub team: Option<Arc<str>>,
    /// Counter-Strike's marks on the score board.
    pub attributes: Option<u8>,
    pub health: Option<i32>,
    /// The file of the model that the player chose.
    pub model: Option<Arc<str>>,
    /// The hues that the player chose, of 255.
    pub hues: Option<[u8; 2]>,
}

/// [`Players`] without the empty slots, for keyframes.
#[derive(Debug, Clone)]
pub(super) struct PackedPlayers {
    roster: PackedRoster,
    people: Box<[(u8, Person)]>,
    own: OwnItems,
}

impl PackedPlayers {
    /// About how many bytes it takes on the heap.
    pub(super) fn bytes(&self) -> usize {
        let weapons = self.own.weapons.count() * size_of::<(u8, Weapon)>() + self.own.reserves.count() * size_of::<(u8, i32)>();
        self.roster.bytes() + size_of_val(&self.people[..]) + weapons
    }
}

/// Marks of `ScoreAttrib`.
pub(super) const DEAD: u8 = 1;
pub(super) const CARRIED: [(u8, &str); 3] = [(2, "c4"), (4, "vip"), (8, "defuser")];

/// A weapon of the game.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weapon {
    pub term: Term,
    pub ammo: Option<u8>,
}

/// Weapons, ammunition and armor of the recording player.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnItems {
    weapons: Slots<Option<Weapon>>,
    game: String,
    /// Ammunition in reserve, by its type.
    pub reserves: Slots<Option<i32>>,
    /// The weapon in hand by `CurWeapon`, and the rounds in its magazine.
    pub current: Option<(u8, Option<i32>)>,
    pub armor: Option<i32>,
}

impl OwnItems {
    /// Makes the name of a weapon, if the game has not listed it. It is kept, so that it is not made for every frame.
    #[inline]
    pub(super) fn know(&mut self, id: u8) {
        if self.weapons[id].is_none() {
            self.weapons[id] = Some(Weapon { term: terms::weapon_numbered(&self.game, id), ammo: None });
        }
    }

    /// The weapon of a number, if its name is known.
    #[inline]
    pub(super) fn weapon(&self, id: u8) -> Option<&Weapon> {
        self.weapons[id].as_ref()
    }
}

/// All players, and the items of the recording player.
#[derive(Debug, Clone, Default)]
pub(super) struct Players {
    pub roster: Roster,
    pub people: Slots<Person>,
    pub own: OwnItems,
}

impl Players {
    /// No players yet. `game` is the game directory in the file's header.
    pub(super) fn new(game: &str) -> Self {
        let own = OwnItems { game: game.to_owned(), ..OwnItems::default() };
        Players { roster: Roster::default(), people: Slots::default(), own }
    }

    pub(super) fn packed(&self) -> PackedPlayers {
        PackedPlayers { roster: self.roster.packed(), people: self.people.packed(), own: self.own.clone() }
    }

    pub(super) fn unpacked(packed: &PackedPlayers) -> Self {
        Players { roster: Roster::unpacked(&packed.roster), people: Slots::unpacked(&packed.people), own: packed.own.clone() }
    }

    pub(super) fn message(&mut self, context: &Context, message: &Message) {
        match message {
            Message::User(user) => {
                if let Some(shape) = context.user_message(user.id) {
                    let _ = self.user(&shape.name, &user.data);
                }
            }
            Message::UpdateUserInfo(update) => {
                self.roster.update(update);
                if self.roster.member(update.slot).present {
                    self.share_names(update.slot);
                    self.people[update.slot].model = chosen_model(&update.info.0);
                    self.people[update.slot].hues = chosen_hues(&update.info.0);
                } else {
                    self.people[update.slot] = Person::default();
                }
            }
            Message::Pings(pings) => self.roster.set_pings(pings),
            Message::ServerInfo(info) => {
                self.roster.start_level(info);
                self.own.game = clean(&info.game.0);
                self.own.reserves = Slots::default();
                (self.own.current, self.own.armor) = (None, None);
                for person in self.people.kept_mut() {
                    (person.attributes, person.health) = (None, None);
                }
            }
            _ => {}
        }
    }

    /// Copies the name and the team from the roster if they changed.
    fn share_names(&mut self, slot: u8) {
        let (member, person) = (self.roster.member(slot), &mut self.people[slot]);
        if person.name.as_deref() != Some(&member.name) {
            person.name = Some(Arc::new(member.name.clone()));
        }
        self.share_team(slot);
    }

    fn share_team(&mut self, slot: u8) {
        let (member, person) = (self.roster.member(slot), &mut self.people[slot]);
        if person.team.as_deref() != member.side() {
            person.team = member.side().map(Arc::from);
        }
    }

    /// A user message. `None` if it is too short for its fields.
    fn user(&mut self, name: &[u8], data: &[u8]) -> Option<()> {
        if let Some(update) = self.roster.user_message(name, data) {
            if let UserUpdate::Team { slot, .. } = update {
                self.share_team(slot);
            }
            return Some(());
        }
        match name {
            b"ScoreAttrib" => {
                let (number, marks) = pair(data)?;
                self.people[number.checked_sub(1)?].attributes = Some(marks);
            }
            b"HealthInfo" => {
                let mut payload = Payload::new(data);
                let slot = payload.byte()?.checked_sub(1)?;
                self.people[slot].health = payload.long().filter(|&health| health >= 0);
            }
            b"WeaponList" => {
                let listed = user_fields::weapon_list(data)?;
                self.own.weapons[listed.id] = Some(Weapon { term: terms::weapon(&listed.name), ammo: listed.ammo });
            }
            b"CurWeapon" => {
                if let (1, id, clip) = user_fields::current_weapon(data)? {
                    self.own.current = (id != 0).then(|| (id, clip.map(i32::from)));
                }
            }
            b"AmmoX" => {
                let (kind, amount) = pair(data)?;
                self.own.reserves[kind] = Some(i32::from(amount));
            }
            b"Battery" => self.own.armor = Some(i32::from(Payload::new(data).short()?)),
            _ => {}
        }
        Some(())
    }
}

/// The model that a player chose, by its file.
fn chosen_model(info: &[u8]) -> Option<Arc<str>> {
    let name = clean(info_string::get(info, b"model")?);
    let is_plain = !name.is_empty() && name != ".." && !name.contains(['/', '\\']);
    is_plain.then(|| Arc::from(format!("models/player/{name}/{name}.mdl")))
}

/// Reads `topcolor` and `bottomcolor`.
fn chosen_hues(info: &[u8]) -> Option<[u8; 2]> {
    let hue = |key: &[u8]| std::str::from_utf8(info_string::get(info, key)?).ok()?.trim().parse::<u8>().ok();
    Some([hue(b"topcolor")?, hue(b"bottomcolor")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_chooses_hues() {
        assert_eq!(chosen_hues(b"\\topcolor\\30\\bottomcolor\\6"), Some([30, 6]));
        for nothing in [&b"\\topcolor\\30"[..], b"\\topcolor\\300\\bottomcolor\\6", b"\\topcolor\\x\\bottomcolor\\6"] {
            assert_eq!(chosen_hues(nothing), None);
        }
    }

    #[test]
    fn a_player_chooses_a_model() {
        assert_eq!(chosen_model(b"\\name\\a\\model\\barney").as_deref(), Some("models/player/barney/barney.mdl"));
        for nothing in [&b"\\name\\a"[..], b"\\model\\", b"\\model\\..", b"\\model\\a/b"] {
            assert_eq!(chosen_model(nothing), None);
        }
    }
}
