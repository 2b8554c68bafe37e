//! Decoding at full speed, for messages that turn out to be sound.

use super::read::DECODE;
use super::{LONGEST, read};
use crate::bits::BitSource;
use crate::{Wire, WireError};

/// Reads a Huffman-coded message without looking for its end at each field, given the bytes that follow it in the file
/// as well. Only [`checkpoint`](Wire::checkpoint) looks, so a coder must pass one in every loop that the stream bounds.
///
/// Its error says nothing: whoever gets one reads the message again with [`ReadHuffman`](super::ReadHuffman), which knows
/// the position. What it bought stands in `docs/performance.md`.
#[derive(Debug, Clone, Copy)]
pub struct ReadAhead<'a> {
    source: BitSource<'a>,
    end: u64,
    /// All entries of the table that were used, or-ed together.
    seen: u32,
}

/// The message is not sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsound;

impl WireError for Unsound {
    fn inside(self, _: &'static str, _: Option<u32>) -> Self {
        self
    }
}

impl<'a> ReadAhead<'a> {
    /// A cursor at the first bit of a message that fills the first `length` bytes of `data`.
    pub fn new(data: &'a [u8], length: usize) -> Self {
        Self { source: BitSource::new(data), end: length as u64 * 8, seen: 0 }
    }

    #[inline(always)]
    fn symbol(&mut self) -> u32 {
        let entry = DECODE[(self.source.window() & read::MASK) as usize];
        self.seen |= entry;
        self.source.consume(entry & 0xff);
        entry >> 8 & 0xff
    }
}

impl Wire for ReadAhead<'_> {
    type Error = Unsound;
    const READING: bool = true;

    #[inline(always)]
    fn bits(&mut self, _: u32, width: u32) -> Result<u32, Unsound> {
        self.source.want(7 + 3 * LONGEST + LONGEST);
        let raw = width & 7;
        let mut value = (self.source.window() & ((1 << raw) - 1)) as u32;
        self.source.consume(raw);
        let mut shift = raw;
        while shift < width {
            value |= self.symbol() << shift;
            shift += 8;
        }
        Ok(value)
    }

    #[inline(always)]
    fn flag(&mut self, _: bool) -> Result<bool, Unsound> {
        self.source.want(1);
        let set = self.source.window() & 1 != 0;
        self.source.consume(1);
        Ok(set)
    }

    #[inline(always)]
    fn run(&mut self, _: impl FnOnce() -> u32, max: u32) -> Result<u32, Unsound> {
        let mut run = 0;
        loop {
            self.source.want(32);
            let room = (max - run).min(32);
            let zeros = self.source.window().trailing_zeros().min(room);
            run += zeros;
            self.source.consume(zeros);
            if run == max {
                return Ok(run);
            }
            if zeros < room {
                self.source.consume(1);
                return Ok(run);
            }
        }
    }

    #[inline(always)]
    fn expect(&mut self, ok: bool, _: &'static str) -> Result<(), Unsound> {
        if ok { Ok(()) } else { Err(Unsound) }
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
        self.expect(self.source.position() <= self.end && self.seen & read::NEVER_SENT == 0, "")
    }

    fn more(&mut self, _: bool) -> bool {
        self.source.position() + 8 <= self.end
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.source.position()
    }
}
