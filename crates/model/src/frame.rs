//! A recording frame by frame: who and what was where, in one vocabulary for all games.
//!
//! What a format does not say is absent (`None`, an empty list), never 0.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::{Clock, Milliseconds, Text};

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
    /// The server's clock.
    pub server_time: Milliseconds,
    /// The match's clock as players saw it, while a match runs and the game says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
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
    pub angles: [f32; 3],
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
    /// Armour points.
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

/// A thing by the game's own name, and by the one name that all games share for it; see [`common`](crate::common).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// The common name where there is one, else the game's own.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.common.unwrap_or(&self.own))
    }
}

/// Something that a player has.
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

/// How a place or an angle changes with time, as Quake III states it: the place at a server time follows from it alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Motion {
    /// The law.
    pub law: Law,
    /// When it began, on the server's clock.
    pub since: Milliseconds,
    /// How long it lasts, or how long one swing takes.
    pub duration: Milliseconds,
    /// The value at the beginning.
    pub base: [f32; 3],
    /// Change in a second; of a swing, its width.
    pub delta: [f32; 3],
    /// Downward acceleration in units a second squared.
    pub gravity: f32,
}

/// The law of a [`Motion`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Law {
    /// It rests.
    #[default]
    Stationary,
    /// Between frames the place is between their places.
    Interpolate,
    /// It moves evenly.
    Linear,
    /// It moves evenly until its time is over.
    LinearStop,
    /// It swings.
    Sine,
    /// It falls.
    Gravity,
}

impl Motion {
    /// A motion.
    pub const fn new(law: Law, since: Milliseconds, duration: Milliseconds, base: [f32; 3], delta: [f32; 3]) -> Self {
        Self { law, since, duration, base, delta, gravity: DEFAULT_GRAVITY }
    }

    /// The value at a server time.
    pub fn at(&self, server_time: Milliseconds) -> [f32; 3] {
        let elapsed = server_time.0 - self.since.0;
        let seconds = |milliseconds: i64| milliseconds as f32 * 0.001;
        let moved = |by: f32| -> [f32; 3] { std::array::from_fn(|axis| self.delta[axis].mul_add(by, self.base[axis])) };
        match self.law {
            Law::Stationary | Law::Interpolate => self.base,
            Law::Linear => moved(seconds(elapsed)),
            Law::LinearStop => moved(seconds(elapsed.min(self.duration.0).max(0))),
            Law::Sine => {
                let turns = elapsed as f32 / self.duration.0.max(1) as f32;
                moved((turns * std::f32::consts::TAU).sin())
            }
            Law::Gravity => {
                let time = seconds(elapsed);
                let mut value = moved(time);
                value[2] -= 0.5 * self.gravity * time * time;
                value
            }
        }
    }

    /// The change in a second at a server time.
    pub fn rate_at(&self, server_time: Milliseconds) -> [f32; 3] {
        let elapsed = server_time.0 - self.since.0;
        match self.law {
            Law::Stationary | Law::Interpolate => [0.0; 3],
            Law::Linear => self.delta,
            Law::LinearStop if elapsed > self.duration.0 => [0.0; 3],
            Law::LinearStop => self.delta,
            Law::Sine => {
                let duration = self.duration.0.max(1) as f32;
                let phase = elapsed as f32 / duration * std::f32::consts::TAU;
                self.delta.map(|width| width * phase.cos() * std::f32::consts::TAU * 1000.0 / duration)
            }
            Law::Gravity => [self.delta[0], self.delta[1], self.delta[2] - self.gravity * elapsed as f32 * 0.001],
        }
    }
}

/// What falls, falls with this.
pub const DEFAULT_GRAVITY: f32 = 800.0;

impl Frame {
    /// Takes everything out; lists keep their room.
    pub fn clear(&mut self) {
        self.spare.append(&mut self.players);
        self.entities.clear();
        self.view = None;
        self.match_time = None;
    }

    /// Adds a player of whom nothing is known but the slot.
    pub fn add_player(&mut self, slot: u16) -> &mut PlayerFrame {
        let mut player = self.spare.pop().unwrap_or_default();
        let [mut ammo, mut powerups, mut items] = [&mut player.ammo, &mut player.powerups, &mut player.items].map(std::mem::take);
        [&mut ammo, &mut powerups, &mut items].into_iter().for_each(Vec::clear);
        player = PlayerFrame { slot, ammo, powerups, items, ..PlayerFrame::default() };
        self.players.push(player);
        let last = self.players.len() - 1;
        &mut self.players[last]
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

impl EntityFrame {
    /// An entity of which nothing else is known.
    pub fn new(number: u32, kind: EntityKind) -> Self {
        Self { number, kind, ..Self::default() }
    }
}

impl View {
    /// A view.
    pub fn new(slot: Option<u16>, origin: [f32; 3], angles: [f32; 3]) -> Self {
        Self { slot, origin, angles, ..Self::default() }
    }
}

macro_rules! bit_set {
    ($(#[$about:meta])* $set:ident { $($(#[$doc:meta])* $constant:ident = $bit:literal $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $set(u32);

        impl $set {
            $($(#[$doc])* pub const $constant: $set = $set(1 << $bit);)*
            /// Nothing.
            pub const NONE: $set = $set(0);
            /// Everything.
            pub const ALL: $set = $set($(1 << $bit)|*);
            /// The names, in order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// What is called so.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($set::$constant),)*
                    _ => None,
                }
            }

            /// Whether all of `other` is in it.
            #[inline]
            pub const fn has(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Whether some of `other` is in it.
            #[inline]
            pub const fn any(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }
        }

        impl std::ops::BitOr for $set {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl FromIterator<$set> for $set {
            fn from_iter<I: IntoIterator<Item = $set>>(iter: I) -> Self {
                iter.into_iter().fold(Self::NONE, |all, one| all | one)
            }
        }
    };
}

bit_set! {
    /// What of a frame is filled in. Times, slots, names and teams always are.
    Fields {
        /// [`Frame::view`].
        VIEW = 0 "view",
        /// Places of players and entities.
        ORIGIN = 1 "origin",
        /// Velocities.
        VELOCITY = 2 "velocity",
        /// Angles.
        ANGLES = 3 "angles",
        /// Whether players live, and their health.
        HEALTH = 4 "health",
        /// Armour.
        ARMOR = 5 "armor",
        /// The weapon in hand.
        WEAPON = 6 "weapon",
        /// Ammunition.
        AMMO = 7 "ammo",
        /// Power-ups.
        POWERUPS = 8 "powerups",
        /// Things carried.
        ITEMS = 9 "items",
        /// Whether players stand on the ground, and whether they crouch.
        STANCE = 10 "stance",
        /// Ping and score.
        SCORE = 11 "score",
        /// Models of entities.
        MODEL = 12 "model",
    }
}

bit_set! {
    /// Which entities are put into frames.
    EntityKinds {
        /// Players, as entities.
        PLAYER = 0 "player",
        /// Dead bodies.
        CORPSE = 1 "corpse",
        /// Missiles.
        MISSILE = 2 "missile",
        /// Items.
        ITEM = 3 "item",
        /// Movers.
        MOVER = 4 "mover",
        /// Beams.
        BEAM = 5 "beam",
        /// Effects.
        EFFECT = 6 "effect",
        /// Sounds.
        SOUND = 7 "sound",
        /// Anything else.
        OTHER = 8 "other",
    }
}

impl EntityKinds {
    /// Whether a kind is in it.
    #[inline]
    pub const fn wants(self, kind: EntityKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }
}

impl From<EntityKind> for EntityKinds {
    fn from(kind: EntityKind) -> Self {
        Self(1 << kind as u32)
    }
}

/// What a walk over the frames of a recording gives.
///
/// ```
/// use model::{EntityKinds, Fields, FrameOptions, Milliseconds};
///
/// let options = FrameOptions { fields: Fields::ORIGIN | Fields::HEALTH, ..FrameOptions::default() }.hz(10.0).from(Milliseconds(5000));
/// assert!(!options.entities.any(EntityKinds::ALL));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameOptions {
    /// What is filled in. Everything by default.
    pub fields: Fields,
    /// Which entities there are. None by default.
    pub entities: EntityKinds,
    /// At most so many frames a second: the first frame of each interval. All by default.
    pub rate: Option<f64>,
    /// Which clock `from` and `to` are on.
    pub clock: Clock,
    /// No frame before this time.
    pub from: Option<Milliseconds>,
    /// No frame after this time.
    pub to: Option<Milliseconds>,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self { fields: Fields::ALL, entities: EntityKinds::NONE, rate: None, clock: Clock::Demo, from: None, to: None }
    }
}

impl FrameOptions {
    /// At most so many frames a second.
    #[must_use]
    pub fn hz(self, rate: f64) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// No frame before this time.
    #[must_use]
    pub fn from(self, time: Milliseconds) -> Self {
        Self { from: Some(time), ..self }
    }

    /// No frame after this time.
    #[must_use]
    pub fn to(self, time: Milliseconds) -> Self {
        Self { to: Some(time), ..self }
    }

    /// These fields.
    #[must_use]
    pub fn fields(self, fields: Fields) -> Self {
        Self { fields, ..self }
    }

    /// These entities.
    #[must_use]
    pub fn entities(self, entities: EntityKinds) -> Self {
        Self { entities, ..self }
    }
}

/// Whose raw field is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The player whose view it is.
    View,
    /// The player in a slot.
    Player(u16),
    /// An entity by number.
    Entity(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(law: Law) -> Motion {
        Motion::new(law, Milliseconds(1000), Milliseconds(500), [0.0, 10.0, 100.0], [100.0, 0.0, 40.0])
    }

    #[test]
    fn motions_follow_their_laws() {
        let at = |law: Law, time: i64| motion(law).at(Milliseconds(time)).map(f32::round);
        assert_eq!(at(Law::Stationary, 1250), [0.0, 10.0, 100.0]);
        assert_eq!(at(Law::Interpolate, 1250), [0.0, 10.0, 100.0]);
        assert_eq!(at(Law::Linear, 2000), [100.0, 10.0, 140.0]);
        assert_eq!(at(Law::LinearStop, 9000), [50.0, 10.0, 120.0]);
        assert_eq!(at(Law::LinearStop, 0), [0.0, 10.0, 100.0], "it has not begun");
        assert_eq!(at(Law::Sine, 1125), [100.0, 10.0, 140.0], "a quarter of a swing");
        assert_eq!(at(Law::Gravity, 2000), [100.0, 10.0, -260.0]);
        assert_eq!(motion(Law::Gravity).rate_at(Milliseconds(2000)), [100.0, 0.0, -760.0]);
        assert_eq!(motion(Law::LinearStop).rate_at(Milliseconds(1600)), [0.0; 3]);
    }

    #[test]
    fn sets_agree_with_kinds() {
        assert!(EntityKind::ALL.iter().all(|&kind| EntityKinds::named(kind.name()) == Some(EntityKinds::from(kind)) && EntityKinds::ALL.wants(kind)));
        assert_eq!(EntityKinds::NAMES, EntityKind::ALL.map(EntityKind::name));
        assert!((Fields::VIEW | Fields::AMMO).has(Fields::AMMO) && !Fields::VIEW.any(Fields::AMMO));
    }

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
