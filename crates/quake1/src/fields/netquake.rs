//! NetQuake's fast updates and client data.

use fragreel_base::delta::masked::{Form, MaskField, MaskTable, Sign};

use crate::fields::{ALWAYS, Field, compile, one};
use crate::replacement::{Angles, Coordinates, angle_width, coord_width};

/// Which optional fields NetQuake's messages know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NetQuakeRules {
    /// Protocol 15, with DarkPlaces' extra bits where they leak.
    Id,
    /// 666 and 999.
    FitzQuake,
    /// 666 as the 2021 re-release speaks it. It states nothing of the kind: its own messages give it away.
    Rerelease,
    /// 250.
    Nehahra,
    /// 10000: 16-bit models.
    Bjp1,
    /// 10001: static sounds and sounds have 16 bits, too.
    Bjp2,
    /// 10002: sounds have 16 bits, static sounds not.
    Bjp3,
}

/// Mask bits of a fast update. Bit 7 marks the message as one.
pub mod bits {
    #![allow(missing_docs, reason = "each bit announces the field of its name")]
    pub const MOREBITS: u64 = 1 << 0;
    pub(crate) const ORIGIN1: u64 = 1 << 1;
    pub(crate) const ORIGIN2: u64 = 1 << 2;
    pub(crate) const ORIGIN3: u64 = 1 << 3;
    pub const ANGLE2: u64 = 1 << 4;
    pub(crate) const NOLERP: u64 = 1 << 5;
    pub const FRAME: u64 = 1 << 6;
    pub const SIGNAL: u64 = 1 << 7;
    pub(crate) const ANGLE1: u64 = 1 << 8;
    pub(crate) const ANGLE3: u64 = 1 << 9;
    pub const MODEL: u64 = 1 << 10;
    pub const COLORMAP: u64 = 1 << 11;
    pub const SKIN: u64 = 1 << 12;
    pub const EFFECTS: u64 = 1 << 13;
    pub const LONGENTITY: u64 = 1 << 14;
    pub const EXTEND1: u64 = 1 << 15;
    pub(crate) const EXTEND2: u64 = 1 << 23;
    // FitzQuake
    pub const ALPHA: u64 = 1 << 16;
    pub const FRAME2: u64 = 1 << 17;
    pub const MODEL2: u64 = 1 << 18;
    pub const LERPFINISH: u64 = 1 << 19;
    pub const SCALE: u64 = 1 << 20;
    // the re-release
    pub(crate) const FLOATCOORDS: u64 = 1 << 21;
}

/// Slots of a fast update's row.
pub mod slot {
    #![allow(missing_docs, reason = "each slot holds the field of its name")]
    pub const MODEL: usize = 0;
    pub const FRAME: usize = 1;
    pub const COLORMAP: usize = 2;
    pub const SKIN: usize = 3;
    pub const EFFECTS: usize = 4;
    pub const ORIGIN: usize = 5;
    pub const ANGLES: usize = 8;
    pub const ALPHA: usize = 11;
    pub const SCALE: usize = 12;
    pub const FRAME2: usize = 13;
    pub const MODEL2: usize = 14;
    pub const LERPFINISH: usize = 15;
    pub(crate) const EFFECTS2: usize = 16;
    pub(crate) const GLOW_SIZE: usize = 17;
    pub(crate) const GLOW_COLOR: usize = 18;
    pub(crate) const COLORMOD: usize = 19;
    pub const COUNT: usize = 20;
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

/// Further fields of FitzQuake's protocols.
const FITZ: [Field; 5] = [
    ("alpha", slot::ALPHA, bits::ALPHA),
    ("scale", slot::SCALE, bits::SCALE),
    ("frame_high", slot::FRAME2, bits::FRAME2),
    ("model_high", slot::MODEL2, bits::MODEL2),
    ("lerp_finish", slot::LERPFINISH, bits::LERPFINISH),
];

/// Further fields of DarkPlaces, which some servers send with id's protocol.
const LEAKED: [Field; 8] = [
    ("alpha", slot::ALPHA, 1 << 17),
    ("scale", slot::SCALE, 1 << 18),
    ("effects_high", slot::EFFECTS2, 1 << 19),
    ("glow_size", slot::GLOW_SIZE, 1 << 20),
    ("glow_color", slot::GLOW_COLOR, 1 << 21),
    ("colormod", slot::COLORMOD, 1 << 22),
    ("frame_high", slot::FRAME2, 1 << 26),
    ("model_high", slot::MODEL2, 1 << 27),
];

/// The fields above those of the original game.
pub(crate) fn further(rules: NetQuakeRules) -> &'static [Field] {
    if rules == NetQuakeRules::Id { &LEAKED } else { &FITZ }
}

/// The bits of those that an update with this mask sends.
pub(crate) fn differing_further(rules: NetQuakeRules, mask: u64, before: &[u32], after: &[u32]) -> u64 {
    let is_sent = |at: usize| match at {
        // the high bytes come only together with the low ones, which stand for the whole number without them
        slot::FRAME2 => mask & bits::FRAME != 0 && after[at] != 0,
        slot::MODEL2 => mask & bits::MODEL != 0 && after[at] != 0,
        _ => after[at] != before[at],
    };
    further(rules).iter().filter(|(_, at, _)| is_sent(*at)).fold(0, |mask, (.., bit)| mask | bit)
}

/// The fields of a fast update in wire order.
pub(crate) fn update(rules: NetQuakeRules, coord: Coordinates, angle: Angles) -> MaskTable {
    let (coord, angle) = (coord_width(coord), angle_width(angle));
    let u = Sign::None;
    let signed = crate::fields::coord_sign(coord);
    let model = if matches!(rules, NetQuakeRules::Bjp1 | NetQuakeRules::Bjp2 | NetQuakeRules::Bjp3) { 16 } else { 8 };
    let plain = PLAIN.map(|(name, at, bit)| {
        let (width, sign) = match at {
            slot::MODEL => (model, u),
            slot::ORIGIN..slot::ANGLES => (coord, signed),
            slot::ANGLES..slot::ALPHA => (angle, u),
            _ => (8, u),
        };
        one(name, at, bit, width, sign)
    });
    let mut fields = plain.to_vec();
    match rules {
        NetQuakeRules::FitzQuake | NetQuakeRules::Rerelease | NetQuakeRules::Id => {
            fields.extend(further(rules).iter().map(|&(name, at, bit)| one(name, at, bit, 8, u)));
        }
        // their transparency is three floats, and the third is optional: code, not table
        NetQuakeRules::Nehahra | NetQuakeRules::Bjp1 | NetQuakeRules::Bjp2 | NetQuakeRules::Bjp3 => {}
    }
    if rules == NetQuakeRules::Rerelease {
        for (at, bit) in [(5, bits::ORIGIN1), (7, bits::ORIGIN2), (9, bits::ORIGIN3)] {
            or_float(&mut fields[at], bit, bits::FLOATCOORDS);
        }
    }
    compile(fields)
}

/// Makes a field a float where another bit says so.
fn or_float(field: &mut MaskField, bit: u64, float: u64) {
    let test = bit | float;
    for form in &mut field.forms {
        form.test = test;
    }
    field.forms.push(Form { test, want: test, width: 32, sign: Sign::None });
}

/// Mask bits of client data.
pub mod client_bits {
    #![allow(missing_docs, reason = "each bit announces the field of its name")]
    pub const VIEWHEIGHT: u64 = 1 << 0;
    pub const IDEALPITCH: u64 = 1 << 1;
    pub const PUNCH: u64 = 1 << 2;
    pub const VELOCITY: u64 = 1 << 5;
    pub const ITEMS: u64 = 1 << 9;
    pub const ONGROUND: u64 = 1 << 10;
    pub const INWATER: u64 = 1 << 11;
    pub const WEAPONFRAME: u64 = 1 << 12;
    pub const ARMOR: u64 = 1 << 13;
    pub const WEAPON: u64 = 1 << 14;
    pub const EXTEND1: u64 = 1 << 15;
    pub const EXTEND2: u64 = 1 << 23;
    // the re-release
    pub const FLOATS: u64 = 1 << 8;
    pub const FLAGS: u64 = 1 << 26;
}

/// Slots of the row of client data.
pub mod client_slot {
    #![allow(missing_docs, reason = "each slot holds the field of its name")]
    pub const VIEWHEIGHT: usize = 0;
    pub const IDEALPITCH: usize = 1;
    pub const PUNCH: usize = 2;
    pub const VELOCITY: usize = 5;
    pub const ITEMS: usize = 8;
    pub const WEAPONFRAME: usize = 9;
    pub const ARMOR: usize = 10;
    pub const WEAPON: usize = 11;
    pub const HEALTH: usize = 12;
    pub const AMMO: usize = 13;
    pub const SHELLS: usize = 14;
    pub const NAILS: usize = 15;
    pub const ROCKETS: usize = 16;
    pub const CELLS: usize = 17;
    pub const ACTIVE_WEAPON: usize = 18;
    pub const WEAPON2: usize = 19;
    pub const ARMOR2: usize = 20;
    pub const AMMO2: usize = 21;
    pub const SHELLS2: usize = 22;
    pub const NAILS2: usize = 23;
    pub const ROCKETS2: usize = 24;
    pub const CELLS2: usize = 25;
    pub const WEAPONFRAME2: usize = 26;
    pub const WEAPONALPHA: usize = 27;
    pub const COUNT: usize = 28;
}

/// Further fields of client data in FitzQuake's protocols: high bytes, and the weapon's transparency.
pub(crate) const CLIENT_FITZ: [Field; 9] = [
    ("weapon_high", client_slot::WEAPON2, 1 << 16),
    ("armor_high", client_slot::ARMOR2, 1 << 17),
    ("ammo_high", client_slot::AMMO2, 1 << 18),
    ("shells_high", client_slot::SHELLS2, 1 << 19),
    ("nails_high", client_slot::NAILS2, 1 << 20),
    ("rockets_high", client_slot::ROCKETS2, 1 << 21),
    ("cells_high", client_slot::CELLS2, 1 << 22),
    ("weapon_frame_high", client_slot::WEAPONFRAME2, 1 << 24),
    ("weapon_alpha", client_slot::WEAPONALPHA, 1 << 25),
];

/// The fields of client data in wire order.
pub(crate) fn clientdata(rules: NetQuakeRules) -> MaskTable {
    use client_bits as b;
    use client_slot as s;
    let (u, i) = (Sign::None, Sign::Twos);
    let wide = matches!(rules, NetQuakeRules::Bjp1 | NetQuakeRules::Bjp2 | NetQuakeRules::Bjp3);
    let mut fields = vec![
        one("view_height", s::VIEWHEIGHT, b::VIEWHEIGHT, 8, i),
        one("ideal_pitch", s::IDEALPITCH, b::IDEALPITCH, 8, i),
        one("punch_pitch", s::PUNCH, b::PUNCH, 8, i),
        one("velocity_x", s::VELOCITY, b::VELOCITY, 8, i),
        one("punch_yaw", s::PUNCH + 1, b::PUNCH << 1, 8, i),
        one("velocity_y", s::VELOCITY + 1, b::VELOCITY << 1, 8, i),
        one("punch_roll", s::PUNCH + 2, b::PUNCH << 2, 8, i),
        one("velocity_z", s::VELOCITY + 2, b::VELOCITY << 2, 8, i),
    ];
    fields.extend([
        // read whatever its bit says, as every engine does
        one("items", s::ITEMS, ALWAYS, 32, u),
        one("weapon_frame", s::WEAPONFRAME, b::WEAPONFRAME, 8, u),
        one("armor", s::ARMOR, b::ARMOR, 8, u),
        one("weapon", s::WEAPON, b::WEAPON, if wide { 16 } else { 8 }, u),
        one("health", s::HEALTH, ALWAYS, 16, i),
        one("ammo", s::AMMO, ALWAYS, 8, u),
        one("shells", s::SHELLS, ALWAYS, 8, u),
        one("nails", s::NAILS, ALWAYS, 8, u),
        one("rockets", s::ROCKETS, ALWAYS, 8, u),
        one("cells", s::CELLS, ALWAYS, 8, u),
        one("active_weapon", s::ACTIVE_WEAPON, ALWAYS, 8, u),
    ]);
    if matches!(rules, NetQuakeRules::FitzQuake | NetQuakeRules::Rerelease) {
        fields.extend(CLIENT_FITZ.map(|(name, at, bit)| one(name, at, bit, 8, u)));
    }
    if rules == NetQuakeRules::Rerelease {
        for (at, axis) in [(3, 0), (5, 1), (7, 2)] {
            or_float(&mut fields[at], b::VELOCITY << axis, b::FLOATS);
        }
    }
    compile(fields)
}
