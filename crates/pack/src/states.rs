//! What a slot of the small model knows: 16 bits, and tables of how they change (`docs/formats/pack.md`, "Slots of the small model").
//!
//! A state has a level, which is a logit in steps of 37/4096, and the times of use up to 31. One look-up gives the state after a bit, and one its
//! logit with the trust that the uses deserve. With computed slots of 32 bits, the model took at least 1.2 times the instructions, and the files were as
//! large.

use std::sync::LazyLock;

/// The states, and the bits of their levels.
const STATES: usize = 1 << 16;
const LEVEL_BITS: u32 = 11;
/// The highest level; the lowest is its opposite.
const HIGHEST: i32 = 1023;
/// A level's logit in 4096ths.
const STEP: i32 = 37;
/// Exp(37/4096) in 2^40ths.
const EXP_STEP: u128 = 1_109_488_734_420;
/// The times of use that a state counts.
const MOST_USES: u32 = 31;

/// Tables by state.
#[derive(Debug)]
pub(crate) struct States {
    /// The state after a clear bit and after a set bit.
    pub next: [Box<[u16; STATES]>; 2],
    /// The logit in 512ths.
    pub logits: Box<[i16; STATES]>,
}

/// Made once for all models, in less than two million steps. In a program's file they would take 384 kB.
pub(crate) static STATES_OF_SLOTS: LazyLock<States> = LazyLock::new(States::new);

/// A state of this level after a number of uses. The first is 0.
fn state(level: i32, uses: u32) -> usize {
    (uses << LEVEL_BITS | level as u32 & ((1 << LEVEL_BITS) - 1)) as usize
}

/// How far a probability moves after a number of uses, of 65536.
fn rate(uses: u32) -> u64 {
    if uses == MOST_USES { 655 } else { 655_360 / u64::from(10 * uses + 14) }
}

/// How far a state is trusted after a number of uses, of 65536: not at all if it is new.
fn trust(uses: u32) -> i32 {
    if uses == 0 { 0 } else { 65536 - 58_982 / (2 * uses as i32 + 1) }
}

/// Probabilities of 2^32 by level, from the lowest on.
fn probabilities() -> Vec<u64> {
    let mut e = 1_u128 << 40;
    let mut upper = Vec::new();
    for _ in 0..=HIGHEST {
        upper.push(((e << 32) / (e + (1 << 40))) as u64);
        e = (e * EXP_STEP) >> 40;
    }
    upper[1..].iter().rev().map(|p| (1 << 32) - p).chain(upper.iter().copied()).collect()
}

fn zeros<T: Copy + Default>() -> Box<[T; STATES]> {
    vec![T::default(); STATES].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("the length is that of the array"))
}

impl States {
    fn new() -> Self {
        let mut states = States { next: [zeros(), zeros()], logits: zeros() };
        let p = probabilities();
        for uses in 0..=MOST_USES {
            let mut nearest = 0;
            for (at, level) in (-HIGHEST..=HIGHEST).enumerate() {
                let moved = p[at] + ((((1 << 32) - p[at]) * rate(uses)) >> 16);
                while nearest + 1 < p.len() && (p[nearest] + p[nearest + 1]) >> 1 <= moved {
                    nearest += 1;
                }
                let (next, after) = (nearest as i32 - HIGHEST, (uses + 1).min(MOST_USES));
                states.next[1][state(level, uses)] = state(next, after) as u16;
                // a clear bit does the opposite to the opposite
                states.next[0][state(-level, uses)] = state(-next, after) as u16;
                states.logits[state(level, uses)] = ((level * STEP * (trust(uses) >> 4)) >> 15) as i16;
            }
        }
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_follow_the_bits() {
        let states = &*STATES_OF_SLOTS;
        assert_eq!((states.logits[0], state(0, 0)), (0, 0));
        let after = |bits: &[usize]| bits.iter().fold(0_u16, |state, &bit| states.next[bit][usize::from(state)]);
        let logit = |bits: &[usize]| states.logits[usize::from(after(bits))];
        assert!(logit(&[1]) > 0 && logit(&[1; 2]) > logit(&[1]) && logit(&[1; 4000]) > 4600);
        assert_eq!(after(&[1; 4000]), state(HIGHEST, MOST_USES) as u16);
        assert_eq!(after(&[0; 4000]), state(-HIGHEST, MOST_USES) as u16);
        // half of the bits are set
        assert!(logit(&[0, 1].repeat(500)).abs() < 30);
    }
}
