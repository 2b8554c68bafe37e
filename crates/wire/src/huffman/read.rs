//! Decoding by table.

use super::{CODES, LONGEST};
use crate::bits::BitSource;
use crate::{Error, Wire};

/// Reads a Huffman-coded message.
#[derive(Debug, Clone)]
pub struct ReadHuffman<'a> {
    source: BitSource<'a>,
}

/// The most bits that one 32-bit value or one 31-bit value (7 raw bits and three codes) can take.
const WIDEST: u32 = 4 * LONGEST;

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
    fn symbol(&mut self) -> u32 {
        let entry = DECODE[(self.source.window() & MASK) as usize];
        self.source.consume(u32::from(entry >> 8));
        u32::from(entry & 0xff)
    }

    #[cold]
    #[inline(never)]
    fn bits_near_end(&mut self, width: u32) -> Result<u32, Error> {
        let raw = width & 7;
        let mut value = self.source.take(raw)?;
        let mut shift = raw;
        while shift < width {
            self.source.refill();
            let entry = DECODE[(self.source.window() & MASK) as usize];
            if entry == 0 || u32::from(entry >> 8) > self.source.have() {
                return Err(self.source.ended());
            }
            value |= self.symbol() << shift;
            shift += 8;
        }
        Ok(value)
    }
}

impl Wire for ReadHuffman<'_> {
    type Error = Error;
    const READING: bool = true;

    #[inline(always)]
    fn bits(&mut self, _: u32, width: u32) -> Result<u32, Error> {
        if self.source.have() < WIDEST {
            self.source.refill();
            if self.source.have() < WIDEST {
                return self.bits_near_end(width);
            }
        }
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
    fn flag(&mut self, _: bool) -> Result<bool, Error> {
        Ok(self.source.take(1)? != 0)
    }

    #[inline(always)]
    fn run(&mut self, _: impl FnOnce() -> u32, max: u32) -> Result<u32, Error> {
        self.source.run(max)
    }

    #[inline(always)]
    fn expect(&mut self, ok: bool, rule: &'static str) -> Result<(), Error> {
        if ok { Ok(()) } else { Err(Error::malformed(rule).at_bit(self.source.position())) }
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

/// For every window of [`LONGEST`] bits: the code's length in the high byte, its symbol in the low one.
/// Zero where no code starts so (one window: the tree keeps a leaf for "not seen yet", which is never sent).
pub(super) static DECODE: [u16; 1 << LONGEST] = {
    let mut table = [0; 1 << LONGEST];
    let mut symbol = 0;
    while symbol < 256 {
        let code = CODES[symbol];
        let mut window = code.bits as usize;
        while window < table.len() {
            table[window] = (code.length as u16) << 8 | symbol as u16;
            window += 1 << code.length;
        }
        symbol += 1;
    }
    table
};
