//! QuakeWorld's entities and the players of multi-view recordings.

use fragreel_base::delta::masked::{Form, MaskTable, Sign};

use crate::extensions::pext1;
use crate::fields::{ALWAYS, Field, compile, one};
use crate::replacement::{Angles, Coordinates, angle_width, coord_width};

/// Mask bits of an entity delta. The low nine bits of the first word are the entity's number and no mask; the byte
/// announced by `MOREBITS` takes their place in the mask, the two bytes of FTE's extensions follow.
pub mod bits {
    #![allow(missing_docs, reason = "each bit announces the field of its name")]
    pub(crate) const ANGLE1: u64 = 1 << 0;
    pub(crate) const ANGLE3: u64 = 1 << 1;
    pub const MODEL: u64 = 1 << 2;
    pub const COLORMAP: u64 = 1 << 3;
    pub const SKIN: u64 = 1 << 4;
    pub const EFFECTS: u64 = 1 << 5;
    pub const SOLID: u64 = 1 << 6;
    pub const EVENMORE: u64 = 1 << 7;
    pub(crate) const ORIGIN1: u64 = 1 << 9;
    pub(crate) const ORIGIN2: u64 = 1 << 10;
    pub(crate) const ORIGIN3: u64 = 1 << 11;
    pub const ANGLE2: u64 = 1 << 12;
    pub const FRAME: u64 = 1 << 13;
    pub const REMOVE: u64 = 1 << 14;
    pub const MOREBITS: u64 = 1 << 15;
    pub const SCALE: u64 = 1 << 16;
    pub(crate) const TRANS: u64 = 1 << 17;
    pub(crate) const FATNESS: u64 = 1 << 18;
    pub(crate) const MODELDBL: u64 = 1 << 19;
    pub const ENTITYDBL: u64 = 1 << 21;
    pub const ENTITYDBL2: u64 = 1 << 22;
    pub(crate) const YETMORE: u64 = 1 << 23;
    pub(crate) const DRAWFLAGS: u64 = 1 << 24;
    pub(crate) const ABSLIGHT: u64 = 1 << 25;
    pub(crate) const COLORMOD: u64 = 1 << 26;
    pub(crate) const DPFLAGS: u64 = 1 << 27;
    pub(crate) const TAGINFO: u64 = 1 << 28;
    pub(crate) const LIGHT: u64 = 1 << 29;
    pub(crate) const EFFECTS16: u64 = 1 << 30;
}

/// Slots of an entity's row.
pub mod slot {
    #![allow(missing_docs, reason = "each slot holds the field of its name")]
    pub const MODEL: usize = 0;
    pub const FRAME: usize = 1;
    pub const COLORMAP: usize = 2;
    pub const SKIN: usize = 3;
    pub const EFFECTS: usize = 4;
    pub const ORIGIN: usize = 5;
    pub const ANGLES: usize = 8;
    pub const SCALE: usize = 11;
    pub(crate) const TRANS: usize = 12;
    pub(crate) const FATNESS: usize = 13;
    pub(crate) const DRAWFLAGS: usize = 14;
    pub(crate) const ABSLIGHT: usize = 15;
    pub(crate) const COLORMOD: usize = 16;
    pub(crate) const DPFLAGS: usize = 19;
    pub(crate) const TAG_ENTITY: usize = 20;
    pub(crate) const TAG_INDEX: usize = 21;
    pub(crate) const LIGHT: usize = 22;
    pub(crate) const LIGHT_STYLE: usize = 26;
    pub(crate) const LIGHT_FLAGS: usize = 27;
    pub(crate) const EFFECTS16: usize = 28;
    pub const COUNT: usize = 29;
}

/// The fields of the original game, in wire order.
pub(crate) const PLAIN: [Field; 11] = [
    ("model", slot::MODEL, bits::MODEL),
    ("frame", slot::FRAME, bits::FRAME),
    ("colormap", slot::COLORMAP, bits::COLORMAP),
    ("skin", slot::SKIN, bits::SKIN),
    ("effects", slot::EFFECTS, bits::EFFECTS),
    ("origin_x", slot::ORIGIN, bits::ORIGIN1),
    ("pitch", slot::ANGLES, bits::ANGLE1),
    ("origin_y", slot::ORIGIN + 1, bits::ORIGIN2),
    ("yaw", slot::ANGLES + 1, bits::ANGLE2),
    ("origin_z", slot::ORIGIN + 2, bits::ORIGIN3),
    ("roll", slot::ANGLES + 2, bits::ANGLE3),
];

/// The bits of FTE's extensions, each with the first of its slots and how many it has.
pub(crate) const EXTENSIONS: [(u64, usize, usize); 10] = [
    (bits::SCALE, slot::SCALE, 1),
    (bits::TRANS, slot::TRANS, 1),
    (bits::FATNESS, slot::FATNESS, 1),
    (bits::DRAWFLAGS, slot::DRAWFLAGS, 1),
    (bits::ABSLIGHT, slot::ABSLIGHT, 1),
    (bits::COLORMOD, slot::COLORMOD, 3),
    (bits::DPFLAGS, slot::DPFLAGS, 1),
    (bits::TAGINFO, slot::TAG_ENTITY, 2),
    (bits::LIGHT, slot::LIGHT, 6),
    (bits::EFFECTS16, slot::EFFECTS16, 1),
];

/// The bits of FTE's extensions that differ between two rows.
#[inline]
pub(crate) fn differing_extensions(before: &[u32], after: &[u32]) -> u64 {
    // all behind the original fields, and few servers send any
    if before[slot::SCALE..] == after[slot::SCALE..] {
        return 0;
    }
    let differs = |from: usize, count: usize| before[from..from + count] != after[from..from + count];
    EXTENSIONS.into_iter().filter(|&(_, from, count)| differs(from, count)).fold(0, |mask, (bit, ..)| mask | bit)
}

/// The fields of an entity delta in wire order.
pub(crate) fn entity(extensions: u32, coord: Coordinates, angle: Angles) -> MaskTable {
    let (coord, angle) = (coord_width(coord), angle_width(angle));
    let has = |bit| extensions & bit != 0;
    let u = Sign::None;
    let signed = crate::fields::coord_sign(coord);
    let plain = PLAIN.map(|(name, at, bit)| {
        let (width, sign) = match at {
            slot::ORIGIN..slot::ANGLES => (coord, signed),
            slot::ANGLES..slot::SCALE => (angle, u),
            _ => (8, u),
        };
        one(name, at, bit, width, sign)
    });
    let mut fields = plain.to_vec();
    if has(pext1::MODELDBL) {
        let test = bits::MODEL | bits::MODELDBL;
        // both bits: a byte, 256 higher
        fields[0].forms = [(bits::MODEL, 8), (test, 8), (bits::MODELDBL, 16)].map(|(want, width)| Form { test, want, width, sign: u }).to_vec();
    }
    for (extension, bit, name, at) in [
        (pext1::SCALE, bits::SCALE, "scale", slot::SCALE),
        (pext1::TRANS, bits::TRANS, "alpha", slot::TRANS),
        (pext1::FATNESS, bits::FATNESS, "fatness", slot::FATNESS),
        (pext1::HEXEN2, bits::DRAWFLAGS, "draw_flags", slot::DRAWFLAGS),
        (pext1::HEXEN2, bits::ABSLIGHT, "abs_light", slot::ABSLIGHT),
        (pext1::COLORMOD, bits::COLORMOD, "colormod_r", slot::COLORMOD),
        (pext1::COLORMOD, bits::COLORMOD, "colormod_g", slot::COLORMOD + 1),
        (pext1::COLORMOD, bits::COLORMOD, "colormod_b", slot::COLORMOD + 2),
    ] {
        if has(extension) {
            fields.push(one(name, at, bit, 8, u));
        }
    }
    fields.extend([
        one("flags", slot::DPFLAGS, bits::DPFLAGS, 8, u),
        one("tag_entity", slot::TAG_ENTITY, bits::TAGINFO, 16, u),
        one("tag_index", slot::TAG_INDEX, bits::TAGINFO, 16, u),
        one("light_r", slot::LIGHT, bits::LIGHT, 16, u),
        one("light_g", slot::LIGHT + 1, bits::LIGHT, 16, u),
        one("light_b", slot::LIGHT + 2, bits::LIGHT, 16, u),
        one("light_radius", slot::LIGHT + 3, bits::LIGHT, 16, u),
        one("light_style", slot::LIGHT_STYLE, bits::LIGHT, 8, u),
        one("light_flags", slot::LIGHT_FLAGS, bits::LIGHT, 8, u),
        one("effects_high", slot::EFFECTS16, bits::EFFECTS16, 8, u),
    ]);
    compile(fields)
}

/// Mask bits of a player in a multi-view recording.
pub(crate) mod view_bits {
    #![allow(missing_docs, reason = "each bit announces the field of its name")]
    pub(crate) const ORIGIN: u64 = 1 << 0;
    pub(crate) const ANGLE: u64 = 1 << 3;
    pub(crate) const EFFECTS: u64 = 1 << 6;
    pub(crate) const SKIN: u64 = 1 << 7;
    pub(crate) const DEAD: u64 = 1 << 8;
    pub(crate) const GIB: u64 = 1 << 9;
    pub(crate) const WEAPON_FRAME: u64 = 1 << 10;
    pub(crate) const MODEL: u64 = 1 << 11;
}

/// Slots of the row of a player in a multi-view recording.
pub(crate) mod view_slot {
    #![allow(missing_docs, reason = "each slot holds the field of its name")]
    pub(crate) const FRAME: usize = 0;
    pub(crate) const ORIGIN: usize = 1;
    pub(crate) const ANGLES: usize = 4;
    pub(crate) const MODEL: usize = 7;
    pub(crate) const SKIN: usize = 8;
    pub(crate) const EFFECTS: usize = 9;
    pub(crate) const WEAPON_FRAME: usize = 10;
    pub(crate) const COUNT: usize = 11;
}

/// The fields of a player in a multi-view recording that a bit announces, in wire order.
pub(crate) const VIEW: [Field; 10] = {
    use view_bits as b;
    use view_slot as s;
    [
        ("origin_x", s::ORIGIN, b::ORIGIN),
        ("origin_y", s::ORIGIN + 1, b::ORIGIN << 1),
        ("origin_z", s::ORIGIN + 2, b::ORIGIN << 2),
        ("pitch", s::ANGLES, b::ANGLE),
        ("yaw", s::ANGLES + 1, b::ANGLE << 1),
        ("roll", s::ANGLES + 2, b::ANGLE << 2),
        ("model", s::MODEL, b::MODEL),
        ("skin", s::SKIN, b::SKIN),
        ("effects", s::EFFECTS, b::EFFECTS),
        ("weapon_frame", s::WEAPON_FRAME, b::WEAPON_FRAME),
    ]
};

/// The fields of a player in a multi-view recording, in wire order.
pub(crate) fn view_player(coord: Coordinates) -> MaskTable {
    let (signed, u) = (crate::fields::coord_sign(coord_width(coord)), Sign::None);
    let announced = VIEW.map(|(name, at, bit)| match at {
        view_slot::ORIGIN..view_slot::ANGLES => one(name, at, bit, coord_width(coord), signed),
        view_slot::ANGLES..view_slot::MODEL => one(name, at, bit, 16, u),
        _ => one(name, at, bit, 8, u),
    });
    compile([one("frame", view_slot::FRAME, ALWAYS, 8, u)].into_iter().chain(announced).collect())
}
