//! A larger model of bytes, for recordings whose messages nobody knows (`docs/formats/pack.md`, "Deep bytes").
//!
//! Its lines of slots have checks, so that one context does not use what another one taught. Contexts leave bytes out, as numbers of several bytes
//! need, and say what followed the last bytes before. Four sets of weights mix them, and what was right so far corrects the result.

use crate::arithmetic::Direction;
use crate::logistic::squash;
use crate::model::{BIAS, context, hash, learned, logit, miss, scaled, step};

/// Bytes that are remembered.
const KEPT: usize = 1 << 23;
/// Places that a passage's model remembers.
const PLACES: usize = 1 << 19;
/// How many alike bytes are counted before a place.
const LOOK_BACK: usize = 32;
/// Places of what followed three bytes.
const FOLLOWED: usize = 1 << 19;
/// The most slots, as a power of two: 16 MB.
const MOST_SLOTS: u32 = 22;

const CONTEXTS: usize = 11;
const PASSAGES: usize = 2;
/// What a decision mixes, without what is always there.
const INPUTS: usize = CONTEXTS + PASSAGES;
/// The first weight of each.
const FIRST_WEIGHT: i32 = 12_639;
/// Weights of a set.
type Weights = [i32; INPUTS + 1];
/// Probabilities by logit, from -24,576 on in steps of [`STEP`].
type Curve = [u16; 33];
const STEP: usize = 1536;
const CURVES: [usize; 2] = [96 << 8, 1 << 16];
const SETS: [usize; 4] = [32, 256, 1 << 16, 256 * 3];

/// An earlier place behind bytes like the last ones.
#[derive(Debug)]
struct Passage {
    /// How many bytes must be alike.
    alike: usize,
    places: Vec<u32>,
    expected: usize,
    held: usize,
    /// Slots while the expected byte comes, by how far it is trusted and the bit; and otherwise.
    right: [u32; 64],
    wrong: [u32; 256],
}

#[derive(Debug)]
pub(crate) struct Deep {
    slots: Vec<u32>,
    /// Which context has each line of sixteen slots; 0: none.
    checks: Vec<u16>,
    weights: [Vec<Weights>; 4],
    curves: [Vec<Curve>; 2],
    ring: Vec<u8>,
    written: usize,
    /// The last eight bytes, the newest lowest.
    last: u64,
    word: u64,
    passages: [Passage; PASSAGES],
    /// The last two bytes that followed each pair of bytes, and each three.
    after_two: Vec<u16>,
    after_three: Vec<u16>,
}

impl Passage {
    fn new(alike: usize) -> Self {
        Passage { alike, places: vec![0; PLACES], expected: 0, held: 0, right: [0; 64], wrong: [0; 256] }
    }

    /// How far it is trusted.
    fn far(&self) -> usize {
        if self.held < 16 { self.held } else { 16 + ((self.held - 16) / 8).min(15) }
    }
}

impl Deep {
    /// One that knows nothing yet, with 2^`bits` slots or the most that it has.
    pub(crate) fn new(bits: u32) -> Self {
        let slots = 1 << bits.min(MOST_SLOTS);
        let curve: Curve = std::array::from_fn(|at| squash((at as i32 - 16) * STEP as i32) as u16);
        Deep {
            slots: vec![0; slots],
            checks: vec![0; slots / 16],
            weights: SETS.map(|count| vec![[FIRST_WEIGHT; INPUTS + 1]; count]),
            curves: CURVES.map(|count| vec![curve; count]),
            ring: Vec::new(),
            written: 0,
            last: 0,
            word: 0,
            passages: [Passage::new(3), Passage::new(6)],
            after_two: vec![0; 1 << 16],
            after_three: vec![0; FOLLOWED],
        }
    }

    fn before(&self, bytes: u32) -> u64 {
        self.last & ((1 << (8 * bytes)) - 1)
    }

    fn at(&self, place: usize) -> u8 {
        self.ring.get(place % KEPT).copied().unwrap_or(0)
    }

    /// The line of a context, which is cleared if another one had it: of two places the one that was used less.
    fn line(&mut self, key: u64) -> u32 {
        let at = key as usize & (self.checks.len() - 1);
        let check = (key >> 40) as u16 | 1;
        for place in [at, at ^ 1] {
            if self.checks[place] == check {
                return (place << 4) as u32;
            }
        }
        let uses = |place: usize| self.slots[place << 4 | 1] & 0x3ff;
        let place = if self.checks[at] == 0 || uses(at) <= uses(at ^ 1) { at } else { at ^ 1 };
        self.checks[place] = check;
        self.slots[place << 4..(place + 1) << 4].fill(0);
        (place << 4) as u32
    }

    fn contexts(&self, kind: u64) -> [u64; CONTEXTS] {
        let before = |bytes| self.before(bytes);
        let third = self.last >> 16 & 0xff;
        let fourth = self.last >> 24 & 0xff;
        let after_two = u64::from(self.after_two[before(2) as usize]);
        let after_three = u64::from(self.after_three[self.place_of_three()]);
        [
            context(&[1, before(1), kind]),
            context(&[2, before(2)]),
            context(&[3, before(3)]),
            context(&[4, before(4)]),
            context(&[5, before(6)]),
            context(&[6, self.word, before(1)]),
            context(&[7, before(3) >> 8]),
            context(&[8, third, fourth]),
            context(&[9, before(4) >> 8]),
            context(&[10, after_two, before(1)]),
            context(&[11, after_three, before(1)]),
        ]
    }

    fn place_of_three(&self) -> usize {
        (hash(3, self.before(3)) % FOLLOWED as u64) as usize
    }

    /// A byte of a kind.
    pub(crate) fn byte<D: Direction>(&mut self, direction: &mut D, value: u8, kind: u64) -> u8 {
        let contexts = self.contexts(kind);
        let guesses: [Option<u8>; PASSAGES] = std::array::from_fn(|at| (self.passages[at].held > 0).then(|| self.at(self.passages[at].expected)));
        let longest = self.passages.iter().map(Passage::far).max().unwrap_or(0);
        let [one, two] = [self.last & 0xff, self.last >> 8 & 0xff].map(|byte| byte as usize);
        let pair = self.before(2);
        let mut found = 1usize;
        let mut lines = [0; CONTEXTS];
        for at in (0..8).rev() {
            if at == 7 || at == 3 {
                lines = contexts.map(|context| self.line(hash(context, found as u64)));
            }
            let node = if at > 3 { found } else { found & ((1 << (3 - at)) - 1) | 1 << (3 - at) };
            // the bit that each passage expects, unless it was wrong already
            let expected = guesses.map(|guess| guess.map(usize::from).filter(|guess| (guess | 256) >> (at + 1) == found).map(|guess| guess >> at & 1));
            let first = expected[0].map_or(0, |bit| bit + 1);
            let sets = [longest, found, one << 8 | found, two * 3 + first];
            let curves = [(longest * 3 + first) << 8 | found, (hash(found as u64, pair) & 0xffff) as usize];
            let slots: [usize; CONTEXTS] = std::array::from_fn(|input| lines[input] as usize | node);
            let bit = self.bit(direction, value >> at & 1 != 0, slots, expected, found, sets, curves);
            found = found << 1 | usize::from(bit);
        }
        self.push(found as u8);
        found as u8
    }

    #[expect(clippy::too_many_arguments, reason = "each is something else that a decision depends on")]
    #[inline(always)]
    fn bit<D: Direction>(
        &mut self,
        direction: &mut D,
        bit: bool,
        slots: [usize; CONTEXTS],
        expected: [Option<usize>; PASSAGES],
        found: usize,
        sets: [usize; 4],
        curves: [usize; 2],
    ) -> bool {
        let passages: [u32; PASSAGES] = std::array::from_fn(|at| {
            let passage = &self.passages[at];
            expected[at].map_or(passage.wrong[found], |bit| passage.right[passage.far() << 1 | bit])
        });
        let entries: [u32; INPUTS] = std::array::from_fn(|at| if at < CONTEXTS { self.slots[slots[at]] } else { passages[at - CONTEXTS] } ^ 1 << 31);
        let logits: [i64; INPUTS + 1] = std::array::from_fn(|at| if at < INPUTS { logit(entries[at]) } else { BIAS });
        let sums: [i32; 4] =
            std::array::from_fn(|set| scaled(self.weights[set][sets[set]].iter().zip(logits).map(|(&weight, logit)| i64::from(weight) * logit).sum()));
        let mean = sums.iter().sum::<i32>() >> 2;
        let place = (mean.clamp(-24_575, 24_575) + 24_576) as usize;
        let (low, part) = (place / STEP, (place % STEP) as u32);
        let corrected: [u32; 2] = std::array::from_fn(|at| {
            let curve = &self.curves[at][curves[at]];
            (u32::from(curve[low]) * (STEP as u32 - part) + u32::from(curve[low + 1]) * part) / STEP as u32
        });
        let one = ((2 * squash(mean) + corrected[0] + corrected[1]) >> 2).clamp(1, 65535);
        let bit = direction.bit(bit, one);

        for (set, sum) in sums.into_iter().enumerate() {
            // twice as fast as where fields are, whose contexts say more
            let miss = 2 * miss(bit, squash(sum));
            for (weight, logit) in self.weights[set][sets[set]].iter_mut().zip(logits) {
                step(weight, miss, logit);
            }
        }
        let nearest = if part >= STEP as u32 / 2 { low + 1 } else { low };
        for (curves, at) in self.curves.iter_mut().zip(curves) {
            let p = &mut curves[at][nearest];
            *p = if bit { *p + ((65535 - *p) >> 6) } else { *p - (*p >> 6) };
        }
        for at in 0..CONTEXTS {
            self.slots[slots[at]] = learned(entries[at], bit) ^ 1 << 31;
        }
        for (at, passage) in self.passages.iter_mut().enumerate() {
            let far = passage.far();
            let slot = match expected[at] {
                Some(bit) => &mut passage.right[far << 1 | bit],
                None => &mut passage.wrong[found],
            };
            *slot = learned(entries[CONTEXTS + at], bit) ^ 1 << 31;
        }
        bit
    }

    fn push(&mut self, byte: u8) {
        let three = self.place_of_three();
        let two = self.before(2) as usize;
        for (table, at) in [(&mut self.after_two, two), (&mut self.after_three, three)] {
            table[at] = table[at] << 8 | u16::from(byte);
        }
        if self.ring.len() < KEPT {
            self.ring.push(byte);
        } else {
            self.ring[self.written % KEPT] = byte;
        }
        self.written += 1;
        self.last = self.last << 8 | u64::from(byte);
        self.word = if byte.is_ascii_alphanumeric() { hash(self.word, u64::from(byte)) } else { 0 };
        for at in 0..PASSAGES {
            self.follow(at, byte);
        }
    }

    /// Goes on with a passage, or looks for another one.
    fn follow(&mut self, at: usize, byte: u8) {
        let (held, expected, alike) = (self.passages[at].held, self.passages[at].expected, self.passages[at].alike);
        if held > 0 {
            self.passages[at].held = if self.at(expected) == byte { held.saturating_add(1) } else { 0 };
            self.passages[at].expected += 1;
        }
        if self.written < alike {
            return;
        }
        let key = hash(alike as u64, self.before(alike as u32)) % PLACES as u64;
        let place = &mut self.passages[at].places[key as usize];
        let found = *place as usize;
        *place = self.written as u32;
        if self.passages[at].held == 0 && found > 0 && found < self.written && self.written - found < KEPT - LOOK_BACK {
            let count = (1..=LOOK_BACK.min(found)).take_while(|back| self.at(found - back) == self.at(self.written - back)).count();
            if count >= alike {
                (self.passages[at].expected, self.passages[at].held) = (found, count);
            }
        }
    }
}
