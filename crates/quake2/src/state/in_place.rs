//! The state of an MVD2. Every frame changes it in place.

use super::entities::{Baselines, NOTHING, RF_BEAM, aged, apply_entity};
use super::packing::{Pack, Unpack};
use super::players::{PlayerState, apply_player};
use crate::dialect::{Dialect, Line};
use crate::fields::entity::{OLD_ORIGIN_X, ORIGIN_X, RENDERFX, Row, U_OLDORIGIN};
use crate::message::MvdFrame;

#[derive(Debug, Clone)]
struct Slot {
    row: Row,
    frame: u64,
}

/// The current players and entities.
#[derive(Debug, Clone, Default)]
pub struct InPlace {
    players: Vec<(bool, PlayerState)>,
    entities: Vec<Slot>,
    present: Present,
    frames: u64,
    /// Whether something was lost that later frames build on, and whether a frame was reported that does.
    uncertain: bool,
    reported: bool,
}

/// A bit for each entity. A broken frame may name entity 65,535, and every frame visits all of them.
#[derive(Debug, Clone, Default)]
struct Present {
    words: Vec<u64>,
}

impl Present {
    fn set(&mut self, number: usize, present: bool) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] = if present { self.words[word] | bit } else { self.words[word] & !bit };
    }

    fn has(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    #[inline]
    fn each(&self, mut each: impl FnMut(usize)) {
        for (at, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                each(at * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

impl InPlace {
    pub(super) fn clear(&mut self) {
        *self = InPlace::default();
    }

    /// Marks that something is lost that later frames build on.
    pub(crate) fn lose(&mut self) {
        self.uncertain |= self.frames > 0;
    }

    /// Whether this is the first frame that builds on what was lost.
    pub(crate) fn is_first_uncertain(&mut self) -> bool {
        self.uncertain && !std::mem::replace(&mut self.reported, true)
    }

    /// Whether something was lost that this frame builds on.
    pub(super) fn is_uncertain(&self) -> bool {
        self.uncertain
    }

    /// Every entity's row as last sent.
    pub(super) fn raw_entities(&self) -> impl Iterator<Item = (u16, Row)> {
        self.entities.iter().enumerate().map(|(number, slot)| (number as u16, slot.row))
    }

    /// Packs the state. Rows are stored as differences to those of `reference`.
    pub(super) fn pack(&self, out: &mut Pack, reference: &Baselines) {
        out.number(self.frames << 1 | u64::from(self.uncertain));
        out.number(self.players.len() as u64);
        for (in_use, state) in &self.players {
            out.number((*in_use).into());
            out.player(state);
        }
        out.number(self.entities.len() as u64);
        for (number, slot) in self.entities.iter().enumerate() {
            out.number(u64::from(self.present.has(number)) | u64::from(slot.frame == self.frames) << 1);
            out.row(&slot.row, reference.get(number as u16));
        }
    }

    /// Unpacks a state.
    pub(super) fn unpack(from: &mut Unpack<'_>, reference: &Baselines) -> Self {
        let head = from.number();
        let (frames, uncertain) = (head >> 1, head & 1 != 0);
        let players = (0..from.number()).map(|_| (from.number() != 0, from.player())).collect();
        let mut present = Present::default();
        let entities = (0..from.number()).map(|number| {
            let how = from.number();
            present.set(number as usize, how & 1 != 0);
            // Only the current frame matters, not which earlier one it was.
            let frame = if how & 2 != 0 { frames } else { frames.wrapping_sub(1) };
            Slot { row: from.row(reference.get(number as u16)), frame }
        });
        let entities = entities.collect();
        InPlace { players, entities, present, frames, uncertain, reported: uncertain }
    }

    pub(super) fn frame(&mut self, dialect: &Dialect, frame: &MvdFrame) {
        self.frames += 1;
        for player in &frame.players {
            let at = usize::from(player.number);
            if self.players.len() <= at {
                self.players.resize_with(at + 1, Default::default);
            }
            let (in_use, state) = &mut self.players[at];
            apply_player(dialect, state, &player.delta);
            *in_use = !player.removes(dialect);
        }
        for delta in &frame.entities.deltas {
            let at = usize::from(delta.number);
            if self.entities.len() <= at {
                self.entities.resize_with(at + 1, || Slot { row: NOTHING, frame: 0 });
            }
            let slot = &mut self.entities[at];
            // A change in place keeps the aged old origin if none is sent.
            let from = aged(&slot.row, dialect.line);
            let mut row = apply_entity(dialect, &from, delta);
            if delta.mask & U_OLDORIGIN == 0 {
                row[OLD_ORIGIN_X..OLD_ORIGIN_X + 3].copy_from_slice(&from[OLD_ORIGIN_X..OLD_ORIGIN_X + 3]);
            }
            if delta.removes() && row[RENDERFX] & RF_BEAM == 0 {
                for axis in 0..3 {
                    row[OLD_ORIGIN_X + axis] = row[ORIGIN_X + axis];
                }
            }
            *slot = Slot { row, frame: self.frames };
            self.present.set(at, !delta.removes());
        }
    }

    /// The number of frames on this level.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The players in the game, by number.
    pub fn players(&self) -> impl Iterator<Item = (i16, &PlayerState)> {
        self.players.iter().enumerate().filter(|(_, (in_use, _))| *in_use).map(|(at, (_, state))| (at as i16, state))
    }

    /// Every player seen so far, with number, whether in use, and the state that is the base if the player returns.
    pub(crate) fn known_players(&self) -> impl Iterator<Item = (u8, bool, &PlayerState)> {
        self.players.iter().enumerate().map(|(at, (in_use, state))| (at as u8, *in_use, state))
    }

    /// Every entity seen so far, with number, whether present, and its delta base.
    pub(crate) fn known_entities(&self, line: Line) -> impl Iterator<Item = (u16, bool, Row)> {
        self.entities.iter().enumerate().skip(1).map(move |(number, slot)| {
            let row = if slot.frame == self.frames { slot.row } else { aged(&slot.row, line) };
            (number as u16, self.present.has(number), row)
        })
    }

    /// Calls `each` for every entity present.
    pub fn entities(&self, line: Line, mut each: impl FnMut(u16, &Row)) {
        self.stated_entities(|number, row, is_new| if is_new { each(number, row) } else { each(number, &aged(row, line)) });
    }

    /// Calls `each` for every entity present, with what was stated of it last and whether the last frame did.
    pub(crate) fn stated_entities(&self, mut each: impl FnMut(u16, &Row, bool)) {
        self.present.each(|number| {
            let slot = &self.entities[number];
            each(number as u16, &slot.row, slot.frame == self.frames);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_present_until_they_are_not() {
        let mut present = Present::default();
        [3, 64, 65_535, 127, 64].into_iter().for_each(|number| present.set(number, true));
        [3, 200].into_iter().for_each(|number| present.set(number, false));
        let mut numbers = Vec::new();
        present.each(|number| numbers.push(number));
        assert_eq!(numbers, [64, 127, 65_535]);
        assert!(present.has(65_535) && !present.has(3) && !present.has(9_999));
    }
}
