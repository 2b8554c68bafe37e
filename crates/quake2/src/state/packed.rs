//! Packed states, for keyframes. The frames of a level share a reference, and only the frames that later ones need are stored.

use std::sync::Arc;

use super::in_place::InPlace;
use super::packing::{Pack, Unpack};
use super::ring::Ring;
use super::{Baselines, Clock, Detail, Level, NOTHING, Screen, State, Strings};
use crate::dialect::Dialect;
use crate::fields::entity;

/// The part that the keyframes of a level share: strings, and rows that differ little from those of the frames.
#[derive(Debug)]
struct Reference {
    strings: Box<[u8]>,
    rows: Box<[u8]>,
}

/// A packed state. Stores its differences to the reference.
#[derive(Debug)]
pub(crate) struct Packed {
    reference: Arc<Reference>,
    bytes: Box<[u8]>,
    dialect: Dialect,
    clock: Clock,
    level: Level,
    levels: u32,
    screen: Screen,
}

impl Packed {
    /// Packs the state after a complete frame. `needed` are the numbers of the earlier frames that will be delta bases. `like` is an earlier
    /// packed state of the same recording.
    pub(crate) fn of(state: &State, needed: &[i32], like: Option<&Packed>) -> Self {
        let shared = like.filter(|like| like.levels == state.levels).map(|like| like.reference.clone());
        let reference = shared.unwrap_or_else(|| Arc::new(Reference::of(state)));
        let (strings, rows) = (reference.strings(), reference.rows());
        let mut out = Pack::default();
        let changed: Vec<u16> = (0..strings.count().max(state.strings.count())).filter(|&index| strings.get(index) != state.strings.get(index)).collect();
        out.number(changed.len() as u64);
        for index in changed {
            out.number(index.into());
            out.bytes(state.strings.get(index));
        }
        out.rows(state.baselines.iter().filter(|(number, row)| rows.get(*number) != *row), &Baselines::default());
        state.ring.pack(&mut out, needed, &rows);
        state.in_place.pack(&mut out, &rows);
        let (clock, level) = (state.clock.clone(), state.level.clone());
        Packed { reference, bytes: out.0.into(), dialect: state.dialect, clock, level, levels: state.levels, screen: state.screen.clone() }
    }

    /// Its size in bytes, beside another one that may share the reference.
    pub(crate) fn bytes_beside(&self, like: Option<&Packed>) -> usize {
        let shared = like.is_some_and(|like| Arc::ptr_eq(&like.reference, &self.reference));
        let reference = if shared { 0 } else { size_of::<Reference>() + self.reference.strings.len() + self.reference.rows.len() };
        let layout = if like.is_some_and(|like| Arc::ptr_eq(&like.screen.layout, &self.screen.layout)) { 0 } else { self.screen.layout.len() };
        let inventory = if self.screen.inventory.is_some() { size_of::<[i16; 256]>() } else { 0 };
        reference + self.bytes.len() + self.level.title.len() + self.level.gamedir.len() + layout + inventory
    }

    /// Unpacks the state of a walk, which carries on where a delta base is missing.
    pub(crate) fn unpack(&self, detail: Detail) -> State {
        let (mut strings, rows) = (self.reference.strings(), self.reference.rows());
        let mut from = Unpack(&self.bytes);
        for _ in 0..from.number() {
            let index = from.number() as u16;
            strings.set(index, from.bytes());
        }
        let mut baselines = if self.dialect.is_mvd() { Baselines::default() } else { rows.clone() };
        from.rows(&Baselines::default(), |number, row| baselines.put(number, row));
        let ring = Ring::unpack(&mut from, &rows);
        let in_place = InPlace::unpack(&mut from, &rows);
        let (clock, level) = (self.clock.clone(), self.level.clone());
        State { dialect: self.dialect, strings, baselines, ring, in_place, clock, level, levels: self.levels, screen: self.screen.clone(), detail }
    }
}

impl Reference {
    fn of(state: &State) -> Self {
        let (mut strings, mut rows) = (Pack::default(), Pack::default());
        let set: Vec<_> = state.strings.iter().collect();
        strings.number(set.len() as u64);
        for (index, text) in set {
            strings.number(index.into());
            strings.bytes(text);
        }
        let known: Vec<(u16, entity::Row)> = if state.dialect.is_mvd() {
            state.in_place.raw_entities().filter(|(_, row)| *row != NOTHING).collect()
        } else {
            state.baselines.iter().map(|(number, row)| (number, *row)).collect()
        };
        rows.rows(known.iter().map(|(number, row)| (*number, row)), &Baselines::default());
        Reference { strings: strings.0.into(), rows: rows.0.into() }
    }

    fn strings(&self) -> Strings {
        let (mut from, mut strings) = (Unpack(&self.strings), Strings::default());
        for _ in 0..from.number() {
            let index = from.number() as u16;
            strings.set(index, from.bytes());
        }
        strings
    }

    fn rows(&self) -> Baselines {
        let mut rows = Baselines::default();
        Unpack(&self.rows).rows(&Baselines::default(), |number, row| rows.put(number, row));
        rows
    }
}
