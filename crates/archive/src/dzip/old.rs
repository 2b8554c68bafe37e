//! Entities and the client as version 1 wrote them.

use std::io::{self, Read};

use super::entity::message;
use super::packed::Packed;
use super::state::{Client, NETQUAKE, Slots};

/// What version 1 keeps of a frame.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The highest number that was in one.
    highest: u16,
}

/// Reads one of the parts of a frame.
pub(super) fn read<R: Read>(packed: &mut Packed<R>, slots: &mut Slots, frame: &mut Frame) -> io::Result<()> {
    match packed.byte()? {
        0x82 => Ok(()),
        // They left the frame.
        0x83 => loop {
            let number = packed.short()?;
            if number == 0 {
                return Ok(());
            }
            let slot = slots.touch(number).ok_or_else(|| packed.at("an entity's number is too high"))?;
            (slot.before, slot.now) = (slot.baseline, slot.baseline);
        },
        // Fields that are sent though they are as in the baseline.
        0x84 => loop {
            let mut mask = u32::from(packed.short()?);
            if mask == 0 {
                return Ok(());
            }
            if mask & 0x8000 != 0 {
                mask |= u32::from(packed.byte()?) << 16;
            }
            let number = (mask & 0x3ff) as u16;
            frame.highest = frame.highest.max(number);
            if let Some(slot) = slots.touch(number) {
                slot.now.force ^= mask & 0xff_fc00;
            }
        },
        code @ (0x80 | 0x81) => changes(packed, slots, frame, code == 0x81),
        _ => Err(packed.at("an unknown message")),
    }
}

fn changes<R: Read>(packed: &mut Packed<R>, slots: &mut Slots, frame: &mut Frame, mut with_player: bool) -> io::Result<()> {
    loop {
        // The first player's number is understood.
        let mut mask = if std::mem::take(&mut with_player) { u32::from(packed.byte()?) << 8 | 1 } else { u32::from(packed.short()?) };
        if mask & 0x8000 != 0 {
            mask += u32::from(packed.byte()?) << 16;
        }
        if mask & 0x80_0000 != 0 {
            mask += u32::from(packed.byte()?) << 24;
        }
        let has = |bit: u32| mask >> bit & 1 != 0;
        let number = (mask & 0x1ff) as u16 | if has(27) { 0x200 } else { 0 };
        frame.highest = frame.highest.max(number);
        if number == 0 {
            return Ok(());
        }
        let slot = slots.touch(number).ok_or_else(|| packed.at("an entity's number is too high"))?;
        let (before, now) = (slot.before, &mut slot.now);
        now.present = true;
        if has(16) {
            now.model = u16::from(packed.byte()?);
        }
        if has(9) {
            now.frame = (before.frame + 1) & 0xff;
        }
        if has(19) {
            now.frame = before.frame.wrapping_add(u16::from(packed.byte()?)) & 0xff;
        }
        if has(24) {
            now.colormap = packed.byte()?;
        }
        if has(25) {
            now.skin = packed.byte()?;
        }
        if has(26) {
            now.effects = packed.byte()?;
        }
        for (axis, near, far, angle) in [(0, 10, 20, 13), (1, 11, 21, 14), (2, 12, 22, 17)] {
            if has(near) {
                now.origin[axis] = before.origin[axis].wrapping_add(i32::from(packed.byte()? as i8));
            }
            if has(far) {
                now.origin[axis] = i32::from(packed.short()? as i16);
            }
            if has(angle) {
                now.angles[axis] = before.angles[axis].wrapping_add(packed.byte()?);
            }
        }
        if has(18) {
            now.no_lerp = !before.no_lerp;
        }
    }
}

/// Writes the game's own messages of the entities of a frame.
pub(super) fn write(slots: &mut Slots, frame: &Frame, out: &mut Vec<u8>) {
    for number in 1..=frame.highest {
        // Only a few are in the frame of all that were in one.
        if !slots.find(number).is_some_and(|slot| slot.now.present) {
            continue;
        }
        if let Some(slot) = slots.touch(number) {
            message(number, &slot.now, &slot.baseline, NETQUAKE, out);
            slot.before = slot.now;
        }
    }
}

/// Reads what changed of the client's data.
pub(super) fn client<R: Read>(packed: &mut Packed<R>, before: &Client) -> io::Result<Client> {
    let mut mask = u32::from(packed.byte()?);
    for (more, shift) in [(1, 8), (1 << 8, 16), (1 << 16, 24)] {
        if mask & more == 0 {
            break;
        }
        mask |= u32::from(packed.byte()?) << shift;
    }
    let has = |bit: u32| mask >> bit & 1 != 0;
    let mut now = *before;
    let byte = |field: &mut u8, bit: u32, packed: &mut Packed<R>| -> io::Result<()> {
        if has(bit) {
            *field = field.wrapping_add(packed.byte()?);
        }
        Ok(())
    };
    let count = |field: &mut u16, bit: u32, packed: &mut Packed<R>| -> io::Result<()> {
        if has(bit) {
            *field = field.wrapping_add(u16::from(packed.byte()?)) & 0xff;
        }
        Ok(())
    };
    byte(&mut now.view_height, 24, packed)?;
    byte(&mut now.ideal_pitch, 20, packed)?;
    for (axis, bit) in [27, 26, 25].into_iter().enumerate() {
        byte(&mut now.punch[axis], bit, packed)?;
    }
    for (axis, bit) in [3, 2, 1].into_iter().enumerate() {
        byte(&mut now.velocity[axis], bit, packed)?;
    }
    now.on_ground ^= has(15);
    now.in_water ^= has(22);
    now.without_items ^= has(28);
    if has(21) {
        now.items = now.items.wrapping_add(packed.long()?);
    }
    count(&mut now.weapon_frame, 14, packed)?;
    count(&mut now.armor, 19, packed)?;
    count(&mut now.weapon_model, 17, packed)?;
    if has(18) {
        now.health = now.health.wrapping_add(packed.short()?);
    }
    count(&mut now.ammo, 13, packed)?;
    count(&mut now.shells, 12, packed)?;
    count(&mut now.nails, 11, packed)?;
    count(&mut now.rockets, 10, packed)?;
    count(&mut now.cells, 23, packed)?;
    byte(&mut now.weapon, 9, packed)?;
    Ok(now)
}
