//! A recording frame by frame: who and what was where, in one vocabulary for all games.
//!
//! What a format does not say is absent (`None`, an empty list), never 0.

mod direction;
mod happening;
mod look;
mod motion;
mod options;
mod reuse;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::{Milliseconds, Text};

pub use direction::direction_of_byte;
pub use happening::{Happening, HappeningKind, Happenings, LightStyle, Sound, StaticEntity};
pub use look::{Look, Render};
pub use motion::{DEFAULT_GRAVITY, Motion, Trajectory};
pub use options::{EntityKinds, Fields, FrameOptions, Subject};
pub use reuse::{Holding, share};

/// The state of a game at one frame of a recording.
///
/// A frame is meant to be used again for the next one: names are shared and lists keep their room.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Frame {
    /// Number of the frame in the recording, from 0; frames that options leave out are counted.
    pub number: u32,
    /// Number of the container's message that it came with, from 0.
    pub message: u32,
    /// Number of the level, from 0.
    pub level: u32,
    /// Time since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock, as the server states it: it may start again, and be negative. 0 before a server states any.
    pub server_time: Milliseconds,
    /// The match's clock as players saw it, while a match runs and the game says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
    /// Whether damage made it uncertain: a delta base was lost before it, and nothing stated the state in full since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// The recorded view; absent in recordings that show everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Those who play, by slot. The point of view and its entity are one player.
    pub players: Vec<PlayerFrame>,
    /// The entities of the kinds asked for, by number.
    pub entities: Vec<EntityFrame>,
    /// Players kept for their lists.
    #[serde(skip)]
    spare: Vec<PlayerFrame>,
}

/// Through whose eyes, from where.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct View {
    /// The slot of the player whose eyes they are; absent for a free camera.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u16>,
    /// Where the eyes are, in the game's units.
    pub origin: [f32; 3],
    /// Pitch, yaw and roll in degrees; pitch is positive downwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<[f32; 3]>,
    /// The horizontal field of view in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fov: Option<f32>,
    /// Whether the view jumped since the frame before: nothing is to be interpolated.
    pub teleported: bool,
}

/// One player at one frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlayerFrame {
    /// The slot, from 0.
    pub slot: u16,
    /// The number of the player's entity, where it is in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<u32>,
    /// The name at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<Text>>,
    /// The team at that time: `red`, `blue`, `spectator`, or what the game calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Arc<str>>,
    /// Whether the player only watches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectator: Option<bool>,
    /// Whether the player lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alive: Option<bool>,
    /// Where the player's origin is, in the game's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f32; 3]>,
    /// Units a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f32; 3]>,
    /// Pitch, yaw and roll of the view in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<[f32; 3]>,
    /// Health points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<i32>,
    /// Armor points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub armor: Option<i32>,
    /// The weapon in hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weapon: Option<Term>,
    /// Ammunition by weapon or by kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ammo: Vec<Held>,
    /// Power-ups that last, with the server time until which they do where that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub powerups: Vec<Held>,
    /// Weapons, flags, keys and other things carried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Held>,
    /// Whether the player stands on something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_ground: Option<bool>,
    /// Whether the player crouches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crouching: Option<bool>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<i32>,
    /// The score board's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// Whether the player jumped to this place since the frame before: nothing is to be interpolated.
    pub teleported: bool,
}

/// One entity at one frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EntityFrame {
    /// The entity's number.
    pub number: u32,
    /// What it is.
    pub kind: EntityKind,
    /// Its model by name; `*1` is a part of the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// Where it is, in the game's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f32; 3]>,
    /// Pitch, yaw and roll in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<[f32; 3]>,
    /// Units a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f32; 3]>,
    /// The slot of the player whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<u16>,
    /// The item, weapon or missile that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<Term>,
    /// How it moves until the next frame, where the game says more than a place: see [`Motion`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// The same for its angles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turning: Option<Motion>,
    /// Whether it jumped to this place since the frame before: nothing is to be interpolated.
    pub teleported: bool,
}

/// The name of a thing (a weapon, an item, a model's part): the game's own name, and the one that all games share for it.
///
/// Compare and count by [`common`](Term::common) where recordings of several games meet; the list is in [`common`](crate::common). It displays as the
/// common name, or as the game's own where no other game has such a thing.
#[derive(Debug, Clone, Eq, Serialize)]
#[non_exhaustive]
pub struct Term {
    /// What the game calls it: `weapon_rocketlauncher`, `rl`, `models/weapons/v_rocket/tris.md2`.
    pub own: Arc<str>,
    /// What it is called here for all games: `rocket_launcher`; absent where no other game has its like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<&'static str>,
}

impl Term {
    /// A term.
    pub fn new(own: impl Into<Arc<str>>, common: Option<&'static str>) -> Self {
        Self { own: own.into(), common }
    }
}

/// Copies of one term, which frames are full of, are equal at a glance.
impl PartialEq for Term {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let same_common = match (self.common, other.common) {
            (Some(one), Some(another)) => std::ptr::eq(one, another) || one == another,
            (one, another) => one.is_none() && another.is_none(),
        };
        same_common && (Arc::ptr_eq(&self.own, &other.own) || self.own == other.own)
    }
}

/// The common name where there is one, else the game's own.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.common.unwrap_or(&self.own))
    }
}

/// One entry of a player's inventory: a weapon, ammunition, a power-up, a key.
///
/// Only what the recording states is there. A weapon has no amount, ammunition has; a power-up has the time at which it ends where the game sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Held {
    /// What.
    #[serde(flatten)]
    pub what: Term,
    /// How much of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<i32>,
    /// Until when on the server's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Milliseconds>,
}

/// What an entity is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntityKind {
    /// A player. Players stand in [`Frame::players`]; they are entities too only where this kind is asked for.
    Player,
    /// A dead body.
    Corpse,
    /// A rocket, a grenade, a nail.
    Missile,
    /// Something to pick up.
    Item,
    /// A door, a platform: a moving part of the map.
    Mover,
    /// A beam between two places.
    Beam,
    /// An explosion, an impact, a passing event.
    Effect,
    /// A speaker.
    Sound,
    /// Anything else.
    #[default]
    Other,
}

impl EntityKind {
    /// All of them.
    pub const ALL: [EntityKind; 9] = [
        EntityKind::Player,
        EntityKind::Corpse,
        EntityKind::Missile,
        EntityKind::Item,
        EntityKind::Mover,
        EntityKind::Beam,
        EntityKind::Effect,
        EntityKind::Sound,
        EntityKind::Other,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            EntityKind::Player => "player",
            EntityKind::Corpse => "corpse",
            EntityKind::Missile => "missile",
            EntityKind::Item => "item",
            EntityKind::Mover => "mover",
            EntityKind::Beam => "beam",
            EntityKind::Effect => "effect",
            EntityKind::Sound => "sound",
            EntityKind::Other => "other",
        }
    }
}

impl Frame {
    /// Takes everything out; lists keep their room.
    pub fn clear(&mut self) {
        for player in &mut self.players {
            player.clear();
        }
        self.spare.append(&mut self.players);
        self.entities.clear();
        self.view = None;
        (self.match_time, self.uncertain) = (None, false);
    }

    /// Adds a player of whom nothing is known but the slot.
    pub fn add_player(&mut self, slot: u16) -> &mut PlayerFrame {
        self.players.push(self.spare.pop().unwrap_or_default());
        let last = self.players.len() - 1;
        let player = &mut self.players[last];
        player.slot = slot;
        player
    }

    /// The player in a slot.
    pub fn player(&self, slot: u16) -> Option<&PlayerFrame> {
        self.players.iter().find(|player| player.slot == slot)
    }

    /// The entity of a number.
    pub fn entity(&self, number: u32) -> Option<&EntityFrame> {
        self.entities.iter().find(|entity| entity.number == number)
    }
}

impl PlayerFrame {
    /// Nothing is known any more; lists keep their room.
    fn clear(&mut self) {
        let [mut ammo, mut powerups, mut items] = [&mut self.ammo, &mut self.powerups, &mut self.items].map(std::mem::take);
        [&mut ammo, &mut powerups, &mut items].into_iter().for_each(Vec::clear);
        *self = PlayerFrame { ammo, powerups, items, ..PlayerFrame::default() };
    }
}

impl EntityFrame {
    /// An entity without anything else known.
    pub fn new(number: u32, kind: EntityKind) -> Self {
        Self { number, kind, ..Self::default() }
    }
}

impl View {
    /// A view.
    pub fn new(slot: Option<u16>, origin: [f32; 3], angles: Option<[f32; 3]>) -> Self {
        Self { slot, origin, angles, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_used_again_without_leftovers() {
        let mut frame = Frame::default();
        let player = frame.add_player(3);
        player.health = Some(100);
        player.ammo.push(Held { what: Term::new("shells", None), amount: Some(5), until: None });
        frame.clear();
        let player = frame.add_player(4);
        assert_eq!(*player, PlayerFrame { slot: 4, ..PlayerFrame::default() });
        assert!(player.ammo.capacity() > 0);
    }
}
