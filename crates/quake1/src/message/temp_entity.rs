//! Temporary entities: short effects, each with a layout of its own (`docs/formats/quake1.md`, "Temporary entities").

use fragreel_base::wire::Wire;

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Text, Value, plain_entity};

/// What a part of a temporary entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A coordinate.
    Coord,
    /// An entity's number.
    Entity,
    /// A byte.
    Byte,
    /// A signed byte.
    Char,
    /// 16 bits.
    Short,
}

/// A kind of temporary entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Its number.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// Whether a model's name comes first.
    pub has_model: bool,
    /// Its parts in wire order.
    pub parts: &'static [(&'static str, Part)],
}

/// Most parts of any kind.
pub(crate) const MOST_PARTS: usize = 14;

use Part::{Byte as B, Char as I, Coord as C, Entity as E, Short as S};

const POINT: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C)];
const BEAM: &[(&str, Part)] = &[("entity", E), ("start_x", C), ("start_y", C), ("start_z", C), ("end_x", C), ("end_y", C), ("end_z", C)];
const COUNTED: &[(&str, Part)] = &[("count", B), ("origin_x", C), ("origin_y", C), ("origin_z", C)];
const COLORED: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("color", B), ("colors", B)];
const LINE: &[(&str, Part)] = &[("start_x", C), ("start_y", C), ("start_z", C), ("end_x", C), ("end_y", C), ("end_z", C)];
const TINTED: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("red", C), ("green", C), ("blue", C)];
const SPRAY: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("velocity_x", I), ("velocity_y", I), ("velocity_z", I), ("count", B)];
const JET: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("velocity_x", C), ("velocity_y", C), ("velocity_z", C), ("count", B)];
const SHOWER: &[(&str, Part)] = &[("min_x", C), ("min_y", C), ("min_z", C), ("max_x", C), ("max_y", C), ("max_z", C), ("speed", C), ("count", S)];
const RGB: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("red", B), ("green", B), ("blue", B)];
const CUBE: &[(&str, Part)] = &[
    ("min_x", C),
    ("min_y", C),
    ("min_z", C),
    ("max_x", C),
    ("max_y", C),
    ("max_z", C),
    ("direction_x", C),
    ("direction_y", C),
    ("direction_z", C),
    ("count", S),
    ("color", B),
    ("gravity", B),
    ("jitter", C),
];
const WEATHER: &[(&str, Part)] = &[
    ("min_x", C),
    ("min_y", C),
    ("min_z", C),
    ("max_x", C),
    ("max_y", C),
    ("max_z", C),
    ("direction_x", C),
    ("direction_y", C),
    ("direction_z", C),
    ("count", S),
    ("color", B),
];
const FLASH: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("radius", B), ("life", B), ("red", B), ("green", B), ("blue", B)];
const NEX: &[(&str, Part)] =
    &[("start_x", C), ("start_y", C), ("start_z", C), ("end_x", C), ("end_y", C), ("end_z", C), ("angle_x", C), ("angle_y", C), ("angle_z", C)];
const SMOKE: &[(&str, Part)] = &[("origin_x", C), ("origin_y", C), ("origin_z", C), ("color", B)];

const fn kind(number: u8, name: &'static str, parts: &'static [(&'static str, Part)]) -> Layout {
    Layout { number, name, has_model: false, parts }
}

/// The same in both branches.
const SHARED: &[Layout] = &[
    kind(0, "spike", POINT),
    kind(1, "superspike", POINT),
    kind(4, "tarexplosion", POINT),
    kind(5, "lightning1", BEAM),
    kind(6, "lightning2", BEAM),
    kind(7, "wizspike", POINT),
    kind(8, "knightspike", POINT),
    kind(9, "lightning3", BEAM),
    kind(10, "lavasplash", POINT),
    kind(11, "teleport", POINT),
    kind(50, "blood", SPRAY),
    kind(51, "spark", SPRAY),
    kind(52, "bloodshower", SHOWER),
    kind(53, "explosionrgb", RGB),
    kind(54, "particlecube", CUBE),
    kind(55, "particlerain", WEATHER),
    kind(56, "particlesnow", WEATHER),
    kind(57, "gunshotquad", POINT),
    kind(58, "spikequad", POINT),
    kind(59, "superspikequad", POINT),
    kind(70, "explosionquad", POINT),
    kind(72, "smallflash", POINT),
    kind(73, "customflash", FLASH),
    kind(74, "flamejet", JET),
    kind(75, "plasmaburn", POINT),
    kind(76, "tei_g3", NEX),
    kind(77, "smoke", JET),
    kind(78, "tei_bigexplosion", POINT),
    kind(79, "tei_plasmahit", JET),
];

/// QuakeWorld's own.
const QUAKEWORLD: &[Layout] = &[
    kind(2, "gunshot", COUNTED),
    kind(3, "explosion", POINT),
    kind(12, "blood", COUNTED),
    kind(13, "lightningblood", POINT),
    kind(14, "bullet", POINT),
    kind(15, "superbullet", POINT),
    kind(16, "explosion3", TINTED),
    kind(17, "railtrail", LINE),
    kind(18, "beam", BEAM),
    kind(19, "explosion2", COLORED),
    kind(20, "nq_explosion", POINT),
    kind(21, "nq_gunshot", POINT),
];

/// NetQuake's own.
const NETQUAKE: &[Layout] = &[
    kind(2, "gunshot", POINT),
    kind(3, "explosion", POINT),
    kind(12, "explosion2", COLORED),
    kind(13, "beam", BEAM),
    kind(14, "bullet", POINT),
    kind(15, "railtrail", LINE),
    kind(16, "explosion3", TINTED),
    Layout { number: 17, name: "lightning4", has_model: true, parts: BEAM },
    kind(18, "neh_smoke", SMOKE),
    kind(20, "qw_explosion", POINT),
    kind(21, "qw_gunshot", COUNTED),
];

/// Layouts by number, one table per branch.
const fn by_number(own: &'static [Layout]) -> [Option<&'static Layout>; 256] {
    let mut table = [None; 256];
    let mut at = 0;
    while at < SHARED.len() {
        table[SHARED[at].number as usize] = Some(&SHARED[at]);
        at += 1;
    }
    at = 0;
    while at < own.len() {
        table[own[at].number as usize] = Some(&own[at]);
        at += 1;
    }
    table
}

static BY_NUMBER: [[Option<&Layout>; 256]; 2] = [by_number(QUAKEWORLD), by_number(NETQUAKE)];

/// The layout of a kind in one of the branches.
pub(crate) fn layout(netquake: bool, number: u8) -> Option<&'static Layout> {
    BY_NUMBER[usize::from(netquake)][usize::from(number)]
}

/// A short effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TempEntity {
    /// Its number; [`layout`] says what it is.
    pub kind: u8,
    /// A model's name, for the kind that has one.
    pub model: Text,
    /// Its parts as sent, in the order of its layout.
    pub parts: [u32; MOST_PARTS],
    /// The entity took three bytes though two would do.
    pub entity_overlong: bool,
}

impl Body for TempEntity {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.kind.code(w, "kind", d)?;
        let Some(layout) = layout(d.is_netquake(), self.kind) else {
            return w.expect(false, "a temporary entity of no known kind");
        };
        w.note(|| layout.name.to_owned());
        if W::READING {
            self.parts = [0; MOST_PARTS];
            self.entity_overlong = false;
            self.model.0.clear();
        }
        if layout.has_model {
            self.model.code(w, "model", d)?;
        }
        for (value, &(name, part)) in self.parts.iter_mut().zip(layout.parts) {
            *value = match part {
                Part::Coord => {
                    let word = d.coord.code(w, name, *value)?;
                    w.note(|| d.coord.units(word).to_string());
                    word
                }
                Part::Entity => {
                    let mut entity = plain_entity(*value);
                    entity.overlong = self.entity_overlong;
                    entity.code(w, name, d)?;
                    self.entity_overlong = entity.overlong;
                    entity.number
                }
                Part::Byte => w.field(name, *value, 8)?,
                Part::Char => w.signed(name, *value as i32, 8)? as u32,
                Part::Short => w.field(name, *value, 16)?,
            };
        }
        Ok(())
    }
}
