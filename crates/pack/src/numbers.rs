//! Symbols and numbers as decisions (`docs/formats/pack.md`, "Symbols and numbers").
//!
//! Up to fifteen decisions of one symbol share a line of sixteen slots, which is one line of a processor's cache.

use crate::arithmetic::Direction;
use crate::model::{Context, Model, hash};

/// The lines of a group of decisions.
#[inline(always)]
fn lines<const N: usize>(contexts: &[Context; N], group: u64) -> [u32; N] {
    std::array::from_fn(|at| hash(contexts[at], group << 4 | at as u64) as u32 & !15)
}

/// The slots of a decision of the group.
#[inline(always)]
fn slots<const N: usize>(lines: &[u32; N], node: u32) -> [u32; N] {
    lines.map(|line| line | node)
}

impl<D: Direction> Model<D> {
    /// A number of `width` (0 to 32) bits, highest bit first. `set` chooses weights.
    #[inline]
    pub fn symbol<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize) -> u32 {
        let mut left = width;
        let mut all = 0u32;
        while left > 0 {
            let take = if left.is_multiple_of(4) { 4 } else { left % 4 };
            let lines = lines(contexts, 1 + u64::from(left) + (u64::from(all) << 8));
            left -= take;
            let mut node = 1;
            for at in (0..take).rev() {
                let bit = self.bit(value >> (left + at) & 1 != 0, slots(&lines, node), set, set * 64 + (left + at) as usize);
                node = node << 1 | u32::from(bit);
            }
            all = all << take | (node & ((1 << take) - 1));
        }
        all
    }

    /// A number of either sign: how many bits its amount has, the sign, the bits behind the highest.
    #[inline]
    pub fn number<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize) -> i64 {
        const LONGEST: u32 = 40;
        let amount = value.unsigned_abs();
        let bits = 64 - amount.leading_zeros();
        let mut length = 0;
        let mut group = lines(contexts, 2 << 48);
        while length < LONGEST {
            if length == 15 || length == 30 {
                group = lines(contexts, 2 << 48 | u64::from(length));
            }
            if self.bit(length == bits, slots(&group, 1 + length % 15), set, set * 64 + length as usize) {
                break;
            }
            length += 1;
        }
        if length == 0 {
            return 0;
        }
        let group = lines(contexts, 3 << 48 | u64::from(length));
        let negative = self.bit(value < 0, slots(&group, 1), set + 1, set * 64 + 41);
        let mut found = 1u64;
        let mut lines_here = lines(contexts, 4 << 48 | u64::from(length) << 1 | u64::from(negative));
        let mut node = 1u32;
        for at in (0..length - 1).rev() {
            let depth = length - 2 - at;
            if depth > 0 && depth % 4 == 0 {
                // what is so far behind the highest bit depends on little
                lines_here = if depth < 12 {
                    lines(contexts, 4 << 48 | found << 8 | u64::from(length) << 1 | u64::from(negative))
                } else {
                    std::array::from_fn(|input| hash(input as u64, 5 << 48 | (set as u64) << 16 | u64::from(length) << 8 | u64::from(at)) as u32 & !15)
                };
                node = 1;
            }
            let bit = self.bit(amount >> at & 1 != 0, slots(&lines_here, node), set + 2, set * 64 + 42 + depth.min(20) as usize);
            node = node << 1 | u32::from(bit);
            found = found << 1 | u64::from(bit);
        }
        if negative { -(found as i64) } else { found as i64 }
    }
}
