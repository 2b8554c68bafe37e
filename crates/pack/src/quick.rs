//! The quick model (`docs/formats/pack.md`, "The quick model"). It codes bits by few contexts, in groups of four bits that share one cache line.

use crate::Preset;
use crate::arithmetic::{Direction, Packing, Unpacking};
use crate::bytes::History;
use crate::coding::{Coding, PackCoding, UnpackCoding};
use crate::logistic::{squash, stretch};
use crate::model::{Context, context};
use crate::numbers::Guess;

/// Bounds for the number of lines of slots, as powers of two. There is one line for sixteen slots of other presets.
const FEWEST_LINES: u32 = 12;
const MOST_LINES: u32 = 18;
/// Slots of decisions that are not in lines.
const FLAGS: usize = 1 << 18;
/// Sets of weights of such decisions, and of groups.
const SETS: usize = 1 << 12;
const SETS_OF_GROUPS: usize = 1 << 10;
/// The first sets for guesses.
const GUESSES: usize = 2048;
/// A miss up to which no weight moves.
const SMALL_MISS: u32 = 64;
/// The first weight of each input: 0.4.
const FIRST_WEIGHT: i32 = 26_214;
/// The largest weight: three of them times the largest logits fit 32 bits.
const MOST_WEIGHT: i32 = 1 << 18;
/// A slot that is not used: a probability of one half.
const UNUSED: u32 = 1 << 31;
/// The times of use that a slot counts.
const USES: usize = 128;

/// How far a slot moves after a number of uses, of 2048: 1 / (uses + 1.6).
static RATE: [i32; USES] = {
    let mut table = [0; USES];
    let mut at = 0;
    while at < USES {
        table[at] = 20480 / (at as i32 * 10 + 16);
        at += 1;
    }
    table
};

/// How far a slot is trusted after a number of uses, of 256: 1 - 0.6 / (uses + 0.5). A new slot is not trusted at all.
static TRUST: [i32; USES] = {
    let mut table = [0; USES];
    let mut at = 1;
    while at < USES {
        let uses = if at < 30 { at as i32 } else { 30 };
        table[at] = 256 - 1536 / (uses * 10 + 5);
        at += 1;
    }
    table
};

/// Logits of probabilities of 4096, in 4096ths, but less than 8.
static LOGITS: [i16; 4096] = {
    let mut table = [0; 4096];
    let mut at = 0;
    while at < 4096 {
        let logit = stretch((at as u32) << 10 | 1 << 9);
        table[at] = if logit > 32767 {
            32767
        } else if logit < -32767 {
            -32767
        } else {
            logit as i16
        };
        at += 1;
    }
    table
};

/// Probabilities of 65536 by logits in 128ths, from -16 on.
static PROBABILITIES: [u16; 4096] = {
    let mut table = [0; 4096];
    let mut at = 0;
    while at < 4096 {
        table[at] = squash((at as i32 - 2048) << 5) as u16;
        at += 1;
    }
    table
};

/// A slot's prediction of the next bit: a logit in 256ths.
#[inline(always)]
fn logit(entry: u32) -> i32 {
    (i32::from(LOGITS[(entry >> 20) as usize]) * TRUST[entry as usize % USES]) >> 12
}

/// The probability of a sum of weights times logits.
#[inline(always)]
fn mixed(sum: i32) -> u32 {
    u32::from(PROBABILITIES[((sum >> 17).clamp(-2048, 2047) + 2048) as usize])
}

/// Moves a weight against the error.
#[inline(always)]
fn step(weight: &mut i32, miss: i32, logit: i32) {
    *weight = (*weight + ((miss * logit + (1 << 13)) >> 14)).clamp(-MOST_WEIGHT, MOST_WEIGHT);
}

/// A slot after a bit: 20 bits of probability, and uses.
#[inline(always)]
fn learned(entry: u32, bit: bool) -> u32 {
    let (p, uses) = ((entry >> 12) as i32, entry as usize % USES);
    let far = i32::from(bit).wrapping_neg() & 0xf_ffff;
    let step = ((far - p) * RATE[uses]) >> 11;
    entry.wrapping_add((step as u32) << 12) + u32::from(uses < USES - 1)
}

/// The probability of a slot, of 65536.
#[inline(always)]
fn probability(entry: u32) -> u32 {
    (entry >> 16).clamp(1, 65535)
}

/// Weights of three contexts, in 65536ths.
type Weights = [i32; 3];

/// Sixteen slots, which are one line of a processor's cache.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Line([u32; 16]);

/// The quick model and the coder that it drives.
#[derive(Debug)]
pub(crate) struct Quick<D> {
    direction: D,
    /// The probability of a set bit in the upper 20 bits; uses in the lower seven.
    lines: Vec<Line>,
    flags: Vec<u32>,
    weights: Vec<Weights>,
    /// By the nodes of groups.
    weights_of_groups: Vec<[Weights; 16]>,
}

/// Which of N contexts are used.
#[inline(always)]
fn chosen<const N: usize>(contexts: &[Context; N]) -> [Context; 3] {
    let [a, b, c] = match N {
        0..=3 => [0, 1, 2],
        6 => [1, 2, 3],
        9 => [2, 3, 7],
        _ => [1, 2, N - 1],
    };
    [contexts[a], contexts[b.min(N - 1)], contexts[c.min(N - 1)]]
}

/// The same of N contexts whose last is for guesses.
#[inline(always)]
fn before_guess<const N: usize>(contexts: &[Context; N]) -> [Context; 3] {
    [contexts[0], contexts[1.min(N - 1)], contexts[2.min(N - 1)]]
}

/// The place of a context in a group of decisions.
#[inline(always)]
fn place(context: Context, group: u64) -> usize {
    (context.wrapping_add(group.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as usize
}

/// Codes a bit by what three slots say.
#[inline(always)]
fn bit_by<D: Direction>(direction: &mut D, bit: bool, entries: [u32; 3], weights: &mut Weights) -> bool {
    let [a, b, c] = [logit(entries[0]), logit(entries[1]), logit(entries[2])];
    let sum = weights[0] * a + weights[1] * b + weights[2] * c;
    let one = mixed(sum);
    let bit = direction.bit(bit, one);
    let miss = (i32::from(bit) << 16) - one as i32;
    if miss.unsigned_abs() > SMALL_MISS {
        step(&mut weights[0], miss, a);
        step(&mut weights[1], miss, b);
        step(&mut weights[2], miss, c);
    }
    bit
}

impl<D: Direction> Quick<D> {
    /// Codes the lowest `width` bits, four at most, by a line of slots for each context.
    fn group(&mut self, value: u32, width: u32, contexts: &[Context; 3], group: u64, set: usize) -> u32 {
        let lines = self.lines.as_mut_slice();
        let mask = lines.len() - 1;
        let (a, b, c) = (place(contexts[0], group) & mask, place(contexts[1], group) & mask, place(contexts[2], group) & mask);
        let weights = &mut self.weights_of_groups[set % SETS_OF_GROUPS];
        let mut node = 1;
        for at in (0..width).rev() {
            let entries = [lines[a].0[node % 16], lines[b].0[node % 16], lines[c].0[node % 16]];
            let bit = bit_by(&mut self.direction, value >> at & 1 != 0, entries, &mut weights[node % 16]);
            lines[a].0[node % 16] = learned(entries[0], bit);
            lines[b].0[node % 16] = learned(entries[1], bit);
            lines[c].0[node % 16] = learned(entries[2], bit);
            node = node << 1 | usize::from(bit);
        }
        node as u32 & ((1 << width) - 1)
    }

    /// The same by one line alone.
    fn group_of_one(&mut self, value: u32, width: u32, place: usize) -> u32 {
        let place = place & (self.lines.len() - 1);
        let line = &mut self.lines[place].0;
        let mut node = 1;
        for at in (0..width).rev() {
            let slot = &mut line[node % 16];
            let bit = self.direction.bit(value >> at & 1 != 0, probability(*slot));
            *slot = learned(*slot, bit);
            node = node << 1 | usize::from(bit);
        }
        node as u32 & ((1 << width) - 1)
    }

    fn decision(&mut self, bit: bool, places: [usize; 3], set: usize) -> bool {
        let (a, b, c) = (places[0] % FLAGS, places[1] % FLAGS, places[2] % FLAGS);
        let flags = &mut self.flags[..FLAGS];
        let entries = [flags[a], flags[b], flags[c]];
        let bit = bit_by(&mut self.direction, bit, entries, &mut self.weights[set % SETS]);
        flags[a] = learned(entries[0], bit);
        flags[b] = learned(entries[1], bit);
        flags[c] = learned(entries[2], bit);
        bit
    }

    /// Codes whether a value is the one that an earlier passage predicts.
    fn is_guessed(&mut self, right: bool, guess: u64, held: u64, contexts: &[Context; 3]) -> bool {
        let places = [place(held, 6 << 48), place(contexts[0], 7 << 48 | held), place(contexts[1], 8 << 48 | guess)];
        self.decision(right, places, GUESSES + held as usize)
    }

    fn symbol_by(&mut self, value: u32, width: u32, contexts: &[Context; 3], set: usize) -> u32 {
        let mut left = width;
        let mut all = 0u32;
        while left > 0 {
            let take = if left.is_multiple_of(4) { 4 } else { left % 4 };
            let group = 1 + u64::from(left) + (u64::from(all) << 8);
            left -= take;
            all = all << take | self.group(value >> left, take, contexts, group, set);
        }
        all
    }

    fn number_by(&mut self, value: i64, contexts: &[Context; 3], set: usize) -> i64 {
        let size = Size::of(value.unsigned_abs());
        let class = self.group(size.class, 4, contexts, 2 << 48, set);
        if class == 0 {
            return 0;
        }
        // the sign, which of two lengths, and the bits behind the highest
        let (few, behind) = if class < 10 { (3.min(class - 1), size.top(3.min(class - 1))) } else { (3, size.longer.min(1) << 2 | size.top(2)) };
        let second = self.group(u32::from(value < 0) << few | behind, few + 1, contexts, 3 << 48 | u64::from(class), set + 1);
        let negative = second >> few != 0;
        let mut found = Size { class, longer: if class < 10 { 0 } else { second >> 2 & 1 }, amount: 0 };
        if class == 15 && found.longer == 1 {
            found.longer = (1
                + self.group_of_one(size.longer.saturating_sub(1) >> 2, 3, place(set as u64, 6 << 48)) * 4
                + self.group_of_one(size.longer.saturating_sub(1) & 3, 2, place(set as u64, 7 << 48)))
            .min(20);
        }
        let take = if class < 10 { few } else { 2 };
        let mut left = found.length() - 1 - take;
        let mut amount = 1u64 << take | u64::from(second & ((1 << take) - 1));
        let mut depth = 0;
        while left > 0 {
            let take = left.min(4);
            left -= take;
            let part = (size.amount >> left) as u32;
            let part = if depth < 2 {
                let group = 4 << 48 | u64::from(left) << 40 | amount << 2 | u64::from(negative);
                self.group(part, take, contexts, group, set + 2)
            } else {
                self.group_of_one(part, take, place(set as u64, 5 << 48 | u64::from(left) << 8 | u64::from(found.length())))
            };
            amount = amount << take | u64::from(part);
            depth += 1;
        }
        if negative { -(amount as i64) } else { amount as i64 }
    }
}

/// An amount and the class of its length. There is one class for 0, one for each length from 1 to 9, one for each two lengths from 10 on, and one for
/// all lengths from 20 on.
#[derive(Debug, Clone, Copy)]
struct Size {
    class: u32,
    longer: u32,
    amount: u64,
}

impl Size {
    #[inline(always)]
    fn of(amount: u64) -> Self {
        let amount = amount.min((1 << 40) - 1);
        let length = 64 - amount.leading_zeros();
        match length {
            0..10 => Size { class: length, longer: 0, amount },
            10..20 => Size { class: 10 + (length - 10) / 2, longer: length & 1, amount },
            _ => Size { class: 15, longer: length - 20, amount },
        }
    }

    /// The number of bits.
    fn length(self) -> u32 {
        if self.class < 10 { self.class } else { 10 + (self.class - 10) * 2 + self.longer }
    }

    /// The highest bits behind the first.
    fn top(self, count: u32) -> u32 {
        let behind = self.length().saturating_sub(1);
        (self.amount >> behind.saturating_sub(count)) as u32 & ((1 << count.min(behind)) - 1)
    }
}

impl<D: Direction> Coding for Quick<D> {
    const PACKING: bool = D::PACKING;

    fn new(_: Preset, bits: u32) -> Self {
        Quick {
            direction: D::default(),
            lines: vec![Line([UNUSED; 16]); 1 << bits.saturating_sub(4).clamp(FEWEST_LINES, MOST_LINES)],
            flags: vec![UNUSED; FLAGS],
            weights: vec![[FIRST_WEIGHT; 3]; SETS],
            weights_of_groups: vec![[[FIRST_WEIGHT; 3]; 16]; SETS_OF_GROUPS],
        }
    }

    #[inline(always)]
    fn symbol<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize) -> u32 {
        self.symbol_by(value, width, &chosen(contexts), set)
    }

    #[inline(always)]
    fn symbol_guessed<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize, guess: Option<Guess<u32>>) -> u32 {
        let contexts = before_guess(contexts);
        match guess {
            Some(Guess { value: guess, held }) if self.is_guessed(value == guess, guess.into(), held, &contexts) => guess,
            _ => self.symbol_by(value, width, &contexts, set),
        }
    }

    #[inline(always)]
    fn number<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize) -> i64 {
        self.number_by(value, &chosen(contexts), set)
    }

    #[inline(always)]
    fn number_guessed<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
        let contexts = before_guess(contexts);
        match guess {
            Some(Guess { value: guess, held }) if self.is_guessed(value == guess, guess as u64, held, &contexts) => guess,
            _ => self.number_by(value, &contexts, set),
        }
    }

    #[inline(always)]
    fn flag<const N: usize>(&mut self, bit: bool, contexts: [Context; N], _: usize, fine: usize) -> bool {
        let [a, b, c] = chosen(&contexts);
        self.decision(bit, [(a >> 32) as usize, (b >> 32) as usize, (c >> 32) as usize], fine)
    }

    fn byte(&mut self, value: u8, kind: u64, history: &mut History) -> u8 {
        let contexts = [context(&[11, history.before(1), kind]), context(&[12, history.before(2)]), context(&[14, history.before(4)])];
        let found = match history.expectation() {
            Some((byte, far)) if self.is_guessed(value == byte, byte.into(), 32 + u64::from(far), &contexts) => byte,
            _ => self.symbol_by(u32::from(value), 8, &contexts, 60) as u8,
        };
        history.push(found);
        found
    }

    fn overran(&self) -> bool {
        self.direction.overran()
    }
}

impl PackCoding for Quick<Packing> {
    fn finish(&mut self) -> Vec<u8> {
        self.direction.finish()
    }

    fn stored(&self) -> usize {
        self.direction.stored()
    }
}

impl UnpackCoding for Quick<Unpacking> {
    fn start(&mut self, block: &[u8]) {
        self.direction.start(block);
    }

    fn is_certain(&self) -> bool {
        self.direction.is_certain()
    }
}
