//! Whole bytes, little-endian: Quake II, QuakeWorld and NetQuake messages.

use std::convert::Infallible;

use crate::wire::{Error, Wire};

/// Reads whole bytes from a message. Widths are multiples of eight.
#[derive(Debug, Clone)]
pub struct ReadBytes<'a> {
    data: &'a [u8],
    next: usize,
}

impl<'a> ReadBytes<'a> {
    /// A cursor at the first byte of `data`.
    pub fn new(data: &'a [u8]) -> Self {
        Self { data, next: 0 }
    }

    /// Bytes read so far.
    pub fn offset(&self) -> usize {
        self.next
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.data[self.next..]
    }

    /// Passes over `length` bytes without looking at them.
    #[inline(always)]
    pub fn skip(&mut self, length: usize) -> Result<(), Error> {
        if length > self.data.len() - self.next {
            return Err(self.ended());
        }
        self.next += length;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn ended(&self) -> Error {
        Error::malformed("the message ends inside this field").at_bit(self.position())
    }

    #[inline(always)]
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.data.get(self.next..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(chunk) => {
                self.next += N;
                Ok(*chunk)
            }
            None => Err(self.ended()),
        }
    }
}

impl Wire for ReadBytes<'_> {
    type Error = Error;
    const READING: bool = true;

    crate::wire::without_bursts!();

    #[inline(always)]
    fn bits(&mut self, _: u32, width: u32) -> Result<u32, Error> {
        match width {
            8 => Ok(u32::from(self.chunk::<1>()?[0])),
            16 => Ok(u32::from(u16::from_le_bytes(self.chunk()?))),
            32 => Ok(u32::from_le_bytes(self.chunk()?)),
            24 => self.chunk::<3>().map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0])),
            0 => Ok(0),
            _ => Err(Error::misuse("a byte cursor only moves by whole bytes").at_bit(self.position())),
        }
    }

    #[inline(always)]
    fn more(&mut self, _: bool) -> bool {
        self.next < self.data.len()
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.next as u64 * 8
    }

    #[inline]
    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), Error> {
        bytes.clear();
        match self.data.get(self.next..).and_then(|rest| rest.get(..length)) {
            Some(found) => {
                bytes.extend_from_slice(found);
                self.next += length;
                Ok(())
            }
            None => Err(self.ended()),
        }
    }

    #[inline]
    fn text(&mut self, text: &mut Vec<u8>, limit: crate::wire::Bounded) -> Result<(), Error> {
        text.clear();
        let rest = self.rest();
        match rest.iter().take(limit.bytes.saturating_add(1)).position(|&byte| byte == 0) {
            Some(length) => {
                text.extend_from_slice(&rest[..length]);
                self.next += length + 1;
                Ok(())
            }
            None if rest.len() > limit.bytes => {
                self.next += limit.bytes;
                self.expect(false, limit.rule)
            }
            None => {
                self.next = self.data.len();
                Err(self.ended())
            }
        }
    }
}

/// Writes whole bytes. Widths are multiples of eight.
#[derive(Debug, Default, Clone)]
pub struct WriteBytes {
    out: Vec<u8>,
}

impl WriteBytes {
    /// Writes into `buffer`, whose contents are dropped and whose memory is reused.
    pub fn with_buffer(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self { out: buffer }
    }

    /// The bytes written so far.
    pub fn written(&self) -> &[u8] {
        &self.out
    }

    /// The bytes written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

impl Wire for WriteBytes {
    type Error = Infallible;
    const READING: bool = false;

    crate::wire::without_bursts!();

    #[inline(always)]
    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Infallible> {
        debug_assert!(width.is_multiple_of(8) && width <= 32, "a byte cursor only moves by whole bytes");
        self.out.extend_from_slice(&value.to_le_bytes()[..width as usize / 8]);
        Ok(value)
    }

    fn more(&mut self, more: bool) -> bool {
        more
    }

    fn position(&self) -> u64 {
        self.out.len() as u64 * 8
    }

    fn octets(&mut self, bytes: &mut Vec<u8>, _: usize) -> Result<(), Infallible> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Bounded;

    const SHORT: Bounded = Bounded { bytes: 3, rule: "too long" };

    #[test]
    fn strings_stop_at_their_limit_and_at_the_end() {
        let mut text = Vec::new();
        let mut reader = ReadBytes::new(b"abc\0rest");
        reader.text(&mut text, SHORT).unwrap();
        assert_eq!((text.as_slice(), reader.rest()), (&b"abc"[..], &b"rest"[..]));
        assert_eq!(ReadBytes::new(b"abcd\0").text(&mut text, SHORT).unwrap_err().detail(), "too long");
        assert_eq!(ReadBytes::new(b"ab").text(&mut text, SHORT).unwrap_err().bit(), Some(16));
    }

    #[test]
    fn skipping_stops_at_the_end() {
        let mut reader = ReadBytes::new(&[1, 2, 3]);
        reader.skip(2).unwrap();
        assert_eq!(reader.rest(), [3]);
        assert_eq!(reader.skip(2).unwrap_err().bit(), Some(16));
        reader.skip(1).unwrap();
    }

    #[test]
    fn numbers_are_little_endian() {
        let mut reader = ReadBytes::new(&[1, 2, 1, 3, 2, 1, 4, 3, 2, 1]);
        let got: Vec<u32> = [8, 16, 24, 32].map(|width| reader.bits(0, width).unwrap()).to_vec();
        assert_eq!(got, [1, 0x0102, 0x01_0203, 0x0102_0304]);
        assert!(reader.bits(0, 8).is_err());
    }
}
