//! The client's data: what changed since the last message.

use std::io::{self, Read};

use super::packed::Packed;
use super::state::Client;

/// Reads what changed (versions 2 and 3).
pub(super) fn read<R: Read>(packed: &mut Packed<R>, before: &Client) -> io::Result<Client> {
    let mut mask = u64::from(packed.byte()?);
    // Each byte of the mask says whether one more follows.
    for (more, shift) in [(1 << 3, 8), (1 << 15, 16), (1 << 23, 24), (1 << 31, 32)] {
        if mask & more == 0 {
            break;
        }
        mask |= u64::from(packed.byte()?) << shift;
    }
    let mut now = *before;
    let has = |bit: u32| mask >> bit & 1 != 0;
    let byte = |field: &mut u8, bit: u32, packed: &mut Packed<R>| -> io::Result<()> {
        if has(bit) {
            *field = field.wrapping_add(packed.byte()?);
        }
        Ok(())
    };
    byte(&mut now.velocity[2], 0, packed)?;
    byte(&mut now.velocity[0], 1, packed)?;
    byte(&mut now.velocity[1], 2, packed)?;
    wide(&mut now.weapon_frame, has(8), has(29), packed)?;
    now.on_ground ^= has(9);
    byte(&mut now.punch[0], 10, packed)?;
    wide(&mut now.ammo, has(11), has(30), packed)?;
    if has(12) {
        now.health = now.health.wrapping_add(packed.short()?);
    }
    if has(13) {
        now.items ^= packed.long()?;
    }
    wide(&mut now.armor, has(14), has(32), packed)?;
    byte(&mut now.ideal_pitch, 16, packed)?;
    wide(&mut now.shells, has(17), has(33), packed)?;
    wide(&mut now.nails, has(18), has(34), packed)?;
    wide(&mut now.rockets, has(19), has(35), packed)?;
    wide(&mut now.weapon_model, has(20), has(36), packed)?;
    byte(&mut now.weapon, 21, packed)?;
    now.in_water ^= has(22);
    byte(&mut now.view_height, 24, packed)?;
    wide(&mut now.cells, has(25), has(37), packed)?;
    byte(&mut now.punch[1], 26, packed)?;
    byte(&mut now.punch[2], 27, packed)?;
    now.without_items ^= has(28);
    byte(&mut now.weapon_alpha, 38, packed)?;
    force(packed, &mut now, 0x50)?;
    Ok(now)
}

/// A value of two bytes: all of it, or its difference.
fn wide<R: Read>(field: &mut u16, differs: bool, whole: bool, packed: &mut Packed<R>) -> io::Result<()> {
    if whole {
        *field = packed.short()?;
    } else if differs {
        let sum = field.wrapping_add_signed(i16::from(packed.byte()? as i8));
        // One that had one byte keeps to it.
        *field = if *field > 0xff { sum } else { sum & 0xff };
    }
    Ok(())
}

/// Reads which fields are sent though they are as by default, where that changed.
pub(super) fn force<R: Read>(packed: &mut Packed<R>, now: &mut Client, code: u8) -> io::Result<()> {
    // Every block ends with a zero, so there is a byte.
    if packed.peek()? & 0xf0 != code {
        return Ok(());
    }
    let mut mask = u32::from(packed.byte()?);
    if mask & 8 != 0 {
        mask |= u32::from(packed.byte()?) << 8;
    }
    now.force ^= mask & 0xff07;
    Ok(())
}

/// Writes the game's own message.
pub(super) fn write(now: &Client, before: &Client, out: &mut Vec<u8>) {
    let mut mask: u32 = if now.without_items { 0 } else { 1 << 9 };
    let mut body: Vec<u8> = Vec::new();
    let mut byte = |body: &mut Vec<u8>, value: u8, usual: u8, bit: u32, force: u32| {
        if value != usual || now.force & force != 0 {
            mask |= 1 << bit;
            body.push(value);
        }
    };
    byte(&mut body, now.view_height, 22, 0, 0x800);
    byte(&mut body, now.ideal_pitch, 0, 1, 0x1000);
    for axis in 0..3 {
        byte(&mut body, now.punch[axis], 0, 2 + axis as u32, 0x100 << axis);
        byte(&mut body, now.velocity[axis], 0, 5 + axis as u32, 1 << axis);
    }
    body.extend(now.items.to_le_bytes());
    byte(&mut body, now.weapon_frame as u8, 0, 12, 0x2000);
    byte(&mut body, now.armor as u8, 0, 13, 0x4000);
    byte(&mut body, now.weapon_model as u8, 0, 14, 0x8000);
    body.extend(now.health.to_le_bytes());
    body.extend([now.ammo, now.shells, now.nails, now.rockets, now.cells].map(|count| count as u8));
    body.push(now.weapon);
    // The second bytes, which FitzQuake added.
    let high = [now.weapon_model, now.armor, now.ammo, now.shells, now.nails, now.rockets, now.cells, now.weapon_frame].map(|value| (value >> 8) as u8);
    for (value, bit) in high.into_iter().zip([16, 17, 18, 19, 20, 21, 22, 24]) {
        byte(&mut body, value, 0, bit, 0);
    }
    if now.weapon_alpha != before.weapon_alpha {
        mask |= 1 << 25;
        body.push(now.weapon_alpha);
    }
    mask |= if now.on_ground { 1 << 10 } else { 0 } | if now.in_water { 1 << 11 } else { 0 };
    let size = if mask >> 24 != 0 {
        mask |= 1 << 23 | 1 << 15;
        4
    } else if mask >> 16 != 0 {
        mask |= 1 << 15;
        3
    } else {
        2
    };
    out.push(15);
    out.extend(&mask.to_le_bytes()[..size]);
    out.append(&mut body);
}
