//! What is known of the game before a message.

use std::collections::HashMap;

use fragreel_base::delta::interleaved::{Row, Table};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::message::{Message, Operation};
use fragreel_quake3::state::{ENTITIES, PlayerState, State};

use crate::coding::Coding;
use crate::model::context;
use crate::stream::Stream;

/// The longest rest of a message.
const LONGEST_REST: usize = 1 << 16;
/// Reliable commands that are remembered.
const COMMANDS: i32 = 64;

/// Places of fields in a table; 64 for a field that it lacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub origin: [usize; 3],
    pub speed: [usize; 3],
    pub angles: [usize; 2],
    pub kind: usize,
    pub motion: usize,
    pub ground: usize,
    pub event: usize,
    pub parameter: usize,
    /// Fields that hold a time, by bit.
    pub times: u64,
}

impl Places {
    fn of(table: &Table, origin: &str, speed: &str, angles: &str, times: &[&str]) -> Self {
        let find = |name: &str| table.iter().position(|field| field.name == name).unwrap_or(64);
        let element = |name: &str, at: usize| find(&format!("{name}[{at}]"));
        Places {
            origin: [0, 1, 2].map(|at| element(origin, at)),
            speed: [0, 1, 2].map(|at| element(speed, at)),
            angles: [0, 1].map(|at| element(angles, at)),
            kind: find("eType"),
            motion: find("pos.trType"),
            ground: find("groundEntityNum"),
            event: find("event"),
            parameter: find("eventParm"),
            times: times.iter().map(|name| find(name)).filter(|&at| at < 64).fold(0, |all, at| all | 1 << at),
        }
    }
}

/// What is known of the game before a message.
pub(super) struct Game {
    pub state: State,
    pub entity: Places,
    pub player: Places,
    pub sequence: i32,
    /// The step of the last sequence number.
    pub step: u64,
    pub pieces: [u32; 2],
    pub operations: [u64; 2],

    pub acknowledged: u32,
    pub time: i32,
    /// The time between the last two snapshots, and its change.
    pub passed: i32,
    /// The same by the player's clock.
    pub passed_player: i32,
    pub delta: u64,

    /// The delta base of this snapshot.
    pub base: Snapshot,
    /// The last snapshot.
    pub newest: Snapshot,
    /// Entities of either, by number, and how many of them this snapshot has passed.
    pub candidates: Vec<u16>,
    pub passed_candidates: usize,

    /// By entity and field: whether it was sent in the last eight updates, newest lowest.
    pub sent: Vec<[u8; 64]>,
    /// By entity and field: the last change.
    pub change: Vec<[i32; 64]>,
    /// By entity: whether it was mentioned in the last eight snapshots, and the last field count.
    pub mentioned: Vec<u8>,
    pub counts: Vec<u8>,
    pub player_sent: [u8; 64],
    pub player_change: [i32; 64],
    pub player_count: u8,
    pub elements_sent: [[u8; 16]; 4],
    /// The last values of other fields, by name.
    pub others: HashMap<u64, [u32; 2]>,
    commands: HashMap<i32, Vec<u8>>,
    rest: Vec<u8>,
}

/// Rows of a snapshot by number.
pub(super) struct Snapshot {
    pub rows: Vec<Row>,
    pub here: [u64; ENTITIES / 64],
    pub player: PlayerState,
    pub area_mask: Vec<u8>,
}

impl Snapshot {
    fn new() -> Self {
        Snapshot { rows: vec![[0; 64]; ENTITIES], here: [0; ENTITIES / 64], player: PlayerState::default(), area_mask: Vec::new() }
    }

    pub(super) fn has(&self, number: u16) -> bool {
        self.here[usize::from(number) / 64 % (ENTITIES / 64)] >> (number % 64) & 1 != 0
    }

    pub(super) fn row(&self, number: u16) -> Option<&Row> {
        self.has(number).then(|| &self.rows[usize::from(number) % ENTITIES])
    }

    fn clear(&mut self) {
        self.here = [0; ENTITIES / 64];
        self.player = PlayerState::default();
        self.area_mask.clear();
    }

    /// Takes the snapshot of this message, if it is kept.
    fn fill(&mut self, state: &State, sequence: i32) {
        self.clear();
        let Some(kept) = state.kept(sequence) else { return };
        for &entity in &kept.entities {
            let number = usize::from(entity.number) % ENTITIES;
            self.here[number / 64] |= 1 << (number % 64);
            self.rows[number] = *state.row(entity);
        }
        self.player = kept.player;
        self.area_mask.extend_from_slice(&kept.area_mask);
    }
}

impl Game {
    pub(super) fn new(dialect: &'static Dialect) -> Self {
        const ENTITY_TIMES: &[&str] = &["pos.trTime", "time", "apos.trTime", "time2"];
        Game {
            state: State::new(dialect),
            entity: Places::of(dialect.entity, "pos.trBase", "pos.trDelta", "apos.trBase", ENTITY_TIMES),
            player: Places::of(dialect.player, "origin", "velocity", "viewangles", &["commandTime"]),
            sequence: 0,
            step: 0,
            pieces: [0; 2],
            operations: [0; 2],
            acknowledged: 0,
            time: 0,
            passed: 0,
            passed_player: 0,
            delta: 0,
            base: Snapshot::new(),
            newest: Snapshot::new(),
            candidates: Vec::new(),
            passed_candidates: 0,
            sent: vec![[0; 64]; ENTITIES],
            change: vec![[0; 64]; ENTITIES],
            mentioned: vec![0; ENTITIES],
            counts: vec![0; ENTITIES],
            player_sent: [0; 64],
            player_change: [0; 64],
            player_count: 0,
            elements_sent: [[0; 16]; 4],
            others: HashMap::new(),
            commands: HashMap::new(),
            rest: Vec::new(),
        }
    }

    pub(super) fn dialect(&self) -> &'static Dialect {
        self.state.dialect()
    }

    pub(super) fn code_sequence<D: Coding>(&mut self, stream: &mut Stream<D>, sequence: i32) -> i32 {
        let step = i64::from(sequence) - i64::from(self.sequence);
        let step = stream.model.number(step, &[context(&[50, self.step]), context(&[51])], 10);
        self.step = step as u64;
        self.sequence = self.sequence.wrapping_add(step as i32);
        self.sequence
    }

    /// Begins a message.
    pub(super) fn begin(&mut self, _sequence: i32) {
        self.operations = [0; 2];
    }

    /// Takes the snapshot that this one is a delta from.
    pub(super) fn find_base(&mut self, delta: u32) {
        if delta == 0 {
            self.base.clear();
        } else {
            self.base.fill(&self.state, self.sequence.wrapping_sub(delta as i32));
        }
        self.candidates.clear();
        self.passed_candidates = 0;
        for (word, (base, newest)) in self.base.here.iter().zip(&self.newest.here).enumerate() {
            let mut both = base | newest;
            while both != 0 {
                self.candidates.push((word * 64) as u16 + both.trailing_zeros() as u16);
                both &= both - 1;
            }
        }
    }

    /// The text of a command that was sent before under this number.
    pub(super) fn command(&self, sequence: i32) -> Option<&[u8]> {
        self.commands.get(&sequence).map(Vec::as_slice)
    }

    /// Applies a message that was coded.
    pub(super) fn apply(&mut self, sequence: i32, message: &Message) {
        self.state.apply_message(sequence, message);
        for operation in &message.operations {
            match operation {
                Operation::Gamestate(_) => {
                    self.newest.clear();
                    self.commands.clear();
                }
                Operation::ServerCommand(command) => {
                    if self.commands.len() > COMMANDS as usize {
                        self.commands.retain(|&number, _| number.wrapping_sub(command.sequence).unsigned_abs() < COMMANDS as u32);
                    }
                    if self.commands.len() <= 2 * COMMANDS as usize {
                        self.commands.insert(command.sequence, command.text.clone());
                    }
                }
                Operation::Snapshot(_) => self.newest.fill(&self.state, sequence),
                _ => {}
            }
        }
    }

    /// Codes the bytes behind a message's end. Engines leave there what an earlier message held.
    pub(super) fn code_rest<D: Coding>(&mut self, stream: &mut Stream<D>, rest: &[u8], out: &mut Vec<u8>) {
        let from = out.len();
        let length = stream.model.number(rest.len() as i64, &[context(&[52]), context(&[53, self.rest.len() as u64])], 13);
        for at in 0..length.clamp(0, LONGEST_REST as i64) as usize {
            let before = u64::from(self.rest.get(at).copied().unwrap_or(0));
            let byte = rest.get(at).copied().unwrap_or(0);
            let byte = stream.model.symbol(u32::from(byte), 8, &[context(&[54, before]), context(&[55])], 16);
            if !D::PACKING {
                out.push(byte as u8);
            }
            if stream.model.overran() {
                break;
            }
        }
        self.rest.clear();
        self.rest.extend_from_slice(if D::PACKING { rest } else { &out[from..] });
        self.rest.truncate(LONGEST_REST);
    }
}
