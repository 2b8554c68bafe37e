//! Bytes that no message explains: texts, damage, files of unknown formats (`docs/formats/pack.md`, "Bytes").
//!
//! Contexts are the bytes before, up to six of them, the word so far, and the longest earlier passage that continues alike.

use crate::model::{Context, context, hash};

/// Bytes that are remembered.
const KEPT: usize = 1 << 23;
/// Places that are remembered, by the bytes before them.
const PLACES: usize = 1 << 19;
/// Bytes that must be alike for a place to be remembered.
const ALIKE: usize = 5;

/// What was coded before, and the passage that is expected to repeat.
#[derive(Debug)]
pub(crate) struct History {
    ring: Vec<u8>,
    written: usize,
    places: Vec<u32>,
    /// Where the expected passage continues, and how long it has held.
    expected: usize,
    held: u32,
    /// The last eight bytes, the newest lowest.
    last: u64,
    word: u64,
}

impl History {
    pub(crate) fn new() -> Self {
        History { ring: Vec::new(), written: 0, places: vec![0; PLACES], expected: 0, held: 0, last: 0, word: 0 }
    }

    fn at(&self, place: usize) -> u8 {
        self.ring.get(place % KEPT).copied().unwrap_or(0)
    }

    pub(crate) fn push(&mut self, byte: u8) {
        if self.ring.len() < KEPT {
            self.ring.push(byte);
        } else {
            self.ring[self.written % KEPT] = byte;
        }
        if self.held > 0 {
            self.held = if self.at(self.expected) == byte { self.held.saturating_add(1) } else { 0 };
            self.expected += 1;
        }
        self.written += 1;
        self.last = self.last << 8 | u64::from(byte);
        self.word = if byte.is_ascii_alphanumeric() { hash(self.word, u64::from(byte)) } else { 0 };
        if self.written >= ALIKE {
            let place = &mut self.places[(hash(6, self.last & ((1 << (8 * ALIKE)) - 1)) % PLACES as u64) as usize];
            let found = *place as usize;
            *place = self.written as u32;
            if self.held == 0 && found > 0 && found < self.written && self.written - found < KEPT {
                (self.expected, self.held) = (found, 1);
            }
        }
    }

    /// The last bytes as a number, the newest lowest; less than eight.
    pub(crate) fn before(&self, bytes: u32) -> u64 {
        self.last & ((1 << (8 * bytes)) - 1)
    }

    /// The byte that is expected, and how far.
    pub(crate) fn expectation(&self) -> Option<(u8, u32)> {
        if self.held == 0 {
            return None;
        }
        let far = if self.held < 16 { self.held } else { 16 + ((self.held - 16) / 8).min(15) };
        Some((self.at(self.expected), far))
    }
}

/// The contexts of the next byte, without that of the passage.
fn byte_contexts(kind: u64, history: &History) -> [Context; 8] {
    let before = |bytes| history.before(bytes);
    [
        context(&[10, kind]),
        context(&[11, before(1), kind]),
        context(&[12, before(2)]),
        context(&[13, before(3)]),
        context(&[14, before(4)]),
        context(&[15, before(6)]),
        context(&[16, history.word, before(1)]),
        context(&[17, before(3) >> 8]),
    ]
}

/// The first set of weights that bytes use.
const SETS: usize = 900;

/// A byte of a kind; kinds share what follows what, but not how often each byte comes. `code` codes a bit by its slots and sets of weights.
#[inline]
pub(crate) fn code_byte(value: u8, kind: u64, history: &mut History, mut code: impl FnMut(bool, &[u32; 9], usize, usize) -> bool) -> u8 {
    let contexts = byte_contexts(kind, history);
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
        let bit = code(value >> at & 1 != 0, &slots, SETS + far, (SETS << 6) + found as usize);
        found = found << 1 | u32::from(bit);
    }
    history.push(found as u8);
    found as u8
}
