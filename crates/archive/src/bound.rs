//! A bound on what is read.

use std::fmt;
use std::io::{self, Read};

/// More came than was allowed.
#[derive(Debug)]
pub(crate) struct Exceeded(pub u64);

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it unpacks to more than {} bytes", self.0)
    }
}

impl std::error::Error for Exceeded {}

/// Reads, and fails when there are more bytes than the limit.
pub(crate) struct Bounded<R> {
    inner: R,
    left: u64,
    most: u64,
}

impl<R> Bounded<R> {
    pub(crate) fn new(inner: R, most: u64) -> Self {
        Bounded { inner, left: most, most }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if read as u64 > self.left {
            return Err(io::Error::other(Exceeded(self.most)));
        }
        self.left -= read as u64;
        Ok(read)
    }
}

/// All of a member.
pub(crate) fn all(reader: &mut dyn Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Bounded::new(reader, most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
