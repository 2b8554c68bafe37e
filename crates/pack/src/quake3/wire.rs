//! The fourth direction: each field that the family's reader asks for goes through the model.

use fragreel_base::delta::interleaved::{Row, Table};
use fragreel_base::wire::{Bounded, Burst, Error as WireFault, Wire};
use fragreel_quake3::dialect::{Dialect, Layout};
use fragreel_quake3::message::Message;

use super::game::{Game, Places};
use super::pending::Pending;
use crate::Error;
use crate::coding::Coding;
use crate::model::{Context, context, hash};
use crate::original::Original;
use crate::pieces::NO_MESSAGE;
use crate::stream::{Stream, kind};

/// The longest message that is packed, in bits.
const LONGEST: u64 = 8 << 17;
/// The first of the fine sets of weights for single decisions.
pub(super) const FLAGS: usize = 713 * 64;

/// What the fields are fields of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Message,
    Command,
    Gamestate,
    Item,
    Snapshot,
    Player,
    Entity,
    Array(usize),
    Other(u64),
}

/// The row that is updated, and what is known of it.
pub(super) struct Update {
    pub number: u16,
    /// The row of the delta base, the newest that is known, and what the update makes of that so far.
    pub base: Row,
    pub newest: Row,
    pub now: Row,
    /// The kind of the entity, and whether the newest snapshot lacks it.
    pub who: u64,
    /// Which fields were sent so far, the newest lowest, and what their values were.
    pub sofar: u64,
    pub values: u64,
    /// Fields that differ between the base and the newest row.
    pub expected: u64,
    pub end: usize,
}

impl Default for Update {
    fn default() -> Self {
        Update { number: 0, base: [0; 64], newest: [0; 64], now: [0; 64], who: 0, sofar: 0, values: 0, expected: 0, end: 0 }
    }
}

/// A wire that packs or unpacks.
pub(super) struct Fields<'a, D, O> {
    pub original: O,
    pub game: &'a mut Game,
    pub stream: &'a mut Stream<D>,
    pub dialect: &'static Dialect,
    pub place: Place,
    outer: Vec<Place>,
    field: &'static str,
    pub update: Update,
    pub pending: Pending,
    /// How the base and the newest snapshot differ in the entity, or that it is new.
    pub relation: u64,
    /// The last entity number, and the one before which no candidate named.
    pub last: i64,
    pub last_new: i64,
    pub recent: u64,
    pub recent_new: u64,
    /// Which elements of the array are still to come.
    pub elements: u32,
    command: i32,
    before: u64,
}

impl<'a, D: Coding, O: Original> Fields<'a, D, O> {
    pub(super) fn new(original: O, game: &'a mut Game, stream: &'a mut Stream<D>) -> Self {
        let dialect = game.dialect();
        Fields {
            original,
            game,
            stream,
            dialect,
            place: Place::Message,
            outer: Vec::new(),
            field: "",
            update: Update::default(),
            pending: Pending::default(),
            relation: 0,
            last: -1,
            last_new: 0,
            recent: 0,
            recent_new: 0,
            elements: 0,
            command: 0,
            before: 0,
        }
    }

    /// Codes a message up to its end.
    pub(super) fn code(&mut self, message: &mut Message) -> Result<(), Error> {
        let dialect = self.dialect;
        message.read_through(self, dialect).map_err(|_| NO_MESSAGE)
    }

    /// Codes the bits between the end and the next byte. Returns the position then.
    pub(super) fn code_padding(&mut self) -> Result<u64, Error> {
        let width = (8 - (self.original.position() % 8) as u32) % 8;
        let value = self.original.take(width).map_err(|_| Error::Truncated)?;
        let value = self.stream.model.symbol(value, width, &[context(&[60, u64::from(width)]), context(&[61])], 19);
        self.original.put(value, width);
        Ok(self.original.position())
    }

    pub(super) fn into_original(self) -> O {
        self.original
    }

    pub(super) fn table(&self) -> (&'static Table, Places) {
        if self.place == Place::Player { (self.dialect.player, self.game.player) } else { (self.dialect.entity, self.game.entity) }
    }

    pub(super) fn symbol<const N: usize>(&mut self, value: u32, width: u32, contexts: [Context; N], set: usize) -> u32 {
        self.stream.model.symbol(value, width, &contexts, set)
    }

    /// A value of `width` bits as its difference from another.
    pub(super) fn difference<const N: usize>(&mut self, value: u32, from: u32, width: u32, contexts: [Context; N], set: usize) -> u32 {
        let unused = 32 - width.max(1);
        let difference = (value.wrapping_sub(from) << unused) as i32 >> unused;
        let found = self.stream.model.number(i64::from(difference), &contexts, set);
        from.wrapping_add(found as u32) << unused >> unused
    }

    pub(super) fn flag_of<const N: usize>(&mut self, on: bool, contexts: [Context; N], broad: usize, fine: usize) -> bool {
        self.stream.model.flag(on, contexts, broad, FLAGS + fine)
    }

    /// Codes a field of a message.
    fn word(&mut self, value: u32, width: u32) -> u32 {
        match (self.place, self.field) {
            (Place::Message | Place::Gamestate, "operation") => {
                let [a, b] = self.game.operations;
                let found = self.symbol(value, width, [context(&[70, a]), context(&[71, a, b])], 20);
                self.game.operations = [u64::from(found) + 1, a];
                found
            }
            (_, "reliableAcknowledge") => {
                let found = self.difference(value, self.game.acknowledged, width, [context(&[72, self.game.step]), context(&[73])], 21);
                self.game.acknowledged = found;
                found
            }
            (Place::Command, "sequence") => {
                let from = self.game.state.command_sequence() as u32;
                let from = if self.game.operations[1] == self.game.operations[0] { self.command as u32 } else { from };
                let found = self.difference(value, from, width, [context(&[74, self.game.operations[1]]), context(&[75])], 24);
                self.command = found as i32;
                found
            }
            (Place::Snapshot, _) => self.snapshot_word(value, width),
            (Place::Player, "field count") => {
                self.begin_player();
                self.field_count(value, width)
            }
            (Place::Player, "arrays") => {
                let differ = self.game.newest.player.arrays != self.game.base.player.arrays;
                u32::from(self.flag_of(value != 0, [context(&[31]), context(&[32, u64::from(differ)])], 30, 0))
            }
            (Place::Player, name) if width == 1 => {
                let array = self.dialect.array(name).map_or(0, |array| array.at);
                let differ = self.game.newest.player.arrays[array] != self.game.base.player.arrays[array];
                let c = context(&[33, array as u64, u64::from(differ)]);
                let passed = context(&[c, self.game.passed as u64]);
                u32::from(self.flag_of(value != 0, [c, passed], 30, 10 + array))
            }
            (Place::Array(array), "mask") => self.array_mask(array, value),
            (Place::Array(array), _) => self.element(array, value, width),
            (Place::Entity, "remove") => {
                let c = self.entity_contexts(310);
                u32::from(self.flag_of(value != 0, c, 31, 40 + self.relation as usize))
            }
            (Place::Entity, "delta") => {
                let c = self.entity_contexts(313);
                let changed = self.flag_of(value != 0, c, 32, 50 + self.relation as usize);
                if changed {
                    let index = usize::from(self.update.number) & 1023;
                    self.game.mentioned[index] |= u8::from(self.relation == 0);
                    self.begin_entity();
                }
                u32::from(changed)
            }
            (Place::Entity, "field count") => self.field_count(value, width),
            (Place::Entity, "known mask") => {
                let u = &self.update;
                let c = [context(&[80, u.who]), context(&[81, u.who, u.expected]), context(&[82, u64::from(u.number)]), context(&[83, u.expected])];
                let index = usize::from(u.number) & 1023;
                let c = [c[0], c[1], c[2], c[3], context(&[84, u64::from(self.game.counts[index]), self.update.who])];
                let found = self.symbol(value, width, c, 33);
                self.game.counts[index] = found as u8;
                found
            }
            (Place::Item, "index" | "number") => {
                let from = (self.last + 1) as u32;
                let found = self.difference(value, from, width, [context(&[85]), context(&[86, self.game.operations[0]])], 36);
                self.last = i64::from(found);
                if self.field == "number" {
                    self.place = Place::Entity;
                    self.relation = 5;
                    self.update.number = found as u16 & 1023;
                }
                found
            }
            _ => self.other(value, width),
        }
    }

    /// A field that nothing special is known of.
    fn other(&mut self, value: u32, width: u32) -> u32 {
        let key = self.field.bytes().fold(0x811c_9dc5, |key, byte| hash(key, u64::from(byte)));
        let [a, b] = self.game.others.get(&key).copied().unwrap_or_default();
        let (a64, b64) = (u64::from(a), u64::from(b));
        let contexts = [context(&[90, key]), context(&[91, key, a64]), context(&[92, key, a64, b64]), context(&[93, key, self.before])];
        let found = if width == 32 { self.difference(value, a, width, contexts, 40) } else { self.symbol(value, width, contexts, 44) };
        self.game.others.insert(key, [found, a]);
        self.before = u64::from(found);
        found
    }

    fn snapshot_word(&mut self, value: u32, width: u32) -> u32 {
        let step = self.game.step;
        match self.field {
            "serverTime" => {
                let from = self.game.time.wrapping_add(self.game.passed) as u32;
                let passed = self.game.passed as u64;
                let found = self.difference(value, from, width, [context(&[100]), context(&[101, step]), context(&[102, step, passed])], 50);
                self.game.passed = (found as i32).wrapping_sub(self.game.time);
                self.game.time = found as i32;
                found
            }
            "deltaNum" => {
                let before = self.game.delta;
                let found = self.symbol(value, width, [context(&[103, before]), context(&[104, step, before]), context(&[105])], 53);
                self.game.delta = u64::from(found);
                self.game.find_base(found);
                (self.last, self.last_new, self.recent, self.recent_new) = (-1, 0, 0, 0);
                found
            }
            "area mask length" => {
                let before = self.game.newest.area_mask.len() as u64;
                self.symbol(value, width, [context(&[106, before]), context(&[107])], 54)
            }
            "entity number" => u32::from(self.entity_number(value as u16)),
            _ => self.other(value, width),
        }
    }

    /// Bytes of the areas that are out of view.
    fn area_mask(&mut self, at: usize, value: u8, changed: u64) -> u8 {
        let before = u64::from(self.game.newest.area_mask.get(at).copied().unwrap_or(0));
        let c = [context(&[120, at as u64, before]), context(&[121, at as u64]), context(&[122, at as u64, before, changed])];
        self.symbol(u32::from(value), 8, c, 90) as u8
    }

    fn guard(&self) -> Result<(), WireFault> {
        if self.original.position() > LONGEST || self.stream.model.overran() {
            return Err(WireFault::malformed("the packed message does not end"));
        }
        Ok(())
    }
}

impl<D: Coding, O: Original> Wire for Fields<'_, D, O> {
    type Error = WireFault;
    type Burst = Self;
    const READING: bool = true;

    fn burst<I: Burst<Self>>(&mut self, inner: I) -> I::Out {
        let table = self.table().0;
        if self.dialect.layout == Layout::Plain
            && self.place == Place::Entity
            && let Some(at) = table.iter().position(|field| field.name == self.field)
            && self.value(at).is_err()
        {
            self.pending = Pending::default();
        }
        inner.run(self)
    }

    fn bits(&mut self, _: u32, width: u32) -> Result<u32, WireFault> {
        let value = self.original.take(width)?;
        let value = match self.pending.next() {
            Some(pending) => pending,
            None if width == 0 => 0,
            None => {
                self.guard()?;
                self.word(value, width)
            }
        };
        self.original.put(value, width);
        Ok(value)
    }

    fn run_and<I: Burst<Self>>(&mut self, _: impl FnOnce() -> u32, at: usize, end: usize, inner: impl FnOnce(usize) -> I) -> Result<Option<I::Out>, WireFault> {
        if self.dialect.layout == Layout::Plain && self.place == Place::Player && at == 0 {
            self.begin_player();
        }
        for at in at..end {
            let value = self.original.take(1)? != 0;
            let sent = self.field_flag(at, end, value);
            self.original.put(u32::from(sent), 1);
            if sent {
                self.guard()?;
                self.value(at)?;
                return Ok(Some(inner(at).run(self)));
            }
        }
        Ok(None)
    }

    fn more(&mut self, _: bool) -> bool {
        let more = self.original.more();
        let [a, b] = self.game.operations;
        self.flag_of(more, [context(&[130, a]), context(&[131, a, b])], 91, 1000)
    }

    fn position(&self) -> u64 {
        self.original.position()
    }

    fn enter(&mut self, field: &'static str) {
        self.field = field;
    }

    fn open(&mut self, name: &'static str, _: Option<u32>) {
        self.outer.push(self.place);
        self.place = match name {
            "serverCommand" => Place::Command,
            "gamestate" => {
                self.last = -1;
                Place::Gamestate
            }
            "item" => {
                if self.game.operations[0] != self.game.operations[1] {
                    self.last = -1;
                }
                Place::Item
            }
            "snapshot" => Place::Snapshot,
            "player" => Place::Player,
            "entity" => Place::Entity,
            "stats" => Place::Array(0),
            "persistant" => Place::Array(1),
            "ammo" => Place::Array(2),
            "powerups" => Place::Array(3),
            _ => Place::Other(0),
        };
    }

    fn close(&mut self) {
        self.place = self.outer.pop().unwrap_or(Place::Message);
    }

    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), WireFault> {
        bytes.clear();
        let is_area_mask = self.place == Place::Snapshot;
        let mut changed = 0;
        for at in 0..length {
            self.guard()?;
            let value = self.original.take(8)? as u8;
            let value = if is_area_mask { self.area_mask(at, value, changed) } else { self.stream.byte(value, kind::DATA) };
            if is_area_mask {
                changed += u64::from(self.game.newest.area_mask.get(at).is_some_and(|&before| before != value));
            }
            self.original.put(u32::from(value), 8);
            bytes.push(value);
        }
        Ok(())
    }

    fn text(&mut self, text: &mut Vec<u8>, limit: Bounded) -> Result<(), WireFault> {
        text.clear();
        let kind = if self.place == Place::Command { kind::COMMAND } else { kind::TEXT };
        if self.place == Place::Command
            && let Some(known) = self.game.command(self.command).map(<[u8]>::to_vec)
        {
            let mut ahead = self.original.clone();
            let mut same = true;
            if D::PACKING {
                for &byte in known.iter().chain(&[0]) {
                    same = same && ahead.take(8)? as u8 == byte;
                }
            }
            if self.flag_of(same, [context(&[140]), context(&[141, self.game.operations[1]])], 92, 1001) {
                for &byte in known.iter().chain(&[0]) {
                    self.original.take(8)?;
                    self.original.put(u32::from(byte), 8);
                }
                self.expect(known.len() <= limit.bytes, limit.rule)?;
                text.extend_from_slice(&known);
                return Ok(());
            }
        }
        loop {
            self.guard()?;
            let byte = self.original.take(8)? as u8;
            let byte = self.stream.byte(byte, kind);
            self.original.put(u32::from(byte), 8);
            if byte == 0 {
                return Ok(());
            }
            self.expect(text.len() < limit.bytes, limit.rule)?;
            text.push(byte);
        }
    }
}
