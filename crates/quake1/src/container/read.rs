//! Reads the framing of one block.

use fragreel_base::wire::{Chunk, Error, ReadBytes};

use super::framing::{Container, Framing, code_framing};
use super::hot_path;
use crate::message::Float;

/// A window over the file.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// Its number, from 0.
    pub number: u32,
    /// Where its framing starts in the file.
    pub offset: u64,
    /// Where its data starts.
    pub data_offset: u64,
    /// What stands around the data.
    pub framing: Framing,
    /// The data: messages, for [`Framing::NetQuake`] and [`Framing::Packet`].
    pub data: &'a [u8],
    /// True if the blocks before and after contradict the block's time. Clocks ignore it.
    pub contradicted: bool,
    /// True if the block came late: its time is before that of the block before, and the next one goes on from there (NetQuake). Clocks ignore it.
    pub late: bool,
}

impl Block<'_> {
    /// The byte after its last.
    pub fn end(&self) -> u64 {
        self.data_offset + self.data.len() as u64
    }
}

/// What stands around the block at the start of `bytes`, where its data starts, and the data's length.
#[inline(always)]
pub(crate) fn frame(bytes: &[u8], container: Container, limit: usize) -> Result<(Framing, usize, usize), Error> {
    let (framing, at, length) = match hot_path::framing(bytes, container) {
        Some(found) => found,
        None => framing_read(bytes, container)?,
    };
    let length = length as usize;
    if length > limit {
        return Err(too_long(length));
    }
    Ok((framing, at, length))
}

#[cold]
fn too_long(length: usize) -> Error {
    Error::limit(format!("a block of {length} bytes, more than any engine reads"))
}

/// Reads framing a field at a time.
#[cold]
#[inline(never)]
pub(super) fn framing_read(bytes: &[u8], container: Container) -> Result<(Framing, usize, u32), Error> {
    let mut r = ReadBytes::new(bytes);
    let mut framing = Framing::NetQuake { angles: [Float(0); 3] };
    let mut length = 0;
    code_framing(&mut r, container, &mut framing, &mut length)?;
    Ok((framing, r.offset(), length))
}

/// Zeros in a row that are no block.
pub(super) const ZEROS: usize = 64;

#[cold]
fn ends_within(length: usize) -> Error {
    Error::malformed(format!("the file ends within a block of {length} bytes"))
}

pub(super) fn starts_with_zeros(bytes: &[u8]) -> bool {
    bytes.len() >= ZEROS && bytes[..ZEROS].iter().all(|&byte| byte == 0)
}

/// Longest line that a NetQuake recording starts with, without its end.
const LONGEST_HEADER: usize = 64;

/// The line that starts a NetQuake recording, with its end.
pub(crate) fn header(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().take(LONGEST_HEADER).position(|&byte| byte == b'\n')?;
    let line = bytes[..end].trim_ascii();
    let digits = line.strip_prefix(b"-").unwrap_or(line);
    (digits.iter().all(u8::is_ascii_digit)).then(|| &bytes[..=end])
}

/// The line with a track that ends these bytes, with its end.
pub(crate) fn header_before(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes.strip_suffix(b"\n")?.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = bytes.len() - 1 - digits;
    let from = number - usize::from(bytes[..number].ends_with(b"-"));
    (1..=3).contains(&digits).then(|| &bytes[from..])
}

/// The whole block at `at`: framing, where its data starts, and the data's length.
#[inline(always)]
pub(super) fn block_at(chunk: Chunk<'_>, at: usize, container: Container, limit: usize) -> Result<(Framing, usize, usize), Error> {
    let bytes = chunk.from(at);
    let (framing, data, length) = frame(bytes, container, limit)?;
    if bytes.len() - data < length {
        return Err(ends_within(length));
    }
    if bytes.first() == Some(&0) && starts_with_zeros(bytes) {
        return Err(Error::malformed("zeros where a block should begin"));
    }
    Ok((framing, at + data, length))
}
