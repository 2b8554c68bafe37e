//! The second rules of fields: lists of entities, and what other fields say of one (`docs/formats/pack.md`, "The second rules").

use fragreel_base::wire::{Error as WireFault, Wire};

use super::hints::{Hint, Hinted, Player, rough};
use super::memory::Past;
use super::names::key_of;
use super::roster::{MaskBytes, code_mask};
use super::{FLAGS, Fields, MESSAGE, signed};
use crate::coding::Coding;
use crate::model::{context, hash, magnitude};
use crate::numbers::Guess;
use crate::original::Original;

const FRAME: u64 = key_of("frame");
const YAW: u64 = key_of("angles_y");
const NUMBER: u64 = key_of("number");
const DELTA: u64 = key_of("delta");
const VIEWANGLES_X: u64 = key_of("viewangles_x");
const VIEWANGLES_Y: u64 = key_of("viewangles_y");
const ORIGIN_X: u64 = key_of("origin_x");
const ORIGIN_Y: u64 = key_of("origin_y");
const VIEWOFFSET_Z: u64 = key_of("viewoffset_z");
const GUNANGLES_Y: u64 = key_of("gunangles_y");
const PLAYERINFO: u64 = key_of("playerinfo");

impl<D: Coding, O: Original> Fields<'_, D, O> {
    /// A value that others decide, or make likely enough that it is one of them.
    pub(super) fn by_others(&mut self, key: u64, value: u32, width: u32, is_first: bool) -> Option<u32> {
        if !self.second {
            return None;
        }
        if self.class.is_mask && width >= 16 && !is_first {
            return Some(self.masked(key, value, width));
        }
        let hint = self.hint(width)?;
        let likely = self.likely(key, value, width, &hint);
        likely.or_else(|| hint.value.map(|from| self.hinted(key, value, width, from, &hint)))
    }

    /// The mask of a delta, and the number before it.
    pub(super) fn listed(&mut self, more: &[u64], wide: u64) -> Result<(u64, u32), WireFault> {
        self.guard()?;
        let width = |mask: u64| if mask & wide != 0 { 16 } else { 8 };
        let (mut mask, mut number) = (0, 0);
        if D::PACKING {
            mask = grown(more, |_| self.original.take(8))?;
            number = self.original.take(width(mask))?;
        }
        self.enter("mask");
        let key = context(&[self.path, self.field, 0]);
        number = self.memory.roster(self.path).number(&mut self.stream.model, number, key);
        let looks = self.memory.model(u64::from(number) + 1);
        mask = self.memory.roster(self.path).mask(&mut self.stream.model, mask, (number, looks), more, key);
        number &= (1 << width(mask)) - 1;
        grown(more, |at| {
            let byte = (mask >> (8 * at)) as u32 & 0xff;
            self.original.put(byte, 8);
            Ok(byte)
        })?;
        self.original.put(number, width(mask));
        self.memory.push(key, number);
        self.memory.push(hash(key, 1), mask as u32);
        self.entity = u64::from(number) + 1;
        self.values = [u64::from(number), mask, self.values[0]];
        self.keys = [key, key, self.keys[0]];
        Ok((mask, number))
    }

    /// What other fields say of this one.
    fn hint(&mut self, width: u32) -> Option<Hint> {
        let hinted = self.class.hinted.filter(|_| self.ordinal == 0)?;
        match (hinted, width) {
            (Hinted::OldOrigin(field), 16) => {
                let (value, change, now) = self.sibling(field, 16);
                let before = self.memory.past(context(&[self.path, field, 0]), self.entity).values[1];
                Some(Hint { likely: [Some(value), Some(signed(before, 16))], value: Some(value), more: [i64::from(now), i64::from(change != 0)] })
            }
            (Hinted::Base, 32) => {
                let (number, change, _) = self.sibling(NUMBER, 32);
                let (last, ..) = self.sibling(DELTA, 32);
                let value = last + change;
                Some(Hint { likely: [Some(value), None], value: Some(value), more: [number - value, 0] })
            }
            (Hinted::Velocity(field), 16) => {
                let (_, change, now) = self.sibling(field, 16);
                let (last, ..) = self.sibling(self.field, 16);
                let value = change * 10;
                Some(Hint { likely: [Some(last), Some(0)], value: Some(value), more: [i64::from(now), rough(last - value)] })
            }
            (Hinted::OwnOrigin(field), 16) => self.own(field, 0),
            (Hinted::OwnYaw(field), 8) => self.own(field, 8),
            (Hinted::Gun(axis), 8) => Some(self.player().gun(axis)),
            (Hinted::Kick(axis), 8) => Some(self.player().kick(axis)),
            _ => None,
        }
    }

    /// What the recording player's state says, if this is a field of an entity.
    fn own(&mut self, field: u64, shift: u32) -> Option<Hint> {
        if self.parts.is_empty() || self.entity == MESSAGE {
            return None;
        }
        let past = *self.memory.past(context(&[hash(0, PLAYERINFO), field, 0]), MESSAGE);
        let recent = past.message + 1 >= self.memory.message;
        (past.count > 0).then(|| Hint { likely: [Some(i64::from(past.values[0] >> shift)), None], value: None, more: [i64::from(recent), 0] })
    }

    fn player(&mut self) -> Player {
        let (yaw, turned, _) = self.sibling(VIEWANGLES_Y, 16);
        Player {
            turned: [self.sibling(VIEWANGLES_X, 16).1, turned],
            moved: [self.sibling(ORIGIN_X, 16).1, self.sibling(ORIGIN_Y, 16).1],
            yaw: yaw as u32 & 0xffff,
            height: self.sibling(VIEWOFFSET_Z, 8).0,
            gun_yaw: self.sibling(GUNANGLES_Y, 8).0,
        }
    }

    /// The model of an entity, and its frame with its yaw.
    pub(super) fn looks(&mut self) -> (u64, u64) {
        if !self.second {
            return (0, 0);
        }
        let [frame, yaw] = [FRAME, YAW].map(|field| u64::from(self.memory.past(context(&[self.path, field, 0]), self.entity).values[0]));
        (self.memory.model(self.entity), frame << 3 | yaw >> 5 & 7)
    }

    /// Another field of the same part: its value with a sign, how it changed with this message, and whether that was said.
    fn sibling(&mut self, field: u64, width: u32) -> (i64, i64, bool) {
        let past = *self.memory.past(context(&[self.path, field, 0]), self.entity);
        let now = past.message == self.memory.message;
        let change = if now { signed(past.values[0].wrapping_sub(past.values[1]), width) } else { 0 };
        (signed(past.values[0], width), change, now)
    }

    /// Whether a value is one that others make likely.
    fn likely(&mut self, key: u64, value: u32, width: u32, hint: &Hint) -> Option<u32> {
        let (time, message) = (self.memory.time, self.memory.message);
        let entity = self.entity;
        let mut past = *self.memory.past(key, entity);
        let [a, b] = hint.more.map(|number| number as u64);
        for (at, likely) in hint.likely.into_iter().enumerate() {
            let Some(likely) = likely.filter(|_| at == 0 || hint.likely[1] != hint.likely[0]) else { continue };
            let word = likely as u32 & (u32::MAX >> (32 - width));
            let before = u64::from(if at == 0 { past.same } else { self.memory.second(key) });
            let z = context(&[key, at as u64]);
            let c = [
                context(&[z, before, 120]),
                context(&[z, entity, before & 7, 121]),
                context(&[z, a, before & 3, 122]),
                context(&[z, b, before & 1, 123]),
                context(&[z, self.same & 15, a, 124]),
                context(&[z, rough(likely - hint.value.unwrap_or(0)) as u64, 125]),
            ];
            let same = self.stream.model.flag(value == word, c, 892, FLAGS + 2 + (key % 64) as usize);
            self.same = self.same << 1 | u64::from(same);
            if at == 0 {
                past.same = past.same << 1 | u8::from(same);
            } else {
                self.memory.found_second(key, same);
            }
            if same {
                *self.memory.past(key, entity) =
                    Past { values: [word, past.values[0]], times: [time, past.times[0]], message, count: past.count.saturating_add(1), ..past };
                return Some(word);
            }
        }
        self.memory.past(key, entity).same = past.same;
        None
    }

    /// A number by its difference from what others say.
    fn hinted(&mut self, key: u64, value: u32, width: u32, from: i64, hint: &Hint) -> u32 {
        let (time, message) = (self.memory.time, self.memory.message);
        let entity = self.entity;
        let guess = self.memory.guess();
        let past = *self.memory.past(key, entity);
        let from = from as u32;
        let difference = |value: u32| signed(value.wrapping_sub(from), width);
        let size = magnitude(past.miss);
        let last = difference(past.values[0]);
        let [a, b] = hint.more.map(|number| number as u64);
        let contexts = [
            context(&[key, 110]),
            context(&[key, past.miss as u64, 111]),
            context(&[key, entity, size, 112]),
            context(&[key, a, b, 113]),
            context(&[key, last as u64, 114]),
            context(&[key, magnitude(last), past.miss as u64, 115]),
            context(&[key, self.misses[0], size, 116]),
            context(&[key, a, past.miss as u64, 117]),
            context(&[key, u64::from(from), 118]),
            0,
        ];
        let guess = guess.map(|guess| Guess { value: difference(guess.value), held: guess.held });
        let miss = self.stream.model.number_guessed(difference(value), &contexts, 300 + (key % 97) as usize * 4, guess);
        let found = from.wrapping_add(miss as u32) & (u32::MAX >> (32 - width));
        self.misses = [magnitude(miss), self.misses[0]];
        *self.memory.past(key, entity) =
            Past { values: [found, past.values[0]], times: [time, past.times[0]], miss, count: past.count.saturating_add(1), message, same: past.same };
        found
    }

    /// A mask of several bytes.
    fn masked(&mut self, key: u64, value: u32, width: u32) -> u32 {
        let (time, message) = (self.memory.time, self.memory.message);
        let (entity, other) = (self.entity, u64::from(self.memory.recent(key)[0]));
        let past = *self.memory.past(key, entity);
        let age = message - past.message.min(message);
        let bytes = MaskBytes::Fixed(width.div_ceil(8));
        let last = past.values.map(u64::from);
        let found = code_mask(&mut self.stream.model, value.into(), &bytes, entity, last, [other, age.min(3), 0], key) as u32 & (u32::MAX >> (32 - width));
        *self.memory.past(key, entity) =
            Past { values: [found, past.values[0]], times: [time, past.times[0]], miss: 0, count: past.count.saturating_add(1), message, same: past.same };
        found
    }
}

/// The bytes of a mask that grows.
fn grown(more: &[u64], mut byte: impl FnMut(usize) -> Result<u32, WireFault>) -> Result<u64, WireFault> {
    let mut mask = u64::from(byte(0)?);
    for (at, bit) in more.iter().enumerate() {
        if mask & bit == 0 {
            break;
        }
        mask |= u64::from(byte(at + 1)?) << (8 * (at + 1));
    }
    Ok(mask)
}
