//! What the model remembers of fields: their last values, and the passages that repeat.

use std::collections::HashMap;

use super::hints::Hinted;
use super::roster::Roster;
use crate::model::{context, hash};
use crate::numbers::Guess;

/// The last values of a field of an entity.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Past {
    /// The last value and the one before.
    pub values: [u32; 2],
    /// When they came.
    pub times: [i64; 2],
    /// The last difference from what was predicted.
    pub miss: i64,
    pub count: u32,
    /// Whether each of the last eight was the one before it, the newest lowest.
    pub same: u8,
    /// The message in which the last came.
    pub message: u64,
}

/// Fields of entities that are remembered, and fields.
const PASTS: usize = 1 << 15;
const RECENT: usize = 1 << 12;
/// Values that are remembered in order, and places among them.
const LOG: usize = 1 << 20;
const PLACES: usize = 1 << 17;
/// Texts and blocks of data that are remembered by field, and their longest.
const DATA: usize = 256;
/// Names whose classes are remembered.
const CLASSES: usize = 1 << 9;
/// Entities whose models are remembered.
const MODELS: usize = 1 << 13;
/// Lists that are remembered by part.
const ROSTERS: usize = 16;
pub(super) const LONGEST_DATA: usize = 1024;

/// What the model remembers. Every part is bounded; where two fields share a place, the prediction is worse and nothing else.
#[derive(Debug)]
pub(crate) struct Memory {
    pasts: Vec<Past>,
    recent: Vec<[u32; 2]>,
    echoes: Vec<Echo>,
    /// Numbers of the last messages of the stream.
    pub kinds: [u64; 3],
    /// The clock of the recording.
    pub time: i64,
    pub message: u64,
    data: HashMap<u64, Vec<u8>>,
    rosters: Vec<(u64, Roster)>,
    /// The models of entities, by their numbers.
    models: Vec<u8>,
    /// Classes by the low bits of the names' keys: looking them up in a map took 2 percent of packing.
    classes: Vec<(u64, Class)>,

    log: Vec<u32>,
    written: usize,
    places: Vec<u32>,
    last: [u64; 6],
    expected: usize,
    held: u64,
}

/// How far back another field had a field's value.
#[derive(Debug, Clone, Copy, Default)]
struct Echo {
    distance: u8,
    /// Whether it did the last eight times, the newest lowest.
    right: u8,
}

/// How far back is looked.
const FARTHEST: usize = 160;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    /// A place, a speed or an angle, which moves on from its last value.
    pub moves: bool,
    /// A place or a clock, which moves on at its last speed.
    pub is_origin: bool,
    /// The number of what the next fields belong to.
    pub is_entity: bool,
    /// The number of a message.
    pub is_kind: bool,
    /// Bits that say which fields follow.
    pub is_mask: bool,
    /// What an entity looks like.
    pub is_model: bool,
    /// Whether other fields say something of it.
    pub hinted: Option<Hinted>,
}

impl Class {
    fn of(name: &str) -> Self {
        const MOVING: [&str; 14] = ["origin", "pos", "start", "end_", "coord", "vel", "view", "pitch", "yaw", "roll", "angle", "forward", "right", "up"];
        const COUNTING: [&str; 8] = ["time", "timestamp", "frame", "sequence", "acknowledged", "outgoing", "incoming", "words"];
        const ENTITIES: [&str; 7] = ["slot", "entity", "player", "number", "stat", "index", "entity number"];
        let is_mask = name.contains("bits") || name.contains("mask") || name.contains("flags");
        Class {
            moves: !is_mask && MOVING.iter().any(|part| name.contains(part)),
            is_origin: name.contains("origin") || COUNTING.contains(&name),
            is_entity: ENTITIES.contains(&name),
            is_kind: name == "message" || name == "number",
            is_mask,
            is_model: name == "modelindex",
            hinted: Hinted::of(name),
        }
    }
}

impl Memory {
    pub(crate) fn new() -> Self {
        Memory {
            pasts: vec![Past::default(); PASTS],
            recent: vec![[0; 2]; RECENT],
            echoes: vec![Echo::default(); RECENT],
            kinds: [0; 3],
            time: 0,
            message: 0,
            data: HashMap::new(),
            rosters: Vec::new(),
            models: Vec::new(),
            classes: vec![(0, Class::of("")); CLASSES],
            log: Vec::new(),
            written: 0,
            places: vec![0; PLACES],
            last: [0; 6],
            expected: 0,
            held: 0,
        }
    }

    pub(crate) fn class(&mut self, key: u64, name: &'static str) -> Class {
        let place = &mut self.classes[key as usize % CLASSES];
        if place.0 != key {
            *place = (key, Class::of(name));
        }
        place.1
    }

    pub(crate) fn past(&mut self, key: u64, entity: u64) -> &mut Past {
        &mut self.pasts[(context(&[key, entity]) % PASTS as u64) as usize]
    }

    pub(crate) fn recent(&mut self, key: u64) -> &mut [u32; 2] {
        &mut self.recent[(hash(key, 1) % RECENT as u64) as usize]
    }

    /// What a field of data held before.
    pub(crate) fn data(&mut self, key: u64) -> &mut Vec<u8> {
        if self.data.len() >= DATA && !self.data.contains_key(&key) {
            self.data.clear();
        }
        self.data.entry(key).or_default()
    }

    /// The model of an entity.
    pub(crate) fn model(&self, entity: u64) -> u64 {
        self.models.get(entity as usize % MODELS).copied().unwrap_or(0).into()
    }

    pub(crate) fn set_model(&mut self, entity: u64, model: u32) {
        if self.models.is_empty() {
            self.models = vec![0; MODELS];
        }
        self.models[entity as usize % MODELS] = model as u8;
    }

    /// The lists of entities in a part.
    pub(crate) fn roster(&mut self, path: u64) -> &mut Roster {
        let at = self.rosters.iter().position(|(of, _)| *of == path).unwrap_or_else(|| {
            if self.rosters.len() >= ROSTERS {
                self.rosters.clear();
            }
            self.rosters.push((path, Roster::default()));
            self.rosters.len() - 1
        });
        &mut self.rosters[at].1
    }

    fn echo_of(&mut self, key: u64) -> &mut Echo {
        &mut self.echoes[(hash(key, 2) % RECENT as u64) as usize]
    }

    /// The value that another field had where it last had this field's, and how often that was right.
    pub(crate) fn echoed(&mut self, key: u64) -> Option<(u32, u64)> {
        let Echo { distance, right } = *self.echo_of(key);
        let place = self.written.checked_sub(usize::from(distance)).filter(|_| distance > 0)?;
        Some((self.log.get(place % LOG).copied().unwrap_or(0), u64::from(right)))
    }

    pub(crate) fn found_echo(&mut self, key: u64, right: bool) {
        let echo = self.echo_of(key);
        echo.right = echo.right << 1 | u8::from(right);
    }

    /// Whether a field had the second of its likely values the last eight times that it did not have the first.
    pub(crate) fn second(&mut self, key: u64) -> u8 {
        self.echo_of(key).right
    }

    pub(crate) fn found_second(&mut self, key: u64, right: bool) {
        self.found_echo(key, right);
    }

    /// Looks where a value was before, unless the known place was right.
    pub(crate) fn echo(&mut self, key: u64, value: u32) {
        if value == 0 || self.echoed(key).is_some_and(|(echo, _)| echo == value) {
            return;
        }
        let (at, far) = (self.written % LOG, FARTHEST.min(self.written));
        // most often the last values lie together: then a search of them takes half as long
        let near = match at.checked_sub(far).and_then(|from| self.log.get(from..at)) {
            Some(last) => last.iter().rev().position(|&known| known == value).map(|place| place + 1),
            None => (1..=far).find(|back| self.log[(self.written - back) % LOG] == value),
        };
        if let Some(distance) = near {
            self.echo_of(key).distance = distance as u8;
        }
    }

    /// The value that an earlier passage predicts.
    pub(crate) fn guess(&self) -> Option<Guess<u32>> {
        (self.held > 0).then(|| Guess { value: self.log.get(self.expected % LOG).copied().unwrap_or(0), held: bucket(self.held) })
    }

    /// How far the passage has been right.
    pub(crate) fn held(&self) -> u64 {
        bucket(self.held)
    }

    /// Remembers a value of the field `key`.
    pub(crate) fn push(&mut self, key: u64, value: u32) {
        if self.held > 0 {
            self.held = if self.log.get(self.expected % LOG) == Some(&value) { self.held + 1 } else { 0 };
            self.expected += 1;
        }
        if self.log.len() < LOG {
            self.log.push(value);
        } else {
            self.log[self.written % LOG] = value;
        }
        self.written += 1;
        self.last.rotate_right(1);
        self.last[0] = hash(key, u64::from(value));
        let place = &mut self.places[(context(&self.last) % PLACES as u64) as usize];
        let found = *place as usize;
        *place = self.written as u32;
        if self.held == 0 && found > 0 && self.written - found < LOG {
            (self.expected, self.held) = (found, 1);
        }
    }
}

fn bucket(held: u64) -> u64 {
    if held < 16 { held } else { 16 + ((held - 16) / 16).min(15) }
}
