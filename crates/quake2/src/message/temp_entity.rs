//! Temporary entities. Implements *Temporary entities* of `docs/formats/quake2.md`.

use fragreel_base::wire::Wire;

use super::{Context, effects::position};
use crate::dialect::{Dialect, Numbering};

/// A part of a temporary entity, in wire order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the field of the same name")]
pub enum Part {
    Entity1,
    Entity2,
    Count,
    Count16,
    /// The next of the positions.
    Position,
    Direction,
    Color,
    Magnitude,
    /// Only when `entity1` is not −1.
    Time,
}

use Part::*;

const P: &[Part] = &[Position];
const P_D: &[Part] = &[Position, Direction];
const P_P: &[Part] = &[Position, Position];
const SPLASH: &[Part] = &[Count, Position, Direction, Color];
const BEAM: &[Part] = &[Entity1, Position, Position];
const CABLE: &[Part] = &[Entity1, Position, Position, Position];
const LIGHTNING: &[Part] = &[Entity1, Entity2, Position, Position];
const FLAME: &[Part] = &[Entity1, Entity2, Position, Position, Position, Position, Position, Position];
const STEAM: &[Part] = &[Entity1, Count, Position, Direction, Color, Magnitude, Time];

/// Name and layout by number. What KMQuake2 and the protocols before 32 do differently is in [`layout`].
const TYPES: &[(&str, &[Part])] = &[
    ("TE_GUNSHOT", P_D),
    ("TE_BLOOD", P_D),
    ("TE_BLASTER", P_D),
    ("TE_RAILTRAIL", P_P),
    ("TE_SHOTGUN", P_D),
    ("TE_EXPLOSION1", P),
    ("TE_EXPLOSION2", P),
    ("TE_ROCKET_EXPLOSION", P),
    ("TE_GRENADE_EXPLOSION", P),
    ("TE_SPARKS", P_D),
    ("TE_SPLASH", SPLASH),
    ("TE_BUBBLETRAIL", P_P),
    ("TE_SCREEN_SPARKS", P_D),
    ("TE_SHIELD_SPARKS", P_D),
    ("TE_BULLET_SPARKS", P_D),
    ("TE_LASER_SPARKS", SPLASH),
    ("TE_PARASITE_ATTACK", BEAM),
    ("TE_ROCKET_EXPLOSION_WATER", P),
    ("TE_GRENADE_EXPLOSION_WATER", P),
    ("TE_MEDIC_CABLE_ATTACK", BEAM),
    ("TE_BFG_EXPLOSION", P),
    ("TE_BFG_BIGEXPLOSION", P),
    ("TE_BOSSTPORT", P),
    ("TE_BFG_LASER", P_P),
    ("TE_GRAPPLE_CABLE", CABLE),
    ("TE_WELDING_SPARKS", SPLASH),
    ("TE_GREENBLOOD", P_D),
    ("TE_BLUEHYPERBLASTER", P_P),
    ("TE_PLASMA_EXPLOSION", P),
    ("TE_TUNNEL_SPARKS", SPLASH),
    ("TE_BLASTER2", P_D),
    ("TE_RAILTRAIL2", P_P),
    ("TE_FLAME", FLAME),
    ("TE_LIGHTNING", LIGHTNING),
    ("TE_DEBUGTRAIL", P_P),
    ("TE_PLAIN_EXPLOSION", P),
    ("TE_FLASHLIGHT", &[Position, Entity1]),
    ("TE_FORCEWALL", &[Position, Position, Color]),
    ("TE_HEATBEAM", BEAM),
    ("TE_MONSTER_HEATBEAM", BEAM),
    ("TE_STEAM", STEAM),
    ("TE_BUBBLETRAIL2", P_P),
    ("TE_MOREBLOOD", P_D),
    ("TE_HEATBEAM_SPARKS", P_D),
    ("TE_HEATBEAM_STEAM", P_D),
    ("TE_CHAINFIST_SMOKE", P),
    ("TE_ELECTRIC_SPARKS", P_D),
    ("TE_TRACKER_EXPLOSION", P),
    ("TE_TELEPORT_EFFECT", P),
    ("TE_DBALL_GOAL", P),
    ("TE_WIDOWBEAMOUT", &[Entity1, Position]),
    ("TE_NUKEBLAST", P),
    ("TE_WIDOWSPLASH", P),
    ("TE_EXPLOSION1_BIG", P),
    ("TE_EXPLOSION1_NP", P),
    ("TE_FLECHETTE", P_D),
    // The rerelease's, which Q2PRO reads everywhere.
    ("TE_BLUEHYPERBLASTER_2", P_D),
    ("TE_BFG_ZAP", P_P),
    ("TE_BERSERK_SLAM", P_D),
    ("TE_GRAPPLE_CABLE_2", BEAM),
    ("TE_POWER_SPLASH", &[Entity1, Count]),
    ("TE_LIGHTNING_BEAM", BEAM),
    ("TE_EXPLOSION1_NL", P),
    ("TE_EXPLOSION2_NL", P),
];

/// The name and the parts of temporary entity `kind`.
pub fn layout(cx: &Context, kind: u8) -> Option<(&'static str, &'static [Part])> {
    layout_in(&cx.dialect, kind)
}

/// The same, of a dialect.
pub(crate) fn layout_in(dialect: &Dialect, kind: u8) -> Option<(&'static str, &'static [Part])> {
    match kind {
        26 if !dialect.since_32 => Some(("TE_PLASMATRAIL", P_P)),
        27 if !dialect.since_32 => Some(("TE_GREENBLOOD", P_D)),
        27 if dialect.numbering == Numbering::Kmquake2 => Some(("TE_BLUEHYPERBLASTER", P_D)),
        56 if dialect.numbering == Numbering::Kmquake2 => Some(("TE_REDBLASTER", P_D)),
        57 if dialect.numbering == Numbering::Kmquake2 => Some(("TE_SHOCKSPLASH", P_D)),
        58.. if dialect.numbering == Numbering::Kmquake2 => None,
        128 if dialect.numbering != Numbering::Kex => Some(("TE_DAMAGE_DEALT", &[Count16])),
        _ => TYPES.get(usize::from(kind)).copied(),
    }
}

/// Something that is seen or heard for a moment and is no entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TempEntity {
    /// A `TE_` constant.
    pub kind: u8,
    /// The entity it belongs to, or the number of a sustained effect.
    pub entity1: i16,
    /// The other entity.
    pub entity2: i16,
    /// How many particles; damage dealt.
    pub count: u16,
    /// The positions sent, in wire order; which of them are sent follows from the kind.
    pub positions: [[u32; 3]; 6],
    /// One of 162 directions.
    pub direction: u8,
    /// A color, or a `SPLASH_` constant.
    pub color: u8,
    /// How strong a steam is.
    pub magnitude: i16,
    /// How long a steam lasts, in milliseconds.
    pub time: u32,
}

const POSITION_NAMES: [&str; 6] = ["position1", "position2", "position3", "position4", "position5", "position6"];

/// The name of the `at`th of the positions.
pub(crate) fn position_name(at: usize) -> &'static str {
    POSITION_NAMES[at]
}

impl TempEntity {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &Context) -> Result<(), W::Error> {
        self.kind = w.field("kind", self.kind.into(), 8)? as u8;
        let Some((name, parts)) = layout(cx, self.kind) else {
            return w.expect(false, "a temporary entity that no engine knows");
        };
        w.note(|| name.to_owned());
        if W::READING {
            *self = TempEntity { kind: self.kind, ..TempEntity::default() };
        }
        let mut next = 0;
        for part in parts {
            match part {
                Entity1 => self.entity1 = w.signed("entity1", self.entity1.into(), 16)? as i16,
                Entity2 => self.entity2 = w.signed("entity2", self.entity2.into(), 16)? as i16,
                Count => self.count = w.field("count", self.count.into(), 8)? as u16,
                Count16 => self.count = w.field("count", self.count.into(), 16)? as u16,
                Position => {
                    w.enter(POSITION_NAMES[next]);
                    position(w, cx.dialect.coordinates, &mut self.positions[next])?;
                    next += 1;
                }
                Direction => self.direction = w.field("direction", self.direction.into(), 8)? as u8,
                Color => self.color = w.field("color", self.color.into(), 8)? as u8,
                Magnitude => self.magnitude = w.signed("magnitude", self.magnitude.into(), 16)? as i16,
                Time if self.entity1 != -1 => self.time = w.field("time", self.time, 32)?,
                Time => {}
            }
        }
        Ok(())
    }
}
