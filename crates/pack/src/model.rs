//! Adaptive predictions, mixed (`docs/formats/pack.md`, "The model").
//!
//! A decision has several contexts. Each context has a slot in one table, with a probability and how often it was used. Two sets of weights,
//! one chosen broadly and one finely, mix the slots' logits; the mean of the two is the prediction. Slots and weights then move
//! towards the bit.

use crate::arithmetic::Direction;
use crate::logistic::{squash, stretch};

/// The most contexts of a decision.
pub(crate) const MOST_CONTEXTS: usize = 10;

/// Sets of weights that are chosen broadly, and finely.
const BROAD: usize = 1 << 10;
const FINE: usize = 1 << 16;
/// The first weight of each input: 0.3.
const FIRST_WEIGHT: i32 = 19_661;
/// The input that is always there.
pub(crate) const BIAS: i64 = 1229;
/// The times of use that a slot counts.
const MOST_USES: u32 = 255;

/// How far a slot moves after a number of uses, of 65536: 1 / (uses + 1.6).
static RATE: [u32; MOST_USES as usize + 1] = {
    let mut table = [0; MOST_USES as usize + 1];
    let mut at = 0;
    while at < table.len() {
        table[at] = 655_360 / (at as u32 * 10 + 16);
        at += 1;
    }
    table
};

/// How far a slot is trusted after a number of uses, of 65536: 1 - 0.6 / (uses + 0.5). A new slot is not trusted at all.
static TRUST: [i64; MOST_USES as usize + 1] = {
    let mut table = [0; MOST_USES as usize + 1];
    let mut at = 1;
    while at < table.len() {
        let uses = if at < 30 { at as i64 } else { 30 };
        table[at] = 65536 - 393_216 / (uses * 10 + 5);
        at += 1;
    }
    table
};

/// A context.
pub(crate) type Context = u64;

/// The number of bits of a number, with its sign.
pub(crate) fn magnitude(number: i64) -> Context {
    u64::from(64 - number.unsigned_abs().leading_zeros()) * 2 + u64::from(number < 0)
}

/// Adds `b` to the context `a`.
#[inline(always)]
pub(crate) fn hash(a: Context, b: u64) -> Context {
    let x = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 29
}

/// The context of all of these.
#[inline(always)]
pub(crate) fn context(parts: &[u64]) -> Context {
    parts.iter().fold(0x1234_5678_9abc, |all, &part| hash(all.rotate_left(7), part.wrapping_add(1)))
}

/// What a slot says of the next bit: more, the more often it was used.
#[inline(always)]
pub(crate) fn logit(entry: u32) -> i64 {
    (i64::from(stretch(entry >> 10)) * TRUST[(entry & 0xff) as usize]) >> 16
}

/// A sum of weights times logits, as a logit.
#[inline(always)]
pub(crate) fn scaled(sum: i64) -> i32 {
    (sum >> 16).clamp(-(1 << 20), 1 << 20) as i32
}

/// 0.015 of the error, for weights in 65536ths and logits in 4096ths.
#[inline(always)]
pub(crate) fn miss(bit: bool, one: u32) -> i64 {
    ((i64::from(bit) << 16) - i64::from(one)) * 61
}

/// A miss up to which no weight moves: times the largest logit, it is less than a half of 2^24.
const SMALL_MISS: u64 = ((1 << 23) - 1) / 36_864;

/// Moves a weight against the error.
#[inline(always)]
pub(crate) fn step(weight: &mut i32, miss: i64, logit: i64) {
    *weight = (*weight + ((miss * logit + (1 << 23)) >> 24) as i32).clamp(-(1 << 22), 1 << 22);
}

/// A slot's entry after the bit.
#[inline(always)]
pub(crate) fn learned(entry: u32, bit: bool) -> u32 {
    let (p, uses) = (entry >> 10, entry & 0x3ff);
    let rate = u64::from(RATE[uses as usize & 0xff]);
    // without a branch: the distance to the end of the range, and then its sign
    let sign = u32::from(bit).wrapping_sub(1);
    let far = !sign & 0x3f_ffff;
    let step = ((u64::from(p ^ far) * rate) >> 16) as u32;
    entry.wrapping_add((step ^ sign).wrapping_sub(sign) << 10) + u32::from(uses < MOST_USES)
}

/// The model and the coder that it drives.
#[derive(Debug)]
pub(crate) struct Model<D> {
    pub direction: D,
    /// Whether a decision has four slots at most, and one set of weights.
    quick: bool,
    /// The probability of a set bit, less one half, in the upper 22 bits; uses in the lower ten. Zero is an unused slot.
    slots: Vec<u32>,
    broad: Vec<[i32; MOST_CONTEXTS + 1]>,
    fine: Vec<[i32; MOST_CONTEXTS + 1]>,
}

impl<D: Direction> Model<D> {
    /// An untaught model of 2^`bits` slots.
    pub(crate) fn new(direction: D, bits: u32, quick: bool) -> Self {
        let weights = [FIRST_WEIGHT; MOST_CONTEXTS + 1];
        Model { direction, quick, slots: vec![0; 1 << bits], broad: vec![weights; BROAD], fine: vec![weights; FINE] }
    }

    /// Codes one bit, given its slots and the sets of weights for it. Not inlined: new files have another model, and programs are smaller.
    #[inline(never)]
    pub(crate) fn bit<const N: usize>(&mut self, bit: bool, slots: &[u32; N], broad: usize, fine: usize) -> bool {
        if self.quick {
            let few = [slots[1.min(N - 1)], slots[2.min(N - 1)], slots[4.min(N - 1)], slots[N - 1]];
            return self.quick_bit(bit, few, fine);
        }
        let table = &mut self.slots[..];
        let mask = table.len() - 1;
        let mut entries = [0u32; N];
        let mut logits = [0i64; N];
        for at in 0..N {
            let entry = table[slots[at] as usize & mask] ^ 1 << 31;
            entries[at] = entry;
            logits[at] = logit(entry);
        }
        let (broad, fine) = (&mut self.broad[broad % BROAD], &mut self.fine[fine % FINE]);
        let (mut sum_broad, mut sum_fine) = (i64::from(broad[N]) * BIAS, i64::from(fine[N]) * BIAS);
        for at in 0..N {
            sum_broad += i64::from(broad[at]) * logits[at];
            sum_fine += i64::from(fine[at]) * logits[at];
        }
        let (sum_broad, sum_fine) = (scaled(sum_broad), scaled(sum_fine));
        let bit = self.direction.bit(bit, squash((sum_broad + sum_fine) >> 1));

        let (miss_broad, miss_fine) = (miss(bit, squash(sum_broad)), miss(bit, squash(sum_fine)));
        for (weights, miss) in [(broad, miss_broad), (fine, miss_fine)] {
            // what was all but certain moves no weight: leaving the loops out saves 2 percent of all instructions
            if miss.unsigned_abs() > SMALL_MISS {
                for at in 0..N {
                    step(&mut weights[at], miss, logits[at]);
                }
                step(&mut weights[N], miss, BIAS);
            }
        }
        for at in 0..N {
            table[slots[at] as usize & mask] = learned(entries[at], bit) ^ 1 << 31;
        }
        bit
    }

    /// Codes one bit by few slots.
    fn quick_bit(&mut self, bit: bool, slots: [u32; 4], fine: usize) -> bool {
        let table = &mut self.slots[..];
        let mask = table.len() - 1;
        let (mut entries, mut logits) = ([0; 4], [0; 4]);
        for at in 0..4 {
            entries[at] = table[slots[at] as usize & mask] ^ 1 << 31;
            logits[at] = logit(entries[at]);
        }
        let weights = &mut self.fine[fine % FINE];
        let mut sum = 0;
        for at in 0..4 {
            sum += i64::from(weights[at]) * logits[at];
        }
        let one = squash(scaled(sum));
        let bit = self.direction.bit(bit, one);
        let miss = miss(bit, one);
        if miss.unsigned_abs() > SMALL_MISS {
            for at in 0..4 {
                step(&mut weights[at], miss, logits[at]);
            }
        }
        for at in 0..4 {
            table[slots[at] as usize & mask] = learned(entries[at], bit) ^ 1 << 31;
        }
        bit
    }
}
