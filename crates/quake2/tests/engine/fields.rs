//! The fields of entities and players.

use super::bytes::{Bytes, Read};
use super::{Entity, Player, check};

pub(super) fn header(r: &mut Bytes) -> Read<(u16, u32)> {
    let mut bits = u32::from(r.byte()?);
    for (more, shift) in [(7, 8), (15, 16), (23, 24)] {
        if bits >> more & 1 == 0 {
            break;
        }
        bits |= u32::from(r.byte()?) << shift;
    }
    let number = if bits & 0x100 != 0 { r.short()? as u16 } else { r.byte()?.into() };
    check(number < 1024, "an entity's number")?;
    Ok((number, bits))
}

pub(super) fn change(r: &mut Bytes, bits: u32, entity: &mut Entity) -> Read<()> {
    let on = |bit: u32| bits >> bit & 1 != 0;
    for (model, bit) in entity.models.iter_mut().zip([11, 20, 21, 22]) {
        if on(bit) {
            *model = r.byte()?;
        }
    }
    if on(4) {
        entity.frame = r.byte()?.into();
    }
    if on(17) {
        entity.frame = r.short()?;
    }
    for (field, narrow, wide) in [(&mut entity.skin, 16, 25), (&mut entity.effects, 14, 19), (&mut entity.renderfx, 12, 18)] {
        *field = match (on(narrow), on(wide)) {
            (true, true) => r.long()?,
            (true, false) => r.byte()?.into(),
            (false, true) => r.short()?,
            (false, false) => *field,
        };
    }
    for (axis, bit) in [0, 1, 9].into_iter().enumerate() {
        if on(bit) {
            entity.origin[axis] = r.short()?;
        }
    }
    for (axis, bit) in [10, 2, 3].into_iter().enumerate() {
        if on(bit) {
            entity.angles[axis] = r.char()?;
        }
    }
    if on(24) {
        entity.old_origin = r.three(Bytes::short)?;
    }
    if on(26) {
        entity.sound = r.byte()?;
    }
    entity.event = if on(5) { r.byte()? } else { 0 };
    if on(27) {
        entity.solid = r.short()?;
    }
    Ok(())
}

pub(super) fn player(r: &mut Bytes, mut to: Player) -> Read<Player> {
    let bits = r.short()?;
    let on = |bit: u32| bits >> bit & 1 != 0;
    if on(0) {
        to.kind = r.byte()?;
    }
    if on(1) {
        to.origin = r.three(Bytes::short)?;
    }
    if on(2) {
        to.velocity = r.three(Bytes::short)?;
    }
    if on(3) {
        to.time = r.byte()?;
    }
    if on(4) {
        to.flags = r.byte()?;
    }
    if on(5) {
        to.gravity = r.short()?;
    }
    if on(6) {
        to.delta_angles = r.three(Bytes::short)?;
    }
    if on(7) {
        to.viewoffset = r.three(Bytes::char)?;
    }
    if on(8) {
        to.viewangles = r.three(Bytes::short)?;
    }
    if on(9) {
        to.kick = r.three(Bytes::char)?;
    }
    if on(12) {
        to.gun = r.byte()?;
    }
    if on(13) {
        to.gunframe = r.byte()?;
        to.gunoffset = r.three(Bytes::char)?;
        to.gunangles = r.three(Bytes::char)?;
    }
    if on(10) {
        to.blend.copy_from_slice(r.take(4)?);
    }
    if on(11) {
        to.fov = r.byte()?;
    }
    if on(14) {
        to.rdflags = r.byte()?;
    }
    stats(r, &mut to)?;
    Ok(to)
}

pub(super) fn stats(r: &mut Bytes, to: &mut Player) -> Read<()> {
    let sent = r.long()?;
    for stat in (0..32).filter(|stat| sent >> stat & 1 != 0) {
        to.stats[stat] = r.short()?;
    }
    Ok(())
}

/// Also whether he goes.
pub(super) fn mvd_player(r: &mut Bytes, mut to: Player) -> Read<(bool, Player)> {
    let bits = r.short()?;
    let on = |bit: u32| bits >> bit & 1 != 0;
    if on(0) {
        to.kind = r.byte()?;
    }
    if on(1) {
        (to.origin[0], to.origin[1]) = (r.short()?, r.short()?);
    }
    if on(2) {
        to.origin[2] = r.short()?;
    }
    if on(3) {
        to.viewoffset = r.three(Bytes::char)?;
    }
    if on(4) {
        (to.viewangles[0], to.viewangles[1]) = (r.short()?, r.short()?);
    }
    if on(5) {
        to.viewangles[2] = r.short()?;
    }
    if on(6) {
        to.kick = r.three(Bytes::char)?;
    }
    if on(9) {
        to.gun = r.byte()?;
    }
    if on(10) {
        to.gunframe = r.byte()?;
    }
    if on(11) {
        to.gunoffset = r.three(Bytes::char)?;
    }
    if on(12) {
        to.gunangles = r.three(Bytes::char)?;
    }
    if on(7) {
        to.blend.copy_from_slice(r.take(4)?);
    }
    if on(8) {
        to.fov = r.byte()?;
    }
    if on(13) {
        to.rdflags = r.byte()?;
    }
    if on(14) {
        stats(r, &mut to)?;
    }
    Ok((on(15), to))
}
