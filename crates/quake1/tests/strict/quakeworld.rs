//! QuakeWorld, as its clients read it, and as they play a server's recording.

use std::collections::BTreeMap;

use super::values::{Bytes, Rules};
use super::{Client, Played, Result, Row};

/// Plays a client's recording.
pub(super) fn play_client(bytes: &[u8], client: &mut Client, played: &mut Played) -> Result<()> {
    let mut b = Bytes { rest: bytes };
    let (mut signed_on, mut last) = (false, 0);
    while !b.rest.is_empty() {
        // no engine reads on
        if client.ended {
            break;
        }
        b.f32()?;
        match b.u8()? {
            0 => drop(b.take(36)?),
            2 => {
                b.take(8)?;
                signed_on = true;
                last = 0;
            }
            1 => {
                let length = b.u32()? as usize;
                let mut data = Bytes { rest: b.take(length)? };
                let sequence = data.u32()?;
                if sequence == u32::MAX {
                    client.ended = data.rest.first() == Some(&2);
                    continue;
                }
                data.u32()?;
                client.sequence = sequence & 0x7fff_ffff;
                if client.sequence <= last {
                    return Err(format!("packet {} after {last}", client.sequence));
                }
                last = client.sequence;
                if data.rest.len() > 8192 {
                    return Err(format!("a packet of {} bytes", data.rest.len()));
                }
                client.framed = false;
                client.packet(&mut data)?;
                if client.framed {
                    if !signed_on {
                        return Err(String::from("a frame within the signon"));
                    }
                    played.shots.push(client.shot(client.sequence.into())?);
                }
                // who is not mentioned again is out of sight
                client.players.clear();
            }
            other => return Err(format!("a block of type {other}")),
        }
    }
    Ok(())
}

/// Plays a server's recording.
pub(super) fn play_server(bytes: &[u8], client: &mut Client, played: &mut Played) -> Result<()> {
    let mut b = Bytes { rest: bytes };
    client.rules.multi_view = true;
    let (mut server, mut to) = (0i64, (0u8, 0u32));
    let mut framed = false;
    while !b.rest.is_empty() {
        // no engine reads on
        if client.ended {
            break;
        }
        let after = b.u8()?;
        if after > 0 && std::mem::take(&mut framed) && client.signon > 0 {
            played.shots.push(client.shot(server)?);
        }
        server += i64::from(after);
        let kind = b.u8()?;
        match kind & 7 {
            0 => drop(b.take(36)?),
            2 => drop(b.take(8)?),
            1 | 3..=6 => {
                if kind & 7 != 1 {
                    to = (kind, 0);
                }
                if kind & 7 == 3 {
                    to.1 = b.u32()?;
                }
                let length = b.u32()? as usize;
                let mut data = Bytes { rest: b.take(length)? };
                if to == (3, 0) {
                    continue;
                }
                client.own = if matches!(to.0 & 7, 4 | 5) { to.0 >> 3 } else { 255 };
                client.framed = false;
                client.time = None;
                client.packet(&mut data)?;
                if let Some(time) = client.time {
                    server = (f64::from(time) * 1000.0).round() as i64;
                }
                framed |= client.framed;
            }
            other => return Err(format!("a block of type {other}")),
        }
    }
    if framed && client.signon > 0 {
        played.shots.push(client.shot(server)?);
    }
    Ok(())
}

impl Client {
    fn packet(&mut self, data: &mut Bytes<'_>) -> Result<()> {
        let length = data.rest.len();
        while !data.rest.is_empty() {
            let before = data.rest.len();
            self.quakeworld(data).map_err(|why| format!("packet {} byte {}: {why}", self.sequence, length - before))?;
        }
        Ok(())
    }

    fn quakeworld(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let number = b.u8()?;
        if number != 11 && self.slots == 0 && !matches!(number, 1 | 2 | 8 | 9) {
            return Err(format!("message {number} before a server stated itself"));
        }
        let r = self.rules;
        match number {
            2 => {
                self.ended = true;
                b.rest = &[];
            }
            3 | 38 => {
                let stat = b.u8()?;
                let value = if number == 3 { b.u8()?.into() } else { b.u32()? as i32 };
                self.stats.insert((if r.multi_view { self.own } else { 0 }, stat), value);
            }
            6 => {
                let bits = b.u16()?;
                b.take(usize::from(bits >> 15) + usize::from(bits >> 14 & 1))?;
                let sound = usize::from(b.u8()?);
                b.point(&r)?;
                if sound == 0 || sound >= self.sounds {
                    return Err(format!("sound {sound} of {}", self.sounds));
                }
            }
            8 => {
                b.u8()?;
                b.string()?;
            }
            9 => {
                if b.string()? == "skins\n" {
                    self.signon = 1;
                }
            }
            10 => {
                b.take(usize::from(r.multi_view || r.mvd & 2 != 0))?;
                (0..3).try_for_each(|_| b.angle(&r))?;
            }
            11 => self.server_data(b)?,
            14 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                self.frags.insert(slot, b.i16()?);
            }
            20 => {
                self.looks(b, 0)?;
            }
            21 if !r.replacement() => {
                let row = self.entity_delta(b)?.map(|delta| delta.over(Row::default()));
                self.model(row.unwrap_or_default().model)?;
            }
            22 => {
                let entity = b.entity(&r)?;
                let row = self.looks(b, 0)?;
                self.baselines.insert(entity, row);
            }
            30 => {
                b.point(&r)?;
                (0..3).try_for_each(|_| b.angle(&r))?;
            }
            32 => drop(b.u8()?),
            33..=35 => {}
            36 | 53 | 37 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                b.take(match number {
                    36 => 2,
                    37 => 4,
                    _ => 1,
                })?;
            }
            39 => drop(b.entity(&r)?),
            40 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                b.u32()?;
                if b.string()?.len() > 1023 {
                    return Err(String::from("a user info that nobody keeps"));
                }
            }
            42 => self.player(b)?,
            44 => drop(b.u8()?),
            45 | 46 => self.list(b, number == 45)?,
            47 => self.entities(b, None)?,
            48 => {
                let from = b.u8()?;
                self.entities(b, Some(from))?;
            }
            49 | 50 => drop(b.u32()?),
            51 => {
                let slot = b.u8()?;
                self.slot(slot)?;
                b.string()?;
                b.string()?;
            }
            52 => {
                b.string()?;
                b.string()?;
            }
            66 if !r.replacement() => {
                let delta = self.entity_delta(b)?.ok_or("a baseline of nothing")?;
                let row = delta.over(Row::default());
                self.model(row.model)?;
                self.baselines.insert(delta.number, row);
            }
            other => return shared(self, b, other),
        }
        Ok(())
    }

    fn server_data(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let mut r = Rules { multi_view: self.rules.multi_view, ..Rules::default() };
        loop {
            match b.u32()? {
                0x5845_5446 => r.fte = b.u32()?,
                0x3245_5446 => r.fte2 = b.u32()?,
                0x3144_564d => r.mvd = b.u32()?,
                28 => break,
                other => return Err(format!("protocol {other}")),
            }
        }
        r.protocol = 28;
        *self = Client { rules: r, skipped: self.skipped, sequence: self.sequence, ..Client::default() };
        b.u32()?;
        b.string()?;
        self.slots = if r.fte | r.fte2 == 0 { 32 } else { 255 };
        if r.multi_view {
            b.take((r.fte2 >> 4 & 1) as usize)?;
            self.time = Some(b.f32()?);
        } else if r.fte2 & 0x10 != 0 {
            b.u8()?;
            let seats = b.u8()? & 127;
            b.take(seats.into())?;
        } else {
            b.u8()?;
            while r.fte & 0x10_0000 != 0 && b.u8()? != 128 {}
        }
        b.string()?;
        (0..10).try_for_each(|_| b.f32().map(drop))
    }

    fn list(&mut self, b: &mut Bytes<'_>, models: bool) -> Result<()> {
        let first = usize::from(b.u8()?);
        let names = b.strings()?;
        b.u8()?;
        let known = if models { self.models.len().max(1) } else { self.sounds.max(1) };
        if first + 1 != known {
            return Err(format!("a list goes on at {first} after {known}"));
        }
        if models {
            self.models.resize(known, String::new());
            self.models.extend(names);
        } else {
            self.sounds = known + names.len();
        }
        Ok(())
    }

    fn player(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let r = self.rules;
        let slot = b.u8()?;
        self.slot(slot)?;
        let mut flags = u32::from(b.u16()?);
        // a multi-view signon states its players before the first frame
        self.framed |= !r.multi_view || !self.frames.is_empty();
        if r.multi_view {
            let mut row = self.players.get(&slot).copied().unwrap_or_default();
            row.frame = b.u8()?.into();
            for axis in 0..3 {
                if flags >> axis & 1 != 0 {
                    row.origin[axis] = b.place(&r)?;
                }
            }
            b.take(2 * (3..6).filter(|bit| flags >> bit & 1 != 0).count())?;
            if flags & 1 << 11 != 0 {
                row.model = b.u8()?.into();
            }
            b.take([7, 6, 10].into_iter().filter(|bit| flags >> bit & 1 != 0).count())?;
            self.model(row.model)?;
            self.players.insert(slot, row);
            return Ok(());
        }
        if r.fte & (8 | 2 | 0x100 | 0x800) != 0 && flags & 1 << 15 != 0 {
            flags |= u32::from(b.u8()?) << 16;
        }
        let has = |bit: u32| flags >> bit & 1 != 0;
        let mut row = Row::default();
        for axis in 0..3 {
            row.origin[axis] = b.place(&r)?;
        }
        row.frame = b.u8()?.into();
        b.take(usize::from(has(0)))?;
        if has(1) {
            let bits = b.u8()?;
            b.take(2 * [0, 7, 1, 2, 3, 4].into_iter().filter(|bit| bits >> bit & 1 != 0).count())?;
            b.take([5, 6].into_iter().filter(|bit| bits >> bit & 1 != 0).count() + 1)?;
        }
        b.take(2 * (2..5).filter(|bit| has(*bit)).count())?;
        if has(5) {
            row.model = b.u8()?.into();
        }
        b.take((6..9).filter(|bit| has(*bit)).count())?;
        for (bit, extension, length) in [(16, 2, 1), (17, 8, 1), (18, 0x100, 1), (14, 0x800, 1), (19, 0x8_0000, 3)] {
            b.take(if has(bit) && r.fte & extension != 0 { length } else { 0 })?;
        }
        self.model(row.model)?;
        self.players.insert(slot, row);
        Ok(())
    }

    fn entity_delta(&self, b: &mut Bytes<'_>) -> Result<Option<Delta>> {
        const EVEN_MORE: u32 = 0x2 | 0x8 | 0x100 | 0x1000 | 0x8_0000 | 0x20_0000 | 0x8000_0000;
        let r = &self.rules;
        let word = u32::from(b.u16()?);
        if word == 0 {
            return Ok(None);
        }
        let mut bits = word & !511;
        if bits & 1 << 15 != 0 {
            bits |= u32::from(b.u8()?);
            if bits & 1 << 7 != 0 && (r.fte & EVEN_MORE != 0 || bits & 1 << 14 != 0) {
                bits |= u32::from(b.u8()?) << 16;
                if bits & 1 << 23 != 0 {
                    bits |= u32::from(b.u8()?) << 24;
                }
            }
        }
        let has = |bit: u32| bits >> bit & 1 != 0;
        let mut delta = Delta { number: word & 511, bits, ..Delta::default() };
        delta.number |= (bits >> 21 & u32::from(r.fte & 0x2000 != 0)) << 9 | (bits >> 22 & u32::from(r.fte & 0x4000 != 0)) << 10;
        if has(14) {
            return Ok(Some(delta));
        }
        let wide = has(19) && r.fte & 0x1000 != 0;
        if has(2) {
            delta.model = Some(u32::from(b.u8()?) + if wide { 256 } else { 0 });
        } else if wide {
            delta.model = Some(b.u16()?.into());
        }
        if has(13) {
            delta.frame = Some(b.u8()?.into());
        }
        b.take((3..6).filter(|bit| has(*bit)).count())?;
        for (axis, place, turn) in [(0, 9, 0), (1, 10, 12), (2, 11, 1)] {
            if has(place) {
                delta.origin[axis] = Some(b.place(r)?);
            }
            if has(turn) {
                b.angle(r)?;
            }
        }
        // scale, opacity, fatness, draw flags, light, tint
        for (bit, extension, length) in [(16, 2, 1), (17, 8, 1), (18, 0x100, 1), (24, 0x20_0000, 1), (25, 0x20_0000, 1), (26, 0x8_0000, 3)] {
            b.take(if has(bit) && r.fte & extension != 0 { length } else { 0 })?;
        }
        // flags, tag, light source, and high effects come whatever was agreed on
        for (bit, length) in [(27, 1), (28, 4), (29, 10), (30, 1)] {
            b.take(if has(bit) { length } else { 0 })?;
        }
        if has(31) {
            return Err(format!("an entity with bits {bits:#x}"));
        }
        Ok(Some(delta))
    }

    fn entities(&mut self, b: &mut Bytes<'_>, from: Option<u8>) -> Result<()> {
        let base: Option<BTreeMap<u32, Row>> = match from {
            None => Some(BTreeMap::new()),
            Some(_) if self.rules.multi_view => Some(self.newest.clone()),
            Some(from) => {
                let sequence = (0..64).map(|back| self.sequence.wrapping_sub(back)).find(|sequence| *sequence as u8 == from);
                sequence.and_then(|sequence| self.frames.get(&sequence).cloned())
            }
        };
        let usable = base.is_some();
        let mut now = base.unwrap_or_default();
        let mut last = 0;
        while let Some(delta) = self.entity_delta(b)? {
            if delta.number <= last {
                return Err(format!("entity {} after {last}", delta.number));
            }
            last = delta.number;
            if delta.bits & 1 << 14 != 0 {
                now.remove(&delta.number);
                continue;
            }
            let start = now.get(&delta.number).or_else(|| self.baselines.get(&delta.number)).copied().unwrap_or_default();
            let row = delta.over(start);
            if usable {
                self.model(row.model)?;
            }
            now.insert(delta.number, row);
        }
        if !usable {
            self.skipped += 1;
            return Ok(());
        }
        if now.len() > 512 {
            return Err(format!("{} entities in sight", now.len()));
        }
        self.framed = true;
        self.newest.clone_from(&now);
        self.frames.insert(self.sequence, now);
        self.frames.retain(|sequence, _| self.sequence.wrapping_sub(*sequence) < 64);
        Ok(())
    }
}

/// What is said of an entity.
#[derive(Debug, Clone, Copy, Default)]
struct Delta {
    number: u32,
    bits: u32,
    model: Option<u32>,
    frame: Option<u32>,
    origin: [Option<f32>; 3],
}

impl Delta {
    fn over(&self, row: Row) -> Row {
        let origin = [0, 1, 2].map(|axis| self.origin[axis].unwrap_or(row.origin[axis]));
        Row { model: self.model.unwrap_or(row.model), frame: self.frame.unwrap_or(row.frame), origin }
    }
}

/// Messages that both branches have.
pub(super) fn shared(client: &mut Client, b: &mut Bytes<'_>, number: u8) -> Result<()> {
    let r = client.rules;
    match number {
        1 => {}
        // a client counts monsters and secrets by himself
        27 | 28 if r.multi_view => {}
        27 | 28 => *client.stats.entry((0, if number == 27 { 14 } else { 13 })).or_default() += 1,
        9 | 26 | 31 => drop(b.string()?),
        12 => {
            let style = b.u8()?;
            b.string()?;
            if style >= 64 {
                return Err(format!("light style {style}"));
            }
        }
        16 => drop(b.u16()?),
        19 => {
            b.take(2)?;
            b.point(&r)?;
        }
        21 => client.delta_static(b)?,
        23 => temp_entity(client, b)?,
        24 => drop(b.u8()?),
        29 => {
            b.point(&r)?;
            b.take(3)?;
        }
        66 => client.delta_baseline(b)?,
        79 => {
            let (stat, value) = (b.u8()?, b.f32()?);
            client.stats.insert((if r.multi_view { client.own } else { 0 }, stat), value as i32);
        }
        78 => {
            b.u8()?;
            b.string()?;
        }
        85 => drop(b.take(6)?),
        86 => client.delta_frame(b)?,
        55 => return client.extended_sound(b),
        other => return Err(format!("message {other}")),
    }
    Ok(())
}

fn temp_entity(client: &mut Client, b: &mut Bytes<'_>) -> Result<()> {
    let r = client.rules;
    let kind = b.u8()?;
    match (r.netquake, kind) {
        (_, 5 | 6 | 9) | (true, 13) | (false, 18) => {
            b.entity(&r)?;
            b.point(&r)?;
            b.point(&r)?;
        }
        (false, 2 | 12) => {
            b.u8()?;
            b.point(&r)?;
        }
        (_, 0 | 1 | 4 | 7 | 8 | 10 | 11) | (false, 3 | 13..=15 | 20 | 21) | (true, 2 | 3 | 14 | 20) => drop(b.point(&r)?),
        (true, 12) => {
            b.point(&r)?;
            b.take(2)?;
        }
        _ => return Err(format!("a temporary entity of kind {kind}")),
    }
    Ok(())
}
