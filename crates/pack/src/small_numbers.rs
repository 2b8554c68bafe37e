//! Symbols, numbers and guesses of the small model (`docs/formats/pack.md`, "The small model").

use crate::arithmetic::Direction;
use crate::model::{Context, hash};
use crate::numbers::{Bits, Guess};
use crate::small::Small;

/// From here on, one decision says whether the value is the guessed one. Before, a guess is a slot of each bit: what breaks passages often is then predicted
/// better. Such decisions from a trust of 2 on make `bps.qwd` 18 percent larger.
const HOLDS: u64 = 8;
/// The first sets of weights for such decisions.
const BROAD: usize = 1024;
const FINE: usize = 64_000;

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
}
