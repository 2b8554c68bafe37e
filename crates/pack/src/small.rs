//! The model of the small preset (`docs/formats/pack.md`, "The small model").
//!
//! It has the contexts of the former one, with slots of 16 bits and weights of 32 that are mixed in vectors. Where an earlier passage predicts a value,
//! one decision says whether it is that one.

use crate::arithmetic::Direction;
use crate::bytes::{History, byte_contexts};
use crate::lanes::{Weights, learn, sums};
use crate::logistic::squash;
use crate::model::{Context, MOST_CONTEXTS, context, hash};
use crate::states::{STATES_OF_SLOTS, States};

/// Sets of weights that are chosen broadly, and finely.
const BROAD: usize = 1 << 11;
const FINE: usize = 1 << 16;
/// The first weight of each input: 0.21 of 2^25.
const FIRST_WEIGHT: i32 = 7_000_000;
/// The input that is always there: a logit of one half in 512ths.
const ALWAYS: i16 = 256;
/// The first sets of bytes.
const SETS_OF_BYTES: usize = 900;
const _: () = assert!(MOST_CONTEXTS < 16);

/// Probabilities by logits in 128ths, from -16 on.
static PROBABILITIES: [u16; 4096] = {
    let mut table = [0; 4096];
    let mut at = 0;
    while at < 4096 {
        table[at] = squash((at as i32 - 2048) * 32 + 16) as u16;
        at += 1;
    }
    table
};

/// The probability of a sum of weights times logits.
#[inline(always)]
fn mixed(sum: i32) -> i32 {
    i32::from(PROBABILITIES[((sum >> 13).clamp(-2048, 2047) + 2048) as usize])
}

/// The model and the coder that it drives.
#[derive(Debug)]
pub(crate) struct Small<D> {
    pub direction: D,
    states: &'static States,
    slots: Vec<u16>,
    broad: Vec<Weights>,
    fine: Vec<Weights>,
}

impl<D: Direction> Small<D> {
    /// An untaught model of 2^`bits` slots.
    pub(crate) fn new(bits: u32) -> Self {
        let weights = [FIRST_WEIGHT; 16];
        Small { direction: D::default(), states: &STATES_OF_SLOTS, slots: vec![0; 1 << bits], broad: vec![weights; BROAD], fine: vec![weights; FINE] }
    }

    /// Codes one bit, given its slots and the sets of weights for it.
    #[inline(always)]
    pub(crate) fn bit<const N: usize>(&mut self, bit: bool, slots: &[u32; N], broad: usize, fine: usize) -> bool {
        if N < 8 { self.bit_in::<N, 8>(bit, slots, broad, fine) } else { self.bit_in::<N, 16>(bit, slots, broad, fine) }
    }

    /// The same in L lanes. What is always there is behind the slots, and the other lanes are zero.
    fn bit_in<const N: usize, const L: usize>(&mut self, bit: bool, slots: &[u32; N], broad: usize, fine: usize) -> bool {
        let table = &mut self.slots[..];
        let mask = table.len() - 1;
        let (mut states, mut logits) = ([0; N], [0; L]);
        for at in 0..N {
            states[at] = table[slots[at] as usize & mask];
            logits[at] = self.states.logits[usize::from(states[at])];
        }
        logits[N] = ALWAYS;
        let (Some(broad), Some(fine)) = (self.broad[broad % BROAD].first_chunk_mut(), self.fine[fine % FINE].first_chunk_mut()) else { return bit };
        let [by_broad, by_fine] = sums::<L>(&logits, broad, fine);
        let bit = self.direction.bit(bit, mixed((by_broad >> 1) + (by_fine >> 1)) as u32);
        for (weights, sum) in [(broad, by_broad), (fine, by_fine)] {
            let error = ((i32::from(bit) << 16) - mixed(sum)) >> 1;
            // what was all but certain moves no weight
            if error.unsigned_abs() > 1 {
                learn(&logits, weights, error as i16);
            }
        }
        let next = &self.states.next[usize::from(bit)];
        for at in 0..N {
            table[slots[at] as usize & mask] = next[usize::from(states[at])];
        }
        bit
    }

    /// A byte of a kind, by the contexts that the former model has too.
    #[inline]
    pub(crate) fn byte(&mut self, value: u8, kind: u64, history: &mut History) -> u8 {
        let contexts: [Context; 8] = byte_contexts(kind, history);
        let expectation = history.expectation();
        let far = expectation.map_or(0, |(_, far)| far) as usize;
        let mut found = 1u32;
        let mut lines = [0u32; 8];
        for at in (0..8).rev() {
            if at == 7 || at == 3 {
                lines = std::array::from_fn(|input| hash(contexts[input], 7 << 48 | u64::from(found)) as u32 & !15);
            }
            let node = if at > 3 { found } else { found & ((1 << (3 - at)) - 1) | 1 << (3 - at) };
            let repeated = match expectation {
                Some((byte, far)) if (u32::from(byte) | 256) >> (at + 1) == found => context(&[18, u64::from(far), u64::from(byte >> at & 1)]) as u32,
                _ => context(&[19, u64::from(found)]) as u32,
            };
            let slots: [u32; 9] = std::array::from_fn(|input| if input < 8 { lines[input] | node } else { repeated });
            let bit = self.bit(value >> at & 1 != 0, &slots, SETS_OF_BYTES + far, (SETS_OF_BYTES << 6) + found as usize);
            found = found << 1 | u32::from(bit);
        }
        history.push(found as u8);
        found as u8
    }
}
