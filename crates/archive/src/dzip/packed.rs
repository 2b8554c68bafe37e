//! What zlib gives, byte by byte.

use std::io::{self, BufRead, BufReader, Read, Take};

use flate2::bufread::ZlibDecoder;

/// The unpacked form of a member, up to its end.
pub(super) struct Packed<R: Read> {
    inner: BufReader<ZlibDecoder<BufReader<Take<R>>>>,
    /// Where the packed data starts in the archive.
    start: u64,
    taken: u64,
    end: u64,
}

impl<R: Read> Packed<R> {
    pub(super) fn new(source: R, start: u64, size: u64) -> Self {
        let inner = BufReader::with_capacity(1 << 14, ZlibDecoder::new(BufReader::with_capacity(1 << 14, source.take(size))));
        Packed { inner, start, taken: 0, end: 0 }
    }

    /// This number of bytes follows.
    pub(super) fn limit(&mut self, size: u64) {
        self.end = self.taken.saturating_add(size);
    }

    /// How many bytes were taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// How many are left.
    pub(super) fn left(&self) -> u64 {
        self.end - self.taken
    }

    /// Passes over bytes.
    pub(super) fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.inner).take(count), &mut io::sink()).map_err(|error| self.at(&error.to_string()))?;
        self.taken += skipped;
        if skipped == count { Ok(()) } else { Err(self.at("the packed data ends")) }
    }

    /// The next byte, which stays.
    pub(super) fn peek(&mut self) -> io::Result<u8> {
        if self.left() == 0 {
            return Err(self.at("the member ends in the middle of a block"));
        }
        match self.inner.fill_buf().map(|buffer| buffer.first().copied()) {
            Ok(Some(byte)) => Ok(byte),
            Ok(None) => Err(self.at("the packed data ends")),
            Err(error) => Err(self.at(&error.to_string())),
        }
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        let byte = self.peek()?;
        self.inner.consume(1);
        self.taken += 1;
        Ok(byte)
    }

    pub(super) fn short(&mut self) -> io::Result<u16> {
        Ok(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    pub(super) fn long(&mut self) -> io::Result<u32> {
        Ok(u32::from(self.short()?) | u32::from(self.short()?) << 16)
    }

    /// Moves bytes on as they are.
    pub(super) fn copy(&mut self, count: usize, into: &mut Vec<u8>) -> io::Result<()> {
        for _ in 0..count {
            into.push(self.byte()?);
        }
        Ok(())
    }

    /// Moves a string on, to its zero; says how long it is without it.
    pub(super) fn copy_string(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        let start = into.len();
        loop {
            let byte = self.byte()?;
            into.push(byte);
            if byte == 0 {
                return Ok(into.len() - start - 1);
            }
            // A block is no longer than this; what is has lost its zero.
            if into.len() > super::state::BLOCK {
                return Err(self.at("a string without an end"));
            }
        }
    }

    /// Damage here.
    pub(super) fn at(&self, what: &str) -> io::Error {
        let place = self.start + self.inner.get_ref().total_in();
        io::Error::new(io::ErrorKind::InvalidData, format!("Dzip is damaged before offset {place} (byte {} unpacked): {what}", self.taken))
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = buffer.len().min(usize::try_from(self.left()).unwrap_or(usize::MAX));
        if some == 0 {
            return Ok(0);
        }
        let read = self.inner.read(&mut buffer[..some]).map_err(|error| self.at(&error.to_string()))?;
        self.taken += read as u64;
        if read == 0 { Err(self.at("the packed data ends")) } else { Ok(read) }
    }
}
