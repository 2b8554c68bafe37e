//! What a client keeps, and what it does with a message.

use std::collections::HashMap;

use super::bits::Bits;
use super::delta::{Player, Row, Rules};
use super::{MAX_MSGLEN, Place, Played, digest, fields};

/// A snapshot that later ones may be deltas from.
#[derive(Clone)]
struct Snapshot {
    sequence: i32,
    /// How many entities had been parsed before it.
    parsed: u64,
    player: Player,
    entities: Vec<(u16, Row)>,
}

pub(super) struct Client<'r> {
    rules: &'r Rules,
    /// By sequence modulo 32.
    snapshots: [Option<Snapshot>; 32],
    baselines: HashMap<u16, Row>,
    latest: i32,
    parsed: u64,
    received: i32,
    executed: i32,
    ring: Vec<Vec<u8>>,
    server_time: Option<i32>,
    connected: bool,
}

/// The number that ends a list of entities.
const END_OF_ENTITIES: u16 = 1023;

impl<'r> Client<'r> {
    pub(super) fn new(rules: &'r Rules) -> Self {
        Client {
            rules,
            snapshots: std::array::from_fn(|_| None),
            baselines: HashMap::new(),
            latest: 0,
            parsed: 0,
            received: 0,
            executed: 0,
            ring: vec![Vec::new(); 64],
            server_time: None,
            connected: false,
        }
    }

    /// Entities beyond which those of a snapshot are overwritten.
    fn kept(&self) -> u64 {
        // id's engines keep 2048; what is called 68 or higher may be ioquake3's
        if self.rules.protocol < 68 { 2048 - 128 } else { 32 * 256 - 256 }
    }

    pub(super) fn message(&mut self, sequence: i32, bits: &mut Bits<'_>, played: &mut Played) -> Result<(), String> {
        if self.rules.protocol >= 46 {
            bits.long()?;
        }
        loop {
            if self.rules.is_coded() {
                // an end whose bits fill the last byte is none to engines
                if bits.is_past() {
                    return Err(String::from("read past end of server message"));
                }
            } else if bits.is_over() {
                return Ok(());
            }
            let operation = bits.read(8)?;
            if operation == 8 {
                return if self.rules.is_coded() && bits.is_past() { Err(String::from("the end cannot be seen")) } else { Ok(()) };
            }
            match operation {
                0 if !self.rules.is_coded() => return Ok(()),
                1 => {}
                2 => self.gamestate(bits)?,
                _ if !self.connected => return Err(String::from("nothing may come before the gamestate")),
                5 => {
                    let (number, text) = (bits.long()?, bits.text(8191)?);
                    if number > self.received {
                        self.received = number;
                        self.ring[number as usize & 63] = text;
                    }
                }
                6 => download(bits)?,
                7 => self.snapshot(sequence, bits, played)?,
                9 | 10 if self.rules.protocol >= 70 => voice(bits, self.rules.protocol == 71)?,
                _ => return Err(format!("illegible server message {operation}")),
            }
            if !self.rules.is_coded() {
                bits.align();
            }
        }
    }

    fn gamestate(&mut self, bits: &mut Bits<'_>) -> Result<(), String> {
        self.received = bits.long()?;
        self.baselines.clear();
        let mut characters = 0;
        loop {
            match bits.read(8)? {
                8 => break,
                0 if !self.rules.is_coded() => break,
                3 => {
                    let index = bits.read(16)?;
                    if index >= 1024 {
                        return Err(format!("configstring {index} > MAX_CONFIGSTRINGS"));
                    }
                    characters += bits.text(8191)?.len() + 1;
                }
                4 => {
                    let number = bits.read(10)? as u16;
                    let row = self.rules.entity(bits, &[0; 64])?.unwrap_or([0; 64]);
                    self.baselines.insert(number, row);
                }
                other => return Err(format!("bad command byte {other} in a gamestate")),
            }
        }
        if self.rules.is_coded() {
            bits.read(32)?;
            bits.read(32)?;
        }
        if characters > 16000 {
            return Err(format!("MAX_GAMESTATE_CHARS exceeded: {characters}"));
        }
        self.snapshots.fill(None);
        self.latest = 0;
        self.server_time = None;
        self.connected = true;
        Ok(())
    }

    fn snapshot(&mut self, sequence: i32, bits: &mut Bits<'_>, played: &mut Played) -> Result<(), String> {
        if self.rules.protocol < 46 {
            bits.long()?;
        }
        let server_time = bits.long()?;
        let back = bits.read(8)? as i32;
        bits.read(8)?;
        let area = bits.read(8)?;
        if area > 32 {
            return Err(format!("an area mask of {area} bytes"));
        }
        bits.skip(area)?;
        let base = self.base(sequence, back)?;
        let (mut player, old) = base.map_or_else(Default::default, |base| (base.player.clone(), base.entities.clone()));
        self.rules.player(bits, &mut player)?;
        let entities = self.entities(bits, old)?;
        for missed in (self.latest + 1).max(sequence - 31)..sequence {
            self.snapshots[missed as usize & 31] = None;
        }
        self.latest = sequence;
        if self.server_time.is_some_and(|before| server_time < before) {
            return Err(String::from("server time went backwards"));
        }
        self.server_time = Some(server_time);
        let place = |row: &Row, at: [usize; 3]| -> Place { at.map(|at| f32::from_bits(row[at])) };
        let (own, others) = (fields::player_origin(self.rules.protocol), fields::entity_origin(self.rules.protocol));
        played.places.push((place(&player.row, own), entities.iter().map(|(number, row)| (*number, place(row, others))).collect()));
        played.states.push(digest(&player.row, &player.arrays, entities.iter().map(|(number, row)| (*number, &row[..]))));
        let count = entities.len() as u64;
        self.snapshots[sequence as usize & 31] = Some(Snapshot { sequence, parsed: self.parsed, player, entities });
        self.parsed += count;
        played.frames.push((server_time, self.commands()));
        Ok(())
    }

    /// What a snapshot is a delta from.
    fn base(&self, sequence: i32, back: i32) -> Result<Option<&Snapshot>, String> {
        let base = sequence - back;
        if back == 0 || base <= 0 {
            return Ok(None);
        }
        match &self.snapshots[base as usize & 31] {
            None => Err(String::from("delta from invalid frame")),
            Some(kept) if kept.sequence != base => Err(String::from("delta frame too old")),
            Some(kept) if self.parsed - kept.parsed > self.kept() => Err(String::from("delta parseEntitiesNum too old")),
            kept => Ok(kept.as_ref()),
        }
    }

    /// The list of entities: what is not mentioned stays, and new ones start from their baselines.
    fn entities(&self, bits: &mut Bits<'_>, old: Vec<(u16, Row)>) -> Result<Vec<(u16, Row)>, String> {
        let mut list = Vec::with_capacity(old.len());
        let mut old = old.into_iter().peekable();
        loop {
            let number = bits.read(10)? as u16;
            while let Some(kept) = old.next_if(|(kept, _)| *kept < number) {
                list.push(kept);
            }
            if number == END_OF_ENTITIES {
                return Ok(list);
            }
            let known = old.next_if(|(kept, _)| *kept == number).map(|(_, row)| row);
            let base = known.unwrap_or_else(|| self.baselines.get(&number).copied().unwrap_or([0; 64]));
            list.extend(self.rules.entity(bits, &base)?.map(|row| (number, row)));
        }
    }

    fn commands(&mut self) -> Vec<Vec<u8>> {
        let mut commands = Vec::new();
        while self.executed < self.received {
            self.executed += 1;
            // a client that starts late has missed the commands before
            if self.executed > self.received - 64 {
                commands.push(self.ring[self.executed as usize & 63].clone());
            }
        }
        commands.retain(|command| !command.is_empty());
        commands
    }
}

fn download(bits: &mut Bits<'_>) -> Result<(), String> {
    if bits.read(16)? == 0 && bits.long()? < 0 {
        return bits.text(1023).map(drop);
    }
    let length = bits.read(16)?;
    if length as usize > MAX_MSGLEN { Err(format!("a download of {length} bytes in a message")) } else { bits.skip(length) }
}

fn voice(bits: &mut Bits<'_>, has_flags: bool) -> Result<(), String> {
    for width in [16, 8, 32, 8] {
        bits.read(width)?;
    }
    let length = bits.read(16)?;
    if has_flags {
        bits.read(2)?;
    }
    bits.skip(length)
}
