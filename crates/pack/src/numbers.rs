//! Symbols and numbers as decisions (`docs/formats/pack.md`, "Symbols and numbers").
//!
//! Up to fifteen decisions of one symbol share a line of sixteen slots, which is one line of a processor's cache.

use crate::arithmetic::Direction;
use crate::model::{Context, Model, context, hash};

/// The most bits of a number.
pub(crate) const LONGEST: u32 = 40;

/// A value that an earlier passage predicts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guess<T> {
    /// The value.
    pub value: T,
    /// How far the passage has been right.
    pub held: u64,
}

/// The lines of a group of decisions.
#[inline(always)]
pub(crate) fn lines<const N: usize>(contexts: &[Context; N], group: u64) -> [u32; N] {
    std::array::from_fn(|at| hash(contexts[at], group << 4 | at as u64) as u32 & !15)
}

/// The slots of a decision of the group. A guess replaces the last: its slot depends on the guessed bit alone, and on how far to trust it.
#[inline(always)]
fn slots<const N: usize, const GUESSES: bool>(lines: &[u32; N], node: u32, guess: Option<(bool, u64)>, set: usize) -> [u32; N] {
    let mut slots = lines.map(|line| line | node);
    if GUESSES {
        slots[N - 1] = match guess {
            Some((bit, held)) => context(&[20, held, u64::from(bit)]) as u32,
            None => context(&[21, set as u64]) as u32,
        };
    }
    slots
}

impl<D: Direction> Model<D> {
    /// A number of `width` (0 to 32) bits, highest bit first.
    #[inline(never)]
    pub(crate) fn symbol_of<const N: usize, const GUESSES: bool>(
        &mut self,
        value: u32,
        width: u32,
        contexts: &[Context; N],
        set: usize,
        guess: Option<Guess<u32>>,
    ) -> u32 {
        let mut left = width;
        let mut all = 0u32;
        while left > 0 {
            let take = if left.is_multiple_of(4) { 4 } else { left % 4 };
            let lines = lines(contexts, 1 + u64::from(left) + (u64::from(all) << 8));
            left -= take;
            let mut node = 1;
            for at in (0..take).rev() {
                let place = left + at;
                let so_far = all << (take - 1 - at) | (node & ((1 << (take - 1 - at)) - 1));
                let guess = guess.filter(|guess| GUESSES && u64::from(guess.value) >> (place + 1) == u64::from(so_far));
                let guess = guess.map(|guess| (guess.value >> place & 1 != 0, guess.held));
                let slots = slots::<N, GUESSES>(&lines, node, guess, set);
                let bit = self.bit(value >> place & 1 != 0, slots, set, set * 64 + place as usize);
                node = node << 1 | u32::from(bit);
            }
            all = all << take | (node & ((1 << take) - 1));
        }
        all
    }

    /// A number of either sign: how many bits its amount has, the sign, the bits behind the highest.
    #[inline(never)]
    pub(crate) fn number_of<const N: usize, const GUESSES: bool>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
        let amount = value.unsigned_abs();
        let bits = 64 - amount.leading_zeros();
        let held = guess.map_or(0, |guess| guess.held);
        let guessed = guess.map_or(0, |guess| guess.value.unsigned_abs());
        let guessed_bits = 64 - guessed.leading_zeros();
        let mut right = GUESSES && guess.is_some();
        let mut length = 0;
        let mut group = lines(contexts, 2 << 48);
        while length < LONGEST {
            if length == 15 || length == 30 {
                group = lines(contexts, 2 << 48 | u64::from(length));
            }
            let expected = (right && guessed_bits >= length).then_some((guessed_bits == length, held));
            let slots = slots::<N, GUESSES>(&group, 1 + length % 15, expected, set);
            if self.bit(length == bits, slots, set, set * 64 + length as usize) {
                break;
            }
            length += 1;
        }
        right &= length == guessed_bits;
        if length == 0 {
            return 0;
        }
        let group = lines(contexts, 3 << 48 | u64::from(length));
        let guessed_sign = guess.is_some_and(|guess| guess.value < 0);
        let slots_of_sign = slots::<N, GUESSES>(&group, 1, right.then_some((guessed_sign, held)), set);
        let negative = self.bit(value < 0, slots_of_sign, set + 1, set * 64 + 41);
        right &= negative == guessed_sign;
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
            let expected = (right && guessed >> (at + 1) == found).then_some((guessed >> at & 1 != 0, held));
            let slots = slots::<N, GUESSES>(&lines_here, node, expected, set);
            let bit = self.bit(amount >> at & 1 != 0, slots, set + 2, set * 64 + 42 + depth.min(20) as usize);
            node = node << 1 | u32::from(bit);
            found = found << 1 | u64::from(bit);
        }
        if negative { -(found as i64) } else { found as i64 }
    }
}
