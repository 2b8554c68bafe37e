//! Compact bytes for the parts of a state.

use super::entities::Baselines;
use super::players::{MORE_STATS, PlayerState};
use crate::fields::{entity, player};

/// Writes numbers in as few bytes as possible.
#[derive(Debug, Default)]
pub(super) struct Pack(pub Vec<u8>);

impl Pack {
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes the signed difference of two words.
    fn word(&mut self, word: u32, from: u32) {
        let way = word.wrapping_sub(from) as i32;
        self.number(u64::from((way << 1 ^ way >> 31) as u32));
    }

    pub(super) fn row(&mut self, row: &entity::Row, from: &entity::Row) {
        let differ = |at: &usize| row[*at] != from[*at];
        self.number((0..entity::SLOTS).filter(differ).fold(0, |mask, at| mask | 1 << at));
        for at in (0..entity::SLOTS).filter(differ) {
            self.word(row[at], from[at]);
        }
    }

    pub(super) fn rows<'r>(&mut self, rows: impl Iterator<Item = (u16, &'r entity::Row)>, from: &Baselines) {
        let rows: Vec<_> = rows.collect();
        self.number(rows.len() as u64);
        for (number, row) in rows {
            self.number(number.into());
            self.row(row, from.get(number));
        }
    }

    pub(super) fn player(&mut self, state: &PlayerState) {
        self.sparse(&state.row.map(|word| word as i32));
        self.sparse(&state.stats.map(i32::from));
        self.sparse(&state.more_stats.as_ref().map_or_else(Vec::new, |more| more.iter().map(|stat| i32::from(*stat)).collect()));
    }

    /// Writes the number of values, and those that are not 0.
    fn sparse(&mut self, values: &[i32]) {
        self.number(values.len() as u64);
        self.number(values.iter().filter(|value| **value != 0).count() as u64);
        for (at, value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
            self.number(at as u64);
            self.word(*value as u32, 0);
        }
    }
}

/// Reads the output of [`Pack`].
#[derive(Debug)]
pub(super) struct Unpack<'b>(pub &'b [u8]);

impl<'b> Unpack<'b> {
    pub(super) fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    }

    pub(super) fn bytes(&mut self) -> &'b [u8] {
        let length = (self.number() as usize).min(self.0.len());
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        bytes
    }

    fn word(&mut self, from: u32) -> u32 {
        let way = self.number() as u32;
        from.wrapping_add(way >> 1 ^ (way & 1).wrapping_neg())
    }

    pub(super) fn row(&mut self, from: &entity::Row) -> entity::Row {
        let (mask, mut row) = (self.number(), *from);
        for at in (0..entity::SLOTS).filter(|at| mask >> at & 1 != 0) {
            row[at] = self.word(from[at]);
        }
        row
    }

    pub(super) fn rows(&mut self, from: &Baselines, mut each: impl FnMut(u16, entity::Row)) {
        for _ in 0..self.number() {
            let number = self.number() as u16;
            each(number, self.row(from.get(number)));
        }
    }

    pub(super) fn player(&mut self) -> PlayerState {
        let mut state = PlayerState::default();
        for (word, value) in state.row.iter_mut().zip(self.sparse()) {
            *word = value as u32;
        }
        for (stat, value) in state.stats.iter_mut().zip(self.sparse()) {
            *stat = value as i16;
        }
        let more = self.sparse();
        if more.len() == MORE_STATS {
            state.more_stats = Some(Box::new(std::array::from_fn(|at| more[at] as i16)));
        }
        state
    }

    fn sparse(&mut self) -> Vec<i32> {
        let mut values = vec![0; (self.number() as usize).min(player::SLOTS.max(MORE_STATS))];
        for _ in 0..self.number() {
            let at = self.number() as usize;
            let value = self.word(0) as i32;
            if let Some(place) = values.get_mut(at) {
                *place = value;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let row: entity::Row = std::array::from_fn(|at| (at as u32).wrapping_mul(0x9e37_79b9) >> (at % 31));
        let mut from = row;
        (from[3], from[31], from[0]) = (u32::MAX, 0, 0x8000_0000);
        let mut player = PlayerState::default();
        (player.row[0], player.row[player::SLOTS - 1], player.stats[63], player.stats[2]) = (u32::MAX, 7, -9, i16::MIN);
        let mut more = player.clone();
        more.more_stats = Some(Box::new([-3; MORE_STATS]));
        let mut out = Pack::default();
        out.row(&row, &from);
        out.row(&row, &row);
        out.player(&player);
        out.player(&more);
        out.number(u64::MAX);
        out.bytes(b"end");
        let mut back = Unpack(&out.0);
        assert_eq!((back.row(&from), back.row(&row)), (row, row));
        assert_eq!((back.player(), back.player()), (player, more));
        assert_eq!((back.number(), back.bytes(), back.number()), (u64::MAX, &b"end"[..], 0));
    }
}
