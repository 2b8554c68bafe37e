//! Which fields of an entity or of the player were sent.

use super::wire::{Fields, Place};
use crate::coding::Coding;
use crate::model::{context, magnitude};
use crate::original::Original;

impl<D: Coding, O: Original> Fields<'_, D, O> {
    pub(super) fn begin_entity(&mut self) {
        let number = self.update.number;
        let u = &mut self.update;
        let newest = if self.relation == 5 { None } else { self.game.newest.row(number) };
        u.base = match self.game.base.row(number) {
            _ if self.relation == 5 => [0; 64],
            Some(row) => *row,
            None => *self.game.state.baseline(number),
        };
        u.newest = newest.copied().unwrap_or(u.base);
        u.now = u.newest;
        u.who = u64::from(u.newest[self.game.entity.kind & 63]) | u64::from(newest.is_none()) << 9 | u64::from(self.relation == 5) << 10;
        self.begin_update();
    }

    pub(super) fn begin_player(&mut self) {
        let u = &mut self.update;
        u.number = 0;
        (u.base, u.newest) = (self.game.base.player.row, self.game.newest.player.row);
        u.now = u.newest;
        u.who = 0;
        self.begin_update();
    }

    fn begin_update(&mut self) {
        let u = &mut self.update;
        (u.sofar, u.values) = (0, 0);
        u.expected = (0..64).filter(|&at| u.base[at] != u.newest[at]).fold(0, |all, at| all | 1 << at);
        u.end = 64;
    }

    pub(super) fn field_count(&mut self, value: u32, width: u32) -> u32 {
        let u = &self.update;
        let index = usize::from(u.number) & 1023;
        let before = u64::from(if self.place == Place::Player { self.game.player_count } else { self.game.counts[index] });
        let table = u64::from(self.place == Place::Player);
        let expected = u64::from(64 - u.expected.leading_zeros());
        let recent = if self.place == Place::Player { &self.game.player_sent } else { &self.game.sent[index] };
        let likely = recent.iter().enumerate().fold(0u64, |all, (at, &sent)| all | u64::from(sent & 3 != 0) << at);
        let c = [
            context(&[110, table, u.who]),
            context(&[111, table, u.who, before]),
            context(&[112, table, u.who, expected]),
            context(&[113, table, expected, before]),
            context(&[114, table, u64::from(u.number)]),
            context(&[115, table, u.who, likely]),
            context(&[116, table, self.game.passed as u64, expected]),
        ];
        let found = self.symbol(value, width, c, 62 + table as usize);
        if table == 1 {
            self.game.player_count = found as u8;
        } else {
            self.game.counts[index] = found as u8;
        }
        self.update.end = found as usize;
        found
    }

    /// Whether a field was sent.
    pub(super) fn field_flag(&mut self, at: usize, end: usize, value: bool) -> bool {
        let u = &self.update;
        let is_player = self.place == Place::Player;
        let index = usize::from(u.number) & 1023;
        let expected = u.expected >> (at & 63) & 1;
        let last = u64::from(at + 1 == end);
        let history = u64::from(if is_player { self.game.player_sent[at & 63] } else { self.game.sent[index][at & 63] });
        let key = (at as u64) << 3 | u64::from(is_player) << 2 | last << 1 | expected;
        let passed = self.game.passed as u64;
        let (far, near) = if is_player {
            let change = self.game.player_change[at & 63];
            let action = u64::from(u.newest[17]);
            (context(&[205, key, magnitude(i64::from(change))]), context(&[206, key, action, history & 3]))
        } else {
            (context(&[205, key, u64::from(u.number), history & 3]), context(&[206, key, u64::from(u.newest[self.game.entity.event & 63]), u.sofar & 3]))
        };
        let c = [
            context(&[200, key, u.who, end as u64]),
            context(&[201, key, history]),
            context(&[202, key, u.sofar & 0xff, u.who]),
            context(&[203, key, u.sofar, end as u64]),
            context(&[204, key, history & 15, passed]),
            far,
            near,
            context(&[207, key, u.sofar & 7, history & 7, u.who]),
        ];
        let sent = self.flag_of(value, c, 64 + (key & 7) as usize, 200 + (key as usize & 0x1ff));
        let u = &mut self.update;
        u.sofar = u.sofar << 1 | u64::from(sent);
        if !sent {
            u.now[at & 63] = u.base[at & 63];
        }
        let history = if is_player { &mut self.game.player_sent[at & 63] } else { &mut self.game.sent[index][at & 63] };
        *history = *history << 1 | u8::from(sent);
        sent
    }

    pub(super) fn array_mask(&mut self, array: usize, value: u32) -> u32 {
        let mut found = 0;
        for at in 0..16 {
            let (newest, base) = (self.game.newest.player.arrays[array & 3][at], self.game.base.player.arrays[array & 3][at]);
            let key = context(&[34, array as u64, at as u64, u64::from(newest != base)]);
            let history = self.game.elements_sent[array & 3][at];
            let c = [key, context(&[key, 1, u64::from(history)]), context(&[key, 2, u64::from(found)])];
            let sent = self.flag_of(value >> at & 1 != 0, c, 72, 800 + array * 16 + at);
            self.game.elements_sent[array & 3][at] = history << 1 | u8::from(sent);
            found |= u32::from(sent) << at;
        }
        self.elements = found;
        found
    }

    pub(super) fn element(&mut self, array: usize, value: u32, width: u32) -> u32 {
        let at = (self.elements.trailing_zeros() & 15) as usize;
        self.elements &= self.elements.wrapping_sub(1);
        let mask = u32::MAX >> (32 - width.max(1));
        let (newest, base) = (self.game.newest.player.arrays[array & 3][at] & mask, self.game.base.player.arrays[array & 3][at] & mask);
        let key = context(&[38, array as u64, at as u64]);
        if newest != base && self.flag_of(value == newest, [key, context(&[key, 1])], 73, 900 + array * 16 + at) {
            return newest;
        }
        let mut from = newest;
        if width == 32 {
            if self.flag_of(value == 0, [key, context(&[key, 2, u64::from(newest == 0)])], 74, 990) {
                return 0;
            }
            from = self.game.time as u32;
        }
        let history = u64::from(self.game.elements_sent[array & 3][at]);
        self.difference(value, from, width, [context(&[key, 3]), context(&[key, 4, u64::from(newest)]), context(&[key, 5, history])], 75 + array * 3)
    }
}
