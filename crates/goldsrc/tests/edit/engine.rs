//! A player that is as strict as engines are, written by their rules and without a line of the crate: it takes bytes and says at
//! what a game would stop.

use std::collections::HashMap;

/// What playing showed: for each frame while playing its server time (as bits), sequence number, and entities.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Played {
    pub frames: Vec<(u32, u32, usize)>,
    pub messages: usize,
}

type Check<T> = Result<T, String>;

fn no<T>(what: impl Into<String>) -> Check<T> {
    Err(what.into())
}

/// Bits from the least significant end of each byte.
struct Bits<'a> {
    data: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, width: usize) -> Check<u32> {
        let mut value = 0u32;
        for bit in 0..width {
            let Some(byte) = self.data.get(self.at / 8) else { return no("read past the end of the block") };
            value |= u32::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Ok(value)
    }

    fn peek16(&self) -> Option<u32> {
        Bits { data: self.data, at: self.at }.take(16).ok()
    }

    fn flag(&mut self) -> Check<bool> {
        Ok(self.take(1)? != 0)
    }

    fn byte(&mut self) -> Check<u8> {
        Ok(self.take(8)? as u8)
    }

    fn skip(&mut self, bytes: usize) -> Check<()> {
        (0..bytes).try_for_each(|_| self.byte().map(drop))
    }

    fn string(&mut self, most: usize) -> Check<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            match self.byte()? {
                0 if text.len() > most => return no(format!("a string of {} bytes, where {most} fit", text.len())),
                0 => return Ok(text),
                byte => text.push(byte),
            }
        }
    }

    fn align(&mut self) {
        self.at = self.at.div_ceil(8) * 8;
    }
}

/// A field of a description: its bits, or a string.
#[derive(Clone, Copy)]
enum Wide {
    Bits(usize),
    Text,
}

#[derive(Clone, Default)]
struct Stored {
    sequence: Option<u32>,
    entities: Option<Vec<u16>>,
    client: bool,
}

struct Client {
    network: i32,
    descriptions: HashMap<Vec<u8>, Vec<Wide>>,
    user: HashMap<u8, Option<usize>>,
    slots: u16,
    instanced: u32,
    proxy: bool,
    connected: bool,
    time: f32,
    /// The frame that is being received, and the one that client data made the current one.
    sequence: u32,
    current: u32,
    ring: Vec<Stored>,
    /// Entities of the frame that this block brought.
    frame: Option<usize>,
    last_frame: Option<u32>,
    messages: usize,
}

fn word(bytes: &[u8], at: usize) -> Check<i32> {
    match bytes.get(at..at + 4) {
        Some(four) => Ok(i32::from_le_bytes([four[0], four[1], four[2], four[3]])),
        None => no("the file ends inside a number"),
    }
}

/// Plays a whole file; anything that stops a game is an error.
pub(super) fn play(bytes: &[u8]) -> Check<Played> {
    if bytes.get(..6) != Some(b"HLDEMO") || word(bytes, 8)? != 5 {
        return no("no recording of demo protocol 5");
    }
    let network = word(bytes, 12)?;
    if !(45..=48).contains(&network) {
        return no(format!("network protocol {network}"));
    }
    let directory = word(bytes, 540)? as usize;
    let count = word(bytes, directory)?;
    if !(1..=1024).contains(&count) {
        return no(format!("a directory of {count} entries"));
    }
    if bytes.len() < directory + 4 + 92 * count as usize {
        return no("the directory is cut off");
    }
    let mut client = Client {
        network,
        descriptions: HashMap::new(),
        user: HashMap::new(),
        slots: 0,
        instanced: 0,
        proxy: false,
        connected: false,
        time: 0.0,
        sequence: 0,
        current: 0,
        ring: vec![Stored::default(); 64],
        frame: None,
        last_frame: None,
        messages: 0,
    };
    let mut played = Played::default();
    for entry in 0..count as usize {
        let at = directory + 4 + 92 * entry;
        let (kind, frames) = (word(bytes, at)?, word(bytes, at + 80)?);
        let (from, length) = (word(bytes, at + 84)?, word(bytes, at + 88)?);
        if from < 544 || length < 9 || (from + length) as usize > bytes.len() {
            return no(format!("entry {entry} lies at {from} with {length} bytes"));
        }
        if entry == 0 && kind != 0 {
            return no("the first entry is not what was sent before playing");
        }
        let counted = segment(&mut client, &mut played, bytes, from as usize..(from + length) as usize, kind != 0)?;
        if kind != 0 && counted != frames {
            return no(format!("entry {entry} says {frames} frames, there are {counted}"));
        }
    }
    played.messages = client.messages;
    Ok(played)
}

/// Plays a segment; gives its blocks of type 1.
fn segment(client: &mut Client, played: &mut Played, bytes: &[u8], range: std::ops::Range<usize>, playing: bool) -> Check<i32> {
    let (mut at, mut frames, mut ended) = (range.start, 0, false);
    while at < range.end {
        let place = at;
        let fail = |what: String| format!("macro at {place}: {what}");
        let id = bytes[at];
        let time = f32::from_bits(word(bytes, at + 1)? as u32);
        if !time.is_finite() || (playing && time < -0.001) {
            return no(fail(format!("time {time}")));
        }
        if playing && place == range.start && id != 2 {
            return no(fail(String::from("a played segment starts otherwise than with its start")));
        }
        if ended && id != 5 {
            return no(fail(String::from("something stands behind the end")));
        }
        at += 9;
        let length = match id {
            0 | 1 => {
                let length = word(bytes, at + 464)?;
                if !(0..=65536).contains(&length) {
                    return no(fail(format!("a block of {length} bytes")));
                }
                468 + length as usize
            }
            2 | 5 => 0,
            3 => 64,
            4 => 32,
            6 => 84,
            7 => 8,
            8 => {
                let name = word(bytes, at + 4)?;
                24 + usize::try_from(name).map_err(|_| fail(String::from("a sound's name")))?
            }
            9 => {
                let buffer = word(bytes, at)?;
                4 + usize::try_from(buffer).map_err(|_| fail(String::from("a buffer's length")))?
            }
            other => return no(fail(format!("type {other}"))),
        };
        let Some(body) = bytes.get(at..at + length).filter(|_| at + length <= range.end) else { return no(fail(String::from("it crosses its segment's end"))) };
        match id {
            0 | 1 => {
                client.block(word(body, 436)? as u32, &body[468..]).map_err(fail)?;
                frames += i32::from(id == 1);
                if let Some(entities) = client.frame.take().filter(|_| playing) {
                    played.frames.push((client.time.to_bits(), client.sequence, entities));
                }
            }
            3 if !body.contains(&0) => return no(fail(String::from("a command without end"))),
            5 => ended = true,
            _ => {}
        }
        at += length;
    }
    if ended { Ok(frames) } else { no(format!("the segment at {} has no end", range.start)) }
}

impl Client {
    fn block(&mut self, sequence: u32, data: &[u8]) -> Check<()> {
        self.sequence = sequence;
        let mut bits = Bits { data, at: 0 };
        while bits.at < data.len() * 8 {
            let (at, id) = (bits.at / 8, bits.byte()?);
            self.message(id, &mut bits).map_err(|what| format!("message {id} at {at}: {what}"))?;
            bits.align();
            self.messages += 1;
        }
        Ok(())
    }

    fn message(&mut self, id: u8, bits: &mut Bits) -> Check<()> {
        const LONG: usize = 2047;
        let texts = |bits: &mut Bits| bits.string(LONG).map(drop);
        match id {
            1 | 19 | 27 | 28 | 30 | 42 => Ok(()),
            2 | 8 | 9 | 26 | 31 | 34 | 49 | 56 | 57 => texts(bits),
            3 => self.events(bits),
            4 | 55 => bits.skip(4),
            5 | 16 | 35 | 37 | 38 | 47 => bits.skip(2),
            6 => Self::sound(bits),
            7 => {
                self.time = f32::from_bits(bits.take(32)?);
                if self.time.is_finite() { Ok(()) } else { no("the server's time is not a number") }
            }
            10 => bits.skip(6),
            11 => self.server_info(bits),
            12 | 36 => {
                bits.skip(1)?;
                texts(bits)
            }
            13 => {
                let slot = bits.byte()?;
                bits.skip(4)?;
                // what is longer than 255 bytes is cut off, not refused
                texts(bits)?;
                bits.skip(16)?;
                if slot < 32 { Ok(()) } else { no(format!("slot {slot}")) }
            }
            14 => self.description(bits),
            15 => self.client_data(bits),
            17 => {
                while bits.flag()? {
                    bits.take(24)?;
                }
                Ok(())
            }
            18 => bits.skip(11),
            20 => {
                bits.skip(16)?;
                let plain = bits.byte()? == 0;
                if plain { Ok(()) } else { bits.skip(5) }
            }
            21 => {
                bits.take(10)?;
                self.delta(bits, b"event_t")?;
                if bits.flag()? {
                    bits.take(16)?;
                }
                Ok(())
            }
            22 => self.baselines(bits),
            23 => Self::temp_entity(bits),
            24 | 25 => bits.skip(1),
            29 => bits.skip(14),
            32 => bits.skip(2),
            33 => {
                texts(bits)?;
                (0..bits.byte()?).try_for_each(|_| texts(bits))
            }
            39 => {
                let (number, size) = (bits.byte()?, bits.byte()? as i8);
                bits.skip(16)?;
                self.user.insert(number, usize::try_from(size).ok());
                if number >= 64 { Ok(()) } else { no(format!("a user message of number {number}")) }
            }
            40 => self.entities(bits, None),
            41 => {
                let count = bits.take(16)?;
                let base = bits.byte()?;
                self.entities_from(bits, count, Some(base))
            }
            43 => Self::resources(bits),
            44 => {
                bits.skip(97)?;
                texts(bits)
            }
            45 => bits.skip(8),
            46 => {
                bits.skip(2)?;
                texts(bits)?;
                bits.skip(6)?;
                let hashed = bits.byte()? & 4 != 0;
                bits.skip(if hashed { 16 } else { 0 })
            }
            48 => bits.skip(4),
            50 => match bits.byte()? {
                0 => {
                    self.proxy = true;
                    Ok(())
                }
                1 => bits.skip(10),
                2 => bits.skip(8),
                other => no(format!("HLTV mode {other}")),
            },
            51 => {
                let length = bits.byte()?;
                bits.skip(usize::from(length))
            }
            52 => {
                texts(bits)?;
                bits.skip(usize::from(self.network >= 47))
            }
            53 => {
                bits.skip(1)?;
                let length = bits.take(16)?;
                bits.skip(length as usize)
            }
            54 => {
                texts(bits)?;
                bits.skip(1)
            }
            58 => {
                bits.skip(4)?;
                texts(bits)
            }
            59 => {
                let with_class = bits.byte()? == 1;
                bits.skip(usize::from(with_class))
            }
            64.. => match self.user.get(&id) {
                None => no("a user message that nobody announced"),
                Some(&size) => {
                    let size = match size {
                        Some(size) => size,
                        None => usize::from(bits.byte()?),
                    };
                    bits.skip(size)
                }
            },
            _ => no("svc_bad"),
        }
    }

    fn server_info(&mut self, bits: &mut Bits) -> Check<()> {
        let protocol = bits.take(32)? as i32;
        if protocol != self.network {
            return no(format!("the server speaks {protocol}, the header says {}", self.network));
        }
        bits.skip(8 + 16)?;
        self.slots = u16::from(bits.byte()?);
        let own = bits.byte()?;
        if !(1..=32).contains(&self.slots) || u16::from(own) >= self.slots {
            return no(format!("player {own} of {}", self.slots));
        }
        bits.skip(1)?;
        (0..3).try_for_each(|_| bits.string(2047).map(drop))?;
        if self.network > 45 || bits.data.get(bits.at / 8) != Some(&54) {
            bits.string(65535)?;
            if bits.byte()? != 0 {
                bits.skip(if self.network == 45 { 36 } else { 21 })?;
            }
        } else {
            bits.skip(1)?;
            bits.string(2047)?;
            bits.skip(1)?;
        }
        self.ring = vec![Stored::default(); 64];
        (self.connected, self.instanced, self.last_frame) = (true, 0, None);
        Ok(())
    }

    fn description(&mut self, bits: &mut Bits) -> Check<()> {
        let name = bits.string(2047)?;
        let mut fields = Vec::new();
        for _ in 0..bits.take(16)? {
            let bytes = bits.take(3)?;
            let mask = bits.take(8 * bytes as usize)?;
            let (mut kind, mut wide) = (0, 0);
            for (field, width) in [32, 0, 16, 8, 8, 32, 32].into_iter().enumerate() {
                if mask >> field & 1 == 0 {
                    continue;
                }
                match field {
                    1 => drop(bits.string(2047)?),
                    0 => kind = bits.take(32)?,
                    4 => wide = bits.take(8)? as usize,
                    _ => drop(bits.take(width)?),
                }
            }
            fields.push(match kind & 0xff {
                0x80 => Wide::Text,
                0x20 => Wide::Bits(8),
                1 | 2 | 4 | 8 | 0x10 | 0x40 if (1..=32).contains(&wide) => Wide::Bits(wide),
                other => return no(format!("a field of type {other:x} and {wide} bits")),
            });
        }
        if fields.len() > 56 {
            return no("too many fields");
        }
        self.descriptions.insert(name, fields);
        Ok(())
    }

    fn delta(&self, bits: &mut Bits, name: &[u8]) -> Check<()> {
        let Some(fields) = self.descriptions.get(name) else { return no(format!("{} is not described", String::from_utf8_lossy(name))) };
        let bytes = bits.take(3)?;
        let masks: Vec<u32> = (0..bytes).map(|_| bits.take(8)).collect::<Check<_>>()?;
        for (byte, mask) in masks.iter().enumerate() {
            for bit in (0..8).filter(|bit| mask >> bit & 1 != 0) {
                match fields.get(byte * 8 + bit) {
                    Some(Wide::Bits(width)) => drop(bits.take(*width)?),
                    Some(Wide::Text) => drop(bits.string(2047)?),
                    None => return no("a field beyond the description"),
                }
            }
        }
        Ok(())
    }

    fn stored(&self, base: u8) -> Option<&Stored> {
        let stored = &self.ring[usize::from(base) % 64];
        (stored.sequence? as u8 == base).then_some(stored)
    }

    fn client_data(&mut self, bits: &mut Bits) -> Check<()> {
        if !self.connected {
            return no("no server yet");
        }
        self.current = self.sequence;
        let at = self.current as usize % 64;
        if !self.proxy {
            if bits.flag()? {
                let base = bits.byte()?;
                if base as usize % 64 == at || !self.stored(base).is_some_and(|stored| stored.client) {
                    return no(format!("client data against frame {base}, which is not there"));
                }
            }
            self.delta(bits, b"clientdata_t")?;
            while bits.flag()? {
                bits.take(if self.network < 47 { 5 } else { 6 })?;
                self.delta(bits, b"weapon_data_t")?;
            }
        }
        self.ring[at] = Stored { sequence: Some(self.current), entities: None, client: !self.proxy };
        Ok(())
    }

    fn entities(&mut self, bits: &mut Bits, base: Option<u8>) -> Check<()> {
        let count = bits.take(16)?;
        self.entities_from(bits, count, base)
    }

    fn entities_from(&mut self, bits: &mut Bits, count: u32, base: Option<u8>) -> Check<()> {
        if !self.connected {
            return no("no server yet");
        }
        if self.last_frame.is_some_and(|last| self.sequence.wrapping_sub(last) as i32 <= 0) {
            return no(format!("frame {} comes after {:?}", self.sequence, self.last_frame));
        }
        self.last_frame = Some(self.sequence);
        let mut list = match base {
            None => Vec::new(),
            Some(base) if usize::from(base) % 64 == self.current as usize % 64 => return no("a delta against itself"),
            Some(base) => match self.stored(base).and_then(|stored| stored.entities.clone()) {
                Some(list) => list,
                None => return no(format!("entities against frame {base}, which is not there")),
            },
        };
        let (mut number, mut first, mut seen) = (0u32, true, 0u32);
        loop {
            if bits.peek16() == Some(0) {
                bits.take(16)?;
                break;
            }
            let removed = base.is_some() && bits.flag()?;
            number = if base.is_none() && bits.flag()? {
                number + 1
            } else if bits.flag()? {
                bits.take(11)?
            } else {
                number + bits.take(6)?
            };
            let rises = first || number > seen;
            if !rises || number == 0 || number >= 2048 {
                return no(format!("entity {number} after {seen}"));
            }
            (first, seen) = (false, number);
            let place = list.binary_search(&(number as u16));
            if removed {
                match place {
                    Ok(at) => drop(list.remove(at)),
                    Err(_) => return no(format!("entity {number} goes, and was not there")),
                }
                continue;
            }
            let custom = bits.flag()?;
            let instanced = self.instanced > 0 && bits.flag()?;
            if instanced && bits.take(6)? >= self.instanced {
                return no(format!("entity {number} starts from a baseline that is not there"));
            }
            // only a full frame may start from an entity before it
            if base.is_none() && !instanced && bits.flag()? && bits.take(6)? as usize > list.len() {
                return no(format!("entity {number} starts from an entity that is not there"));
            }
            let name: &[u8] = match (custom, number) {
                (true, _) => b"custom_entity_state_t",
                (false, number) if number <= u32::from(self.slots) => b"entity_state_player_t",
                _ => b"entity_state_t",
            };
            self.delta(bits, name)?;
            if let Err(at) = place {
                list.insert(at, number as u16);
            }
        }
        if list.len() != count as usize {
            return no(format!("{count} entities are said, {} came out", list.len()));
        }
        self.frame = Some(list.len());
        let at = self.current as usize % 64;
        self.ring[at] = Stored { sequence: Some(self.current), entities: Some(list), client: self.ring[at].client };
        Ok(())
    }

    fn baselines(&mut self, bits: &mut Bits) -> Check<()> {
        while bits.peek16() != Some(0xffff) {
            let number = bits.take(11)? as u16;
            let custom = bits.take(2)? & 1 == 0;
            let name: &[u8] = match (custom, number) {
                (true, _) => b"custom_entity_state_t",
                (false, number) if (1..=self.slots).contains(&number) => b"entity_state_player_t",
                _ => b"entity_state_t",
            };
            self.delta(bits, name)?;
        }
        bits.take(16)?;
        self.instanced = bits.take(6)?;
        (0..self.instanced).try_for_each(|_| self.delta(bits, b"entity_state_t"))
    }

    fn events(&mut self, bits: &mut Bits) -> Check<()> {
        for _ in 0..bits.take(5)? {
            bits.take(10)?;
            if bits.flag()? {
                bits.take(11)?;
                if bits.flag()? {
                    self.delta(bits, b"event_t")?;
                }
            }
            if bits.flag()? {
                bits.take(16)?;
            }
        }
        Ok(())
    }

    fn sound(bits: &mut Bits) -> Check<()> {
        let flags = bits.take(9)?;
        bits.take(if flags & 1 != 0 { 8 } else { 0 })?;
        bits.take(if flags & 2 != 0 { 8 } else { 0 })?;
        bits.take(3 + 11)?;
        bits.take(if flags & 4 != 0 { 16 } else { 8 })?;
        let axes = bits.take(3)?;
        for _ in 0..axes.count_ones() {
            let (whole, part) = (bits.flag()?, bits.flag()?);
            if whole || part {
                bits.take(1 + if whole { 12 } else { 0 } + if part { 3 } else { 0 })?;
            }
        }
        bits.take(if flags & 8 != 0 { 8 } else { 0 }).map(drop)
    }

    fn temp_entity(bits: &mut Bits) -> Check<()> {
        const FIRST: [usize; 31] = [24, 20, 6, 11, 6, 10, 12, 17, 16, 6, 6, 6, 8, 0, 9, 19, 0, 10, 16, 24, 24, 24, 10, 11, 16, 19, 0, 12, 16, 0, 17];
        const LATE: [usize; 29] = [2, 10, 14, 12, 14, 9, 5, 17, 13, 24, 9, 17, 7, 10, 19, 19, 12, 7, 7, 9, 16, 18, 6, 10, 13, 7, 1, 18, 15];
        match bits.byte()? {
            13 => {
                bits.skip(8)?;
                let entity = bits.take(16)?;
                bits.skip(if entity == 0 { 0 } else { 2 })
            }
            29 => {
                bits.skip(5)?;
                let effect = bits.byte()?;
                bits.skip(14 + if effect == 2 { 2 } else { 0 })?;
                bits.string(2047).map(drop)
            }
            16 | 26 => no("a temporary entity that there is not"),
            31 => bits.skip(17),
            kind @ 0..=30 => bits.skip(FIRST[usize::from(kind)]),
            kind @ 99..=127 => bits.skip(LATE[usize::from(kind) - 99]),
            other => no(format!("temporary entity {other}")),
        }
    }

    fn resources(bits: &mut Bits) -> Check<()> {
        for _ in 0..bits.take(12)? {
            bits.take(4)?;
            bits.string(2047)?;
            bits.take(12)?;
            bits.take(24)?;
            if bits.take(3)? & 4 != 0 {
                bits.skip(16)?;
            }
            if bits.flag()? {
                bits.skip(32)?;
            }
        }
        if bits.flag()? {
            while bits.flag()? {
                let near = bits.flag()?;
                bits.take(if near { 5 } else { 10 })?;
            }
        }
        Ok(())
    }
}
