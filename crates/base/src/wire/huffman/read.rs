//! Decoding by table.

use super::{CODES, LONGEST};
use crate::wire::bits::BitSource;
use crate::wire::{Error, Wire};

/// Reads a Huffman-coded message.
#[derive(Debug, Clone)]
pub struct ReadHuffman<'a> {
    source: BitSource<'a>,
}

impl<'a> ReadHuffman<'a> {
    /// A cursor at the first bit of `data`.
    pub fn new(data: &'a [u8]) -> Self {
        Self { source: BitSource::new(data) }
    }

    /// Bits not read yet.
    pub fn left(&self) -> u64 {
        self.source.left()
    }

    #[inline(always)]
    fn symbol(&mut self) -> Result<u32, Error> {
        let entry = DECODE[(self.source.window() & MASK) as usize];
        let length = entry & 0xff;
        if entry & NEVER_SENT != 0 || length > self.source.have() {
            return Err(self.broken(entry));
        }
        self.source.consume(length);
        Ok(entry >> 8 & 0xff)
    }

    #[cold]
    #[inline(never)]
    fn broken(&self, entry: u32) -> Error {
        if entry & NEVER_SENT != 0 && self.source.have() >= LONGEST {
            Error::malformed("these bits are not a code for a byte").at_bit(self.source.position())
        } else {
            self.source.ended()
        }
    }
}

impl Wire for ReadHuffman<'_> {
    type Error = Error;
    const READING: bool = true;

    crate::wire::without_bursts!();

    #[inline]
    fn bits(&mut self, _: u32, width: u32) -> Result<u32, Error> {
        let raw = width & 7;
        let mut value = self.source.take(raw)?;
        let mut shift = raw;
        while shift < width {
            self.source.refill();
            value |= self.symbol()? << shift;
            shift += 8;
        }
        Ok(value)
    }

    #[inline(always)]
    fn flag(&mut self, _: bool) -> Result<bool, Error> {
        Ok(self.source.take(1)? != 0)
    }

    #[inline(always)]
    fn run(&mut self, _: impl FnOnce() -> u32, max: u32) -> Result<u32, Error> {
        self.source.run(max)
    }

    fn more(&mut self, _: bool) -> bool {
        self.source.left() >= 8
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.source.position()
    }
}

pub(super) const MASK: u64 = (1 << LONGEST) - 1;

/// Marks the windows that hold the code of the leaf for "not seen yet", which is never sent.
/// Above what four symbols can add up to, so that it shows in the sum of their entries.
pub(super) const NEVER_SENT: u32 = 1 << 24;

/// For every window of [`LONGEST`] bits: the code's length in the low byte, its symbol in the next.
pub(super) static DECODE: [u32; 1 << LONGEST] = {
    let mut table = [NEVER_SENT | LONGEST; 1 << LONGEST];
    let mut symbol = 0;
    while symbol < 256 {
        let code = CODES[symbol];
        let mut window = code.bits as usize;
        while window < table.len() {
            table[window] = (symbol as u32) << 8 | code.length as u32;
            window += 1 << code.length;
        }
        symbol += 1;
    }
    table
};
