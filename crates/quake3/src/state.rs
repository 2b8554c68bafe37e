//! The state of a game, and how messages change it (`docs/formats/quake3.md`, "State").

mod arena;
mod baselines;
mod decoding;
mod guess;
mod missing;
mod partial;
mod snapshots;
pub(crate) mod values;

pub use arena::ENTITIES;
pub use missing::Missing;
pub(crate) use partial::PartialStates;
pub use snapshots::{EntityRef, PlayerState, SnapshotState};

use fragreel_base::delta::interleaved::{Row, apply};

use crate::dialect::Dialect;
use crate::message::{Change, EntityDelta, Gamestate, GamestateItem, Message, Operation, ServerCommand, Snapshot};
use arena::Arena;
use baselines::Baselines;
use guess::Guess;
use snapshots::{KEPT, Ring, base_slot, missed_slots};

/// The only mutable game state: strings, baselines, the last 32 snapshots.
#[derive(Debug, Clone)]
pub struct State {
    dialect: &'static Dialect,
    strings: Vec<Vec<u8>>,
    baselines: Baselines,
    arena: Arena,
    ring: Ring,
    /// The slot of the last good snapshot.
    current: Option<usize>,
    /// Entities of all good snapshots so far.
    counted: u64,
    command_sequence: i32,
    /// The parts of a big configstring so far.
    big_string: Vec<u8>,
    joined: Vec<u8>,
    changed_string: Option<usize>,
    client: Option<i32>,
    list: Vec<EntityRef>,
    /// The message and the delta number of the snapshot whose entities are in `list`, decoded while it was read.
    decoded: Option<(i32, u8)>,
}

/// Number of configstrings.
pub const STRINGS: usize = 1024;

/// The outcome of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is the current snapshot now.
    Applied,
    /// Its delta base is missing, so it was decoded from the last known snapshot. It is the current snapshot now, and uncertain. Engines skip it.
    Carried(Missing),
    /// Its delta base is missing, and no snapshot is known, so it was skipped.
    MissingBase(Missing),
}

impl Outcome {
    /// Whether it is the current snapshot now.
    pub fn is_shown(self) -> bool {
        !matches!(self, Outcome::MissingBase(_))
    }
}

/// What a reliable command did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// It was executed. [`State::command_line`] holds its text, joined where it came in parts.
    New,
    /// It was executed before, so it was skipped.
    Repeated,
    /// It is a part of a big configstring; the last part executes the whole.
    Part,
}

/// What an operation did to the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// A gamestate replaced everything.
    Level,
    /// A reliable command was executed, kept, or skipped.
    Command(Command),
    /// A snapshot was decoded, or skipped for want of its base.
    Snapshot(Outcome),
    /// Nothing: the operation carries no state.
    Nothing,
}

impl State {
    /// The state before the first message.
    pub fn new(dialect: &'static Dialect) -> Self {
        State {
            dialect,
            strings: vec![Vec::new(); STRINGS],
            baselines: Baselines::default(),
            arena: Arena::default(),
            ring: Ring::default(),
            current: None,
            counted: 0,
            command_sequence: 0,
            big_string: Vec::new(),
            joined: Vec::new(),
            changed_string: None,
            client: None,
            list: Vec::new(),
            decoded: None,
        }
    }

    /// The rules of this recording.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The configstring at `index`, as sent; empty when there is none.
    pub fn string(&self, index: usize) -> &[u8] {
        self.strings.get(index).map_or(&[], Vec::as_slice)
    }

    /// The baselines that the level stated, in rising order of numbers.
    pub(crate) fn stated_baselines(&self) -> impl Iterator<Item = (u16, &Row)> {
        self.baselines.stated()
    }

    /// The baseline of entity `number`.
    pub fn baseline(&self, number: u16) -> &Row {
        self.baselines.of(number)
    }

    /// The last good snapshot.
    pub fn snapshot(&self) -> Option<&SnapshotState> {
        self.current.map(|slot| &self.ring.slots[slot])
    }

    /// The row of an entity of a kept snapshot.
    #[inline]
    pub fn row(&self, entity: EntityRef) -> &Row {
        self.arena.row(entity.row)
    }

    /// The entities of the last good snapshot with their rows.
    pub fn entities(&self) -> impl Iterator<Item = (u16, &Row)> {
        self.snapshot().into_iter().flat_map(|snapshot| snapshot.entities.iter().map(|entity| (entity.number, self.row(*entity))))
    }

    /// The recording client's number, where the gamestate states it.
    pub fn client(&self) -> Option<i32> {
        self.client
    }

    /// The number of the last command executed.
    pub fn command_sequence(&self) -> i32 {
        self.command_sequence
    }

    /// The command executed last, joined when it came in parts.
    pub(crate) fn command_line(&self) -> &[u8] {
        &self.joined
    }

    /// The configstring that the last executed command set, if it set one.
    pub(crate) fn changed_string(&self) -> Option<usize> {
        self.changed_string
    }

    /// Restores what changed since the gamestate: strings, the number of the last command, and the parts of a big configstring
    /// received so far.
    pub(crate) fn restore<'s>(&mut self, strings: impl Iterator<Item = (usize, &'s [u8])>, command_sequence: i32, big_string: &[u8]) {
        for (index, text) in strings {
            self.set_string(index, text);
        }
        self.command_sequence = command_sequence;
        self.big_string = big_string.to_vec();
    }

    /// The parts received of a big configstring that is not complete.
    pub(crate) fn big_string(&self) -> &[u8] {
        &self.big_string
    }

    /// Applies one operation of the message with this sequence number.
    #[inline]
    pub fn apply(&mut self, sequence: i32, operation: &Operation) -> Effect {
        match operation {
            Operation::Gamestate(gamestate) => {
                self.apply_gamestate(gamestate);
                Effect::Level
            }
            Operation::ServerCommand(command) => Effect::Command(self.apply_command(command)),
            Operation::Snapshot(snapshot) => Effect::Snapshot(self.apply_snapshot(sequence, snapshot)),
            _ => Effect::Nothing,
        }
    }

    /// Applies all operations of the message with this sequence number.
    pub fn apply_message(&mut self, sequence: i32, message: &Message) {
        for operation in &message.operations {
            self.apply(sequence, operation);
        }
    }

    /// Replaces strings, baselines, and snapshots with those of a gamestate.
    fn apply_gamestate(&mut self, gamestate: &Gamestate) {
        self.strings.iter_mut().for_each(Vec::clear);
        self.baselines.clear();
        self.ring.clear();
        self.current = None;
        self.counted = 0;
        self.big_string.clear();
        self.command_sequence = gamestate.command_sequence;
        self.client = self.dialect.identifies_client.then_some(gamestate.client);
        for item in &gamestate.items {
            match item {
                GamestateItem::ConfigString(string) => self.set_string(usize::from(string.index), &string.text),
                GamestateItem::Baseline(baseline) => {
                    let row = self.baselines.state(baseline.number);
                    if baseline.change == Change::Changed {
                        apply(row, &baseline.row, baseline.spelling.sent);
                    }
                }
            }
        }
    }

    fn set_string(&mut self, index: usize, text: &[u8]) {
        if let Some(slot) = self.strings.get_mut(index) {
            slot.clear();
            slot.extend_from_slice(text);
        }
    }

    /// Executes a reliable command unless it was executed before, and stores the configstring that it sets.
    pub(crate) fn apply_command(&mut self, command: &ServerCommand) -> Command {
        if command.sequence <= self.command_sequence {
            return Command::Repeated;
        }
        self.command_sequence = command.sequence;
        self.execute(&command.text)
    }

    fn execute(&mut self, text: &[u8]) -> Command {
        let mut words = crate::strings::Words::new(text);
        let first = words.next().unwrap_or_default();
        match first {
            b"bcs0" | b"bcs1" | b"bcs2" => {
                let index = words.next().unwrap_or_default();
                let part = words.next().unwrap_or_default();
                if first == b"bcs0" {
                    self.big_string.clear();
                    self.big_string.extend_from_slice(b"cs ");
                    self.big_string.extend_from_slice(index);
                    self.big_string.extend_from_slice(b" \"");
                }
                // engines give up on strings beyond 8 KB; the recording itself bounds ours
                self.big_string.extend_from_slice(part);
                if first != b"bcs2" {
                    return Command::Part;
                }
                self.big_string.push(b'"');
                self.joined.clear();
                self.joined.append(&mut self.big_string);
            }
            _ => {
                self.joined.clear();
                self.joined.extend_from_slice(text);
            }
        }
        let mut words = crate::strings::Words::new(&self.joined);
        self.changed_string = None;
        if words.next() == Some(b"cs") {
            let index = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
            let text = words.next().unwrap_or_default().to_vec();
            if let Some(slot) = index.and_then(|index: usize| self.strings.get_mut(index)) {
                *slot = text;
                self.changed_string = index;
            }
        }
        Command::New
    }

    /// Decodes a snapshot against its base. `sequence` is that of the message.
    fn apply_snapshot(&mut self, sequence: i32, snapshot: &Snapshot) -> Outcome {
        let (base, missing) = match self.base(sequence, snapshot.delta) {
            Ok(base) => (base, None),
            Err(missing) => match self.last_known(sequence, snapshot.delta, missing) {
                Some(slot) => (Some(slot), Some(missing)),
                None => return Outcome::MissingBase(missing),
            },
        };
        let certain = base.is_none_or(|slot| self.ring.slots[slot].certain) && matches!(missing, None | Some(Missing::EntitiesTooOld));
        let decoded = self.decoded.take().is_some_and(|decoded| decoded == (sequence, snapshot.delta));
        if !decoded {
            self.arena.reserve(snapshot.entities.len(), &self.ring.slots);
        }
        let old = base.map_or(&[][..], |slot| &self.ring.slots[slot].entities);
        let as_sent = if certain && decoded {
            true
        } else if certain {
            merge(old, &snapshot.entities, &self.baselines, &mut self.arena, &mut self.list);
            true
        } else {
            let guess = Guess::of(self.dialect, missing.is_some());
            guess.merge(old, &snapshot.entities, &self.baselines, &mut self.arena, &mut self.list)
        };

        self.invalidate_between(sequence);
        let slot = (sequence & (KEPT as i32 - 1)) as usize;
        self.ring.copy_player(base, slot);
        let new = &mut self.ring.slots[slot];
        new.player.change(&snapshot.player);
        std::mem::swap(&mut new.entities, &mut self.list);
        new.valid = true;
        (new.certain, new.as_sent) = (certain, as_sent && missing.is_none());
        new.sequence = sequence;
        new.base = base.map(|_| sequence.wrapping_sub(i32::from(snapshot.delta)));
        new.server_time = snapshot.server_time;
        new.flags = snapshot.flags;
        new.area_mask.clear();
        new.area_mask.extend_from_slice(&snapshot.area_mask);
        new.counted = self.counted;
        self.counted += new.entities.len() as u64;
        self.current = Some(slot);
        missing.map_or(Outcome::Applied, Outcome::Carried)
    }

    /// The ring slot to decode a snapshot from whose base is missing.
    #[cold]
    fn last_known(&self, sequence: i32, delta: u8, missing: Missing) -> Option<usize> {
        match missing {
            // engines dropped its entities, and we have them
            Missing::EntitiesTooOld => Some((sequence.wrapping_sub(i32::from(delta)) & (KEPT as i32 - 1)) as usize),
            Missing::Absent | Missing::TooOld => self.current,
        }
    }

    /// Marks a kept snapshot as uncertain.
    pub(crate) fn make_uncertain(&mut self, sequence: i32) {
        if let Some(slot) = self.ring.slots.iter_mut().find(|slot| slot.valid && slot.sequence == sequence) {
            slot.certain = false;
        }
    }

    /// The ring slot of the base; `None` for a full snapshot.
    fn base(&self, sequence: i32, delta: u8) -> Result<Option<usize>, Missing> {
        base_slot(self.dialect, sequence, delta, self.counted, |slot| {
            let old = &self.ring.slots[slot];
            (old.valid, old.sequence, old.counted)
        })
    }

    /// Clears the slots of packets that never came, so that older snapshots in them are not taken for bases.
    fn invalidate_between(&mut self, sequence: i32) {
        let Some(current) = self.current else { return };
        for slot in missed_slots(self.ring.slots[current].sequence, sequence) {
            self.ring.slots[slot].valid = false;
        }
    }

    /// The snapshot with this sequence number, while the ring still has it.
    pub fn kept(&self, sequence: i32) -> Option<&SnapshotState> {
        let slot = &self.ring.slots[(sequence & (KEPT as i32 - 1)) as usize];
        (slot.valid && slot.sequence == sequence).then_some(slot)
    }
}

/// Fills `list` with the entities of `old` changed by `deltas`. Stock servers send both in rising order; other orders are merged as
/// engines merge them.
fn merge(old: &[EntityRef], deltas: &[EntityDelta], baselines: &Baselines, arena: &mut Arena, list: &mut Vec<EntityRef>) {
    list.clear();
    let mut kept = 0;
    for delta in deltas {
        let from = kept;
        while old.get(kept).is_some_and(|entity| entity.number < delta.number) {
            kept += 1;
        }
        list.extend_from_slice(&old[from..kept]);
        let before = old.get(kept).filter(|entity| entity.number == delta.number);
        kept += usize::from(before.is_some());
        let row = match (delta.change, before) {
            (Change::Removed, _) => continue,
            (Change::Unchanged, Some(before)) => before.row,
            // a third of all deltas when only a few fields were read
            (Change::Changed, Some(before)) if delta.spelling.sent.is_empty() => before.row,
            (_, before) => {
                let (at, row) = match before {
                    Some(before) => arena.copy_of(before.row),
                    None => arena.copy(baselines.of(delta.number)),
                };
                if delta.change == Change::Changed {
                    apply(row, &delta.row, delta.spelling.sent);
                }
                at
            }
        };
        list.push(EntityRef { number: delta.number, row });
    }
    list.extend_from_slice(&old[kept..]);
}
