//! Delta layouts as members of an object. The keys that are present are the fields that are sent.

use std::sync::OnceLock;

use fragreel_base::delta::masked::{Sign, members};
use fragreel_base::textform::{Flags, Form, Names};
use fragreel_base::wire::sign_extend;

use crate::fields::entity::{FRAME16, PRECISE, SKINNUM, U_FRAME8, U_FRAME16, U_OLDORIGIN, float_of};
use crate::fields::{FOG_PARTS, LAYOUTS, Shape, Step, entity, names, player};

/// The maximum number of fields in a table. Each has a bit of a set.
const MOST: usize = 128;
/// The readable form of each field, by its position in the table.
pub(super) type Words = [u32; MOST];

/// The readable form of a word.
#[derive(Debug, Clone, Copy)]
enum Value {
    /// A number of these many bits.
    Number {
        bits: u32,
        signed: bool,
    },
    /// A number that stands for a name.
    Named(&'static Names),
    /// A number of these many bits that have names.
    Flags(Flags, u32),
    /// Steps of a unit.
    Scaled {
        unit: f64,
        bits: u32,
    },
    /// Steps of a unit, shown as their number.
    Units {
        unit: f64,
        bits: u32,
    },
    /// An angle of eight bits, or of sixteen.
    Angle,
    Float,
    /// A flagged coordinate with its flag: a new value.
    Absolute,
    /// A flagged coordinate without its flag: a difference.
    Change,
    /// A flagged coordinate against 0, where the flag only gives its width.
    Flagged,
    /// A float, or eighths of 16 bits, by what the entity is.
    Precise,
}

/// One way to send a field: in force when `mask & test == want`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Choice {
    test: u64,
    want: u64,
    width: u32,
    sign: Sign,
    slot: usize,
}

#[derive(Debug, Clone)]
struct Field {
    choices: Vec<Choice>,
    /// The word and the bit in it that announce the field, beside the mask.
    under: Option<(usize, u32)>,
    /// The bits of the word that belong to the field. Others announce.
    part: u32,
    value: Value,
    /// The number of the vector that it is a component of, and which.
    vector: Option<usize>,
    component: usize,
    /// The field that sends the same value as a difference.
    twin: Option<usize>,
}

impl Field {
    #[inline]
    fn choice(&self, mask: u64) -> Option<&Choice> {
        self.choices.iter().find(|choice| mask & choice.test == choice.want)
    }
}

/// An encoder's choice of widths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Widths {
    /// The value from which 16 bits are too few for a skin, and for the two effects.
    pub skin: u32,
    pub effects: u32,
}

/// A layout.
#[derive(Debug)]
pub(super) struct Table {
    fields: Vec<Field>,
    /// The fields' names, then the vectors'.
    names: Names,
    /// The fields of each vector, which stand in a row.
    vectors: Vec<(usize, usize)>,
    /// The fields that each bit of a mask may announce.
    lights: Box<[u128; 64]>,
    /// Fields that others announce, by group: left out when all are zero.
    groups: Vec<u128>,
    grouped: u128,
}

/// The table of each layout, by its number. Built on first use.
static TABLES: [OnceLock<Table>; LAYOUTS + 1] = [const { OnceLock::new() }; LAYOUTS + 1];

impl Table {
    /// The table of a layout, and of what follows the stats if it has that.
    pub(super) fn of(shape: &'static Shape, end: Option<&'static Shape>, names: &'static [&'static str]) -> &'static Table {
        TABLES[shape.number].get_or_init(|| Table::new(shape, end, names))
    }

    fn new(shape: &Shape, end: Option<&Shape>, slots: &'static [&'static str]) -> Table {
        let rerelease = shape.steps.iter().any(|step| matches!(step, Step::KexGun { .. }));
        let mut made = Maker { fields: Vec::new(), slots, rerelease };
        shape.steps.iter().chain(end.iter().flat_map(|shape| &shape.steps)).for_each(|step| made.step(step));
        made.finish()
    }

    #[inline]
    fn lit(&self, mask: u64) -> u128 {
        members(mask).fold(0, |set, bit| set | self.lights[bit])
    }

    /// The fields that a delta sends, except those that may be omitted, and their words.
    pub(super) fn shown(&self, mask: u64, row: &[u32], words: &mut Words) -> u128 {
        let (mut sent, mut filled) = (0, 0);
        for at in places(self.lit(mask)) {
            let field = &self.fields[at];
            let Some(choice) = field.choice(mask) else { continue };
            let word = row[choice.slot];
            let sends = match field.value {
                Value::Absolute => word & 1 != 0,
                Value::Change => word & 1 == 0,
                _ => true,
            };
            if !sends || field.under.is_some_and(|(slot, bit)| row[slot] & bit == 0) {
                continue;
            }
            let word = match field.value {
                Value::Angle if choice.width == 8 => word << 8,
                Value::Precise if row[PRECISE] == 0 => float_of(word),
                _ => word & field.part,
            };
            words[at] = word;
            sent |= 1 << at;
            filled |= u128::from(word != 0) << at;
        }
        if sent & self.grouped != 0 {
            for group in &self.groups {
                if filled & group == 0 {
                    sent &= !group;
                }
            }
        }
        sent
    }

    /// The members of the open object that are fields.
    pub(super) fn form<F: Form>(&self, f: &mut F, words: &mut Words, given: &mut u128) -> Result<(), F::Error> {
        let present = *given;
        let mut found = if F::READING { 0 } else { present };
        f.members(&self.names, self.keys(present), |f, key| {
            let Some(vector) = key.checked_sub(self.fields.len()) else {
                found |= 1 << key;
                return self.fields[key].form(f, &mut words[key]);
            };
            let (first, count) = self.vectors[vector];
            let told = (present >> first) as u32 & ((1 << count) - 1);
            let last = (u32::BITS - told.leading_zeros()) as usize;
            f.items(last, |f, component| {
                f.expect(component < count, "the vector has fewer components")?;
                if f.null(!F::READING && told >> component & 1 == 0)? {
                    return Ok(());
                }
                let at = first + component;
                found |= 1 << at;
                self.fields[at].form(f, &mut words[at])
            })
            .map(|_| ())
        })?;
        *given = found;
        Ok(())
    }

    /// The keys that show the fields. A vector is used if at least two of its components are sent.
    fn keys(&self, given: u128) -> impl Iterator<Item = usize> + '_ {
        places(given).filter_map(move |at| {
            let Some(vector) = self.fields[at].vector else { return Some(at) };
            let (first, count) = self.vectors[vector];
            let told = (given >> first) as u32 & ((1 << count) - 1);
            match told & (told - 1) {
                0 => Some(at),
                _ if told.trailing_zeros() as usize == at - first => Some(self.fields.len() + vector),
                _ => None,
            }
        })
    }

    /// The mask with which an encoder would announce these fields.
    pub(super) fn needed(&self, given: u128, words: &Words, widths: Widths) -> u64 {
        let mut mask = 0;
        let mut several = 0u128;
        for at in places(given) {
            match &self.fields[at].choices[..] {
                [only] => mask |= only.want,
                _ => several |= 1 << at,
            }
        }
        for at in places(several) {
            let field = &self.fields[at];
            if field.choice(mask).is_some_and(|choice| field.fits(choice, words[at], widths)) {
                continue;
            }
            let fitting = field.choices.iter().filter(|choice| field.fits(choice, words[at], widths));
            if let Some(choice) = fitting.min_by_key(|choice| choice.width) {
                mask |= choice.want;
            }
        }
        mask
    }

    /// The components of flagged coordinates against 0 that are longer than needed.
    pub(super) fn long(&self, given: u128, words: &Words) -> u64 {
        let flagged = places(given).filter(|&at| matches!(self.fields[at].value, Value::Flagged));
        flagged.fold(0, |set, at| set | u64::from(flagged_parts(words[at]).1) << self.fields[at].component)
    }

    /// Stores the fields that were read in a row. They must match `mask`, and fit. `long`: see [`Table::long`].
    pub(super) fn settle<F: Form>(&self, f: &mut F, mask: u64, given: u128, words: &Words, row: &mut [u32], long: u64) -> Result<(), F::Error> {
        let any = Widths { skin: u32::MAX, effects: u32::MAX };
        for at in places(given) {
            let field = &self.fields[at];
            let choice = field.choice(mask);
            f.insist(choice.is_some_and(|choice| field.fits(choice, words[at], any)), MISSPELT)?;
            let Some(choice) = choice else { continue };
            let word = match field.value {
                Value::Angle if choice.width == 8 => sign_extend(words[at] >> 8 & 0xff, 8),
                Value::Flagged if long >> field.component & 1 != 0 => (value_of(words[at]) as u32) << 1 & 0xff_ffff | 1,
                _ => words[at],
            };
            row[choice.slot] = row[choice.slot] & !field.part | word & field.part;
            if let Some((slot, bit)) = field.under {
                row[slot] |= bit;
            }
            if let Some(twin) = field.twin {
                f.insist(given >> twin & 1 == 0, "a coordinate is either given or changed by something")?;
            }
        }
        for at in places(self.lit(mask) & !given) {
            let field = &self.fields[at];
            let clear = field.choice(mask).is_some() || field.choices.iter().all(|choice| mask & choice.want != choice.want);
            f.insist(clear, MISSPELT)?;
        }
        Ok(())
    }

    /// Converts floats to eighths where the entity is not solid, as 2022 sends them.
    pub(super) fn settle_origins<F: Form>(&self, f: &mut F, given: u128, solid: bool, row: &mut [u32]) -> Result<(), F::Error> {
        for at in places(given).filter(|&at| matches!(self.fields[at].value, Value::Precise)) {
            row[PRECISE] = u32::from(solid);
            if solid {
                continue;
            }
            let slot = self.fields[at].choices[0].slot;
            let eighths = f32::from_bits(row[slot]) * 8.0;
            f.insist((-32768.0..32767.5).contains(&eighths), "expected a number from -4096 to 4095.875, as the entity is not solid")?;
            row[slot] = eighths.round() as i32 as u32;
        }
        Ok(())
    }
}

const MISSPELT: &str = "the spelling does not go with the fields that stand here: leave it out";

fn value_of(raw: u32) -> i32 {
    if raw & 1 != 0 { sign_extend(raw >> 1, 23) as i32 } else { sign_extend(raw >> 1, 15) as i32 }
}

fn is_short(value: i32) -> bool {
    (-0x4000..0x4000).contains(&value)
}

/// A flagged coordinate against 0, as short as possible.
pub(super) fn flagged(value: i32) -> u32 {
    if is_short(value) { (value as u32) << 1 & 0xffff } else { (value as u32) << 1 & 0xff_ffff | 1 }
}

/// The value of a flagged coordinate against 0, and whether it is longer than needed.
pub(super) fn flagged_parts(raw: u32) -> (i32, bool) {
    (value_of(raw), raw & 1 != 0 && is_short(value_of(raw)))
}

#[inline]
fn places(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (at < MOST).then_some(at)
    })
}

const EIGHTH: f64 = 0.125;
/// Half the span of a coordinate of 24 bits with a flag.
const ABSOLUTE: i64 = 1 << 22;
const CHANGE: i64 = 1 << 14;

impl Field {
    fn form<F: Form>(&self, f: &mut F, word: &mut u32) -> Result<(), F::Error> {
        let signed = i64::from(*word as i32);
        *word = match self.value {
            Value::Number { bits, signed: true } => f.int(signed, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)? as u32,
            Value::Number { bits, .. } => f.int((*word).into(), 0, (1 << bits) - 1)? as u32,
            Value::Named(names) => f.word(*word, 255, names)?,
            Value::Flags(names, bits) => f.flags(*word, ((1u64 << bits) - 1) as u32, names)?,
            Value::Units { unit, bits } => f.steps((*word).into(), unit, 0, (1 << bits) - 1)? as u32,
            Value::Scaled { unit, bits } => f.scaled(signed, unit, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)? as u32,
            Value::Angle => f.scaled(i64::from(*word as u16 as i16), 360.0 / 65536.0, -32768, 32767)? as u32,
            Value::Float | Value::Precise => f.float(f32::from_bits(*word))?.to_bits(),
            Value::Absolute => (f.scaled(value_of(*word).into(), EIGHTH, -ABSOLUTE, ABSOLUTE - 1)? as u32) << 1 & 0xff_ffff | 1,
            Value::Change => (f.scaled(value_of(*word).into(), EIGHTH, -CHANGE, CHANGE - 1)? as u32) << 1 & 0xffff,
            Value::Flagged => flagged(f.scaled(value_of(*word).into(), EIGHTH, -ABSOLUTE, ABSOLUTE - 1)? as i32),
        };
        Ok(())
    }

    /// Whether a word survives this encoding.
    #[inline]
    fn fits(&self, choice: &Choice, word: u32, widths: Widths) -> bool {
        if matches!(self.value, Value::Angle) {
            return choice.width > 8 || word & 0xff == 0;
        }
        let limit = match (choice.width, self.choices.len()) {
            (16, 3) if self.choices[0].slot == choice.slot => {
                if choice.slot == SKINNUM {
                    widths.skin
                } else {
                    widths.effects
                }
            }
            _ => u32::MAX,
        };
        (word < limit || limit == u32::MAX) && (choice.width >= 32 || choice.sign.fits(word, choice.width))
    }
}

/// Builds a table from the steps of a layout.
struct Maker {
    fields: Vec<(String, Field)>,
    slots: &'static [&'static str],
    rerelease: bool,
}

impl Maker {
    fn push(&mut self, name: impl Into<String>, choices: Vec<Choice>, value: Value) -> &mut Field {
        self.fields.push((name.into(), Field { choices, under: None, part: u32::MAX, value, vector: None, component: 0, twin: None }));
        let Some((_, field)) = self.fields.last_mut() else { unreachable!("one was just added") };
        field
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Fields(ref table) => {
                for field in table.fields() {
                    let slot = usize::from(field.slot);
                    let choices = field.forms.iter().map(|form| Choice { test: form.test, want: form.want, width: form.width.into(), sign: form.sign, slot });
                    self.plain(slot, choices.collect());
                }
            }
            Step::Flagged(ref fields) => self.flagged(fields),
            Step::High24(fields) => {
                for &(name, slot, bit) in fields {
                    self.push(name, vec![simple(bit, slot, 24)], Value::Scaled { unit: EIGHTH, bits: 24 });
                }
            }
            Step::LoopSound { bit, slot } => {
                self.push(self.slots[slot], vec![simple(bit, slot, 32)], Value::Number { bits: 14, signed: false }).part = 0x3fff;
                for (part, flag) in [(1, 0x4000), (2, 0x8000)] {
                    self.push(self.slots[slot + part], vec![simple(bit, slot + part, 32)], BYTE).under = Some((slot, flag));
                }
            }
            Step::KexGun { bit, slot } => {
                self.push(self.slots[slot], vec![simple(bit, slot, 32)], Value::Number { bits: 9, signed: false }).part = 0x1ff;
                for part in 0..7 {
                    let value = if part == 6 { BYTE } else { Value::Float };
                    self.push(self.slots[slot + 1 + part], vec![simple(bit, slot + 1 + part, 32)], value).under = Some((slot, 1 << (9 + part)));
                }
            }
            Step::Blends { bit, slot } => {
                for part in 0..8 {
                    self.push(self.slots[slot + 1 + part], vec![simple(bit, slot + 1 + part, 32)], BYTE).under = Some((slot, 1 << part));
                }
            }
            Step::Fog { bit, slot } => self.fog(bit, slot),
            Step::KexOrigin => {
                use entity::*;
                let bits = [U_ORIGIN1, U_ORIGIN2, U_ORIGIN3, U_OLDORIGIN, U_OLDORIGIN, U_OLDORIGIN];
                for (bit, slot) in bits.into_iter().zip([ORIGIN_X, ORIGIN_Y, ORIGIN_Z, OLD_ORIGIN_X, OLD_ORIGIN_Y, OLD_ORIGIN_Z]) {
                    self.push(self.slots[slot], vec![simple(bit, slot, 32)], Value::Precise);
                }
            }
        }
    }

    /// Most coordinates are deltas against the last value, old origins against 0.
    fn flagged(&mut self, fields: &[(&'static str, usize, u64)]) {
        let from_zero = self.slots.len() == entity::SLOTS && fields.iter().all(|&(_, _, bit)| bit == U_OLDORIGIN);
        for &(name, slot, bit) in fields {
            self.push(name, vec![simple(bit, slot, 32)], if from_zero { Value::Flagged } else { Value::Absolute });
        }
        if !from_zero {
            for &(name, slot, bit) in fields {
                self.push(changed(name), vec![simple(bit, slot, 32)], Value::Change);
            }
        }
    }

    fn fog(&mut self, bit: u64, slot: usize) {
        let mut at = slot;
        for &(flag, parts) in FOG_PARTS {
            for &(name, width) in parts {
                at += 1;
                self.push(name, vec![simple(bit, at, 32)], Value::Number { bits: width, signed: false }).under = Some((slot, flag));
            }
        }
        for flag in [64, 128] {
            at += 1;
            self.push(self.slots[at], vec![simple(bit, at, 32)], Value::Absolute).under = Some((slot, flag));
            self.push(changed(self.slots[at]), vec![simple(bit, at, 32)], Value::Change).under = Some((slot, flag));
        }
    }

    fn plain(&mut self, slot: usize, choices: Vec<Choice>) {
        let name = self.slots[slot];
        let entity = self.slots.len() == entity::SLOTS;
        if entity && slot == FRAME16 {
            // One key stands for a frame of any width. If both widths are sent, a second key stands for the second one.
            let both = U_FRAME8 | U_FRAME16;
            let wide = choices[0];
            if let Some((_, frame)) = self.fields.iter_mut().find(|(name, _)| name == "frame") {
                let narrow = frame.choices[0];
                frame.choices = vec![
                    Choice { test: both, want: U_FRAME8, ..narrow },
                    Choice { test: both, want: U_FRAME16, ..wide },
                    Choice { test: both, want: both, ..narrow },
                ];
                frame.value = Value::Number { bits: 16, signed: false };
            }
            self.push(name, vec![Choice { test: both, want: both, ..wide }], Value::Number { bits: 16, signed: false });
            return;
        }
        let value = if entity { of_entity(name, &choices, self.rerelease) } else { of_player(name, slot, &choices, self.rerelease) };
        self.push(name, choices, value);
    }

    fn finish(self) -> Table {
        assert!(self.fields.len() <= MOST, "a layout has more fields than a set holds");
        let (mut names, mut fields): (Vec<String>, Vec<Field>) = self.fields.into_iter().unzip();
        let mut vectors = Vec::new();
        for at in 0..names.len() {
            for endings in [&["_x", "_y", "_z"][..], &["_red", "_green", "_blue", "_alpha"]] {
                let Some(base) = names[at].strip_suffix(endings[0]).map(str::to_owned) else { continue };
                let count = endings.iter().enumerate().take_while(|(next, ending)| names.get(at + next) == Some(&format!("{base}{ending}"))).count();
                if count > 1 {
                    for (component, field) in fields[at..at + count].iter_mut().enumerate() {
                        (field.vector, field.component) = (Some(vectors.len()), component);
                    }
                    vectors.push((at, count));
                    names.push(base);
                }
            }
        }
        for at in 0..fields.len() {
            let slot = fields[at].choices[0].slot;
            if matches!(fields[at].value, Value::Absolute) {
                fields[at].twin = fields.iter().position(|field| matches!(field.value, Value::Change) && field.choices[0].slot == slot);
            }
        }
        let mut lights = Box::new([0u128; 64]);
        for (at, field) in fields.iter().enumerate() {
            for choice in &field.choices {
                members(choice.want).for_each(|bit| lights[bit] |= 1 << at);
            }
        }
        let groups = groups(&fields, &vectors);
        let grouped = groups.iter().fold(0, |all, group| all | group);
        Table { fields, names: Names::new(names), vectors, lights, groups, grouped }
    }
}

/// Fields that are sent whenever an earlier one is, together with the rest of their vectors.
fn groups(fields: &[Field], vectors: &[(usize, usize)]) -> Vec<u128> {
    let mut groups: Vec<u128> = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        if matches!(field.value, Value::Absolute | Value::Change) {
            continue;
        }
        let bits = |field: &Field| field.choices.iter().map(|choice| (choice.test, choice.want)).collect::<Vec<_>>();
        let leader = fields.iter().position(|other| bits(other) == bits(field) && other.under == field.under);
        let Some(leader) = leader.filter(|&leader| leader != at) else { continue };
        match field.vector {
            None => groups.push(1 << at),
            Some(vector) if fields[leader].vector != Some(vector) && vectors[vector].0 == at => {
                let (first, count) = vectors[vector];
                groups.push(((1 << count) - 1) << first);
            }
            Some(_) => {}
        }
    }
    groups
}

const BYTE: Value = Value::Number { bits: 8, signed: false };

fn simple(bit: u64, slot: usize, width: u32) -> Choice {
    let sign = if width == 24 { Sign::Twos } else { Sign::None };
    Choice { test: bit, want: bit, width, sign, slot }
}

/// `origin_x` as a difference: `origin_by_x`.
fn changed(name: &str) -> String {
    match name.rsplit_once('_') {
        Some((base, component)) if component.len() == 1 => format!("{base}_by_{component}"),
        _ => format!("{name}_by"),
    }
}

fn widest(choices: &[Choice]) -> Value {
    let widest = choices.iter().max_by_key(|choice| choice.width);
    let (bits, sign) = widest.map_or((32, Sign::None), |choice| (choice.width, choice.sign));
    Value::Number { bits, signed: sign == Sign::Twos }
}

/// Bits with names. Engines of id's line read 16 bits as a signed number, whose upper bits are no flags.
fn flags(names: Flags, choices: &[Choice]) -> Value {
    match widest(choices) {
        Value::Number { bits, signed: false } => Value::Flags(names, bits),
        signed => signed,
    }
}

fn of_entity(name: &str, choices: &[Choice], rerelease: bool) -> Value {
    let width = choices[0].width;
    match name {
        "origin_x" | "origin_y" | "origin_z" | "old_origin_x" | "old_origin_y" | "old_origin_z" => coordinate(width),
        "angles_x" | "angles_y" | "angles_z" => match (width, choices.len()) {
            (32, _) => Value::Float,
            (8, 1) => Value::Scaled { unit: 360.0 / 256.0, bits: 8 },
            (_, 1) => Value::Scaled { unit: 360.0 / 65536.0, bits: 16 },
            _ => Value::Angle,
        },
        "event" => Value::Named(&names::EVENTS),
        "effects" => flags(names::EFFECTS, choices),
        "renderfx" => flags(if rerelease { names::RERELEASE_RENDER_FLAGS } else { names::RENDER_FLAGS }, choices),
        _ => widest(choices),
    }
}

fn coordinate(width: u32) -> Value {
    if width == 32 { Value::Float } else { Value::Scaled { unit: EIGHTH, bits: width } }
}

fn of_player(name: &str, slot: usize, choices: &[Choice], rerelease: bool) -> Value {
    let width = choices[0].width;
    let base = name.strip_suffix("_x").or(name.strip_suffix("_y")).or(name.strip_suffix("_z"));
    let scaled = |unit| Value::Scaled { unit, bits: width };
    match (base, width) {
        (Some("origin" | "velocity"), _) => coordinate(width),
        (Some("delta_angles" | "viewangles"), 16) => scaled(360.0 / 65536.0),
        (Some("viewoffset"), 16) => scaled(1.0 / 16.0),
        (Some("kick_angles"), 16) => scaled(1.0 / 1024.0),
        (Some(_), 8) => scaled(0.25),
        _ if name.contains("blend_") && width == 8 && !name.ends_with("_mask") => Value::Units { unit: 1.0 / 255.0, bits: width },
        (Some(_), 32) => Value::Float,
        _ if slot == player::PM_FLAGS => flags(names::MOVE_FLAGS, choices),
        _ if slot == player::RDFLAGS => flags(names::VIEW_FLAGS, choices),
        _ if slot == player::PM_TYPE => Value::Named(if rerelease { &names::RERELEASE_MOVEMENTS } else { &names::MOVEMENTS }),
        _ => widest(choices),
    }
}
