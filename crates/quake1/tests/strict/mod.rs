//! A reader that shares no code with the library: it was written from the format's description, and stops where engines stop. What it
//! cannot read is an error, and so is a number that no list has, a slot that nobody can have, a signon out of order, a block without a
//! byte, an end that is missing.

mod deltas;
mod netquake;
mod quakeworld;
mod values;

use std::collections::BTreeMap;

use values::Rules;

pub(super) type Result<T> = std::result::Result<T, String>;

/// An entity or a player.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thing {
    pub model: String,
    pub origin: [f32; 3],
    pub frame: u32,
}

/// What is in sight after a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Shot {
    /// The packet's number in a `.qwd`, else the server's time in milliseconds.
    pub key: i64,
    pub things: BTreeMap<u32, Thing>,
    pub stats: BTreeMap<(u8, u8), i32>,
    pub frags: BTreeMap<u8, i16>,
}

/// A whole recording.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub shots: Vec<Shot>,
    /// Frames that engines skip, because what they start from is not there.
    pub skipped: u32,
}

/// What a client knows.
#[derive(Debug, Default)]
pub(super) struct Client {
    rules: Rules,
    models: Vec<String>,
    sounds: usize,
    slots: u8,
    own: u8,
    signon: u8,
    ended: bool,
    /// Baselines of plain dialects: model, frame, and origin.
    baselines: BTreeMap<u32, Row>,
    frames: BTreeMap<u32, BTreeMap<u32, Row>>,
    newest: BTreeMap<u32, Row>,
    players: BTreeMap<u8, Row>,
    deltas: deltas::Known,
    stats: BTreeMap<(u8, u8), i32>,
    frags: BTreeMap<u8, i16>,
    /// The server's time, where it is stated.
    time: Option<f32>,
    /// Whether something of this packet is a frame.
    framed: bool,
    sequence: u32,
    skipped: u32,
}

/// An entity of a plain dialect.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Row {
    model: u32,
    frame: u32,
    origin: [f32; 3],
}

impl Client {
    fn model(&self, number: u32) -> Result<String> {
        if number == 0 {
            return Ok(String::new());
        }
        self.models.get(number as usize).filter(|name| !name.is_empty()).cloned().ok_or_else(|| format!("there is no model {number}"))
    }

    fn slot(&self, slot: u8) -> Result<()> {
        if slot < self.slots { Ok(()) } else { Err(format!("slot {slot} of {}", self.slots)) }
    }

    fn shot(&self, key: i64) -> Result<Shot> {
        // clients clear all stats with the level: one that nobody stated is 0
        let stats = self.stats.iter().filter(|(_, value)| **value != 0).map(|(stat, value)| (*stat, *value)).collect();
        let mut shot = Shot { key, stats, frags: self.frags.clone(), ..Shot::default() };
        if self.rules.replacement() {
            for (number, state) in &self.deltas.states {
                shot.things.insert(*number, Thing { model: self.model(state.model)?, origin: state.origin, frame: state.frame });
            }
            return Ok(shot);
        }
        for (number, row) in &self.newest {
            shot.things.insert(*number, Thing { model: self.model(row.model)?, origin: row.origin, frame: row.frame });
        }
        for (slot, row) in &self.players {
            shot.things.insert(100_000 + u32::from(*slot), Thing { model: self.model(row.model)?, origin: row.origin, frame: row.frame });
        }
        Ok(shot)
    }
}

/// Plays a recording to its end.
pub(super) fn play(bytes: &[u8], extension: &str) -> Result<Played> {
    let mut played = Played::default();
    let mut client = Client::default();
    match extension {
        "dem" => netquake::play(bytes, &mut client, &mut played)?,
        "qwd" => quakeworld::play_client(bytes, &mut client, &mut played)?,
        _ => quakeworld::play_server(bytes, &mut client, &mut played)?,
    }
    played.skipped = client.skipped;
    if client.ended { Ok(played) } else { Err(String::from("there is no end")) }
}

/// Every frame of `edited` is one of the source's, in order. `off` is how far places may be apart; then what the edited one cannot
/// say may be missing. Returns how many were compared.
pub(super) fn same(source: &Played, edited: &Played, off: f32, what: &str) -> usize {
    let mut at = 0;
    let mut lost = 0;
    for shot in &edited.shots {
        let matches = |other: &Shot| (other.key - shot.key).abs() <= i64::from(off > 0.0);
        let agrees = |other: &Shot| {
            let near = |a: &Thing, b: &Thing| {
                (0..3).all(|axis| (a.origin[axis] - b.origin[axis]).abs() <= off) && (off > 0.0 || a.frame == b.frame) && a.model == b.model
            };
            let rest = shot.things.iter().all(|(number, thing)| other.things.get(number).is_some_and(|known| near(known, thing)));
            rest && (off > 0.0 || (shot.things.len() == other.things.len() && shot.stats == other.stats && shot.frags == other.frags))
        };
        match source.shots[at..].iter().position(|other| matches(other) && agrees(other)) {
            Some(found) => {
                at += found + 1;
                lost += source.shots[at - 1].things.len() - shot.things.len();
            }
            None => {
                let other = source.shots[at..].iter().find(|other| matches(other)).or_else(|| source.shots.iter().find(|other| matches(other)));
                let differing = other.map(|other| differences(other, shot));
                panic!("{what}: no frame of the source is like the one at {}: {differing:?}", shot.key);
            }
        }
    }
    let things: usize = edited.shots.iter().map(|shot| shot.things.len()).sum();
    assert!(lost * 20 <= things, "{what}: {lost} things are missing beside {things}");
    edited.shots.len()
}

fn differences(source: &Shot, edited: &Shot) -> String {
    let mut out = String::new();
    for number in source.things.keys().chain(edited.things.keys()) {
        let (a, b) = (source.things.get(number), edited.things.get(number));
        if a != b && out.len() < 600 {
            out += &format!("{number}: {b:?} instead of {a:?}; ");
        }
    }
    for key in source.stats.keys().chain(edited.stats.keys()) {
        let (a, b) = (source.stats.get(key), edited.stats.get(key));
        if a != b && out.len() < 600 {
            out += &format!("stat {key:?}: {b:?} instead of {a:?}; ");
        }
    }
    if source.frags != edited.frags {
        out += &format!("frags {:?} instead of {:?}", edited.frags, source.frags);
    }
    out
}
