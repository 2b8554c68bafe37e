//! Player states: words, mask bits, layouts.

use std::borrow::Cow;
use std::sync::LazyLock;

use fragreel_base::delta::masked::{MaskField, Sign};

pub use super::player_words::*;
use super::table::{Shape, Step, many, one, run, table};

const VIEWOFFSET: &[&str] = &["viewoffset_x", "viewoffset_y", "viewoffset_z"];
const VIEWANGLES: &[&str] = &["viewangles_x", "viewangles_y", "viewangles_z"];
const KICK: &[&str] = &["kick_angles_x", "kick_angles_y", "kick_angles_z"];
const GUNOFFSET: &[&str] = &["gunoffset_x", "gunoffset_y", "gunoffset_z"];
const GUNANGLES: &[&str] = &["gunangles_x", "gunangles_y", "gunangles_z"];
const DELTA_ANGLES: &[&str] = &["delta_angles_x", "delta_angles_y", "delta_angles_z"];
const ORIGIN: &[&str] = &["origin_x", "origin_y", "origin_z"];
const VELOCITY: &[&str] = &["velocity_x", "velocity_y", "velocity_z"];
const BLEND: &[&str] = &["blend_red", "blend_green", "blend_blue", "blend_alpha"];
const DAMAGE: &[&str] = &["damage_blend_red", "damage_blend_green", "damage_blend_blue", "damage_blend_alpha"];

/// Which bits announce what, where the three layouts of one table differ.
struct Bits {
    origin: u64,
    origin_z: u64,
    velocity: u64,
    velocity_z: u64,
    viewoffset: u64,
    viewangles: u64,
    viewangle_z: u64,
    kick: u64,
    gunindex: u64,
    gunframe: u64,
    gunoffset: u64,
    gunangles: u64,
    blend: u64,
    fog: u64,
    fov: u64,
    rdflags: u64,
    /// Not sent in MVD2.
    movement: bool,
}

const DEFAULT: Bits = Bits {
    origin: PS_M_ORIGIN,
    origin_z: PS_M_ORIGIN,
    velocity: PS_M_VELOCITY,
    velocity_z: PS_M_VELOCITY,
    viewoffset: PS_VIEWOFFSET,
    viewangles: PS_VIEWANGLES,
    viewangle_z: PS_VIEWANGLES,
    kick: PS_KICKANGLES,
    gunindex: PS_WEAPONINDEX,
    gunframe: PS_WEAPONFRAME,
    gunoffset: PS_WEAPONFRAME,
    gunangles: PS_WEAPONFRAME,
    blend: PS_BLEND,
    fog: PS_FOG,
    fov: PS_FOV,
    rdflags: PS_RDFLAGS,
    movement: true,
};

const ENHANCED: Bits =
    Bits { origin_z: EPS_M_ORIGIN2, velocity_z: EPS_M_VELOCITY2, viewangle_z: EPS_VIEWANGLE2, gunoffset: EPS_GUNOFFSET, gunangles: EPS_GUNANGLES, ..DEFAULT };

const PACKET: Bits = Bits {
    origin: PPS_M_ORIGIN,
    origin_z: PPS_M_ORIGIN2,
    velocity: 0,
    velocity_z: 0,
    viewoffset: PPS_VIEWOFFSET,
    viewangles: PPS_VIEWANGLES,
    viewangle_z: PPS_VIEWANGLE2,
    kick: PPS_KICKANGLES,
    gunindex: PPS_WEAPONINDEX,
    gunframe: PPS_WEAPONFRAME,
    gunoffset: PPS_GUNOFFSET,
    gunangles: PPS_GUNANGLES,
    blend: PPS_BLEND,
    fog: PPS_FOG,
    fov: PPS_FOV,
    rdflags: PPS_RDFLAGS,
    movement: false,
};

/// How far Q2PRO's extensions go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extensions {
    None,
    One,
    Two,
}

fn vector(names: &[&'static str], slot: usize, xy: u64, z: u64, width: u8) -> Vec<MaskField> {
    let mut fields = run(&names[..2], slot, xy, width, Sign::Twos);
    fields.push(one(names[2], slot + 2, z, width, Sign::Twos));
    fields
}

fn move_end(width: u8) -> Vec<MaskField> {
    let mut fields = vec![
        one("pm_time", PM_TIME, PS_M_TIME, width, Sign::None),
        one("pm_flags", PM_FLAGS, PS_M_FLAGS, width, Sign::None),
        one("gravity", GRAVITY, PS_M_GRAVITY, 16, Sign::Twos),
    ];
    fields.extend(run(DELTA_ANGLES, DELTA_ANGLES_X, PS_M_DELTA_ANGLES, 16, Sign::Twos));
    fields
}

fn view(bits: &Bits, gunindex: u8) -> Vec<MaskField> {
    let mut fields = run(VIEWOFFSET, VIEWOFFSET_X, bits.viewoffset, 8, Sign::Twos);
    fields.extend(vector(VIEWANGLES, VIEWANGLES_X, bits.viewangles, bits.viewangle_z, 16));
    fields.extend(run(KICK, KICK_ANGLES_X, bits.kick, 8, Sign::Twos));
    fields.push(one("gunindex", GUNINDEX, bits.gunindex, gunindex, Sign::None));
    fields.push(one("gunframe", GUNFRAME, bits.gunframe, 8, Sign::None));
    fields.extend(run(GUNOFFSET, GUNOFFSET_X, bits.gunoffset, 8, Sign::Twos));
    fields.extend(run(GUNANGLES, GUNANGLES_X, bits.gunangles, 8, Sign::Twos));
    fields
}

fn end(bits: &Bits) -> Vec<MaskField> {
    vec![one("fov", FOV, bits.fov, 8, Sign::None), one("rdflags", RDFLAGS, bits.rdflags, 8, Sign::None)]
}

const TYPE: (&str, usize) = ("pm_type", PM_TYPE);

fn shape(bits: &'static Bits, extensions: Extensions) -> Shape {
    let gunindex = if extensions == Extensions::None { 8 } else { 16 };
    let mut fields = vec![one(TYPE.0, TYPE.1, PS_M_TYPE, 8, Sign::None)];
    if extensions < Extensions::Two {
        fields.extend(vector(ORIGIN, ORIGIN_X, bits.origin, bits.origin_z, 16));
        if bits.movement {
            fields.extend(vector(VELOCITY, VELOCITY_X, bits.velocity, bits.velocity_z, 16));
            fields.extend(move_end(8));
        }
        fields.extend(view(bits, gunindex));
        fields.extend(run(BLEND, BLEND_RED, bits.blend, 8, Sign::None));
        fields.extend(end(bits));
        return Shape::plain(fields);
    }
    let flagged = |names: [&'static str; 3], slot: usize, xy: u64, z: u64| -> Step {
        Step::Flagged(Cow::Owned(vec![(names[0], slot, xy), (names[1], slot + 1, xy), (names[2], slot + 2, z)]))
    };
    let mut steps = vec![table(fields), flagged(["origin_x", "origin_y", "origin_z"], ORIGIN_X, bits.origin, bits.origin_z)];
    if bits.movement {
        steps.push(flagged(["velocity_x", "velocity_y", "velocity_z"], VELOCITY_X, bits.velocity, bits.velocity_z));
        steps.push(table(move_end(16)));
    }
    steps.push(table(view(bits, gunindex)));
    steps.push(Step::Blends { bit: bits.blend, slot: BLEND_MASK });
    steps.push(Step::Fog { bit: bits.fog, slot: FOG_MASK });
    steps.push(table(end(bits)));
    Shape::new(steps)
}

/// Protocols 26 to 34.
pub(crate) static CLASSIC: LazyLock<Shape> = LazyLock::new(|| shape(&DEFAULT, Extensions::None));
/// Protocol 3434.
pub(crate) static CLASSIC_EXTENDED: LazyLock<Shape> = LazyLock::new(|| shape(&DEFAULT, Extensions::One));
/// Protocols 3435 and 3436.
pub(crate) static CLASSIC_EXTENDED_2: LazyLock<Shape> = LazyLock::new(|| shape(&DEFAULT, Extensions::Two));
/// R1Q2 and Q2PRO on the network.
pub(crate) static SPLIT: LazyLock<Shape> = LazyLock::new(|| shape(&ENHANCED, Extensions::None));
/// Q2PRO on the network with extended limits.
pub(crate) static SPLIT_EXTENDED: LazyLock<Shape> = LazyLock::new(|| shape(&ENHANCED, Extensions::One));
/// Q2PRO on the network with the second extended limits.
pub(crate) static SPLIT_EXTENDED_2: LazyLock<Shape> = LazyLock::new(|| shape(&ENHANCED, Extensions::Two));
/// MVD2.
pub static MVD: LazyLock<Shape> = LazyLock::new(|| shape(&PACKET, Extensions::None));
/// MVD2 with extended limits.
pub(crate) static MVD_EXTENDED: LazyLock<Shape> = LazyLock::new(|| shape(&PACKET, Extensions::One));
/// MVD2 with the second extended limits.
pub(crate) static MVD_EXTENDED_2: LazyLock<Shape> = LazyLock::new(|| shape(&PACKET, Extensions::Two));

/// KMQuake2's protocol 56.
pub(crate) static KMQUAKE2: LazyLock<Shape> = LazyLock::new(|| {
    const ORIGINS: &[(&str, usize, u64)] = &[("origin_x", ORIGIN_X, PS_M_ORIGIN), ("origin_y", ORIGIN_Y, PS_M_ORIGIN), ("origin_z", ORIGIN_Z, PS_M_ORIGIN)];
    let either = PS_WEAPONFRAME | PS_WEAPONFRAME2;
    let gun = |name, slot| {
        let forms = [PS_WEAPONFRAME, PS_WEAPONFRAME2, either].map(|want| (either, want, 8, Sign::Twos));
        many(name, slot, &forms)
    };
    let mut fields = run(VELOCITY, VELOCITY_X, PS_M_VELOCITY, 16, Sign::Twos);
    fields.extend(move_end(8));
    fields.extend(run(VIEWOFFSET, VIEWOFFSET_X, PS_VIEWOFFSET, 8, Sign::Twos));
    fields.extend(run(VIEWANGLES, VIEWANGLES_X, PS_VIEWANGLES, 16, Sign::Twos));
    fields.extend(run(KICK, KICK_ANGLES_X, PS_KICKANGLES, 8, Sign::Twos));
    fields.push(one("gunindex", GUNINDEX, PS_WEAPONINDEX, 16, Sign::None));
    fields.push(one("gunindex2", GUNINDEX2, PS_WEAPONINDEX2, 16, Sign::None));
    fields.push(one("gunframe", GUNFRAME, PS_WEAPONFRAME, 8, Sign::None));
    fields.push(one("gunframe2", GUNFRAME2, PS_WEAPONFRAME2, 8, Sign::None));
    fields.extend(GUNOFFSET.iter().enumerate().map(|(at, name)| gun(name, GUNOFFSET_X + at)));
    fields.extend(GUNANGLES.iter().enumerate().map(|(at, name)| gun(name, GUNANGLES_X + at)));
    for (name, slot, bit) in [
        ("gunskin", GUNSKIN, PS_WEAPONSKIN),
        ("gunskin2", GUNSKIN2, PS_WEAPONSKIN2),
        ("maxspeed", MAXSPEED, PS_MAXSPEED),
        ("duckspeed", DUCKSPEED, PS_DUCKSPEED),
        ("waterspeed", WATERSPEED, PS_WATERSPEED),
        ("accel", ACCEL, PS_ACCEL),
        ("stopspeed", STOPSPEED, PS_STOPSPEED),
    ] {
        fields.push(one(name, slot, bit, 16, Sign::Twos));
    }
    fields.extend(run(BLEND, BLEND_RED, PS_BLEND, 8, Sign::None));
    fields.extend(end(&DEFAULT));
    Shape::new(vec![table(vec![one(TYPE.0, TYPE.1, PS_M_TYPE, 8, Sign::None)]), Step::High24(ORIGINS), table(fields)])
});

/// The rerelease, demos and network.
pub(crate) static KEX: LazyLock<Shape> = LazyLock::new(|| {
    let mut fields = vec![one(TYPE.0, TYPE.1, PS_M_TYPE, 8, Sign::None)];
    fields.extend(run(ORIGIN, ORIGIN_X, PS_M_ORIGIN, 32, Sign::None));
    fields.extend(run(VELOCITY, VELOCITY_X, PS_M_VELOCITY, 32, Sign::None));
    fields.push(one("pm_time", PM_TIME, PS_M_TIME, 16, Sign::None));
    fields.push(one("pm_flags", PM_FLAGS, PS_M_FLAGS, 16, Sign::None));
    fields.push(one("gravity", GRAVITY, PS_M_GRAVITY, 16, Sign::Twos));
    fields.extend(run(DELTA_ANGLES, DELTA_ANGLES_X, PS_M_DELTA_ANGLES, 32, Sign::None));
    fields.extend(run(VIEWOFFSET, VIEWOFFSET_X, PS_VIEWOFFSET, 16, Sign::Twos));
    fields.push(one("viewheight", VIEWHEIGHT, PS_VIEWOFFSET, 8, Sign::Twos));
    fields.extend(run(VIEWANGLES, VIEWANGLES_X, PS_VIEWANGLES, 32, Sign::None));
    fields.extend(run(KICK, KICK_ANGLES_X, PS_KICKANGLES, 16, Sign::Twos));
    fields.push(one("gunindex", GUNINDEX, PS_WEAPONINDEX, 16, Sign::None));
    let mut rest = run(BLEND, BLEND_RED, PS_BLEND, 8, Sign::None);
    rest.extend(end(&DEFAULT));
    Shape::new(vec![table(fields), Step::KexGun { bit: PS_WEAPONFRAME, slot: GUNFRAME }, table(rest)])
});

/// What the rerelease sends after the stats.
pub(crate) static KEX_END: LazyLock<Shape> = LazyLock::new(|| {
    let mut fields = run(DAMAGE, DAMAGE_RED, PS_DAMAGE_BLEND, 8, Sign::None);
    fields.push(one("team_id", TEAM_ID, PS_TEAM_ID, 8, Sign::None));
    Shape::plain(fields)
});
