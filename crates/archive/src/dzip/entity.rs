//! Entities: what changed since the last frame (versions 2 and 3).

use std::io::{self, Read};

use super::packed::Packed;
use super::state::{ENTITIES, Entity, NETQUAKE, Numbers, Slots};

/// Reads what changed of the entities of a frame.
pub(super) fn read<R: Read>(packed: &mut Packed<R>, slots: &mut Slots, linked: &mut Numbers, protocol: u32) -> io::Result<()> {
    packed.byte()?;
    // Entities that change in this frame and did not in the last one.
    let mut base = 0;
    loop {
        let step = packed.byte()?;
        match step {
            0 => break,
            0xff => base += 0xfe,
            step => {
                let number = (base + usize::from(step)) as u16;
                slots.touch(number).ok_or_else(|| packed.at("an entity's number is too high"))?.now.active = true;
                linked.insert(number);
            }
        }
        if base > ENTITIES {
            return Err(packed.at("an entity's number is too high"));
        }
    }
    let mut from = 0;
    while let Some(number) = linked.next(from) {
        from = usize::from(number) + 1;
        let Some(slot) = slots.touch(number) else { break };
        for axis in 0..3 {
            slot.now.origin[axis] = slot.now.origin[axis].wrapping_add(slot.now.moved[axis]);
        }
        if !slot.now.active {
            continue;
        }
        let mut mask = u32::from(packed.byte()?);
        match mask {
            // It left the frame.
            0x80 => {
                (slot.before, slot.now) = (slot.baseline, slot.baseline);
                linked.remove(number);
                continue;
            }
            0 => {
                slot.now.active = false;
                continue;
            }
            _ => {}
        }
        for (more, shift) in [(0x80, 8), (0x8000, 16)] {
            if mask & more == 0 {
                break;
            }
            mask |= u32::from(packed.byte()?) << shift;
        }
        slot.now = changed(packed, mask, &slot.before, slot.now, protocol)?;
    }
    if packed.peek()? == 0x31 {
        packed.byte()?;
        forces(packed, slots, protocol, 0)?;
    }
    if packed.peek()? == 0x32 {
        packed.byte()?;
        forces(packed, slots, protocol, 8)?;
    }
    Ok(())
}

fn changed<R: Read>(packed: &mut Packed<R>, mask: u32, before: &Entity, mut now: Entity, protocol: u32) -> io::Result<Entity> {
    let has = |bit: u32| mask >> bit & 1 != 0;
    // Each axis: a difference of its speed, or the place itself.
    for (axis, near, far) in [(2, 0, 11), (1, 1, 10), (0, 2, 9)] {
        if has(near) {
            now.moved[axis] = before.moved[axis].wrapping_add(i32::from(packed.byte()? as i8));
            now.origin[axis] = before.origin[axis].wrapping_add(now.moved[axis]);
        }
        if has(far) {
            now.origin[axis] = i32::from(packed.short()? as i16);
            now.moved[axis] = now.origin[axis].wrapping_sub(before.origin[axis]);
        }
    }
    for axis in 0..3 {
        if has(3 + axis as u32) {
            now.angles[axis] = before.angles[axis].wrapping_add(packed.byte()?);
        }
    }
    if has(6) {
        now.frame = before.frame.wrapping_add(1);
    }
    if has(8) {
        let sum = before.frame.wrapping_add_signed(i16::from(packed.byte()? as i8));
        now.frame = if before.frame > 0xff { sum } else { sum & 0xff };
    }
    if has(22) {
        now.frame = packed.short()?;
    }
    if has(12) {
        now.effects = packed.byte()?;
    }
    if has(13) {
        now.model = now.model & 0xff00 | u16::from(packed.byte()?);
    }
    if has(21) {
        now.model = now.model & 0xff | u16::from(packed.byte()?) << 8;
    }
    if has(14) {
        now.no_lerp = !before.no_lerp;
    }
    if has(16) {
        now.colormap = packed.byte()?;
    }
    if has(17) {
        now.skin = packed.byte()?;
    }
    if has(18) {
        if protocol == NETQUAKE { now.nehahra_alpha = packed.long()? } else { now.alpha = packed.byte()? }
    }
    if has(19) {
        *(if protocol == NETQUAKE { &mut now.fullbright } else { &mut now.scale }) = packed.byte()?;
    }
    if has(20) {
        now.lerp_finish = packed.byte()?;
    }
    Ok(now)
}

/// Reads which fields are sent though they are as in the baseline, where that changed. `shift`: 8 for entities from 1024, whose numbers are wider.
fn forces<R: Read>(packed: &mut Packed<R>, slots: &mut Slots, protocol: u32, shift: u32) -> io::Result<()> {
    loop {
        let mut mask = u64::from(packed.short()?);
        if mask == 0 {
            return Ok(());
        }
        let mut at = 16;
        if shift > 0 {
            mask |= u64::from(packed.byte()?) << at;
            at += 8;
        }
        if mask >> shift & 0x8000 != 0 {
            mask |= u64::from(packed.byte()?) << at;
            at += 8;
        }
        if protocol != NETQUAKE && mask >> shift & 0x80_0000 != 0 {
            mask |= u64::from(packed.byte()?) << at;
        }
        let of_number = if shift > 0 { ENTITIES as u64 - 1 } else { 0x3ff };
        if let Some(slot) = slots.touch((mask & of_number) as u16) {
            slot.now.force ^= ((mask & !of_number) >> shift) as u32;
        }
    }
}

/// Writes the game's own messages of the entities of a frame.
pub(super) fn write(slots: &mut Slots, linked: &Numbers, protocol: u32, out: &mut Vec<u8>) {
    let mut from = 0;
    while let Some(number) = linked.next(from) {
        from = usize::from(number) + 1;
        let Some(slot) = slots.touch(number) else { return };
        message(number, &slot.now, &slot.baseline, protocol, out);
        slot.before = slot.now;
        if out.len() > super::state::BLOCK {
            return;
        }
    }
}

/// Writes one entity's message: what differs from its baseline, and what is forced.
pub(super) fn message(number: u16, now: &Entity, baseline: &Entity, protocol: u32, out: &mut Vec<u8>) {
    let mut mask: u32 = 1 << 7;
    let mut body = Vec::with_capacity(32);
    let forced = |bit: u32| now.force >> bit & 1 != 0;
    if number > 0xff || forced(22) {
        mask |= 1 << 14;
        body.extend(number.to_le_bytes());
    } else {
        body.push(number as u8);
    }
    let mut byte = |body: &mut Vec<u8>, value: u8, base: u8, bit: u32, force: bool| {
        if value != base || force {
            mask |= 1 << bit;
            body.push(value);
        }
    };
    byte(&mut body, now.model as u8, baseline.model as u8, 10, forced(18));
    byte(&mut body, now.frame as u8, baseline.frame as u8, 6, forced(14));
    byte(&mut body, now.colormap, baseline.colormap, 11, forced(19));
    byte(&mut body, now.skin, baseline.skin, 12, forced(20));
    byte(&mut body, now.effects, baseline.effects, 13, forced(21));
    for (axis, (place, angle), (place_forced, angle_forced)) in [(0, (1, 8), (16, 11)), (1, (2, 4), (10, 12)), (2, (3, 9), (17, 13))] {
        if now.origin[axis] != baseline.origin[axis] || forced(place_forced) {
            mask |= 1 << place;
            body.extend((now.origin[axis] as i16).to_le_bytes());
        }
        if now.angles[axis] != baseline.angles[axis] || forced(angle_forced) {
            mask |= 1 << angle;
            body.push(now.angles[axis]);
        }
    }
    if protocol == NETQUAKE && forced(23) {
        // Nehahra's: how many floats follow, transparency, and whether it is lit from all sides.
        mask |= 1 << 15;
        body.extend(if now.fullbright > 0 { 2.0_f32 } else { 1.0 }.to_le_bytes());
        body.extend(now.nehahra_alpha.to_le_bytes());
        if now.fullbright > 0 {
            body.extend(f32::from(now.fullbright.wrapping_sub(1) as i8).to_le_bytes());
        }
    }
    let mut byte = |value: u8, base: u8, usual: Option<u8>, bit: u32, force: bool| {
        if value != base && Some(value) != usual || force {
            mask |= 1 << bit;
            body.push(value);
        }
    };
    if protocol != NETQUAKE {
        byte(now.alpha, baseline.alpha, None, 16, forced(24));
    }
    byte(now.scale, baseline.scale, None, 20, forced(25));
    byte((now.frame >> 8) as u8, (baseline.frame >> 8) as u8, Some(0), 17, forced(28));
    byte((now.model >> 8) as u8, (baseline.model >> 8) as u8, Some(0), 18, forced(27));
    byte(now.lerp_finish, baseline.lerp_finish, None, 19, forced(26));
    if now.no_lerp {
        mask |= 1 << 5;
    }
    let mut size = 1;
    if mask >> 8 != 0 {
        mask |= 1;
        size = 2;
    }
    if mask >> 16 != 0 {
        mask |= 1 << 15;
        size = 3;
    }
    out.extend(&mask.to_le_bytes()[..size]);
    out.append(&mut body);
}

/// Moves an entity's message on as the game wrote it: those that are not in the order of their numbers.
pub(super) fn copy<R: Read>(packed: &mut Packed<R>, protocol: u32, out: &mut Vec<u8>) -> io::Result<()> {
    let start = out.len();
    packed.copy(1, out)?;
    let mut mask = u32::from(out[start]);
    if mask & 1 != 0 {
        packed.copy(1, out)?;
        mask |= u32::from(out[start + 1]) << 8;
    }
    if mask & 1 << 15 != 0 {
        if protocol == NETQUAKE {
            return Err(packed.at("an entity of Nehahra is out of order"));
        }
        packed.copy(1, out)?;
    }
    // The packer counts the fields of the first two bytes only; what is left of the message it takes for the next.
    let [ones, twos] = [0x7f50_u32, 0x0e].map(|bits| (mask & bits).count_ones() as usize);
    packed.copy(1 + ones + 2 * twos, out)
}
