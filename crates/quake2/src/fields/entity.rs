//! Entity states: words, mask bits, layouts.

use std::borrow::Cow;
use std::sync::LazyLock;

use fragreel_base::delta::masked::{MaskField, Sign};

pub use super::entity_words::*;
use super::table::{Shape, Step, many, one, pair, run, table};

const ORIGIN: &[&str] = &["origin_x", "origin_y", "origin_z"];
const OLD_ORIGIN: &[&str] = &["old_origin_x", "old_origin_y", "old_origin_z"];
const MODELS: [(&str, usize, u64); 4] = [
    ("modelindex", MODELINDEX, U_MODEL),
    ("modelindex2", MODELINDEX2, U_MODEL2),
    ("modelindex3", MODELINDEX3, U_MODEL3),
    ("modelindex4", MODELINDEX4, U_MODEL4),
];
const ANGLES: [(&str, usize, u64); 3] = [("angles_x", ANGLES_X, U_ANGLE1), ("angles_y", ANGLES_Y, U_ANGLE2), ("angles_z", ANGLES_Z, U_ANGLE3)];
const ORIGINS: &[(&str, usize, u64)] = &[("origin_x", ORIGIN_X, U_ORIGIN1), ("origin_y", ORIGIN_Y, U_ORIGIN2), ("origin_z", ORIGIN_Z, U_ORIGIN3)];
const OLD_ORIGINS: &[(&str, usize, u64)] =
    &[("old_origin_x", OLD_ORIGIN_X, U_OLDORIGIN), ("old_origin_y", OLD_ORIGIN_Y, U_OLDORIGIN), ("old_origin_z", OLD_ORIGIN_Z, U_OLDORIGIN)];

fn models8() -> Vec<MaskField> {
    MODELS.map(|(name, slot, bit)| one(name, slot, bit, 8, Sign::None)).to_vec()
}

fn models8_or_16() -> Vec<MaskField> {
    let both = |bit| [(bit | U_MODEL16, bit, 8, Sign::None), (bit | U_MODEL16, bit | U_MODEL16, 16, Sign::None)];
    MODELS.map(|(name, slot, bit)| many(name, slot, &both(bit))).to_vec()
}

fn looks() -> Vec<MaskField> {
    vec![
        one("frame", FRAME, U_FRAME8, 8, Sign::None),
        one("frame16", FRAME16, U_FRAME16, 16, Sign::None),
        pair("skinnum", SKINNUM, U_SKIN8, U_SKIN16),
        pair("effects", EFFECTS, U_EFFECTS8, U_EFFECTS16),
        pair("renderfx", RENDERFX, U_RENDERFX8, U_RENDERFX16),
    ]
}

fn origins16() -> Vec<MaskField> {
    ORIGINS.iter().map(|&(name, slot, bit)| one(name, slot, bit, 16, Sign::Twos)).collect()
}

fn angles8() -> Vec<MaskField> {
    ANGLES.map(|(name, slot, bit)| one(name, slot, bit, 8, Sign::Twos)).to_vec()
}

fn angles8_or_16() -> Vec<MaskField> {
    let both = |bit| [(bit | U_ANGLE16, bit, 8, Sign::Twos), (bit | U_ANGLE16, bit | U_ANGLE16, 16, Sign::Twos)];
    ANGLES.map(|(name, slot, bit)| many(name, slot, &both(bit))).to_vec()
}

fn tail(solid: u8) -> Vec<MaskField> {
    vec![one("event", EVENT, U_EVENT, 8, Sign::None), one("solid", SOLID, U_SOLID, solid, Sign::None)]
}

fn classic(angles: Vec<MaskField>, solid: u8) -> Shape {
    let mut fields = [models8(), looks(), origins16(), angles].concat();
    fields.extend(run(OLD_ORIGIN, OLD_ORIGIN_X, U_OLDORIGIN, 16, Sign::Twos));
    fields.push(one("sound", SOUND, U_SOUND, 8, Sign::None));
    fields.extend(tail(solid));
    Shape::plain(fields)
}

/// Protocols 26 to 34 and R1Q2 before 1905.
pub(crate) static CLASSIC: LazyLock<Shape> = LazyLock::new(|| classic(angles8(), 16));
/// R1Q2 from 1905 on, and Q2PRO before short angles: 32 bits of `solid`.
pub(crate) static LONG_SOLID: LazyLock<Shape> = LazyLock::new(|| classic(angles8(), 32));
/// Q2PRO from 1018 on.
pub(crate) static SHORT_ANGLES: LazyLock<Shape> = LazyLock::new(|| classic(angles8_or_16(), 32));

fn extended_tail() -> Vec<MaskField> {
    let mut fields = tail(32);
    fields.push(pair("morefx", MOREFX, U_MOREFX8, U_MOREFX16));
    fields.push(one("alpha", ALPHA, U_ALPHA, 8, Sign::None));
    fields.push(one("scale", SCALE, U_SCALE, 8, Sign::None));
    fields
}

const LOOP: Step = Step::LoopSound { bit: U_SOUND, slot: SOUND };

/// Q2PRO's extended limits.
pub static EXTENDED: LazyLock<Shape> = LazyLock::new(|| {
    let old = run(OLD_ORIGIN, OLD_ORIGIN_X, U_OLDORIGIN, 16, Sign::Twos);
    Shape::new(vec![table([models8_or_16(), looks(), origins16(), angles8_or_16(), old].concat()), LOOP, table(extended_tail())])
});

/// Q2PRO's second extended limits: flagged coordinates.
pub(crate) static EXTENDED_2: LazyLock<Shape> = LazyLock::new(|| {
    Shape::new(vec![
        table([models8_or_16(), looks()].concat()),
        Step::Flagged(Cow::Borrowed(ORIGINS)),
        table(angles8_or_16()),
        Step::Flagged(Cow::Borrowed(OLD_ORIGINS)),
        LOOP,
        table(extended_tail()),
    ])
});

fn kex_looks() -> Vec<MaskField> {
    let frames = U_FRAME8 | U_FRAME16;
    let effects = U_EFFECTS8 | U_EFFECTS16 | U_EFFECTS64;
    let (e8, e16, e64) = (U_EFFECTS8, U_EFFECTS16, U_EFFECTS64);
    let none = Sign::None;
    vec![
        many("frame", FRAME, &[(U_FRAME8, U_FRAME8, 8, none), (frames, U_FRAME16, 16, none)]),
        pair("skinnum", SKINNUM, U_SKIN8, U_SKIN16),
        many("effects", EFFECTS, &[(e64, e64, 32, none), (effects, e8, 8, none), (effects, e16, 16, none), (effects, e8 | e16, 32, none)]),
        many("morefx", MOREFX, &[(effects, e64 | e8, 8, none), (effects, e64 | e16, 16, none), (effects, e64 | e8 | e16, 32, none)]),
        pair("renderfx", RENDERFX, U_RENDERFX8, U_RENDERFX16),
        one("solid", SOLID, U_SOLID, 32, none),
    ]
}

fn kex_angles() -> Step {
    table(ANGLES.map(|(name, slot, bit)| one(name, slot, bit, 32, Sign::None)).to_vec())
}

fn kex_tail() -> Step {
    table(vec![
        one("event", EVENT, U_EVENT, 8, Sign::None),
        one("alpha", ALPHA, U_ALPHA, 8, Sign::None),
        one("scale", SCALE, U_SCALE, 8, Sign::None),
        one("instance", INSTANCE, U_INSTANCE, 8, Sign::None),
        one("owner", OWNER, U_OWNER, 16, Sign::None),
        one("oldframe", OLDFRAME, U_OLDFRAME, 16, Sign::None),
    ])
}

/// The rerelease's demos (2022).
pub(crate) static KEX_2022: LazyLock<Shape> =
    LazyLock::new(|| Shape::new(vec![table([models8_or_16(), kex_looks()].concat()), Step::KexOrigin, kex_angles(), LOOP, kex_tail()]));

/// The rerelease's network protocol (2023).
pub(crate) static KEX_2023: LazyLock<Shape> = LazyLock::new(|| {
    let mut origins: Vec<MaskField> = ORIGIN
        .iter()
        .zip([(ORIGIN_X, U_ORIGIN1), (ORIGIN_Y, U_ORIGIN2), (ORIGIN_Z, U_ORIGIN3)])
        .map(|(name, (slot, bit))| one(name, slot, bit, 32, Sign::None))
        .collect();
    origins.extend(run(OLD_ORIGIN, OLD_ORIGIN_X, U_OLDORIGIN, 32, Sign::None));
    Shape::new(vec![table([models8_or_16(), kex_looks(), origins].concat()), kex_angles(), LOOP, kex_tail()])
});

/// KMQuake2's protocol 56 as it was until 2019 or so: angles of 8 bits.
pub(crate) static KMQUAKE2: LazyLock<Shape> = LazyLock::new(|| kmquake2(8));
/// KMQuake2's protocol 56 since then, under the same number.
pub(crate) static KMQUAKE2_ANGLES16: LazyLock<Shape> = LazyLock::new(|| kmquake2(16));

fn kmquake2(angle: u8) -> Shape {
    let mut models = MODELS.map(|(name, slot, bit)| one(name, slot, bit, 16, Sign::None)).to_vec();
    models.push(one("modelindex5", MODELINDEX5, U_MODEL5, 16, Sign::None));
    models.push(one("modelindex6", MODELINDEX6, U_MODEL6, 16, Sign::None));
    let angles = ANGLES.map(|(name, slot, bit)| one(name, slot, bit, angle, Sign::Twos)).to_vec();
    let rest = vec![
        one("alpha", ALPHA, U_ALPHA_KM, 8, Sign::None),
        one("sound", SOUND, U_SOUND, 16, Sign::None),
        one("loop_attenuation", LOOP_ATTENUATION, U_ATTENUAT, 8, Sign::None),
        one("event", EVENT, U_EVENT, 8, Sign::None),
        one("solid", SOLID, U_SOLID, 16, Sign::None),
    ];
    Shape::new(vec![table([models, looks()].concat()), Step::High24(ORIGINS), table(angles), Step::High24(OLD_ORIGINS), table(rest)])
}
