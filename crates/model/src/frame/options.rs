//! What of a frame is asked for.

use super::EntityKind;
use crate::{Clock, Milliseconds};

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

            /// All of these except `other`.
            #[must_use]
            pub const fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
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
        /// [`Frame::view`](crate::Frame::view).
        VIEW = 0 "view",
        /// Places of players and entities.
        ORIGIN = 1 "origin",
        /// Velocities.
        VELOCITY = 2 "velocity",
        /// Angles.
        ANGLES = 3 "angles",
        /// Whether players live, and their health.
        HEALTH = 4 "health",
        /// Armor.
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
/// use fragreel_model::{EntityKinds, Fields, FrameOptions, Milliseconds};
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
    /// At most this number of frames a second: the first frame of each interval. All by default.
    pub rate: Option<f64>,
    /// Of each interval of this length on the server's clock, only the first frame in a level. All by default.
    pub server_interval: Option<Milliseconds>,
    /// Which clock `from` and `to` are on.
    pub clock: Clock,
    /// No frame before this time.
    pub from: Option<Milliseconds>,
    /// No frame after this time.
    pub to: Option<Milliseconds>,
    /// Whether sounds, explosions and the like are collected. Not by default.
    pub happenings: bool,
    /// Whether only players are needed. This makes some walks faster: looks and raw fields of other entities may be missing. Not by default.
    pub players_only: bool,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self {
            fields: Fields::ALL,
            entities: EntityKinds::NONE,
            rate: None,
            server_interval: None,
            clock: Clock::Demo,
            from: None,
            to: None,
            happenings: false,
            players_only: false,
        }
    }
}

impl FrameOptions {
    /// At most this number of frames a second.
    #[must_use]
    pub fn hz(self, rate: f64) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// Of each interval of this length on the server's clock, only the first frame in a level.
    #[must_use]
    pub fn server_interval(self, length: Milliseconds) -> Self {
        Self { server_interval: Some(length), ..self }
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

    /// With sounds, explosions and the like.
    #[must_use]
    pub fn happenings(self) -> Self {
        Self { happenings: true, ..self }
    }

    /// Nothing of entities that are not players.
    #[must_use]
    pub fn players_only(self) -> Self {
        Self { players_only: true, ..self }
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

    #[test]
    fn sets_agree_with_kinds() {
        assert!(EntityKind::ALL.iter().all(|&kind| EntityKinds::named(kind.name()) == Some(EntityKinds::from(kind)) && EntityKinds::ALL.wants(kind)));
        assert_eq!(EntityKinds::NAMES, EntityKind::ALL.map(EntityKind::name));
        assert!((Fields::VIEW | Fields::AMMO).has(Fields::AMMO) && !Fields::VIEW.any(Fields::AMMO));
        assert_eq!((Fields::VIEW | Fields::AMMO).without(Fields::AMMO | Fields::ITEMS), Fields::VIEW);
    }
}
