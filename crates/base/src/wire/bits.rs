//! Plain bits, least significant first.

use std::convert::Infallible;

use crate::wire::{Error, Wire};

/// Reads plain bits from a message.
#[derive(Debug, Clone)]
pub struct ReadBits<'a> {
    source: BitSource<'a>,
}

impl<'a> ReadBits<'a> {
    /// A cursor at the first bit of `data`.
    pub fn new(data: &'a [u8]) -> Self {
        Self { source: BitSource::new(data) }
    }
}

impl Wire for ReadBits<'_> {
    type Error = Error;
    const READING: bool = true;

    crate::wire::without_bursts!();

    #[inline(always)]
    fn bits(&mut self, _: u32, width: u32) -> Result<u32, Error> {
        self.source.take(width)
    }

    #[inline(always)]
    fn run(&mut self, _: impl FnOnce() -> u32, max: u32) -> Result<u32, Error> {
        self.source.run(max)
    }

    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), Error> {
        bytes.clear();
        if let Some(whole) = self.source.whole(length) {
            bytes.extend_from_slice(whole);
            return Ok(());
        }
        for _ in 0..length {
            bytes.push(self.bits(0, 8)? as u8);
        }
        Ok(())
    }

    fn more(&mut self, _: bool) -> bool {
        self.source.left() >= 8
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.source.position()
    }
}

/// Writes plain bits.
#[derive(Debug, Default, Clone)]
pub struct WriteBits {
    sink: BitSink,
}

impl WriteBits {
    /// Writes into `buffer`, whose contents are dropped and whose memory is reused.
    pub fn with_buffer(buffer: Vec<u8>) -> Self {
        Self { sink: BitSink::with_buffer(buffer) }
    }

    /// The bytes written, the last one filled up with zero bits.
    pub fn finish(self) -> Vec<u8> {
        self.sink.finish()
    }
}

impl Wire for WriteBits {
    type Error = Infallible;
    const READING: bool = false;

    crate::wire::without_bursts!();

    #[inline(always)]
    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Infallible> {
        self.sink.put(u64::from(value), width);
        Ok(value)
    }

    fn more(&mut self, more: bool) -> bool {
        more
    }

    fn position(&self) -> u64 {
        self.sink.position()
    }
}

/// A 64-bit window over bytes. Bits above `have` are either zero or the stream's own, so that or-ing the
/// same bytes in again is harmless.
///
/// The cold paths take and return the window by value, so that a copy of it on the stack can live in registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BitSource<'a> {
    data: &'a [u8],
    window: u64,
    have: u32,
    next: usize,
}

impl<'a> BitSource<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, window: 0, have: 0, next: 0 }
    }

    /// The next bytes, if no bit of the first has been taken and they are all there.
    fn whole(&mut self, length: usize) -> Option<&'a [u8]> {
        let at = usize::try_from(self.position()).ok()?;
        let next = (at / 8).checked_add(length).filter(|_| at % 8 == 0)?;
        let whole = self.data.get(at / 8..next)?;
        *self = BitSource { data: self.data, window: 0, have: 0, next };
        Some(whole)
    }

    #[inline(always)]
    pub(crate) fn position(&self) -> u64 {
        self.next as u64 * 8 - u64::from(self.have)
    }

    #[inline(always)]
    pub(crate) fn left(&self) -> u64 {
        self.data.len().saturating_sub(self.next) as u64 * 8 + u64::from(self.have)
    }

    /// At least 56 bits, or as many as are left.
    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        if let Some(eight) = self.data.get(self.next..).and_then(|rest| rest.first_chunk::<8>()) {
            self.window |= u64::from_le_bytes(*eight) << self.have;
            self.next += ((63 - self.have) >> 3) as usize;
            self.have |= 56;
        } else {
            *self = self.refilled_near_end();
        }
    }

    #[cold]
    #[inline(never)]
    fn refilled_near_end(mut self) -> Self {
        while self.have < 56 && self.next < self.data.len() {
            self.window |= u64::from(self.data[self.next]) << self.have;
            self.next += 1;
            self.have += 8;
        }
        self
    }

    /// Bits in the window; call [`refill`](Self::refill) first when more are wanted.
    #[inline(always)]
    pub(crate) fn have(&self) -> u32 {
        self.have
    }

    #[inline(always)]
    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    /// Drops bits that the window holds.
    #[inline(always)]
    pub(crate) fn consume(&mut self, bits: u32) {
        self.window >>= bits;
        self.have -= bits;
    }

    #[inline(always)]
    pub(crate) fn take(&mut self, width: u32) -> Result<u32, Error> {
        if self.have < width {
            self.refill();
            if self.have < width {
                return Err(self.ended());
            }
        }
        let out = (self.window & ((1u64 << width) - 1)) as u32;
        self.consume(width);
        Ok(out)
    }

    /// Clear flags up to a set one, or `max` of them.
    #[inline(always)]
    pub(crate) fn run(&mut self, max: u32) -> Result<u32, Error> {
        let mut run = 0;
        loop {
            if self.have < 32 {
                self.refill();
            }
            let room = self.have.min(max - run).min(56);
            let zeros = self.window.trailing_zeros().min(room);
            run += zeros;
            self.consume(zeros);
            if run == max {
                return Ok(run);
            }
            if zeros < room {
                self.consume(1);
                return Ok(run);
            }
            if self.have == 0 && self.left() == 0 {
                return Err(self.ended());
            }
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn ended(&self) -> Error {
        Error::malformed("the message ends inside this field").at_bit(self.position())
    }
}

/// Collects bits into bytes.
#[derive(Debug, Default, Clone)]
pub(crate) struct BitSink {
    out: Vec<u8>,
    window: u64,
    have: u32,
}

impl BitSink {
    pub(crate) fn with_buffer(mut out: Vec<u8>) -> Self {
        out.clear();
        Self { out, window: 0, have: 0 }
    }

    /// The low `width` (0 to 57) bits of `value`.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: u64, width: u32) {
        let value = value & ((1u64 << width) - 1);
        self.window |= value << self.have;
        let have = self.have + width;
        if have >= 64 {
            self.out.extend_from_slice(&self.window.to_le_bytes());
            self.window = value >> (64 - self.have);
            self.have = have - 64;
        } else {
            self.have = have;
        }
    }

    pub(crate) fn position(&self) -> u64 {
        self.out.len() as u64 * 8 + u64::from(self.have)
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        let bytes = self.have.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.window.to_le_bytes()[..bytes]);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_survives_at_every_phase() {
        for phase in 0..8 {
            let mut writer = WriteBits::default();
            let Ok(_) = writer.bits(0, phase);
            for width in 0..=32u32 {
                let Ok(_) = writer.bits(0xdead_beef, width);
            }
            let bytes = writer.finish();
            let mut reader = ReadBits::new(&bytes);
            reader.bits(0, phase).unwrap();
            for width in 0..=32u32 {
                let mask = (1u64 << width) - 1;
                assert_eq!(u64::from(reader.bits(0, width).unwrap()), 0xdead_beef & mask);
            }
            assert!(reader.bits(0, 8).is_err());
        }
    }

    #[test]
    fn a_run_agrees_with_single_flags() {
        let data = [0b0100_0000, 0, 0, 0, 0, 0, 0, 0, 0b1000_0000, 0];
        for max in 0..80 {
            let mut fast = ReadBits::new(&data);
            let mut slow = ReadBits::new(&data);
            let expected = (|| {
                let mut run = 0;
                while run < max && slow.bits(0, 1)? == 0 {
                    run += 1;
                }
                Ok::<u32, Error>(run)
            })();
            assert_eq!(fast.run(|| 0, max), expected);
            assert_eq!(fast.position(), slow.position());
        }
    }

    #[test]
    fn bytes_are_the_same_at_every_phase() {
        let data: Vec<u8> = (1..41).map(|byte| byte * 6).collect();
        for (phase, length) in (0..64).flat_map(|phase| [0, 1, 7, 20, 32, 40, 41].map(|length| (phase, length))) {
            let (mut fast, mut slow, mut bytes) = (ReadBits::new(&data), ReadBits::new(&data), vec![1]);
            for reader in [&mut fast, &mut slow] {
                (0..phase).for_each(|_| drop(reader.bits(0, 1)));
            }
            let expected: Result<Vec<u8>, Error> = (0..length).map(|_| slow.bits(0, 8).map(|byte| byte as u8)).collect();
            assert_eq!(fast.octets(&mut bytes, length).map(|()| bytes), expected);
            assert_eq!((fast.position(), fast.bits(0, 5)), (slow.position(), slow.bits(0, 5)));
        }
    }
}
