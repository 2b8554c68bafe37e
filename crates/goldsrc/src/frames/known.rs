//! What messages besides entities say of players: who they are, their teams and scores, what the recording player holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Term, Text};

use super::terms;
use crate::game_text::clean;
use crate::message::Message;
use crate::message::context::Context;
use crate::message::payload::Payload;
use crate::message::user_fields::{self, pair};
use crate::walk::roster::{Member, Roster};

/// What is known of one slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Person {
    pub name: Option<Arc<Text>>,
    pub team: Option<Arc<str>>,
    pub spectator: Option<bool>,
    /// Counter-Strike's marks on the score board.
    pub attributes: Option<u8>,
    pub health: Option<i32>,
}

/// What is [`Known`], without the slots where nobody ever was.
#[derive(Debug, Clone)]
pub(super) struct PackedPlayers {
    members: Box<[(u8, Member)]>,
    people: Box<[(u8, Person)]>,
    teams: Box<[(String, i32)]>,
    rest: Known,
}

impl PackedPlayers {
    /// About how many bytes it takes on the heap.
    pub(super) fn bytes(&self) -> usize {
        let texts = |member: &Member| member.name.raw.len() + member.name.clean.len() + member.team.as_ref().map_or(0, String::len);
        let members: usize = self.members.iter().map(|(_, member)| size_of::<(u8, Member)>() + texts(member)).sum();
        let weapons = self.rest.weapons.len() * size_of::<(u8, Weapon)>() + self.rest.reserves.len() * size_of::<(u8, i32)>();
        members + size_of_val(&self.people[..]) + size_of_val(&self.teams[..]) + weapons
    }
}

/// Marks of `ScoreAttrib`.
pub(super) const DEAD: u8 = 1;
pub(super) const CARRIED: [(u8, &str); 3] = [(2, "c4"), (4, "vip"), (8, "defuser")];

/// A weapon of the game.
#[derive(Debug, Clone)]
pub(super) struct Weapon {
    pub term: Term,
    pub ammo: Option<u8>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub roster: Roster,
    pub people: Vec<Person>,
    weapons: BTreeMap<u8, Weapon>,
    game: String,
    /// The level: which spawn of the server, and its map.
    level: Option<(i32, Vec<u8>)>,
    /// Ammunition of the recording player by its type.
    pub reserves: BTreeMap<u8, i32>,
    /// The weapon in hand as `CurWeapon` says, and what its magazine holds.
    pub current: Option<(u8, Option<i32>)>,
    pub armor: Option<i32>,
}

impl Known {
    /// The game that the header names.
    pub(super) fn new(game: &str) -> Self {
        Known { people: vec![Person::default(); 256], game: game.to_owned(), ..Known::default() }
    }

    pub(super) fn packed(&self) -> PackedPlayers {
        let slots = 0..=u8::MAX;
        let members = slots.clone().map(|slot| (slot, self.roster.member(slot).clone())).filter(|(_, member)| *member != Member::default());
        let people = slots.map(|slot| (slot, self.people[usize::from(slot)].clone())).filter(|(_, person)| *person != Person::default());
        let (weapons, game, level, reserves) = (self.weapons.clone(), self.game.clone(), self.level.clone(), self.reserves.clone());
        let rest = Known { roster: Roster::empty(), people: Vec::new(), weapons, game, level, reserves, current: self.current, armor: self.armor };
        PackedPlayers { members: members.collect(), people: people.collect(), teams: self.roster.teams.clone().into(), rest }
    }

    pub(super) fn unpacked(packed: &PackedPlayers) -> Self {
        let mut known = Known { roster: Roster::default(), people: vec![Person::default(); 256], ..packed.rest.clone() };
        for (slot, member) in &packed.members {
            *known.roster.member_mut(*slot) = member.clone();
        }
        for (slot, person) in &packed.people {
            known.people[usize::from(*slot)] = person.clone();
        }
        known.roster.teams = packed.teams.to_vec();
        known
    }

    /// The weapon of a number. Which weapons there are is asked for every frame, so that names are made once.
    pub(super) fn weapon(&mut self, id: u8) -> &Weapon {
        let game = &self.game;
        self.weapons.entry(id).or_insert_with(|| Weapon { term: terms::weapon_numbered(game, id), ammo: None })
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
                let member = self.roster.member(update.slot);
                let person = &mut self.people[usize::from(update.slot)];
                if !member.present {
                    *person = Person::default();
                } else if person.name.as_deref() != Some(&member.name) {
                    person.name = Some(Arc::new(member.name.clone()));
                }
            }
            Message::Pings(pings) => {
                for ping in &pings.pings {
                    self.roster.member_mut(ping.slot).ping = Some(i32::from(ping.ping));
                }
            }
            Message::ServerInfo(info) => {
                self.game = clean(&info.game.0);
                let level = (info.spawn_count, info.map.0.clone());
                if self.level.as_ref() != Some(&level) {
                    // scores of the level before are not this one's
                    self.roster.forget_scores();
                    self.level = Some(level);
                }
                self.reserves.clear();
                (self.current, self.armor) = (None, None);
                for person in &mut self.people {
                    (person.attributes, person.health, person.spectator) = (None, None, None);
                }
            }
            _ => {}
        }
    }

    fn user(&mut self, name: &[u8], data: &[u8]) -> Option<()> {
        match name {
            b"TeamInfo" => {
                let (slot, team) = user_fields::team_info(data)?;
                self.roster.member_mut(slot).team = Some(team.clone());
                let person = &mut self.people[usize::from(slot)];
                if person.team.as_deref() != Some(&team) {
                    person.team = Some(Arc::from(team));
                }
            }
            b"ScoreInfo" | b"ScoreShort" => {
                let (slot, frags, deaths) = user_fields::score(data)?;
                let member = self.roster.member_mut(slot);
                (member.frags, member.deaths) = (Some(frags), Some(deaths));
            }
            b"ScoreAttrib" => {
                let (number, marks) = pair(data)?;
                self.people[usize::from(number.checked_sub(1)?)].attributes = Some(marks);
            }
            b"Spectator" => {
                let (number, watches) = pair(data)?;
                self.people[usize::from(number.checked_sub(1)?)].spectator = Some(watches != 0);
            }
            b"HealthInfo" => {
                let mut payload = Payload::new(data);
                let slot = payload.byte()?.checked_sub(1)?;
                self.people[usize::from(slot)].health = payload.long().filter(|&health| health >= 0);
            }
            b"WeaponList" => {
                let listed = user_fields::weapon_list(data)?;
                self.weapons.insert(listed.id, Weapon { term: terms::weapon(&listed.name), ammo: listed.ammo });
            }
            b"CurWeapon" => {
                if let (1, id, clip) = user_fields::current_weapon(data)? {
                    self.current = (id != 0).then(|| (id, clip.map(i32::from)));
                }
            }
            b"AmmoX" => {
                let (kind, amount) = pair(data)?;
                self.reserves.insert(kind, i32::from(amount));
            }
            b"Battery" => self.armor = Some(i32::from(Payload::new(data).short()?)),
            _ => {}
        }
        Some(())
    }
}
