//! Deltas between states in any dialect. Decoding one gives exactly the target state. Habits of engines are kept where they cost
//! nothing; *Canonical encoding* itself is in `canonical.rs`.

use crate::dialect::{Coordinates, Dialect, Line, Stats};
use crate::encode::canonical::{flagged, fog_mask};
use crate::fields::{Step, entity, player};
use crate::message::{EntityDelta, PlayerDelta};
use crate::state::{MORE_STATS, PlayerState, apply_entity};

/// Encodes the player state `to` against `from`. `mvd`: with MVD2's masks.
pub(crate) fn player(dialect: &Dialect, from: &PlayerState, to: &PlayerState, mvd: bool) -> PlayerDelta {
    use player::*;
    let changed = (0..SLOTS).filter(|&at| from.row[at] != to.row[at]).fold(0u128, |set, at| set | 1 << at);
    let shapes = [Some(dialect.player), dialect.player_end];
    let mut delta = PlayerDelta { row: to.row, ..PlayerDelta::default() };
    for shape in shapes.into_iter().flatten() {
        delta.mask |= (0..64).map(|bit| 1 << bit).filter(|&bit| shape.touched(bit) & changed != 0).fold(0, |mask, bit| mask | bit);
        shape.steps.iter().for_each(|step| announce(step, from, to, &mut delta));
    }
    if dialect.flagged {
        (ORIGIN_X..=VELOCITY_Z).for_each(|at| delta.row[at] = flagged(from.row[at], to.row[at]));
    }
    if !mvd && dialect.line == Line::Id {
        delta.mask |= PS_WEAPONINDEX;
    }
    if dialect.clientnum != 0 && changed >> CLIENTNUM & 1 != 0 {
        delta.mask |= EPS_CLIENTNUM;
    }
    stats(dialect, from, to, mvd, &mut delta);
    if !dialect.player_mask_long && dialect.player_more != 0 && delta.mask & 0xffff_0000 != 0 {
        delta.mask |= PS_MOREBITS;
    }
    delta
}

/// Sets words that announce others.
fn announce(step: &Step, from: &PlayerState, to: &PlayerState, delta: &mut PlayerDelta) {
    use player::*;
    let differing = |first: usize, count: usize| (0..count).filter(move |part| from.row[first + part] != to.row[first + part]);
    let (bit, slot, parts) = match *step {
        Step::Blends { bit, slot } => (bit, slot, differing(BLEND_RED, 8).fold(0, |mask, part| mask | 1 << part)),
        Step::Fog { bit, slot } => (bit, slot, fog_mask(&from.row, &to.row)),
        Step::KexGun { bit, slot } => {
            let parts = differing(slot + 1, 7).fold(0, |mask, part| mask | 1 << part);
            delta.row[slot] = to.row[slot] & 0x1ff | parts << 9;
            delta.mask |= if parts != 0 { bit } else { 0 };
            return;
        }
        _ => return,
    };
    delta.row[slot] = parts;
    if parts != 0 {
        delta.mask |= bit;
        // The far distances of the fog are flagged too, and always sent in full.
        for at in [HEIGHTFOG_START_DISTANCE, HEIGHTFOG_END_DISTANCE] {
            delta.row[at] = to.row[at];
        }
    }
}

fn stats(dialect: &Dialect, from: &PlayerState, to: &PlayerState, mvd: bool, delta: &mut PlayerDelta) {
    let zero = [0; MORE_STATS];
    let (old, new) = (from.more_stats.as_deref().unwrap_or(&zero), to.more_stats.as_deref().unwrap_or(&zero));
    let repeated = dialect.stats == Stats::Repeated;
    let differs = |at: usize| from.stats[at] != to.stats[at] || repeated && (at..MORE_STATS).step_by(32).any(|at| old[at] != new[at]);
    delta.stats_mask = (0..if repeated { 32 } else { 64 }).filter(|&at| differs(at)).fold(0, |mask, at| mask | 1 << at);
    for at in fragreel_base::delta::masked::members(delta.stats_mask) {
        delta.stats[at] = to.stats[at];
    }
    if repeated {
        delta.more_stats = (0..MORE_STATS).filter(|at| delta.stats_mask >> (at % 32) & 1 != 0).map(|at| new[at]).collect();
    }
    delta.stats_mask_bytes = PlayerDelta::variable_bytes(delta.stats_mask);
    if delta.stats_mask != 0 {
        delta.mask |= match dialect.stats {
            _ if mvd => player::PPS_STATS,
            Stats::LongIfFlagged | Stats::VariableIfFlagged => player::EPS_STATS,
            _ => 0,
        };
    }
}

/// How to encode an entity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodeFlags {
    /// Send it even if nothing differs.
    pub force: bool,
    /// The client may not have seen the entity move. id's engines send the old origin.
    pub new: bool,
}

/// Encodes the entity state `to` against `from`. `None` if there is nothing to send.
pub(crate) fn entity(dialect: &Dialect, number: u16, from: &entity::Row, to: &entity::Row, flags: EncodeFlags) -> Option<EntityDelta> {
    use entity::*;
    let mut delta = EntityDelta { mask: 0, number, row: *to };
    delta.row[PRECISE] = 0;
    let differs = |at: usize| from[at] != to[at];
    let plain = [
        (U_MODEL, MODELINDEX),
        (U_MODEL2, MODELINDEX2),
        (U_MODEL3, MODELINDEX3),
        (U_MODEL4, MODELINDEX4),
        (U_ORIGIN1, ORIGIN_X),
        (U_ORIGIN2, ORIGIN_Y),
        (U_ORIGIN3, ORIGIN_Z),
        (U_SOLID, SOLID),
        (U_SOUND, SOUND),
    ];
    let mut mask = plain.iter().chain(further(dialect)).filter(|(_, at)| differs(*at)).fold(0, |mask, (bit, _)| mask | bit);
    if to[EVENT] != 0 {
        mask |= U_EVENT;
    }
    mask |= visuals(dialect, from, to, &mut delta);
    mask |= angles(dialect, from, to, &mut delta);
    if dialect.extended || dialect.floats {
        const MODELS: u64 = U_MODEL | U_MODEL2 | U_MODEL3 | U_MODEL4;
        if mask & MODELS != 0 && to[MODELINDEX..=MODELINDEX4].iter().any(|&index| index > 255) {
            mask |= U_MODEL16;
        }
        let (volume, attenuation) = (differs(LOOP_VOLUME), differs(LOOP_ATTENUATION));
        mask |= if volume || attenuation { U_SOUND } else { 0 };
        delta.row[SOUND] = to[SOUND] | u32::from(volume) << 14 | u32::from(attenuation) << 15;
    }
    coordinates(dialect, from, to, &mut delta);
    delta.mask = mask;
    let said = apply_entity(dialect, from, &delta);
    let old_origin = said[OLD_ORIGIN_X..=OLD_ORIGIN_Z] != to[OLD_ORIGIN_X..=OLD_ORIGIN_Z];
    if old_origin || flags.new && dialect.line == Line::Id {
        mask |= U_OLDORIGIN;
    }
    if mask == 0 && !flags.force {
        return None;
    }
    if number > 255 {
        mask |= U_NUMBER16;
    }
    delta.mask = fragreel_base::delta::masked::extended(mask, dialect.more);
    Some(delta)
}

/// Words under one bit each that only some dialects have.
fn further(dialect: &Dialect) -> &'static [(u64, usize)] {
    use entity::*;
    match dialect.coordinates {
        Coordinates::High24 => &[(U_MODEL5, MODELINDEX5), (U_MODEL6, MODELINDEX6), (U_ATTENUAT, LOOP_ATTENUATION), (U_ALPHA_KM, ALPHA)],
        _ if dialect.floats => &[(U_ALPHA, ALPHA), (U_SCALE, SCALE), (U_INSTANCE, INSTANCE), (U_OWNER, OWNER), (U_OLDFRAME, OLDFRAME)],
        _ if dialect.extended => &[(U_ALPHA, ALPHA), (U_SCALE, SCALE)],
        _ => &[],
    }
}

/// Frame, skin and effects. Their widths depend on their values.
fn visuals(dialect: &Dialect, from: &entity::Row, to: &entity::Row, delta: &mut EntityDelta) -> u64 {
    use entity::*;
    let differs = |at: usize| from[at] != to[at];
    let fits_16 = |value: u32| if dialect.line == Line::Id { value as i32 == i32::from(value as u16 as i16) } else { value < 0x1_0000 };
    let width = |value: u32, narrow: u64, wide: u64| match value {
        0..256 => narrow,
        _ if fits_16(value) => wide,
        _ => narrow | wide,
    };
    let mut mask = 0;
    if differs(FRAME) {
        if to[FRAME] < 256 {
            mask |= U_FRAME8;
        } else {
            mask |= U_FRAME16;
            delta.row[FRAME16] = to[FRAME];
        }
    }
    for (narrow, wide, at) in [(U_SKIN8, U_SKIN16, SKINNUM), (U_RENDERFX8, U_RENDERFX16, RENDERFX)] {
        mask |= if differs(at) { width(to[at], narrow, wide) } else { 0 };
    }
    let plain_width = |value: u32, narrow: u64, wide: u64| match value {
        0..256 => narrow,
        256..0x1_0000 => wide,
        _ => narrow | wide,
    };
    if dialect.floats {
        if differs(MOREFX) || differs(EFFECTS) {
            mask |= match to[MOREFX] {
                0 => plain_width(to[EFFECTS], U_EFFECTS8, U_EFFECTS16),
                high => U_EFFECTS64 | plain_width(high, U_EFFECTS8, U_EFFECTS16),
            };
        }
        return mask;
    }
    mask |= if differs(EFFECTS) { width(to[EFFECTS], U_EFFECTS8, U_EFFECTS16) } else { 0 };
    if dialect.extended && differs(MOREFX) {
        mask |= plain_width(to[MOREFX], U_MOREFX8, U_MOREFX16);
    }
    mask
}

fn angles(dialect: &Dialect, from: &entity::Row, to: &entity::Row, delta: &mut EntityDelta) -> u64 {
    use entity::*;
    let bits = [(U_ANGLE1, ANGLES_X), (U_ANGLE2, ANGLES_Y), (U_ANGLE3, ANGLES_Z)];
    let mask = bits.iter().filter(|(_, at)| from[*at] != to[*at]).fold(0, |mask, (bit, _)| mask | bit);
    if mask == 0 || dialect.floats || dialect.angles_always_short() {
        return mask;
    }
    if dialect.short_angles && bits.iter().any(|(bit, at)| mask & bit != 0 && to[*at] & 0xff != 0) {
        return mask | U_ANGLE16;
    }
    bits.iter().for_each(|(_, at)| delta.row[*at] = (to[*at] as i32 >> 8) as u32);
    mask
}

fn coordinates(dialect: &Dialect, from: &entity::Row, to: &entity::Row, delta: &mut EntityDelta) {
    use entity::*;
    if dialect.flagged {
        (ORIGIN_X..=ORIGIN_Z).for_each(|at| delta.row[at] = flagged(from[at], to[at]));
        (OLD_ORIGIN_X..=OLD_ORIGIN_Z).for_each(|at| delta.row[at] = flagged(0, to[at]));
    } else if dialect.short_floats() {
        // Floats for solid entities, eighths for others.
        delta.row[PRECISE] = u32::from(to[SOLID] != 0);
        if to[SOLID] == 0 {
            for at in (ORIGIN_X..=ORIGIN_Z).chain(OLD_ORIGIN_X..=OLD_ORIGIN_Z) {
                delta.row[at] = eighths_of(to[at]);
            }
        }
    }
}

/// The delta that removes an entity.
pub(crate) fn removal(dialect: &Dialect, number: u16) -> EntityDelta {
    let wide = if number > 255 { entity::U_NUMBER16 } else { 0 };
    EntityDelta { mask: fragreel_base::delta::masked::extended(entity::U_REMOVE | wide, dialect.more), number, ..EntityDelta::default() }
}
