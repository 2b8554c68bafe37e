//! The model of the small preset (`docs/formats/pack.md`, "The small model").
//!
//! It uses the contexts of the former model. Its slots have 16 bits, and vector instructions add up its weights of 32 bits. If an earlier passage predicts a
//! value, one decision says whether the value is the predicted one.

use crate::arithmetic::Direction;
use crate::lanes::{Weights, learn, sums};
use crate::logistic::squash;
use crate::model::MOST_CONTEXTS;
use crate::numbers::Bits;
use crate::states::{STATES_OF_SLOTS, States};

/// Sets of weights that are chosen broadly, and finely.
const BROAD: usize = 1 << 11;
const FINE: usize = 1 << 16;
/// The first weight of each input: 0.21 of 2^25.
const FIRST_WEIGHT: i32 = 7_000_000;
/// The input that is always there: a logit of one half in 512ths.
const ALWAYS: i16 = 256;
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

    /// Codes one bit in L lanes. What is always there is behind the slots, and the other lanes are zero.
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
}

impl<D: Direction> Bits for Small<D> {
    #[inline(always)]
    fn bit<const N: usize>(&mut self, bit: bool, slots: &[u32; N], broad: usize, fine: usize) -> bool {
        if N < 8 { self.bit_in::<N, 8>(bit, slots, broad, fine) } else { self.bit_in::<N, 16>(bit, slots, broad, fine) }
    }
}
