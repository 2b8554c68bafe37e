//! The fourth direction for any family: each field goes through the model with its name, its entity, and its past
//! (`docs/formats/pack.md`, "Fields").

mod hints;
mod memory;
mod names;
mod roster;
mod second;

pub(crate) use memory::Memory;

use fragreel_base::wire::{Bounded, Error as WireFault, Quantity, Wire};

use crate::coding::Coding;
use crate::floats::{fixed, float, order, unordered};
use crate::model::{Context, context, hash, magnitude};
use crate::numbers::Guess;
use crate::original::Original;
use crate::stream::{Stream, kind};
use memory::{Class, LONGEST_DATA, Past};
use names::key_of;

/// The longest message that is packed, in bits.
const LONGEST: u64 = 8 << 20;
/// The fine sets of weights for single decisions.
const FLAGS: usize = 890 * 64;
/// What fields of a message belong to before a number says it.
pub(crate) const MESSAGE: u64 = 4096;
const _: () = assert!(FLAGS + 66 + 64 < 900 * 64);

/// A wire that packs or unpacks.
pub(crate) struct Fields<'a, D, O> {
    original: O,
    memory: &'a mut Memory,
    stream: &'a mut Stream<D>,
    /// The parts that are open: the key of their names, and the entity before each.
    parts: Vec<(u64, u64)>,
    path: u64,
    entity: u64,
    field: u64,
    class: Class,
    /// How many values the field has had.
    ordinal: u64,
    is_float: bool,
    /// The last values of this message, and their fields.
    values: [u64; 3],
    keys: [u64; 3],
    misses: [u64; 2],
    /// Which of the last values were those of their fields before, the newest lowest.
    same: u64,
    /// The depth at which the field `length` is left out, because the data say it.
    without_length: Option<usize>,
    /// Where the messages end, if that is known.
    end: Option<u64>,
    /// By the rules of the first models, or by those that know lists and hints.
    second: bool,
    /// What the messages that no other number is said of belong to.
    whole: u64,
}

impl<'a, D: Coding, O: Original> Fields<'a, D, O> {
    pub(crate) fn new(original: O, memory: &'a mut Memory, stream: &'a mut Stream<D>) -> Self {
        memory.message += 1;
        let class = memory.class(0, "");
        Fields {
            original,
            memory,
            stream,
            parts: Vec::new(),
            path: 0,
            entity: 0,
            field: 0,
            class,
            ordinal: 0,
            is_float: false,
            values: [0; 3],
            keys: [0; 3],
            misses: [0; 2],
            same: 0,
            without_length: None,
            end: None,
            second: false,
            whole: MESSAGE,
        }
    }

    /// By the second rules, if so.
    pub(crate) fn by_second(self, second: bool) -> Self {
        Fields { second, ..self }
    }

    /// Codes messages that take this number of bytes.
    pub(crate) fn within(&mut self, bytes: usize, whole: u64, code: impl FnOnce(&mut Self) -> Result<(), WireFault>) -> Result<(), WireFault> {
        let end = self.original.position() + bytes as u64 * 8;
        (self.end, self.whole) = (Some(end), whole);
        code(self)?;
        (self.end, self.whole) = (None, MESSAGE);
        if self.original.position() == end { Ok(()) } else { Err(WireFault::malformed("the messages do not end where they should")) }
    }

    /// A decision about what follows the last value.
    pub(crate) fn decide(&mut self, yes: bool) -> bool {
        let [a, b, _] = self.memory.kinds;
        self.stream.model.flag(yes, [context(&[6, a, self.path]), context(&[6, a, b, self.values[0]])], 894, FLAGS + 1)
    }

    /// Leaves the field `length` of parts of this depth out, if `left_out`.
    pub(crate) fn without_length(self, depth: usize, left_out: bool) -> Self {
        Fields { without_length: left_out.then_some(depth), ..self }
    }

    pub(crate) fn original(&self) -> &O {
        &self.original
    }

    pub(crate) fn into_original(self) -> O {
        self.original
    }

    /// Leaves the length out that the data say themselves. Returns whether this field is that.
    fn is_left_out(&self) -> bool {
        self.without_length == Some(self.parts.len()) && self.field == LENGTH
    }

    fn word(&mut self, value: u32, width: u32) -> u32 {
        let key = context(&[self.path, self.field, self.ordinal]);
        let entity_before = self.entity;
        let is_first = self.class.is_kind && self.parts.is_empty() && self.ordinal == 0;
        if is_first {
            // fields of another message are another entity's
            self.entity = self.whole;
            (self.values, self.keys) = ([0; 3], [0; 3]);
        }
        let moves = self.class.moves && width >= 12 || self.is_float || width == 32 && !self.class.is_mask;
        let others = self.by_others(key, value, width, is_first);
        let known = others.or_else(|| if width >= 16 && !is_first { self.repeated(key, value) } else { None });
        let found = match known {
            Some(known) => known,
            None if moves => self.moving(key, value, width),
            None => self.plain(key, value, width),
        };
        if width >= 16 {
            self.memory.echo(key, found);
        }
        if self.second && self.class.is_model {
            self.memory.set_model(entity_before, found);
        }
        let recent = self.memory.recent(key);
        *recent = [found, recent[0]];
        if is_first {
            let [a, b, _] = self.memory.kinds;
            self.memory.kinds = [u64::from(found), a, b];
        } else if self.class.is_entity && !(self.second && width == 32) {
            self.entity = u64::from(found & 0xffff) + 1;
        }
        self.values = [u64::from(found), self.values[0], self.values[1]];
        self.keys = [key, self.keys[0], self.keys[1]];
        self.memory.push(key, found);
        found
    }

    /// Whether a value is the field's last, or one that came shortly before under another name.
    fn repeated(&mut self, key: u64, value: u32) -> Option<u32> {
        let entity = self.entity;
        let guess = self.memory.guess();
        let past = *self.memory.past(key, entity);
        let last = past.values[0];
        let history = u64::from(past.same);
        let expected = guess.map_or(2, |guess| u64::from(guess.value == last)) << 8 | guess.map_or(0, |guess| guess.held);
        let speed = u64::from(past.values[0] != past.values[1]);
        let c = [
            context(&[key, history, 60]),
            context(&[key, entity, history & 7, 61]),
            context(&[key, self.same & 0xff, speed, 62]),
            context(&[key, expected, history & 1, 63]),
            context(&[key, self.same & 7, self.values[0], 64]),
            context(&[key, self.same & 0xffff, history & 3, 65]),
        ];
        let same = self.stream.model.flag(value == last, c, 892, FLAGS + 2 + (key % 64) as usize);
        self.same = self.same << 1 | u64::from(same);
        let (time, message) = (self.memory.time, self.memory.message);
        let past = self.memory.past(key, entity);
        past.same = past.same << 1 | u8::from(same);
        if same {
            past.values[1] = last;
            past.times = [time, past.times[0]];
            past.message = message;
            past.miss = 0;
            past.count = past.count.saturating_add(1);
            return Some(last);
        }
        let (echo, history) = self.memory.echoed(key)?;
        let c = [context(&[key, history, 66]), context(&[key, u64::from(echo == last), history & 7, 67]), context(&[key, expected, history & 1, 68])];
        let echoes = self.stream.model.flag(value == echo, c, 893, FLAGS + 66 + (key % 64) as usize);
        self.memory.found_echo(key, echoes);
        if echoes {
            let past = self.memory.past(key, entity);
            *past = Past { values: [echo, last], times: [time, past.times[0]], miss: 0, count: past.count.saturating_add(1), message, same: past.same };
            return Some(echo);
        }
        None
    }

    /// A place, a speed or an angle: its difference from where it would be.
    fn moving(&mut self, key: u64, value: u32, width: u32) -> u32 {
        let (time, message) = (self.memory.time, self.memory.message);
        let entity = self.entity;
        let guess = self.memory.guess();
        let past = *self.memory.past(key, entity);
        let new = u64::from(past.count == 0);
        let [last, before] = past.values;
        let is_float = width == 32
            && self.stream.model.flag(looks_like_float(value), [context(&[key, 19]), context(&[key, 18, u64::from(looks_like_float(last))])], 890, FLAGS);
        // the time since the last value, against the time between the two before
        let (passed, passed_before) = (time - past.times[0], past.times[0] - past.times[1]);
        let in_proportion = |speed: i64| if passed_before > 0 { speed * passed.clamp(0, passed_before * 3) / passed_before } else { speed };
        let continues = past.count > 1 && self.class.is_origin;
        let unused = 32 - width;
        let signed = |word: u32| signed(word, width);
        let (from, speed) = if is_float {
            let (a, b) = (fixed(last).clamp(-1 << 40, 1 << 40), fixed(before).clamp(-1 << 40, 1 << 40));
            let speed = if continues { in_proportion(a - b) } else { 0 };
            (if speed == 0 { last } else { float(a + speed) }, speed >> 13)
        } else {
            let speed = if continues { in_proportion(signed(last.wrapping_sub(before))) } else { 0 };
            (last.wrapping_add(speed as u32), speed)
        };
        let difference = |value: u32| if is_float { order(value) - order(from) } else { signed(value.wrapping_sub(from)) };
        let age = (message - past.message.min(message)).min(63);
        let (model, frame) = self.looks();
        let size = magnitude(past.miss);
        let contexts = [
            context(&[key, new, 20]),
            context(&[key, size, new, 21]),
            context(&[key, entity, 22]),
            context(&[key, magnitude(speed), size, 23]),
            context(&[key, self.misses[0], new, 24]),
            context(&[key, past.miss as u64, 25]),
            if self.second { context(&[key, model, frame, 29]) } else { context(&[key, self.misses[0], self.misses[1], size, 26]) },
            context(&[key, age, magnitude(speed), 27]),
            context(&[key, self.values[0], new, 28]),
            0,
        ];
        let guess = guess.map(|guess| Guess { value: difference(guess.value), held: guess.held });
        let set = 300 + (key % 97) as usize * 4;
        let miss = self.stream.model.number_guessed(difference(value), &contexts, set, guess);
        let found = if is_float { unordered(order(from).wrapping_add(miss)) } else { from.wrapping_add(miss as u32) << unused >> unused };
        self.misses = [magnitude(miss), self.misses[0]];
        let miss = if is_float && !self.class.is_origin { (fixed(found) - fixed(last)).clamp(-1 << 40, 1 << 40) >> 13 } else { miss };
        *self.memory.past(key, entity) =
            Past { values: [found, last], times: [time, past.times[0]], miss, count: past.count.saturating_add(1), message, same: past.same };
        found
    }

    /// Any other number, by what was there before.
    fn plain(&mut self, key: u64, value: u32, width: u32) -> u32 {
        let (time, message) = (self.memory.time, self.memory.message);
        let entity = self.entity;
        let guess = self.memory.guess();
        let past = *self.memory.past(key, entity);
        let recent = *self.memory.recent(key);
        let kinds = self.memory.kinds;
        let (model, _) = self.looks();
        let last = u64::from(past.values[0]);
        let [v0, v1, v2] = self.values;
        let [k0, k1, k2] = self.keys;
        let (mut left, mut high) = (width, 1u64);
        let mut found = 0;
        while left > 0 {
            let take = if left <= 8 {
                left
            } else if left.is_multiple_of(8) {
                8
            } else {
                left % 8
            };
            left -= take;
            let part = (u64::from(value) >> left) as u32 & ((1 << take) - 1);
            let z = context(&[key, high, u64::from(left)]);
            let contexts = [
                context(&[z, 40]),
                context(&[z, entity, last, 41]),
                context(&[z, v0, k0, 42]),
                context(&[z, v0, v1, k1, 43]),
                if self.second { context(&[z, model, last, 49]) } else { context(&[z, u64::from(recent[0]), u64::from(recent[1]), 44]) },
                context(&[z, entity, last, u64::from(past.values[1]), 45]),
                context(&[z, kinds[0], kinds[1], last, 46]),
                context(&[z, v0, v1, v2, k2, 47]),
                context(&[z, entity, v0, last, 48]),
                0,
            ];
            let guess = guess.filter(|guess| u64::from(guess.value) >> (left + take) | 1 << (width - left - take) == high);
            let guess = guess.map(|guess| Guess { value: (u64::from(guess.value) >> left) as u32 & ((1 << take) - 1), held: guess.held });
            let part = self.stream.model.symbol_guessed(part, take, &contexts, 100 + (key % 199) as usize, guess);
            high = high << take | u64::from(part);
            found = (u64::from(found) << take) as u32 | part;
        }
        let miss = i64::from(found) - last as i64;
        *self.memory.past(key, entity) =
            Past { values: [found, past.values[0]], times: [time, past.times[0]], miss, count: past.count.saturating_add(1), message, same: past.same };
        found
    }

    fn guard(&self) -> Result<(), WireFault> {
        if self.original.position() > LONGEST || self.stream.model.overran() {
            return Err(WireFault::malformed("the packed message does not end"));
        }
        Ok(())
    }

    fn next_field(&mut self, name: &'static str) {
        self.field = key_of(name);
        self.class = self.memory.class(self.field, name);
        (self.ordinal, self.is_float) = (0, false);
    }

    /// One byte of data, for a field that held other bytes before.
    fn data_byte(&mut self, value: u8, at: usize, key: u64, before: &[u8], last: [u8; 2]) -> u8 {
        let then = u64::from(before.get(at).copied().unwrap_or(0));
        let [p1, p2] = last.map(u64::from);
        let z = context(&[key, at as u64]);
        let contexts: [Context; 6] =
            [context(&[z, 50]), context(&[z, then, 51]), context(&[z, then, p1, 52]), context(&[key, p1, p2, 53]), context(&[key, p1, 54]), 0];
        let guess = self.memory.guess().filter(|guess| guess.value < 256);
        self.stream.model.symbol_guessed(u32::from(value), 8, &contexts, 60, guess) as u8
    }
}

const LENGTH: u64 = key_of("length");

/// A word of this width with its sign.
fn signed(word: u32, width: u32) -> i64 {
    i64::from((word << (32 - width)) as i32 >> (32 - width))
}

/// Whether a word is a float of a game: zero, or neither tiny nor huge.
fn looks_like_float(word: u32) -> bool {
    let exponent = word >> 23 & 0xff;
    word == 0 || (107..147).contains(&exponent)
}

impl<D: Coding, O: Original> Wire for Fields<'_, D, O> {
    type Error = WireFault;
    const READING: bool = true;

    fragreel_base::wire::without_bursts!();

    fn bits(&mut self, _: u32, width: u32) -> Result<u32, WireFault> {
        if self.is_left_out() {
            return self.original.take(width);
        }
        if width == 0 {
            return Ok(0);
        }
        self.guard()?;
        let value = self.original.take(width)?;
        let found = self.word(value, width);
        self.original.put(found, width);
        self.ordinal += 1;
        Ok(found)
    }

    fn quantity(&mut self, value: u32, width: u32, quantity: Quantity) -> Result<u32, WireFault> {
        self.is_float = matches!(quantity, Quantity::Float) && width == 32 || matches!(quantity, Quantity::Scaled { .. }) && width >= 12;
        let found = self.bits(value, width);
        self.is_float = false;
        found
    }

    fn mask_and_number(&mut self, _: u64, more: &[u64], _: u32, wide: u64) -> Result<(u64, u32), WireFault> {
        if self.second {
            return self.listed(more, wide);
        }
        self.enter("mask");
        let mask = self.mask(0, more)?;
        let number = self.field("number", 0, if mask & wide != 0 { 16 } else { 8 })?;
        Ok((mask, number))
    }

    fn more(&mut self, _: bool) -> bool {
        if let Some(end) = self.end {
            return self.original.position() < end && self.guard().is_ok();
        }
        let more = self.original.more() && self.guard().is_ok();
        let [a, b, c] = self.memory.kinds;
        let path = self.path;
        self.stream.model.flag(
            more,
            [
                context(&[3, a, path]),
                context(&[3, a, b, path]),
                context(&[3, a, b, c, path]),
                context(&[4, a, self.values[0], path]),
                context(&[5, a, b, self.memory.held()]),
            ],
            891,
            FLAGS + 1,
        )
    }

    fn position(&self) -> u64 {
        self.original.position()
    }

    fn enter(&mut self, field: &'static str) {
        self.next_field(field);
    }

    fn open(&mut self, name: &'static str, index: Option<u32>) {
        self.parts.push((self.path, self.entity));
        self.path = hash(self.path, key_of(name));
        if let Some(index) = index {
            self.entity = u64::from(index) + 1;
        }
        self.next_field("");
    }

    fn close(&mut self) {
        (self.path, self.entity) = self.parts.pop().unwrap_or_default();
        self.next_field("");
    }

    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), WireFault> {
        bytes.clear();
        let key = context(&[self.path, self.field, self.memory.kinds[0]]);
        let before = std::mem::take(self.memory.data(key));
        let mut last = [0; 2];
        for at in 0..length {
            self.guard()?;
            let value = self.original.take(8)? as u8;
            let value = if length > LONGEST_DATA { self.stream.byte(value, kind::DATA) } else { self.data_byte(value, at, key, &before, last) };
            self.original.put(u32::from(value), 8);
            self.memory.push(key, u32::from(value));
            last = [value, last[0]];
            bytes.push(value);
        }
        *self.memory.data(key) = bytes[..length.min(LONGEST_DATA)].to_vec();
        Ok(())
    }

    fn text(&mut self, text: &mut Vec<u8>, limit: Bounded) -> Result<(), WireFault> {
        text.clear();
        let kind = 16 + (context(&[self.path, self.field]) & 15);
        loop {
            self.guard()?;
            let byte = self.original.take(8)? as u8;
            let byte = self.stream.byte(byte, kind);
            self.original.put(u32::from(byte), 8);
            if byte == 0 {
                break;
            }
            self.expect(text.len() < limit.bytes, limit.rule)?;
            text.push(byte);
        }
        let sum = text.iter().fold(0, |sum, &byte| hash(sum, u64::from(byte)));
        self.memory.push(self.field, sum as u32);
        Ok(())
    }
}
