//! Symbols and numbers as decisions (`docs/formats/pack.md`, "Symbols and numbers").
//!
//! Up to fifteen decisions of one symbol share a line of sixteen slots, which is one line of a processor's cache.

use crate::arithmetic::Direction;
use crate::model::{Context, Model, context, hash};

/// The most bits of a number.
const LONGEST: u32 = 40;

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
fn lines<const N: usize>(contexts: &[Context; N], group: u64) -> [u32; N] {
    std::array::from_fn(|at| hash(contexts[at], group << 4 | at as u64) as u32 & !15)
}

/// The last slot of each bit, where a value may have a guess.
#[derive(Debug, Clone, Copy)]
struct Guessed {
    /// By the guessed bit, if there is a guess.
    right: Option<[u32; 2]>,
    none: u32,
}

impl Guessed {
    #[inline(always)]
    fn new(held: Option<u64>, set: usize) -> Self {
        let right = held.map(|held| [0, 1].map(|bit| context(&[20, held, bit]) as u32));
        Guessed { right, none: context(&[21, set as u64]) as u32 }
    }

    /// The slot where the guessed bit is this one, if the bits so far are those of the guess.
    #[inline(always)]
    fn slot(self, bit: Option<bool>) -> u32 {
        match (self.right, bit) {
            (Some(right), Some(bit)) => right[usize::from(bit)],
            _ => self.none,
        }
    }
}

/// The slots of a decision of the group.
#[inline(always)]
fn slots<const N: usize, const GUESSES: bool>(lines: &[u32; N], node: u32, last: impl FnOnce() -> u32) -> [u32; N] {
    let mut slots = lines.map(|line| line | node);
    if GUESSES {
        slots[N - 1] = last();
    }
    slots
}

/// A model that codes bits. Numbers are coded alike whatever predicts their bits.
pub(crate) trait Bits {
    /// Codes one bit, given its slots and the sets of weights for it.
    fn bit<const N: usize>(&mut self, bit: bool, slots: &[u32; N], broad: usize, fine: usize) -> bool;

    /// A number of `width` (0 to 32) bits, highest bit first.
    #[inline(never)]
    fn symbol_of<const N: usize, const GUESSES: bool>(
        &mut self,
        value: u32,
        width: u32,
        contexts: &[Context; N],
        set: usize,
        guess: Option<Guess<u32>>,
    ) -> u32 {
        let guessed = Guessed::new(guess.map(|guess| guess.held), set);
        let guess = guess.map_or(0, |guess| guess.value);
        let mut left = width;
        let mut all = 0u32;
        while left > 0 {
            let take = if left.is_multiple_of(4) { 4 } else { left % 4 };
            let lines = lines(contexts, 1 + u64::from(left) + (u64::from(all) << 8));
            left -= take;
            let mut node = 1;
            for place in (left..left + take).rev() {
                let last = || guessed.slot((u64::from(guess) >> (place + 1) == u64::from(all)).then_some(guess >> place & 1 != 0));
                let slots = slots::<N, GUESSES>(&lines, node, last);
                let bit = u32::from(self.bit(value >> place & 1 != 0, &slots, set, set * 64 + place as usize));
                (node, all) = (node << 1 | bit, all << 1 | bit);
            }
        }
        all
    }

    /// A number of either sign: how many bits its amount has, the sign, the bits behind the highest.
    #[inline(never)]
    fn number_of<const N: usize, const GUESSES: bool>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
        let amount = value.unsigned_abs();
        let bits = 64 - amount.leading_zeros();
        let slots_of_guess = Guessed::new(guess.map(|guess| guess.held), set);
        let guess = guess.map_or(0, |guess| guess.value);
        let guessed = guess.unsigned_abs();
        let guessed_bits = 64 - guessed.leading_zeros();
        let mut length = 0;
        let mut group = lines(contexts, 2 << 48);
        while length < LONGEST {
            if length == 15 || length == 30 {
                group = lines(contexts, 2 << 48 | u64::from(length));
            }
            let last = || slots_of_guess.slot((guessed_bits >= length).then_some(guessed_bits == length));
            let slots = slots::<N, GUESSES>(&group, 1 + length % 15, last);
            if self.bit(length == bits, &slots, set, set * 64 + length as usize) {
                break;
            }
            length += 1;
        }
        if length == 0 {
            return 0;
        }
        let mut right = length == guessed_bits;
        let group = lines(contexts, 3 << 48 | u64::from(length));
        let slots_of_sign = slots::<N, GUESSES>(&group, 1, || slots_of_guess.slot(right.then_some(guess < 0)));
        let negative = self.bit(value < 0, &slots_of_sign, set + 1, set * 64 + 41);
        right &= negative == (guess < 0);
        let mut found = 1u64;
        let mut group = lines(contexts, 4 << 48 | u64::from(length) << 1 | u64::from(negative));
        let mut node = 1u32;
        for at in (0..length - 1).rev() {
            let depth = length - 2 - at;
            if depth > 0 && depth % 4 == 0 {
                // what is so far behind the highest bit depends on little
                group = if depth < 12 {
                    lines(contexts, 4 << 48 | found << 8 | u64::from(length) << 1 | u64::from(negative))
                } else {
                    std::array::from_fn(|input| hash(input as u64, 5 << 48 | (set as u64) << 16 | u64::from(length) << 8 | u64::from(at)) as u32 & !15)
                };
                node = 1;
            }
            let last = || slots_of_guess.slot((right && guessed >> (at + 1) == found).then_some(guessed >> at & 1 != 0));
            let slots = slots::<N, GUESSES>(&group, node, last);
            let bit = self.bit(amount >> at & 1 != 0, &slots, set + 2, set * 64 + 42 + depth.min(20) as usize);
            node = node << 1 | u32::from(bit);
            found = found << 1 | u64::from(bit);
        }
        if negative { -(found as i64) } else { found as i64 }
    }
}

impl<D: Direction> Bits for Model<D> {
    #[inline(always)]
    fn bit<const N: usize>(&mut self, bit: bool, slots: &[u32; N], broad: usize, fine: usize) -> bool {
        self.bit(bit, slots, broad, fine)
    }
}
