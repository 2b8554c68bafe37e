//! A demo, block by block: a block is a message of the demo.

use std::io::{self, Read};

use super::packed::Packed;
use super::state::{BLOCK, Client, ENTITIES, Entity, NEAR, NETQUAKE, Numbers, Slots};
use super::{client, entity, old};

/// Bytes behind which the text of the CD track ends at the latest.
const TRACK: usize = 12;

/// Takes the rewriting of a demo back.
pub(super) struct Demo {
    is_old: bool,
    has_track: bool,
    protocol: u32,
    view: [u32; 3],
    time: u32,
    /// The number of the last baseline.
    baseline: u16,
    /// There were baselines in this block.
    baselines: bool,
    client: Client,
    slots: Slots,
    /// Entities that were in a frame.
    linked: Numbers,
    old: old::Frame,
}

impl Demo {
    pub(super) fn new(version: u8) -> Self {
        Demo {
            is_old: version == 1,
            has_track: false,
            protocol: NETQUAKE,
            view: [0; 3],
            time: 0,
            baseline: 0,
            baselines: false,
            client: Client::default(),
            slots: Slots::default(),
            linked: Numbers::default(),
            old: old::Frame::default(),
        }
    }

    /// Reads a block and adds what it stands for.
    pub(super) fn block<R: Read>(&mut self, packed: &mut Packed<R>, out: &mut Vec<u8>) -> io::Result<()> {
        if !self.has_track {
            self.has_track = true;
            while out.last() != Some(&b'\n') {
                if out.len() == TRACK {
                    return Err(packed.at("the line of the CD track does not end"));
                }
                packed.copy(1, out)?;
            }
            return Ok(());
        }
        let fields = packed.byte()?;
        if fields == 0xff {
            // From here the packer did not understand it, and left it as it is.
            let size = packed.long()? as usize;
            if size > BLOCK {
                return Err(packed.at("a verbatim block has an impossible size"));
            }
            return packed.copy(size, out);
        }
        if fields > 7 {
            return Err(packed.at("an unknown kind of block"));
        }
        for (axis, angle) in self.view.iter_mut().enumerate() {
            if fields >> axis & 1 != 0 {
                *angle = angle.wrapping_add(packed.long()?);
            }
        }
        out.extend([0; 4]);
        out.extend(self.view.iter().flat_map(|angle| angle.to_le_bytes()));
        self.messages(packed, out)?;
        let size = (out.len() - 16) as u32;
        out[..4].copy_from_slice(&size.to_le_bytes());
        if std::mem::take(&mut self.baselines) {
            self.slots.restart();
        }
        Ok(())
    }

    fn messages<R: Read>(&mut self, packed: &mut Packed<R>, out: &mut Vec<u8>) -> io::Result<()> {
        let mut in_frame = false;
        loop {
            if out.len() > BLOCK {
                return Err(packed.at("a block becomes too long"));
            }
            let code = packed.peek()?;
            if self.is_old {
                if code & 0xf8 == 0x80 {
                    in_frame = true;
                    old::read(packed, &mut self.slots, &mut self.old)?;
                    continue;
                }
                if std::mem::take(&mut in_frame) {
                    old::write(&mut self.slots, &self.old, out);
                }
            }
            match (code, self.is_old) {
                (0, _) => return packed.byte().map(drop),
                (0x0f, true) | (0xf0..=0xff, true) => {
                    let mut now = old::client(packed, &self.client)?;
                    client::force(packed, &mut now, 0xe0)?;
                    self.put_client(now, out);
                }
                (1..=44, _) => self.message(code, packed, out)?,
                (0x30, false) => {
                    entity::read(packed, &mut self.slots, &mut self.linked, self.protocol)?;
                    entity::write(&mut self.slots, &self.linked, self.protocol, out);
                }
                (0x40..=0x4f, false) => {
                    let now = client::read(packed, &self.client)?;
                    self.put_client(now, out);
                }
                (0x38..=0x3f | 0x60..=0x7f, false) => {
                    packed.byte()?;
                    // The two flags of large numbers stand inverted.
                    let mask = code & 7 | !code & 0x18;
                    self.sound(mask, packed, out)?;
                }
                (0x80.., _) => entity::copy(packed, self.protocol, out)?,
                _ => return Err(packed.at("an unknown message")),
            }
        }
    }

    fn put_client(&mut self, now: Client, out: &mut Vec<u8>) {
        client::write(&now, &self.client, out);
        self.client = now;
    }

    /// A message that has the game's own code.
    fn message<R: Read>(&mut self, code: u8, packed: &mut Packed<R>, out: &mut Vec<u8>) -> io::Result<()> {
        match code {
            1 | 2 | 21 | 27 | 28 | 30 | 33 => packed.copy(1, out),
            24 | 25 => packed.copy(2, out),
            5 | 16 | 17 | 32 => packed.copy(3, out),
            10 | 14 => packed.copy(4, out),
            4 => packed.copy(5, out),
            3 | 41 => packed.copy(6, out),
            19 => packed.copy(9, out),
            29 => packed.copy(10, out),
            44 => packed.copy(11, out),
            18 => packed.copy(12, out),
            20 => packed.copy(14, out),
            8 | 9 | 26 | 31 | 34 | 36 | 37 => packed.copy_string(out).map(drop),
            12 | 13 => {
                packed.copy(2, out)?;
                packed.copy_string(out).map(drop)
            }
            6 if self.is_old => {
                packed.copy(2, out)?;
                let mask = out.last().copied().unwrap_or_default();
                packed.copy(9 + (mask & 3).count_ones() as usize, out)
            }
            6 => {
                packed.byte()?;
                let mask = packed.byte()?;
                self.sound(mask, packed, out)
            }
            7 | 35 => {
                packed.byte()?;
                let step = if code == 35 || self.is_old { packed.long()? } else { u32::from(packed.short()?) };
                self.time = self.time.wrapping_add(step);
                out.push(7);
                out.extend(self.time.to_le_bytes());
                Ok(())
            }
            11 => self.server_info(packed, out),
            15 => {
                let now = client::read(packed, &self.client)?;
                self.put_client(now, out);
                Ok(())
            }
            22 | 42 => self.baseline(packed, out),
            23 => {
                packed.copy(2, out)?;
                let size = match out.last() {
                    Some(0..=4 | 7 | 8 | 10 | 11 | 14 | 15) => 6,
                    Some(5 | 6 | 9 | 13) => 14,
                    Some(12) => 8,
                    Some(16) => 12,
                    Some(17) => {
                        packed.copy_string(out)?;
                        14
                    }
                    _ => return Err(packed.at("an unknown temporary entity")),
                };
                packed.copy(size, out)
            }
            38 => {
                // Nehahra's picture on the screen, whose code a time has.
                packed.byte()?;
                out.push(35);
                packed.copy_string(out)?;
                packed.copy_string(out)?;
                packed.copy(2, out)
            }
            43 => {
                packed.copy(2, out)?;
                let more = out.last().map_or(0, |bits| (bits & 7).count_ones() as usize);
                packed.copy(13 + more, out)
            }
            _ => Err(packed.at("an unknown message")),
        }
    }

    fn server_info<R: Read>(&mut self, packed: &mut Packed<R>, out: &mut Vec<u8>) -> io::Result<()> {
        packed.copy(1, out)?;
        self.protocol = packed.long()?;
        out.extend(self.protocol.to_le_bytes());
        packed.copy(2, out)?;
        packed.copy_string(out)?;
        // The models, then the sounds.
        for _ in 0..2 {
            while packed.copy_string(out)? > 0 {}
        }
        self.baseline = 0;
        Ok(())
    }

    /// A sound, whose place is a difference to its entity's.
    fn sound<R: Read>(&mut self, mask: u8, packed: &mut Packed<R>, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend([6, mask]);
        packed.copy((mask & 3).count_ones() as usize, out)?;
        let number = if mask & 8 != 0 {
            let number = packed.short()?;
            out.extend(number.to_le_bytes());
            packed.copy(1, out)?;
            number
        } else {
            let both = packed.short()?;
            let channel = 2_u16.wrapping_sub(both & 7) & 7;
            out.extend((both & 0xfff8 | channel).to_le_bytes());
            both >> 3
        };
        packed.copy(if mask & 0x10 != 0 { 2 } else { 1 }, out)?;
        if usize::from(number) < ENTITIES {
            for place in self.slots.find(number).map_or([0; 3], |slot| slot.now.origin) {
                out.extend(packed.short()?.wrapping_add(place as u16).to_le_bytes());
            }
        }
        Ok(())
    }

    /// Where an entity starts on a level.
    fn baseline<R: Read>(&mut self, packed: &mut Packed<R>, out: &mut Vec<u8>) -> io::Result<()> {
        let is_wide = packed.byte()? == 42;
        let mut number = packed.short()?;
        let mut mask = u32::from(number >> 8);
        if is_wide {
            mask = u32::from(packed.byte()?);
            if mask & 1 != 0 {
                mask |= u32::from(packed.byte()?) << 8;
            }
        } else {
            number = (self.baseline + (number & (NEAR - 1))) % NEAR;
            self.baseline = number;
            mask &= 0xfc;
        }
        let Some(slot) = self.slots.touch(number) else { return Err(packed.at("an entity's number is too high")) };
        let has = |bit: u32| mask >> bit & 1 != 0;
        let (large_model, large_frame, alpha) = (has(9), has(10), has(11));
        let start = &mut slot.baseline;
        *start = Entity::default();
        start.model = if large_model { packed.short()? } else { u16::from(packed.byte()?) };
        if has(2) {
            start.frame = if large_frame { packed.short()? } else { u16::from(packed.byte()?) };
        }
        if has(3) {
            start.colormap = packed.byte()?;
        }
        if has(4) {
            start.skin = packed.byte()?;
        }
        if has(5) {
            for place in &mut start.origin {
                *place = i32::from(packed.short()? as i16);
            }
        }
        if has(6) {
            start.angles[1] = packed.byte()?;
        }
        if has(7) {
            start.angles[0] = packed.byte()?;
            start.angles[2] = packed.byte()?;
        }
        if alpha {
            start.alpha = packed.byte()?;
        }
        self.baselines = true;
        // What is wide only for its number was not so in the demo.
        let is_wide = is_wide && !has(8);
        out.push(if is_wide { 42 } else { 22 });
        out.extend(number.to_le_bytes());
        if is_wide {
            out.push(u8::from(large_model) | u8::from(large_frame) << 1 | u8::from(alpha) << 2);
        }
        out.extend(&start.model.to_le_bytes()[..1 + usize::from(large_model)]);
        out.extend(&start.frame.to_le_bytes()[..1 + usize::from(large_frame)]);
        out.extend([start.colormap, start.skin]);
        for axis in 0..3 {
            out.extend((start.origin[axis] as i16).to_le_bytes());
            out.push(start.angles[axis]);
        }
        if alpha {
            out.push(start.alpha);
        }
        Ok(())
    }
}
