//! A client that plays strictly, written from the description of the formats and sharing no code with the decoder: protocols 26
//! to 34 (clients, servers, Relay) and plain MVD2. It stops where engines stop, and where they would go on with wrong states.
mod bytes;
mod fields;

use std::collections::HashMap;

use bytes::{Bytes, Read};
use fields::{change, header, mvd_player, player};

/// An entity as the client draws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entity {
    pub models: [u8; 4],
    pub frame: i32,
    pub skin: i32,
    pub effects: i32,
    pub renderfx: i32,
    pub origin: [i32; 3],
    pub angles: [i32; 3],
    pub old_origin: [i32; 3],
    pub sound: u8,
    pub event: u8,
    pub solid: i32,
}

/// A player's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Player {
    pub kind: u8,
    pub origin: [i32; 3],
    pub velocity: [i32; 3],
    pub time: u8,
    pub flags: u8,
    pub gravity: i32,
    pub delta_angles: [i32; 3],
    pub viewoffset: [i32; 3],
    pub viewangles: [i32; 3],
    pub kick: [i32; 3],
    pub gun: u8,
    pub gunframe: u8,
    pub gunoffset: [i32; 3],
    pub gunangles: [i32; 3],
    pub blend: [u8; 4],
    pub fov: u8,
    pub rdflags: u8,
    pub stats: [i32; 32],
}

const NOBODY: Player = Player {
    kind: 0,
    origin: [0; 3],
    velocity: [0; 3],
    time: 0,
    flags: 0,
    gravity: 0,
    delta_angles: [0; 3],
    viewoffset: [0; 3],
    viewangles: [0; 3],
    kick: [0; 3],
    gun: 0,
    gunframe: 0,
    gunoffset: [0; 3],
    gunangles: [0; 3],
    blend: [0; 4],
    fov: 0,
    rdflags: 0,
    stats: [0; 32],
};

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// Levels begun before it.
    pub level: u32,
    pub number: i32,
    pub players: Vec<(Option<u8>, Player)>,
    pub entities: Vec<(u16, Entity)>,
    /// The configstrings that name players. A client starts with empty configstrings, so one that was emptied equals one that was never sent.
    pub names: Vec<(u16, Vec<u8>)>,
}

/// Which kind of recording is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Client,
    Server,
    Relay,
    Multi,
}

struct Client {
    kind: Kind,
    protocol: i32,
    level: u32,
    begun: bool,
    strings: HashMap<i32, Vec<u8>>,
    baselines: HashMap<u16, Entity>,
    /// The last 16 frames and how many entity states came before each.
    frames: Vec<Option<(Seen, usize)>>,
    parsed: usize,
    /// MVD2: states that change in place.
    players: HashMap<u8, (bool, Player)>,
    entities: HashMap<u16, (bool, Entity)>,
    seen: Vec<Seen>,
}

/// Plays a recording to its end. `strict`: no block may be longer than engines play.
pub(super) fn play(bytes: &[u8], strict: bool) -> Read<Vec<Seen>> {
    let multi = bytes.starts_with(b"MVD2");
    let mut client = Client {
        kind: if multi { Kind::Multi } else { Kind::Client },
        protocol: 34,
        level: 0,
        begun: false,
        strings: HashMap::new(),
        baselines: HashMap::new(),
        frames: vec![None; 16],
        parsed: 0,
        players: HashMap::new(),
        entities: HashMap::new(),
        seen: Vec::new(),
    };
    let mut file = Bytes(if multi { &bytes[4..] } else { bytes });
    let mut block = 0;
    loop {
        if !multi && file.0.is_empty() && client.kind == Kind::Server {
            return Ok(client.seen);
        }
        let length = if multi { i32::from(file.short()? as u16) } else { file.long()? };
        if multi && length == 0 || !multi && length == -1 {
            return if file.0.is_empty() { Ok(client.seen) } else { Err(String::from("bytes behind the end")) };
        }
        if length <= 0 {
            return Err(format!("a block of length {length}"));
        }
        let data = file.take(length as usize)?.to_vec();
        let place = |error| format!("block {block}: {error}");
        let mut message = Bytes(&data);
        while !message.0.is_empty() {
            if multi { client.mvd(&mut message) } else { client.message(&mut message) }.map_err(place)?;
        }
        let longest = if client.kind == Kind::Client || client.kind == Kind::Relay { 1390 } else { 32768 };
        if strict && length > longest {
            return Err(place(format!("{length} bytes")));
        }
        block += 1;
    }
}

impl Client {
    fn message(&mut self, r: &mut Bytes) -> Read<()> {
        let number = r.byte()?;
        if number & 0x80 != 0 {
            if self.kind != Kind::Relay {
                return Err(format!("message {number}"));
            }
            r.byte()?;
        }
        match number & 0x7f {
            1 | 2 => {
                let entity = r.short()?;
                r.byte()?;
                check((1..1024).contains(&entity), "muzzle flash")?;
            }
            3 => self.temp_entity(r)?,
            4 | 11 | 15 => drop(r.text()?),
            5 => drop(r.take(512)?),
            6 => {}
            9 => {
                let flags = r.byte()?;
                r.byte()?;
                let count = [1, 2, 16].iter().filter(|&&flag| flags & flag != 0).count();
                r.take(count)?;
                if flags & 8 != 0 {
                    check(r.short()? >> 3 <= 1024, "sound")?;
                }
                if flags & 4 != 0 {
                    r.take(6)?;
                }
            }
            10 => {
                r.byte()?;
                r.text()?;
            }
            12 => self.server_data(r)?,
            13 => {
                let index = r.short()?;
                check((0..2080).contains(&index), "configstring")?;
                let text = r.text()?;
                self.strings.insert(index, text);
            }
            14 => {
                let (number, bits) = header(r)?;
                let mut entity = Entity::default();
                change(r, bits, &mut entity)?;
                self.baselines.insert(number, entity);
            }
            20 => self.frame(r)?,
            other => return Err(format!("message {other}")),
        }
        Ok(())
    }

    fn server_data(&mut self, r: &mut Bytes) -> Read<()> {
        self.protocol = r.long()?;
        check((26..=34).contains(&self.protocol), "protocol")?;
        r.long()?;
        let kind = r.byte()?;
        check(kind != 0 || self.level > 0, "the recording says it is a connection")?;
        self.kind = match kind {
            2 => Kind::Server,
            0x80 => Kind::Relay,
            _ => Kind::Client,
        };
        r.text()?;
        r.short()?;
        r.text()?;
        self.begin_level();
        Ok(())
    }

    fn begin_level(&mut self) {
        self.level += 1;
        self.strings.clear();
        self.baselines.clear();
        self.frames.fill(None);
        self.players.clear();
        self.entities.clear();
    }

    fn frame(&mut self, r: &mut Bytes) -> Read<()> {
        let number = r.long()?;
        if self.seen.last().is_some_and(|last| last.level == self.level && number < last.number) {
            // another level that nothing announced
            self.level += 1;
            self.frames.fill(None);
        }
        let mut players = Vec::new();
        let mut old: Option<Seen> = None;
        if self.kind != Kind::Server {
            let delta = r.long()?;
            if self.protocol != 26 {
                r.byte()?;
            }
            let areas = r.byte()?;
            check(areas <= 32, "areas")?;
            r.take(areas.into())?;
            if self.kind == Kind::Relay {
                let connected = r.byte()?;
                r.take(connected.into())?;
            }
            if delta > 0 {
                let kept = self.frames[delta as usize & 15].clone().filter(|(kept, _)| kept.number == delta);
                let (base, parsed) = kept.ok_or_else(|| format!("frame {number}: no frame {delta}"))?;
                check(self.parsed - parsed <= 1024 - 128 || self.kind == Kind::Relay, "a base too old")?;
                old = Some(base);
            }
            loop {
                let client = match r.0.first() {
                    Some(17) => None,
                    Some(0x91) if self.kind == Kind::Relay => Some(r.0[1]),
                    _ => break,
                };
                r.take(if client.is_some() { 2 } else { 1 })?;
                let before = old.as_ref().and_then(|old| old.players.iter().find(|(known, _)| *known == client)).map_or(NOBODY, |(_, player)| *player);
                players.push((client, player(r, before)?));
            }
            check(players.len() == 1 || self.kind == Kind::Relay, "players of a frame")?;
        }
        if r.0.first() == Some(&0x92) && self.kind == Kind::Relay {
            r.take(2)?;
        } else {
            check(r.byte()? == 18, "a frame without entities")?;
        }
        let entities = self.packet_entities(r, old.as_ref())?;
        let seen = Seen { level: self.level, number, players, entities, names: self.names() };
        self.frames[number as usize & 15] = Some((seen.clone(), self.parsed));
        self.parsed += seen.entities.len();
        self.seen.push(seen);
        self.begun = true;
        Ok(())
    }

    fn names(&self) -> Vec<(u16, Vec<u8>)> {
        let mut names: Vec<_> = self
            .strings
            .iter()
            .filter(|(index, _)| (1312..1568).contains(*index))
            .filter(|(_, text)| !text.is_empty())
            .map(|(index, text)| (*index as u16, text.clone()))
            .collect();
        names.sort();
        names
    }

    fn packet_entities(&self, r: &mut Bytes, old: Option<&Seen>) -> Read<Vec<(u16, Entity)>> {
        let old = old.map_or(&[][..], |old| &old.entities);
        let mut at = 0;
        let mut new = Vec::new();
        let stays = |&(number, mut entity): &(u16, Entity)| {
            (entity.event, entity.old_origin) = (0, entity.origin);
            (number, entity)
        };
        loop {
            let (number, bits) = header(r)?;
            if number == 0 {
                break;
            }
            while at < old.len() && old[at].0 < number {
                new.push(stays(&old[at]));
                at += 1;
            }
            let known = old.get(at).filter(|(known, _)| *known == number);
            at += usize::from(known.is_some());
            if bits & 0x40 != 0 {
                check(known.is_some(), "the removal of an entity that is not there")?;
                continue;
            }
            let zero = Entity::default();
            let from = if self.kind == Kind::Server { &zero } else { self.baselines.get(&number).unwrap_or(&zero) };
            let mut entity = known.map_or(*from, |(_, entity)| *entity);
            entity.old_origin = entity.origin;
            change(r, bits, &mut entity)?;
            new.push((number, entity));
        }
        new.extend(old[at..].iter().map(stays));
        Ok(new)
    }

    fn temp_entity(&self, r: &mut Bytes) -> Read<()> {
        let kind = r.byte()?;
        let (before, positions, direction, after) = match kind {
            26 if self.protocol < 32 => (0, 2, false, 0),
            27 if self.protocol < 32 => (0, 1, true, 0),
            5..=8 | 17 | 18 | 20..=22 | 28 | 35 | 45 | 47..=49 | 51..=54 => (0, 1, false, 0),
            0..=2 | 4 | 9 | 12..=14 | 26 | 30 | 42..=44 | 46 | 55 => (0, 1, true, 0),
            3 | 11 | 23 | 27 | 34 | 41 => (0, 2, false, 0),
            10 | 15 | 25 | 29 => (1, 1, true, 1),
            16 | 19 | 38 | 39 => (2, 2, false, 0),
            24 => (2, 3, false, 0),
            33 => (4, 2, false, 0),
            36 => (0, 1, false, 2),
            37 => (0, 2, false, 1),
            50 => (2, 1, false, 0),
            40 => {
                let id = r.short()?;
                r.take(1 + 6)?;
                check(r.byte()? < 162, "direction")?;
                r.take(3)?;
                r.take(if id == -1 { 0 } else { 4 })?;
                return Ok(());
            }
            _ => return Err(format!("temporary entity {kind}")),
        };
        r.take(before + 6 * positions)?;
        if direction {
            check(r.byte()? < 162, "direction")?;
        }
        r.take(after)?;
        Ok(())
    }

    fn mvd(&mut self, r: &mut Bytes) -> Read<()> {
        let byte = r.byte()?;
        let (number, extra) = (byte & 31, usize::from(byte >> 5));
        match number {
            1 => {}
            4 => {
                check(r.long()? == 37 && r.short()? == 2010, "plain MVD2")?;
                r.long()?;
                r.text()?;
                r.short()?;
                self.begin_level();
                loop {
                    let index = r.short()?;
                    if index == 2080 {
                        break;
                    }
                    check((0..2080).contains(&index), "configstring")?;
                    let text = r.text()?;
                    self.strings.insert(index, text);
                }
                self.mvd_frame(r)?;
            }
            5 => {
                let index = r.short()?;
                check((0..2080).contains(&index), "configstring")?;
                let text = r.text()?;
                self.strings.insert(index, text);
            }
            6 => self.mvd_frame(r)?,
            8..=15 => {
                let length = usize::from(r.byte()?) | extra << 8;
                r.take([1, 1, 0, 2, 2, 0, 2, 2][usize::from(number) - 8])?;
                r.take(length)?;
            }
            16 => {
                let flags = r.byte()?;
                r.byte()?;
                r.take([1, 2, 16].iter().filter(|&&flag| flags & flag != 0).count())?;
                check((r.short()? as u16) >> 3 < 1024, "sound")?;
            }
            17 => {
                r.byte()?;
                r.text()?;
            }
            other => return Err(format!("MVD message {other}")),
        }
        Ok(())
    }

    fn mvd_frame(&mut self, r: &mut Bytes) -> Read<()> {
        let portals = r.byte()?;
        r.take(portals.into())?;
        loop {
            let number = r.byte()?;
            if number == 255 {
                break;
            }
            let (_, before) = self.players.get(&number).copied().unwrap_or((false, NOBODY));
            let (gone, player) = mvd_player(r, before)?;
            self.players.insert(number, (!gone, player));
        }
        for (_, entity) in self.entities.values_mut() {
            entity.event = 0;
        }
        loop {
            let (number, bits) = header(r)?;
            if number == 0 {
                break;
            }
            let (_, mut entity) = self.entities.get(&number).copied().unwrap_or_default();
            change(r, bits, &mut entity)?;
            self.entities.insert(number, (bits & 0x40 == 0, entity));
        }
        let mut players: Vec<_> = self.players.iter().filter(|(_, (there, _))| *there).map(|(number, (_, player))| (Some(*number), *player)).collect();
        players.sort_by_key(|(number, _)| *number);
        // When an old origin counts depends on the engine here.
        let plain = |entity: &Entity| Entity { old_origin: [0; 3], ..*entity };
        let mut entities: Vec<_> = self.entities.iter().filter(|(_, (there, _))| *there).map(|(number, (_, entity))| (*number, plain(entity))).collect();
        entities.sort_by_key(|(number, _)| *number);
        let number = self.seen.len() as i32;
        self.seen.push(Seen { level: self.level, number, players, entities, names: self.names() });
        Ok(())
    }
}

fn check(holds: bool, what: &str) -> Read<()> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}
