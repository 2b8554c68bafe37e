//! What a stock engine would have written for given states. Implements *Canonical encoding* of
//! `docs/formats/quake2.md`.

use crate::dialect::{Dialect, FrameHeader, Line};
use crate::fields::{entity, player};
use crate::message::{EntityDelta, PacketEntities, PlayerDelta};
use crate::state::{Baselines, FrameView, NOTHING, PlayerState, RF_BEAM};

/// An effect of `renderfx` for which Q2PRO sends the old origin.
const RF_FRAMELERP: u32 = 64;

/// Whether the encoding of this dialect's engines is known.
pub fn known(dialect: &Dialect) -> bool {
    !dialect.floats && !dialect.player_mask_long && dialect.frame != FrameHeader::Packed && dialect.protocol != 37
}

/// Encodes the player state `to` against `from`, as this engine line does.
pub fn player(dialect: &Dialect, line: Line, from: &PlayerState, to: &PlayerState) -> PlayerDelta {
    use player::*;
    let differs = |range: std::ops::RangeInclusive<usize>| from.row[range.clone()] != to.row[range];
    let gun = differs(GUNFRAME..=GUNFRAME) || line == Line::Q2pro && differs(GUNOFFSET_X..=GUNANGLES_Z);
    let fog = dialect.player_more != 0 && differs(FOG_RED..=HEIGHTFOG_END_DISTANCE);
    let conditions = [
        (PS_M_TYPE, differs(PM_TYPE..=PM_TYPE)),
        (PS_M_ORIGIN, differs(ORIGIN_X..=ORIGIN_Z)),
        (PS_M_VELOCITY, differs(VELOCITY_X..=VELOCITY_Z)),
        (PS_M_TIME, differs(PM_TIME..=PM_TIME)),
        (PS_M_FLAGS, differs(PM_FLAGS..=PM_FLAGS)),
        (PS_M_GRAVITY, differs(GRAVITY..=GRAVITY)),
        (PS_M_DELTA_ANGLES, differs(DELTA_ANGLES_X..=DELTA_ANGLES_Z)),
        (PS_VIEWOFFSET, differs(VIEWOFFSET_X..=VIEWOFFSET_Z)),
        (PS_VIEWANGLES, differs(VIEWANGLES_X..=VIEWANGLES_Z)),
        (PS_KICKANGLES, differs(KICK_ANGLES_X..=KICK_ANGLES_Z)),
        (PS_BLEND, differs(BLEND_RED..=DAMAGE_ALPHA)),
        (PS_FOV, differs(FOV..=FOV)),
        (PS_RDFLAGS, differs(RDFLAGS..=RDFLAGS)),
        (PS_WEAPONFRAME, gun),
        (PS_WEAPONINDEX, line == Line::Id || differs(GUNINDEX..=GUNINDEX)),
        (PS_FOG | PS_MOREBITS, fog),
    ];
    let mut delta = PlayerDelta { row: to.row, ..PlayerDelta::default() };
    delta.mask = conditions.iter().filter(|(_, on)| *on).fold(0, |mask, (bits, _)| mask | bits);
    if dialect.flagged {
        for at in ORIGIN_X..=VELOCITY_Z {
            delta.row[at] = flagged(from.row[at], to.row[at]);
        }
        delta.row[BLEND_MASK] = (0..8).filter(|part| from.row[BLEND_RED + part] != to.row[BLEND_RED + part]).fold(0, |mask, part| mask | 1 << part);
        delta.row[FOG_MASK] = fog_mask(&from.row, &to.row);
    }
    for at in (0..64).filter(|&at| from.stats[at] != to.stats[at]) {
        delta.stats_mask |= 1 << at;
        delta.stats[at] = to.stats[at];
    }
    delta.stats_mask_bytes = PlayerDelta::variable_bytes(delta.stats_mask);
    delta
}

pub(crate) fn fog_mask(from: &player::Row, to: &player::Row) -> u32 {
    use player::*;
    let parts: [(u32, usize, usize); 8] = [
        (1, FOG_RED, FOG_BLUE),
        (2, FOG_DENSITY, FOG_SKY_FACTOR),
        (4, HEIGHTFOG_DENSITY, HEIGHTFOG_DENSITY),
        (8, HEIGHTFOG_FALLOFF, HEIGHTFOG_FALLOFF),
        (16, HEIGHTFOG_START_RED, HEIGHTFOG_START_BLUE),
        (32, HEIGHTFOG_END_RED, HEIGHTFOG_END_BLUE),
        (64, HEIGHTFOG_START_DISTANCE, HEIGHTFOG_START_DISTANCE),
        (128, HEIGHTFOG_END_DISTANCE, HEIGHTFOG_END_DISTANCE),
    ];
    parts.iter().filter(|(_, first, last)| from[*first..=*last] != to[*first..=*last]).fold(0, |mask, (bit, ..)| mask | bit)
}

/// A coordinate in the encoding of Q2PRO's second extended limits.
pub(crate) fn flagged(from: u32, to: u32) -> u32 {
    let difference = to.wrapping_sub(from) as i32;
    if (-0x4000..0x4000).contains(&difference) { (difference as u32) << 1 & 0xffff } else { (to << 1 | 1) & 0xff_ffff }
}

/// Encodes an entity state against another, as this engine line does. `None` if nothing changed, unless `force` is set. `new`: the
/// client may not have seen the entity move.
pub fn entity(dialect: &Dialect, line: Line, number: u16, from: &entity::Row, to: &entity::Row, force: bool, new: bool) -> Option<EntityDelta> {
    use entity::*;
    // Fast path: in most frames, most entities do not change.
    if !force && !new && from == to && to[EVENT] == 0 && to[RENDERFX] & (RF_BEAM | RF_FRAMELERP) == 0 {
        return None;
    }
    let differs = |at: usize| from[at] != to[at];
    let mut delta = EntityDelta { mask: 0, number, row: *to };
    let mut mask = 0;
    for (bit, at) in [(U_ORIGIN1, ORIGIN_X), (U_ORIGIN2, ORIGIN_Y), (U_ORIGIN3, ORIGIN_Z)] {
        if differs(at) {
            mask |= bit;
            if dialect.flagged {
                delta.row[at] = flagged(from[at], to[at]);
            }
        }
    }
    let short_angles = dialect.short_angles && to[SOLID] == 31;
    for (bit, at) in [(U_ANGLE1, ANGLES_X), (U_ANGLE2, ANGLES_Y), (U_ANGLE3, ANGLES_Z)] {
        if short_angles && differs(at) {
            mask |= bit | U_ANGLE16;
        } else if (from[at] ^ to[at]) & 0xff00 != 0 {
            mask |= bit;
        }
        if !short_angles {
            delta.row[at] = to[at] >> 8;
        }
    }
    // The largest value of a 16-bit field. id's readers take the top bit for a sign.
    let umask = line == Line::Q2pro && dialect.extended;
    let wide = if umask { 0x10000 } else { 0x8000 };
    let skin_wide = if line == Line::Id { 0x10000 } else { wide };
    let pairs = [(SKINNUM, U_SKIN8, U_SKIN16, skin_wide), (EFFECTS, U_EFFECTS8, U_EFFECTS16, wide), (RENDERFX, U_RENDERFX8, U_RENDERFX16, wide)];
    for (at, narrow, middle, limit) in pairs {
        if differs(at) {
            mask |= width(to[at], narrow, middle, limit);
        }
    }
    if dialect.extended && differs(MOREFX) {
        mask |= width(to[MOREFX], U_MOREFX8, U_MOREFX16, wide);
    }
    if differs(FRAME) {
        mask |= if to[FRAME] < 256 { U_FRAME8 } else { U_FRAME16 };
        delta.row[FRAME16] = to[FRAME];
    }
    let plain = [
        (U_SOLID, differs(SOLID)),
        (U_EVENT, to[EVENT] != 0),
        (U_MODEL, differs(MODELINDEX)),
        (U_MODEL2, differs(MODELINDEX2)),
        (U_MODEL3, differs(MODELINDEX3)),
        (U_MODEL4, differs(MODELINDEX4)),
        (U_SOUND, differs(SOUND)),
        (U_ALPHA, dialect.extended && differs(ALPHA)),
        (U_SCALE, dialect.extended && differs(SCALE)),
    ];
    mask |= plain.iter().filter(|(_, on)| *on).fold(0, |mask, (bit, _)| mask | bit);
    if dialect.extended {
        const MODELS: u64 = U_MODEL | U_MODEL2 | U_MODEL3 | U_MODEL4;
        if mask & MODELS != 0 && to[MODELINDEX..=MODELINDEX4].iter().any(|&index| index > 255) {
            mask |= U_MODEL16;
        }
        let (volume, attenuation) = (differs(LOOP_VOLUME), differs(LOOP_ATTENUATION));
        if volume || attenuation {
            mask |= U_SOUND;
        }
        delta.row[SOUND] = to[SOUND] | u32::from(volume) << 14 | u32::from(attenuation) << 15;
    }
    if tells_old_origin(dialect, line, from, to, new) {
        mask |= U_OLDORIGIN;
        if dialect.flagged {
            for (word, old) in delta.row[OLD_ORIGIN_X..=OLD_ORIGIN_Z].iter_mut().zip(&to[OLD_ORIGIN_X..=OLD_ORIGIN_Z]) {
                *word = flagged(0, *old);
            }
        }
    }
    if mask == 0 && !force {
        return None;
    }
    if number > 255 {
        mask |= U_NUMBER16;
    }
    delta.mask = fragreel_base::delta::masked::extended(mask, dialect.more);
    Some(delta)
}

fn width(value: u32, narrow: u64, middle: u64, limit: u32) -> u64 {
    match value {
        0..256 => narrow,
        _ if value < limit => middle,
        _ => narrow | middle,
    }
}

fn tells_old_origin(dialect: &Dialect, line: Line, from: &entity::Row, to: &entity::Row, new: bool) -> bool {
    use entity::*;
    let beam = to[RENDERFX] & RF_BEAM != 0;
    if line == Line::Id {
        return new || beam;
    }
    let old = &to[OLD_ORIGIN_X..=OLD_ORIGIN_Z];
    let moved = old != &from[ORIGIN_X..=ORIGIN_Z];
    let lerped = to[RENDERFX] & RF_FRAMELERP != 0;
    if lerped {
        return moved;
    }
    new && moved || beam && (!dialect.extended || old != &from[OLD_ORIGIN_X..=OLD_ORIGIN_Z])
}

/// Encodes the entities of a frame against `base`, as this engine line does. Entities up to `max_clients` are players, whose old
/// origin is always sent.
pub fn entities(dialect: &Dialect, line: Line, base: Option<FrameView<'_>>, to: FrameView<'_>, baselines: &Baselines, max_clients: u16) -> PacketEntities {
    let mut list = PacketEntities { deltas: Vec::new(), end_mask: 0 };
    let server = dialect.frame == FrameHeader::Server;
    let mut old = base.into_iter().flat_map(|base| base.entities(dialect.line)).peekable();
    let removal = |number: u16| EntityDelta {
        mask: if number > 255 { entity::U_REMOVE | entity::U_NUMBER16 | entity::U_MOREBITS1 } else { entity::U_REMOVE },
        number,
        ..EntityDelta::default()
    };
    for (number, row) in to.entities(dialect.line) {
        while let Some((gone, _)) = old.next_if(|(old, _)| *old < number) {
            list.deltas.push(removal(gone));
        }
        let delta = match old.next_if(|(old, _)| *old == number) {
            _ if server => entity(dialect, line, number, &NOTHING, &row, false, true),
            Some((_, from)) => entity(dialect, line, number, &from, &row, false, number <= max_clients),
            None => entity(dialect, line, number, baselines.get(number), &row, true, true),
        };
        list.deltas.extend(delta);
    }
    list.deltas.extend(old.map(|(gone, _)| removal(gone)));
    list
}
