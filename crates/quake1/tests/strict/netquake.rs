//! NetQuake, as its clients read it.

use super::quakeworld::shared;
use super::values::Bytes;
use super::{Client, Played, Result, Row};

/// Plays a recording.
pub(super) fn play(bytes: &[u8], client: &mut Client, played: &mut Played) -> Result<()> {
    let line = bytes.iter().position(|&byte| byte == b'\n').filter(|at| *at < 12).ok_or("no line in front")?;
    let mut b = Bytes { rest: &bytes[line + 1..] };
    client.rules.netquake = true;
    let mut number = 0;
    while !b.rest.is_empty() {
        // no engine reads on
        if client.ended {
            break;
        }
        let length = b.u32()? as usize;
        if length == 0 || length > 65_536 {
            return Err(format!("block {number} has {length} bytes"));
        }
        for _ in 0..3 {
            b.f32()?;
        }
        let mut data = Bytes { rest: b.take(length)? };
        client.framed = false;
        while !data.rest.is_empty() {
            let before = data.rest.len();
            client.netquake(&mut data).map_err(|why| format!("block {number}, byte {}: {why}", length - before))?;
        }
        if client.framed {
            if client.signon != 3 {
                return Err(format!("block {number} is a frame at signon {}", client.signon));
            }
            let time = client.time.ok_or("a frame without a time")?;
            played.shots.push(client.shot((f64::from(time) * 1000.0).round() as i64)?);
        }
        number += 1;
    }
    Ok(())
}

impl Client {
    fn netquake(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let number = b.u8()?;
        if number != 11 && self.slots == 0 && !matches!(number, 1 | 2 | 8 | 9 | 24) {
            return Err(format!("message {number} before a server stated itself"));
        }
        let r = self.rules;
        match number {
            128.. => return self.fast_update(b, number),
            2 => {
                self.ended = true;
                b.rest = &[];
            }
            3 => {
                let (stat, value) = (b.u8()?, b.u32()? as i32);
                self.stats.insert((0, stat), value);
            }
            5 => drop(b.entity(&r)?),
            6 | 55 => self.extended_sound(b)?,
            7 => {
                self.time = Some(b.f32()?);
                if r.fte2 & 0x20 != 0 {
                    b.u16()?;
                }
                self.newest.clear();
                self.framed = true;
            }
            8 => drop(b.string()?),
            10 => (0..3).try_for_each(|_| b.angle(&r))?,
            11 => self.server_info(b)?,
            13 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                b.string()?;
            }
            14 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                self.frags.insert(slot, b.i16()?);
            }
            15 => self.client_data(b)?,
            17 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                b.u8()?;
            }
            18 => {
                b.point(&r)?;
                b.take(5)?;
            }
            20 => {
                self.looks(b, 0)?;
            }
            22 => {
                let entity = b.entity(&r)?;
                let row = self.looks(b, 0)?;
                self.baselines.insert(entity, row);
            }
            25 => {
                let stage = b.u8()?;
                if stage != self.signon + 1 {
                    return Err(format!("signon {stage} after {}", self.signon));
                }
                self.signon = stage;
            }
            30 | 33 => {}
            32 => drop(b.take(2)?),
            34 | 37 => drop(b.string()?),
            40 => {}
            41 => drop(b.take(6)?),
            42 if !r.replacement() => {
                let entity = b.entity(&r)?;
                let bits = b.u8()?;
                let row = self.looks(b, bits)?;
                self.baselines.insert(entity, row);
            }
            43 if !r.replacement() => {
                let bits = b.u8()?;
                self.looks(b, bits)?;
            }
            44 => {
                b.point(&r)?;
                b.take(4)?;
            }
            46 => {
                self.rules.rerelease = true;
                b.u8()?;
                b.number()?;
            }
            51 if r.replacement() || r.fte2 & 0x20 != 0 => {
                let (stat, value) = (b.u8()?, b.u8()?);
                self.stats.insert((0, stat), value.into());
            }
            51 => {
                self.rules.rerelease = true;
                b.number()?;
            }
            53 if r.rerelease => {
                b.take(2)?;
                b.string()?;
                b.string()?;
            }
            54 => {
                let code = b.u16()?;
                let name = b.string()?;
                let at = usize::from(code & 0x3fff);
                if code >> 14 == 0 {
                    self.models.resize(self.models.len().max(at + 1), String::new());
                    self.models[at] = name;
                } else {
                    self.sounds = self.sounds.max(at + 1);
                }
            }
            other => return shared(self, b, other),
        }
        Ok(())
    }

    fn server_info(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let mut rules = super::values::Rules { netquake: true, ..Default::default() };
        loop {
            match b.u32()? {
                0x5845_5446 => rules.fte = b.u32()?,
                0x3245_5446 => rules.fte2 = b.u32()?,
                0x3144_564d => rules.mvd = b.u32()?,
                protocol => {
                    rules.protocol = protocol;
                    break;
                }
            }
        }
        match rules.protocol {
            15 | 666 => {}
            999 => rules.flags = b.u32()?,
            other => return Err(format!("protocol {other}")),
        }
        if rules.fte2 & 0x20 != 0 {
            b.string()?;
        }
        *self = Client { rules, skipped: self.skipped, ..Client::default() };
        self.slots = b.u8()?;
        if self.slots == 0 || (self.slots > 16 && !rules.replacement()) {
            return Err(format!("{} slots", self.slots));
        }
        b.u8()?;
        b.string()?;
        self.models = std::iter::once(String::new()).chain(b.strings()?).collect();
        self.sounds = b.strings()?.len() + 1;
        let most = if rules.protocol == 15 && !rules.replacement() { 256 } else { 2048 };
        if self.models.len() < 2 || self.models.len() > most || self.sounds > most {
            return Err(format!("{} models and {} sounds", self.models.len(), self.sounds));
        }
        Ok(())
    }

    /// What an entity starts from.
    pub(crate) fn looks(&mut self, b: &mut Bytes<'_>, bits: u8) -> Result<Row> {
        let mut row = Row { model: if bits & 1 != 0 { b.u16()?.into() } else { b.u8()?.into() }, ..Row::default() };
        row.frame = if bits & 2 != 0 { b.u16()?.into() } else { b.u8()?.into() };
        b.take(2)?;
        for axis in 0..3 {
            row.origin[axis] = b.coord(&self.rules)?;
            b.angle(&self.rules)?;
        }
        b.take(usize::from(bits >> 2 & 1) + usize::from(bits >> 3 & 1))?;
        self.model(row.model)?;
        Ok(row)
    }

    fn fast_update(&mut self, b: &mut Bytes<'_>, first: u8) -> Result<()> {
        let r = self.rules;
        let mut bits = u32::from(first & 127);
        if bits & 1 != 0 {
            bits |= u32::from(b.u8()?) << 8;
        }
        if r.protocol != 15 && bits & 1 << 15 != 0 {
            bits |= u32::from(b.u8()?) << 16;
            if bits & 1 << 23 != 0 {
                bits |= u32::from(b.u8()?) << 24;
            }
        }
        let has = |bit: u32| bits >> bit & 1 != 0;
        let entity = if has(14) { b.entity(&r)? } else { b.u8()?.into() };
        let mut row = self.baselines.get(&entity).copied().unwrap_or_default();
        if has(10) {
            row.model = b.u8()?.into();
        }
        if has(6) {
            row.frame = b.u8()?.into();
        }
        b.take(usize::from(has(11)) + usize::from(has(12)) + usize::from(has(13)))?;
        let floats = r.rerelease && has(21);
        for (axis, place, turn) in [(0, 1, 8), (1, 2, 4), (2, 3, 9)] {
            if has(place) {
                row.origin[axis] = if floats { b.f32()? } else { b.coord(&r)? };
            }
            if has(turn) {
                b.angle(&r)?;
            }
        }
        if r.protocol != 15 {
            b.take(usize::from(has(16)) + usize::from(has(20)))?;
            if has(17) {
                row.frame |= u32::from(b.u8()?) << 8;
            }
            if has(18) {
                row.model |= u32::from(b.u8()?) << 8;
            }
            b.take(usize::from(has(19)))?;
        } else if bits >> 15 != 0 {
            return Err(format!("an update with bits {bits:#x}"));
        }
        if r.rerelease {
            b.take(usize::from(has(22)))?;
            for bit in [24, 25] {
                if has(bit) {
                    b.number()?;
                }
            }
            b.take((26..32).filter(|bit| has(*bit)).count())?;
        }
        self.model(row.model)?;
        self.newest.insert(entity, row);
        Ok(())
    }

    fn client_data(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let r = self.rules;
        let mut bits = u32::from(b.u16()?);
        if bits & 1 << 15 != 0 {
            bits |= u32::from(b.u8()?) << 16;
        }
        if bits & 1 << 23 != 0 {
            bits |= u32::from(b.u8()?) << 24;
        }
        let has = |bit: u32| bits >> bit & 1 != 0;
        b.take(usize::from(has(0)) + usize::from(has(1)))?;
        for axis in 0..3 {
            b.take(usize::from(has(2 + axis)))?;
            b.take(if !has(5 + axis) {
                0
            } else if r.rerelease && has(8) {
                4
            } else {
                1
            })?;
        }
        let items = b.u32()? as i32;
        b.take(usize::from(has(12)))?;
        let mut armor = if has(13) { i32::from(b.u8()?) } else { 0 };
        b.take(usize::from(has(14)))?;
        let health = i32::from(b.i16()?);
        let ammo = [b.u8()?, b.u8()?, b.u8()?, b.u8()?, b.u8()?];
        b.u8()?;
        if r.protocol != 15 {
            for bit in [16, 17, 18, 19, 20, 21, 22, 24, 25] {
                if has(bit) {
                    let high = i32::from(b.u8()?) << 8;
                    armor |= if bit == 17 { high } else { 0 };
                }
            }
        }
        if r.rerelease && has(26) {
            b.number()?;
        }
        for (stat, value) in [(0, health), (4, armor), (15, items), (6, i32::from(ammo[1])), (8, i32::from(ammo[3]))] {
            self.stats.insert((0, stat), value);
        }
        Ok(())
    }

    /// A sound with any extensions.
    pub(crate) fn extended_sound(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let r = self.rules;
        let mut bits = u32::from(b.u8()?);
        if bits & 4 != 0 {
            let first = b.u8()?;
            let more = first.leading_ones().min(8);
            let mut value = if more == 8 { 0 } else { u32::from(first & (0x7f >> more)) << (8 * more) };
            for at in (0..more).rev() {
                value |= u32::from(b.u8()?) << (8 * at);
            }
            bits |= value << 8;
        }
        let has = |bit: u32| bits >> bit & 1 != 0;
        b.take(usize::from(has(0)) + usize::from(has(1)) + usize::from(has(7)) + 2 * usize::from(has(6)) + 6 * usize::from(has(8)) + 2 * usize::from(has(5)))?;
        if has(3) {
            b.entity(&r)?;
            b.u8()?;
        } else {
            b.u16()?;
        }
        let sound = if has(4) { b.u16()?.into() } else { usize::from(b.u8()?) };
        b.point(&r)?;
        if sound == 0 || sound >= self.sounds { Err(format!("sound {sound} of {}", self.sounds)) } else { Ok(()) }
    }
}
