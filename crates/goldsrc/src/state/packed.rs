//! A state packed into few bytes, for keyframes. Baselines and resources are not part of it; the walk reads them again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Entity, Frame, RING, SLOTS, Slot, State, Texts};
use crate::fields::Structure;
use crate::state::rows::RowId;

/// A state without baselines and resources.
#[derive(Debug, Clone)]
pub(crate) struct PackedState {
    /// The rows, and the frames that use them.
    bytes: Box<[u8]>,
    sequence: u32,
    last_entities: Option<u32>,
    last_client: Option<u32>,
    texts: Arc<Texts>,
    slots: Box<[(u8, Slot)]>,
    light_styles: Arc<HashMap<u8, Vec<u8>>>,
    view_entity: i16,
    paused: bool,
}

impl State {
    /// Packs the state. `needed` are the low bytes of the frames that later deltas use as base.
    pub(crate) fn packed(&self, needed: &[u8]) -> PackedState {
        let is_needed = |at: u32| at == self.sequence || needed.contains(&(at as u8));
        let is_last = |frame: &Frame| {
            (frame.entities_at.is_some() && frame.entities_at == self.last_entities) || (frame.client_at.is_some() && frame.client_at == self.last_client)
        };
        let kept = |frame: &Frame| is_last(frame) || [frame.entities_at, frame.client_at].into_iter().flatten().any(is_needed);
        let frames: Vec<(usize, &Frame)> = self.frames.iter().enumerate().filter(|(_, frame)| kept(frame)).collect();
        let mut rows: BTreeMap<RowId, u64> = BTreeMap::new();
        for (_, frame) in &frames {
            let ids = frame.entities.iter().map(|entity| entity.row).chain(frame.client).chain(frame.weapons.iter().map(|(_, row)| *row));
            rows.extend(ids.map(|id| (id, 0)));
        }
        let mut out = Vec::new();
        put(&mut out, rows.len() as u64);
        for (at, (id, place)) in rows.iter_mut().enumerate() {
            *place = at as u64;
            let row = self.rows.row(*id);
            put(&mut out, row.iter().enumerate().filter(|(_, word)| **word != 0).fold(0, |mask, (at, _)| mask | 1 << at));
            row.iter().filter(|word| **word != 0).for_each(|word| put(&mut out, u64::from(word << 1 ^ ((*word as i32) >> 31) as u32)));
        }
        put(&mut out, frames.len() as u64);
        for (at, frame) in frames {
            put(&mut out, at as u64);
            put(&mut out, u64::from(frame.entities_uncertain) | u64::from(frame.client_uncertain) << 1);
            for stored in [frame.entities_at, frame.client_at] {
                put(&mut out, stored.map_or(0, |at| u64::from(at) + 1));
            }
            put(&mut out, frame.client.map_or(0, |row| rows[&row] + 1));
            put(&mut out, frame.entities.len() as u64);
            for entity in &frame.entities {
                put(&mut out, u64::from(entity.number));
                put(&mut out, entity.structure as u64);
                put(&mut out, rows[&entity.row]);
            }
            put(&mut out, frame.weapons.len() as u64);
            for (index, row) in &frame.weapons {
                put(&mut out, u64::from(*index));
                put(&mut out, rows[row]);
            }
        }
        let known = self.slots.iter().enumerate().filter(|(_, slot)| **slot != Slot::default());
        PackedState {
            bytes: out.into(),
            sequence: self.sequence,
            last_entities: self.last_entities,
            last_client: self.last_client,
            texts: self.texts.clone(),
            slots: known.map(|(at, slot)| (at as u8, slot.clone())).collect(),
            light_styles: self.light_styles.clone(),
            view_entity: self.view_entity,
            paused: self.paused,
        }
    }

    /// The state to read baselines and resources into, before [`unpack`](Self::unpack).
    pub(crate) fn before(packed: &PackedState) -> State {
        State { texts: packed.texts.clone(), ..State::default() }
    }

    /// Replaces the frame by that of a packed state of the same level.
    pub(crate) fn unpack(&mut self, packed: &PackedState) {
        self.frames = vec![Frame::default(); RING];
        let baselines = self.baselines.iter().flatten().map(|entity| entity.row);
        self.rows.sweep(baselines.chain(self.instanced.iter().copied()));
        let mut from = &packed.bytes[..];
        let rows: Vec<RowId> = (0..get(&mut from))
            .map(|_| {
                let (mask, id) = (get(&mut from), self.rows.copy(RowId::ZERO));
                let row = self.rows.row_mut(id);
                for at in (0..row.len()).filter(|at| mask >> at & 1 != 0) {
                    let word = get(&mut from) as u32;
                    row[at] = word >> 1 ^ (word & 1).wrapping_neg();
                }
                id
            })
            .collect();
        let row = |place: u64| rows.get(place as usize).copied().unwrap_or(RowId::ZERO);
        for _ in 0..get(&mut from) {
            let frame = &mut self.frames[get(&mut from) as usize % RING];
            let uncertain = get(&mut from);
            (frame.entities_uncertain, frame.client_uncertain) = (uncertain & 1 != 0, uncertain & 2 != 0);
            frame.entities_at = get(&mut from).checked_sub(1).map(|at| at as u32);
            frame.client_at = get(&mut from).checked_sub(1).map(|at| at as u32);
            frame.client = get(&mut from).checked_sub(1).map(row);
            for _ in 0..get(&mut from) {
                let (number, structure) = (get(&mut from) as u16, get(&mut from) as usize);
                frame.entities.push(Entity {
                    number,
                    structure: Structure::ALL.get(structure).copied().unwrap_or(Structure::Entity),
                    row: row(get(&mut from)),
                });
            }
            for _ in 0..get(&mut from) {
                let index = get(&mut from) as u8;
                frame.weapons.push((index, row(get(&mut from))));
            }
        }
        self.sequence = packed.sequence;
        (self.last_entities, self.last_client) = (packed.last_entities, packed.last_client);
        self.texts = packed.texts.clone();
        self.slots = vec![Slot::default(); SLOTS];
        for (at, slot) in &packed.slots {
            self.slots[usize::from(*at)] = slot.clone();
        }
        self.light_styles = packed.light_styles.clone();
        (self.view_entity, self.paused) = (packed.view_entity, packed.paused);
        self.steps.clear();
    }
}

impl PackedState {
    /// Heap bytes that it takes in addition to `like`.
    pub(crate) fn bytes_beside(&self, like: Option<&PackedState>) -> usize {
        let texts = if like.is_some_and(|like| Arc::ptr_eq(&like.texts, &self.texts)) { 0 } else { self.texts.bytes() };
        let styles = if like.is_some_and(|like| Arc::ptr_eq(&like.light_styles, &self.light_styles)) {
            0
        } else {
            self.light_styles.values().map(|pattern| pattern.len() + 2 * size_of::<Vec<u8>>()).sum()
        };
        let slots: usize = self.slots.iter().map(|(_, slot)| size_of::<(u8, Slot)>() + slot.info.len()).sum();
        self.bytes.len() + texts + styles + slots
    }
}

/// Writes a number with seven bits a byte.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads such a number.
fn get(from: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, rest)) = from.split_first() {
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 || shift > 63 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 0xffff_ffff, u64::MAX, 5];
        let mut out = Vec::new();
        numbers.iter().for_each(|number| put(&mut out, *number));
        let mut from = &out[..];
        assert_eq!(numbers.map(|_| get(&mut from)), numbers);
        assert!(from.is_empty());
    }
}
