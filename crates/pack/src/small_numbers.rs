//! Symbols, numbers and guesses of the small model (`docs/formats/pack.md`, "The small model").

use crate::arithmetic::Direction;
use crate::model::{Context, context, hash};
use crate::numbers::{Guess, LONGEST, lines};
use crate::small::Small;

/// From here on, one decision says whether the value is the guessed one. Before, a guess is a slot of each bit: what breaks passages often is then predicted
/// better. Such decisions from a trust of 2 on make `bps.qwd` 18 percent larger.
const HOLDS: u64 = 8;
/// The first sets of weights for such decisions.
const BROAD: usize = 1024;
const FINE: usize = 64_000;

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

impl<D: Direction> Small<D> {
    /// Whether a value is the guessed one.
    #[inline(always)]
    fn is_guessed<const N: usize>(&mut self, right: bool, guess: u64, held: u64, contexts: &[Context; N], set: usize) -> bool {
        let of = |at: usize, tag: u64| hash(contexts[at.min(N - 2)], tag << 48 ^ guess) as u32;
        let (first, second) = (hash(6 << 48, held) as u32, hash(contexts[0], 7 << 48 | held) as u32);
        let slots = [first, second, of(0, 8), of(1, 9), of(2, 10), of(3, 11), of(4, 12), of(5, 13), of(6, 14), of(8, 15)];
        self.bit(right, &slots, BROAD + held as usize, FINE + set)
    }

    pub(crate) fn symbol_guessed<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize, guess: Option<Guess<u32>>) -> u32 {
        if let Some(Guess { value: guess, held }) = guess.filter(|guess| guess.held >= HOLDS) {
            let right = self.is_guessed(value == guess, guess.into(), held, contexts, set);
            return if right { guess } else { self.symbol_of::<N, true>(value, width, contexts, set, None) };
        }
        self.symbol_of::<N, true>(value, width, contexts, set, guess)
    }

    pub(crate) fn number_guessed<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
        if let Some(Guess { value: guess, held }) = guess.filter(|guess| guess.held >= HOLDS) {
            let right = self.is_guessed(value == guess, guess as u64, held, contexts, set);
            return if right { guess } else { self.number_of::<N, true>(value, contexts, set, None) };
        }
        self.number_of::<N, true>(value, contexts, set, guess)
    }

    /// A number of `width` (0 to 32) bits, highest bit first.
    #[inline]
    pub(crate) fn symbol_of<const N: usize, const GUESSES: bool>(
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
    #[inline]
    pub(crate) fn number_of<const N: usize, const GUESSES: bool>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
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
