//! The range coder.

use std::fmt;

use super::figures::{Figures, row};

/// What ends decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The bytes end.
    End,
    /// More comes out than is allowed.
    TooLong,
    /// A packet that refers to one that is not there: Qizmo writes it with no bytes.
    Lost,
    /// What cannot be.
    Wrong(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::End => "the file ends",
            Fault::TooLong => "too much comes out of it",
            Fault::Lost => "a packet refers to one that is not there",
            Fault::Wrong(what) => what,
        })
    }
}

/// No narrower range is coded in.
const NARROWEST: u32 = 0x00ff_ffff;
/// Zeros behind the end that belong to the code.
const BEHIND: usize = 4;
/// A block has fewer symbols: no packet of QuakeWorld is longer than some thousand bytes.
const MOST_SYMBOLS: u32 = 1 << 17;

/// Reads symbols.
pub(super) struct Coder<'a> {
    bytes: &'a [u8],
    at: usize,
    low: u32,
    high: u32,
    code: u32,
    /// In this block.
    symbols: u32,
    figures: &'static Figures,
}

impl<'a> Coder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut coder = Coder { bytes, at: 0, low: 0, high: u32::MAX, code: 0, symbols: 0, figures: Figures::get() };
        for _ in 0..4 {
            coder.code = coder.code << 8 | u32::from(coder.bytes.get(coder.at).copied().unwrap_or_default());
            coder.at += 1;
        }
        coder
    }

    /// How much was read.
    pub(super) fn place(&self) -> usize {
        self.at.min(self.bytes.len())
    }

    /// Symbols are counted from here.
    pub(super) fn begin_block(&mut self) {
        self.symbols = 0;
    }

    /// A symbol by cumulated frequencies. The last frequency stands for everything above the others.
    pub(super) fn symbol_of(&mut self, cumulated: &[u32]) -> Result<usize, Fault> {
        self.symbols += 1;
        if self.symbols > MOST_SYMBOLS {
            return Err(Fault::Wrong("a block does not end"));
        }
        while self.high.wrapping_sub(self.low) <= NARROWEST {
            if self.at >= self.bytes.len() + BEHIND {
                return Err(Fault::End);
            }
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
            self.code = self.code << 8 | u32::from(self.bytes.get(self.at).copied().unwrap_or_default());
            self.at += 1;
        }
        let range = u64::from(self.high.wrapping_sub(self.low));
        let scaled = ((u64::from(self.code.wrapping_sub(self.low)) << 32 | 0xffff_ffff) / range) as u32;
        let symbol = cumulated[..cumulated.len() - 1].partition_point(|&below| below <= scaled);
        let part = |share: u32| ((u64::from(share) * range) >> 32) as u32;
        self.high = self.low.wrapping_add(part(cumulated[symbol])).wrapping_sub(1);
        if let Some(before) = symbol.checked_sub(1) {
            self.low = self.low.wrapping_add(part(cumulated[before]));
        }
        Ok(symbol)
    }

    /// A byte by a row of the tables.
    pub(super) fn byte(&mut self, row: usize) -> Result<u8, Fault> {
        Ok(self.symbol_of(self.figures.row(row))? as u8)
    }

    /// A symbol of 512 by a row and the next.
    pub(super) fn wide(&mut self, row: usize) -> Result<usize, Fault> {
        self.symbol_of(self.figures.pair(row))
    }

    /// Whether something is there.
    pub(super) fn is_there(&mut self) -> Result<bool, Fault> {
        Ok(self.symbol_of(&self.figures.row(row::DAMAGE_HAS_PLACE)[..2])? > 0)
    }

    /// Two bytes that are added to a number: the low one with its sign, the high one.
    pub(super) fn add(&mut self, number: u16, rows: [usize; 2]) -> Result<u16, Fault> {
        let number = low(number, self.byte(rows[0])?);
        Ok(high(number, self.byte(rows[1])?))
    }

    /// Bytes up to a zero, by one row.
    pub(super) fn string(&mut self, row: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        loop {
            let byte = self.byte(row)?;
            out.push(byte);
            if byte == 0 {
                return Ok(());
            }
        }
    }

    /// This number of bytes by one row.
    pub(super) fn bytes(&mut self, row: usize, count: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        for _ in 0..count {
            out.push(self.byte(row)?);
        }
        Ok(())
    }
}

/// Adds the low byte of a difference, which has a sign.
pub(super) fn low(number: u16, byte: u8) -> u16 {
    number.wrapping_add_signed(i16::from(byte as i8))
}

/// Adds the high byte of a difference.
pub(super) fn high(number: u16, byte: u8) -> u16 {
    number.wrapping_add(u16::from(byte) << 8)
}
