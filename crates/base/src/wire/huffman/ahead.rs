//! Decoding at full speed, for messages that turn out to be sound.

use super::LONGEST;
use super::read::{DECODE, LENGTH, MASK, SYMBOL};
use crate::wire::{BURST, Bounded, Burst, Wire, WireError};

/// Reads a Huffman-coded message without looking for its end at each field, given the bytes that follow it in the file
/// as well. Only [`checkpoint`](Wire::checkpoint) looks, so a coder must pass one in every loop that the stream bounds.
///
/// Its error says nothing: the caller reads the message again with [`ReadHuffman`](super::ReadHuffman), which knows
/// the position. What it bought stands in `docs/performance.md`.
#[derive(Debug, Clone, Copy)]
pub struct ReadAhead<'a> {
    pub(super) data: &'a [u8],
    /// Bits taken.
    pub(super) at: u64,
    end: u64,
}

/// The message is not sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsound;

impl WireError for Unsound {
    fn inside(self, _: &'static str, _: Option<u32>) -> Self {
        self
    }

    fn broken(_: &'static str, _: u64) -> Result<(), Self> {
        Err(Unsound)
    }
}

impl<'a> ReadAhead<'a> {
    /// A cursor at the first bit of a message that fills the first `length` bytes of `data`.
    pub fn new(data: &'a [u8], length: usize) -> Self {
        Self { data, at: 0, end: length as u64 * 8 }
    }

    #[inline(always)]
    fn window(&self) -> u64 {
        load(self.data, self.at)
    }

    #[inline(always)]
    fn hold(&self) -> Held<'a> {
        Held { data: self.data, window: self.window(), at: self.at, end: self.end }
    }

    #[inline(always)]
    fn go_on(&mut self, held: &Held) {
        self.at = held.at;
    }
}

/// The next [`BURST`] bits or more from bit `at`; zeros from beyond the end. Loading them from where they are takes as many instructions
/// as asking whether enough are at hand.
#[inline(always)]
pub(super) fn load(data: &[u8], at: u64) -> u64 {
    let byte = (at >> 3) as usize;
    match data.get(byte..byte + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().unwrap_or_default()) >> (at & 7),
        None => near_end(data, at),
    }
}

#[cold]
#[inline(never)]
fn near_end(data: &[u8], at: u64) -> u64 {
    let mut eight = [0; 8];
    let rest = data.get((at >> 3) as usize..).unwrap_or_default();
    eight[..rest.len().min(8)].copy_from_slice(&rest[..rest.len().min(8)]);
    u64::from_le_bytes(eight) >> (at & 7)
}

/// The table's entry for the next code, which goes from the window.
#[inline(always)]
fn entry(window: &mut u64) -> u32 {
    let entry = DECODE[(*window & MASK) as usize];
    // by the low six bits: those of a length beyond every message are 0
    *window = window.wrapping_shr(entry);
    entry
}

/// The entries for the next four codes, which go from the window, and the bits that these take.
#[inline(always)]
fn four(window: &mut u64) -> ([u32; 4], u32) {
    let entries = [entry(window), entry(window), entry(window), entry(window)];
    // the lengths add up in the low bits
    (entries, entries.iter().fold(0, |sum: u32, entry| sum.wrapping_add(*entry)) & LENGTH)
}

/// The value of 32 bits at the start of the window, which goes from it, and the bits that it takes.
#[inline(always)]
pub(super) fn word(window: &mut u64) -> (u32, u32) {
    let ([a, b, c, d], taken) = four(window);
    (a >> SYMBOL | b >> SYMBOL << 8 | c >> SYMBOL << 16 | d >> SYMBOL << 24, taken)
}

/// A run of any length that begins at bit `at`, and where what follows it begins.
#[inline(never)]
fn long_run(data: &[u8], mut at: u64, max: u32) -> (u32, u64) {
    let mut run = 0;
    loop {
        let room = (max - run).min(BURST);
        let zeros = (load(data, at) | 1 << BURST).trailing_zeros();
        if zeros < room {
            return (run + zeros, at + u64::from(zeros) + 1);
        }
        at += u64::from(room);
        run += room;
        if run == max {
            return (run, at);
        }
    }
}

/// Values up to this width take at most 7 bits and two codes, for which the bits of a burst last even behind a run of [`SHORT`].
const NARROW: u32 = 16;
/// A run behind which 29 bits are at hand: two flags, and 5 bits with two codes, or two codes of [`LONGEST`].
const SHORT: u32 = BURST - 1 - 2 - 5 - 2 * LONGEST;

/// The bits of a burst, in registers.
#[derive(Debug)]
pub struct Held<'a> {
    data: &'a [u8],
    window: u64,
    at: u64,
    end: u64,
}

impl Held<'_> {
    #[inline(always)]
    fn consume(&mut self, bits: u32) {
        self.window >>= bits;
        self.at += u64::from(bits);
    }
}

impl Wire for Held<'_> {
    type Error = Unsound;
    const READING: bool = true;

    crate::wire::without_bursts!();

    #[inline(always)]
    fn bits(&mut self, _: u32, width: u32) -> Result<u32, Unsound> {
        if width > NARROW {
            self.window = load(self.data, self.at);
        }
        if width == 32 {
            // most codes are of such values
            let (word, taken) = word(&mut self.window);
            self.at += u64::from(taken);
            return Ok(word);
        }
        let raw = width & 7;
        let mut value = (self.window & ((1 << raw) - 1)) as u32;
        self.consume(raw);
        let mut shift = raw;
        while shift < width {
            let entry = entry(&mut self.window);
            self.at += u64::from(entry & LENGTH);
            value |= entry >> SYMBOL << shift;
            shift += 8;
        }
        Ok(value)
    }

    #[inline(always)]
    fn flag(&mut self, _: bool) -> Result<bool, Unsound> {
        let set = self.window & 1 != 0;
        self.consume(1);
        Ok(set)
    }

    fn more(&mut self, _: bool) -> bool {
        self.at + 8 <= self.end
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.at
    }
}

impl<'a> Wire for ReadAhead<'a> {
    type Error = Unsound;
    type Burst = Held<'a>;
    const READING: bool = true;

    #[inline(always)]
    fn burst<I: Burst<Held<'a>>>(&mut self, inner: I) -> I::Out {
        let mut held = self.hold();
        let result = inner.run(&mut held);
        self.go_on(&held);
        result
    }

    #[inline(always)]
    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Unsound> {
        let mut held = self.hold();
        let result = held.bits(value, width);
        self.go_on(&held);
        result
    }

    #[inline(always)]
    fn flag(&mut self, on: bool) -> Result<bool, Unsound> {
        let mut held = self.hold();
        let result = held.flag(on);
        self.go_on(&held);
        result
    }

    #[inline(always)]
    fn run_and<I: Burst<Held<'a>>>(
        &mut self,
        _: impl FnOnce() -> u32,
        at: usize,
        end: usize,
        inner: impl FnOnce(usize) -> I,
    ) -> Result<Option<I::Out>, Unsound> {
        let mut held = self.hold();
        let run = (held.window | 1 << (SHORT + 1)).trailing_zeros();
        let mut next = at + run as usize;
        if run > SHORT || next >= end {
            let (run, behind) = long_run(self.data, self.at, (end - at) as u32);
            self.at = behind;
            next = at + run as usize;
            if next >= end {
                return Ok(None);
            }
            held = self.hold();
        } else {
            held.consume(run + 1);
        }
        let result = inner(next).run(&mut held);
        self.go_on(&held);
        Ok(Some(result))
    }

    #[inline(always)]
    fn run(&mut self, _: impl FnOnce() -> u32, max: u32) -> Result<u32, Unsound> {
        let run;
        (run, self.at) = long_run(self.data, self.at, max);
        Ok(run)
    }

    #[inline(always)]
    fn hot<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let mut copy = *self;
        let result = inner(&mut copy);
        *self = copy;
        result
    }

    #[inline(always)]
    fn checkpoint(&mut self) -> Result<(), Unsound> {
        self.expect(self.at <= self.end, "")
    }

    fn more(&mut self, _: bool) -> bool {
        self.at + 8 <= self.end
    }

    /// Takes four bytes at a time.
    #[inline]
    fn text(&mut self, text: &mut Vec<u8>, limit: Bounded) -> Result<(), Unsound> {
        text.clear();
        loop {
            let (entries, taken) = four(&mut self.window());
            let bytes = entries.map(|entry| (entry >> SYMBOL) as u8);
            if let Some(length) = bytes.iter().position(|&byte| byte == 0) {
                text.extend_from_slice(&bytes[..length]);
                self.at += entries[..=length].iter().map(|entry| u64::from(entry & LENGTH)).sum::<u64>();
                return self.expect(text.len() <= limit.bytes, "");
            }
            text.extend_from_slice(&bytes);
            self.expect(text.len() <= limit.bytes, "")?;
            self.at += u64::from(taken);
        }
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.at
    }
}
