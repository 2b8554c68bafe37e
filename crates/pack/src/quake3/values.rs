//! Values of fields that were sent, with the flags before them.

use fragreel_base::delta::interleaved::Kind;
use fragreel_base::wire::Error as WireFault;
use fragreel_quake3::dialect::Layout;

use super::pending::Pending;
use super::wire::{Fields, Place};
use crate::coding::Coding;
use crate::floats::{fixed, float, of_steps, order, steps, unordered, whole};
use crate::model::{context, magnitude};
use crate::original::Original;

/// How a value is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By a flag alone.
    Zero,
    /// A float as an integer of 13 bits.
    Short,
    /// All of its bits.
    Full,
}

const SHORT_BITS: u32 = 13;
const BIAS: i32 = 1 << (SHORT_BITS - 1);

/// What is known of a value before it.
struct Known {
    /// The key of the field.
    key: u64,
    /// The newest value, and the predicted one.
    newest: u32,
    predicted: u32,
    /// The last change.
    change: i64,
    history: u64,
    sofar: u64,
    extra: u64,
    who: u64,
    number: u64,
}

/// The form that engines choose.
fn usual_form(kind: Kind, word: u32, zero_flag: bool) -> Form {
    if zero_flag && word == 0 {
        Form::Zero
    } else if kind == Kind::Float && short_of(word).is_some() {
        Form::Short
    } else {
        Form::Full
    }
}

/// The integer that a float is, where it fits 13 bits.
fn short_of(word: u32) -> Option<i32> {
    let fixed = fixed(word);
    let short = (fixed >> 16) as i32;
    (fixed & 0xffff == 0 && (-BIAS..BIAS).contains(&short) && float(fixed) == word).then_some(short)
}

impl<D: Coding, O: Original> Fields<'_, D, O> {
    /// Codes the value of a sent field, and leaves it for the reader.
    pub(super) fn value(&mut self, at: usize) -> Result<(), WireFault> {
        let (table, places) = self.table();
        let kind = table.get(at).map_or(Kind::Uint(1), |field| field.kind);
        let is_player = self.place == Place::Player;
        let zero_flag = !is_player && self.dialect.layout == Layout::Coded;
        let (form, word) = if D::PACKING { self.peek(kind, zero_flag)? } else { (Form::Full, 0) };
        let (form, word) = self.code_value(at, kind, zero_flag, form, word);

        self.pending = Pending::default();
        if zero_flag {
            self.pending.push(u32::from(form != Form::Zero));
        }
        if form != Form::Zero {
            if kind == Kind::Float {
                self.pending.push(u32::from(form == Form::Full));
            }
            self.pending.push(if form == Form::Short { ((fixed(word) >> 16) as i32 + BIAS) as u32 & ((1 << SHORT_BITS) - 1) } else { word });
        }

        let index = usize::from(self.update.number) & 1023;
        let u = &mut self.update;
        let newest = u.newest[at & 63];
        let change = match kind {
            Kind::Float => ((fixed(word) - fixed(newest)) >> 16).clamp(-1 << 30, 1 << 30) as i32,
            Kind::Int(_) | Kind::Uint(_) => word.wrapping_sub(newest) as i32,
        };
        let changes = if is_player { &mut self.game.player_change } else { &mut self.game.change[index] };
        changes[at & 63] = change;
        u.now[at & 63] = word;
        u.values = crate::model::hash(u.values, u64::from(word));
        if u.expected >> (at & 63) & 1 != 0 && word == newest {
            // it was sent because the base is older, not because it changed
            let history = if is_player { &mut self.game.player_sent[at & 63] } else { &mut self.game.sent[index][at & 63] };
            *history &= !1;
        }
        if is_player && places.times >> (at & 63) & 1 != 0 {
            self.game.passed_player = change;
        }
        Ok(())
    }

    /// What the original holds.
    fn peek(&self, kind: Kind, zero_flag: bool) -> Result<(Form, u32), WireFault> {
        let mut ahead = self.original.clone();
        if zero_flag && ahead.take(1)? == 0 {
            return Ok((Form::Zero, 0));
        }
        match kind {
            Kind::Float if ahead.take(1)? == 0 => {
                let short = ahead.take(SHORT_BITS)? as i32 - BIAS;
                Ok((Form::Short, float(i64::from(short) << 16)))
            }
            Kind::Float => Ok((Form::Full, ahead.take(32)?)),
            Kind::Int(width) | Kind::Uint(width) => Ok((Form::Full, ahead.take(u32::from(width))?)),
        }
    }

    fn code_value(&mut self, at: usize, kind: Kind, zero_flag: bool, form: Form, word: u32) -> (Form, u32) {
        let is_player = self.place == Place::Player;
        let index = usize::from(self.update.number) & 1023;
        let table = u64::from(is_player);
        let key = table * 64 + at as u64;
        let width = match kind {
            Kind::Float => 32,
            Kind::Int(width) | Kind::Uint(width) => u32::from(width),
        };
        let newest = self.update.newest[at & 63] & (u32::MAX >> (32 - width.clamp(1, 32)));
        let (predicted, extra) = if is_player { self.predict_player(at) } else { self.predict_entity(at) };
        let u = &self.update;
        let known = Known {
            key,
            newest,
            predicted,
            change: i64::from(if is_player { self.game.player_change[at & 63] } else { self.game.change[index][at & 63] }),
            history: u64::from(if is_player { self.game.player_sent[at & 63] } else { self.game.sent[index][at & 63] }),
            sofar: u.sofar & 0xffff,
            extra,
            who: if is_player { 0 } else { u.who },
            number: u64::from(u.number),
        };
        if u.expected >> (at & 63) & 1 != 0 {
            let c = [
                context(&[150, key]),
                context(&[151, key, known.who]),
                context(&[152, key, known.history]),
                context(&[153, key, known.number]),
                context(&[154, key, known.sofar]),
                context(&[155, key, extra]),
            ];
            let usual = usual_form(kind, newest, zero_flag);
            let same = self.flag_of(form == usual && word == newest, c, 93 + table as usize, 1010 + key as usize);
            if same {
                return (usual, newest);
            }
        }
        match kind {
            Kind::Float => self.code_float(&known, zero_flag, form, word),
            Kind::Int(_) | Kind::Uint(_) => {
                if zero_flag {
                    let c = [
                        context(&[156, key, known.who]),
                        context(&[157, key, u64::from(newest)]),
                        context(&[158, key, known.sofar]),
                        context(&[159, key, extra]),
                    ];
                    if !self.flag_of(form != Form::Zero, c, 95, 1150 + key as usize) {
                        return (Form::Zero, 0);
                    }
                }
                (Form::Full, self.code_integer(&known, at, kind, width, word))
            }
        }
    }

    fn code_float(&mut self, known: &Known, zero_flag: bool, form: Form, word: u32) -> (Form, u32) {
        let Known { key, newest, predicted, change, history, sofar, extra, who, number } = *known;
        let class_of = |form: Form, word: u32| match form {
            Form::Zero => 0,
            Form::Short => 1,
            Form::Full if steps(word).is_some() => 2,
            Form::Full => 3,
        };
        let before = u64::from(class_of(usual_form(Kind::Float, newest, zero_flag), newest));
        let c = [
            context(&[160, key, before]),
            context(&[161, key, who, before]),
            context(&[162, key, history, before]),
            context(&[163, key, number, before]),
            context(&[164, key, sofar]),
            context(&[165, key, extra]),
            context(&[166, key, magnitude(change)]),
        ];
        let class = self.stream.model.symbol(class_of(form, word), 2, &c, 96 + usize::from(zero_flag));
        if class == 0 {
            return if zero_flag { (Form::Zero, 0) } else { (Form::Full, 0) };
        }
        let key = key << 2 | u64::from(class);
        let (fixed_newest, fixed_predicted) = (fixed(newest), fixed(predicted));
        let drift = whole(fixed_predicted) - whole(fixed_newest);
        let size = u64::from(predicted >> 23 & 0xff);
        let c = [
            context(&[170, key]),
            context(&[171, key, who]),
            context(&[172, key, magnitude(change)]),
            context(&[173, key, number]),
            context(&[174, key, magnitude(drift), magnitude(change)]),
            context(&[175, key, sofar]),
            context(&[176, key, extra, magnitude(change)]),
            context(&[177, key, size]),
            context(&[178, key, change as u64]),
        ];
        let set = 200 + known.key as usize * 4;
        match class {
            1 => {
                let short = i64::from(short_of(word).unwrap_or(0)) - whole(fixed_predicted);
                let short = self.stream.model.number(short, &c, set).wrapping_add(whole(fixed_predicted));
                (Form::Short, float(short.clamp(-i64::from(BIAS), i64::from(BIAS) - 1) << 16))
            }
            2 => {
                let before = whole(fixed_newest.clamp(-1 << 30, 1 << 30) * 8192 / 45) as i32;
                let now = steps(word).unwrap_or(0);
                let turn = now.wrapping_sub(before);
                let in_half = turn == i32::from(turn as i16);
                let in_half = self.flag_of(in_half, [context(&[179, key]), context(&[180, key, who])], 98, 1005);
                let turn = if in_half { i64::from(turn as i16) } else { i64::from(turn) };
                let turn = self.stream.model.number(turn, &c, set);
                (Form::Full, of_steps(before.wrapping_add(turn as i32).clamp(-65536, 65536)))
            }
            _ => {
                let miss = self.stream.model.number(order(word) - order(predicted), &c, set);
                (Form::Full, unordered(order(predicted).wrapping_add(miss)))
            }
        }
    }

    fn code_integer(&mut self, known: &Known, at: usize, kind: Kind, width: u32, word: u32) -> u32 {
        let Known { key, newest, predicted, change, sofar, extra, who, number, .. } = *known;
        let set = 200 + key as usize * 4;
        let mask = u32::MAX >> (32 - width.clamp(1, 32));
        let (_, places) = self.table();
        let is_time = places.times >> (at & 63) & 1 != 0;
        if is_time || width > 24 {
            let c = [
                context(&[190, key]),
                context(&[191, key, who]),
                context(&[192, key, number]),
                context(&[193, key, magnitude(change)]),
                context(&[194, key, sofar]),
                context(&[195, key, change as u64]),
                context(&[196, key, extra]),
            ];
            let from = if is_time { predicted } else { newest };
            let difference = self.stream.model.number(i64::from(word as i32) - i64::from(from as i32), &c, set);
            return from.wrapping_add(difference as u32) & mask;
        }
        let newest64 = u64::from(newest);
        if matches!(kind, Kind::Int(_)) || key >= 64 && width >= 16 {
            let unused = 32 - width;
            let difference = i64::from((word.wrapping_sub(newest) << unused) as i32 >> unused);
            let c = [
                context(&[210, key]),
                context(&[211, key, newest64]),
                context(&[212, key, magnitude(change)]),
                context(&[213, key, change as u64]),
                context(&[214, key, sofar]),
                context(&[215, key, extra]),
            ];
            return newest.wrapping_add(self.stream.model.number(difference, &c, set) as u32) & mask;
        }
        let c = [
            context(&[220, key]),
            context(&[221, key, newest64]),
            context(&[222, key, who, sofar]),
            context(&[223, key, number]),
            context(&[224, key, extra, newest64]),
            context(&[225, key, newest64, sofar]),
            context(&[226, key, who]),
        ];
        self.stream.model.symbol(word, width, &c, set)
    }

    /// Where an entity's field would be if it moved as before, and what else decides its value.
    fn predict_entity(&self, at: usize) -> (u32, u64) {
        let (u, p) = (&self.update, &self.game.entity);
        let index = usize::from(u.number) & 1023;
        let newest = u.newest[at & 63];
        let moved = |axis: usize| magnitude(whole(fixed(u.now[p.origin[axis] & 63]) - fixed(u.newest[p.origin[axis] & 63])));
        let sped = |axis: usize| magnitude(whole(fixed(u.now[p.speed[axis] & 63]) - fixed(u.newest[p.speed[axis] & 63])));
        let speed = |axis: usize| magnitude(whole(fixed(u.newest[p.speed[axis] & 63])));
        let changed = |at: usize| magnitude(i64::from(self.game.change[index][at & 63]));
        if p.times >> (at & 63) & 1 != 0 {
            return (self.game.time as u32, u.values);
        }
        if let Some(axis) = p.origin.iter().position(|&place| place == at) {
            let motion = u.newest[p.motion & 63];
            let predicted = if motion <= 1 { self.after(newest, u.newest[p.speed[axis] & 63], self.game.passed) } else { newest };
            let extra = match axis {
                0 => speed(0),
                1 => changed(p.origin[0]) << 8 | moved(0),
                _ => speed(2) << 8 | u64::from(u.newest[p.ground & 63] == 1023),
            };
            return (predicted, extra);
        }
        let extra = if let Some(axis) = p.speed.iter().position(|&place| place == at) {
            match axis {
                0 => speed(0) << 8 | moved(0),
                1 => sped(0) << 8 | speed(1),
                _ => speed(2) << 8 | u64::from(u.newest[p.ground & 63] == 1023),
            }
        } else if p.angles.contains(&at) {
            changed(at)
        } else if at == p.parameter {
            u64::from(u.now[p.event & 63] & 255)
        } else if at == p.event {
            u64::from(newest)
        } else {
            u.values
        };
        (newest, extra)
    }

    fn predict_player(&self, at: usize) -> (u32, u64) {
        let (u, p) = (&self.update, &self.game.player);
        let newest = u.newest[at & 63];
        if p.times >> (at & 63) & 1 != 0 {
            return ((newest as i32).wrapping_add(self.game.passed) as u32, u64::from(newest & 0xffff));
        }
        if let Some(axis) = p.origin.iter().position(|&place| place == at) {
            let passed = self.game.passed_player;
            return (self.after(newest, u.newest[p.speed[axis] & 63], passed), passed as u64);
        }
        let extra = if p.angles.contains(&at) {
            magnitude(i64::from(self.game.player_change[at & 63]))
        } else if p.speed[2] == at {
            u64::from(u.newest[p.ground & 63] == 1023)
        } else {
            u64::from(newest & 0xffff)
        };
        (newest, extra)
    }

    /// Where something is after this number of milliseconds.
    fn after(&self, from: u32, speed: u32, passed: i32) -> u32 {
        let passed = i64::from(passed.clamp(-10_000, 10_000));
        let far = fixed(from).clamp(-1 << 46, 1 << 46) + fixed(speed).clamp(-1 << 40, 1 << 40) * passed / 1000;
        float(far)
    }
}
