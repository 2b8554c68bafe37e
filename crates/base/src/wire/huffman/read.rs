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
        let length = entry & LENGTH;
        if length > self.source.have() {
            return Err(self.broken(length));
        }
        self.source.consume(length);
        Ok(entry >> SYMBOL)
    }

    #[cold]
    #[inline(never)]
    fn broken(&self, length: u32) -> Error {
        if length == BEYOND && self.source.have() >= LONGEST {
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

/// The length in the windows that hold the code of the leaf for "not seen yet", which is never sent: more bits than a message has, so that it leads
/// beyond the end, and few enough that those of an entity's codes add up to a number.
pub(super) const BEYOND: u32 = 1 << 20;

/// The bits of an entry of [`DECODE`] that are the length. They hold the sum of four lengths.
pub(super) const LENGTH: u32 = (1 << SYMBOL) - 1;
/// Where the symbol begins in an entry of [`DECODE`].
pub(super) const SYMBOL: u32 = 24;

/// For every window of [`LONGEST`] bits: the code's symbol in the high byte, its length in the bits below.
pub(super) static DECODE: [u32; 1 << LONGEST] = {
    let mut table = [BEYOND; 1 << LONGEST];
    let mut symbol = 0;
    while symbol < 256 {
        let code = CODES[symbol];
        let mut window = code.bits as usize;
        while window < table.len() {
            table[window] = (symbol as u32) << SYMBOL | code.length as u32;
            window += 1 << code.length;
        }
        symbol += 1;
    }
    table
};
