//! Walks over recordings that are in memory a chunk at a time.

use std::convert::Infallible;
use std::ops::Range;

use fragreel_base::wire::Chunk;

/// Gives the chunks of a recording.
pub trait Chunks {
    /// Why there is no chunk.
    type Error;

    /// Bytes of the whole recording.
    fn length(&self) -> usize;

    /// A chunk that holds all bytes from `from` to its end. It ends after `beyond`, unless it is the last chunk.
    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, Self::Error>;
}

/// The end of a chunk that starts at `from` and must end after `beyond`, in a recording of `length` bytes. If a walk did not advance, its next chunk is
/// twice as long. `usual` is the bytes of other chunks.
pub fn chunk_end(from: usize, beyond: usize, usual: usize, length: usize) -> usize {
    let least = beyond.saturating_sub(from).saturating_mul(2).max(usual);
    from.saturating_add(least).min(length)
}

/// Bytes from which a recording that comes in chunks is opened.
pub const HEAD: usize = 1 << 20;

/// A recording in memory: one chunk.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a>(pub &'a [u8]);

impl Chunks for Whole<'_> {
    type Error = Infallible;

    fn length(&self) -> usize {
        self.0.len()
    }

    fn chunk(&mut self, _: usize, _: usize) -> Result<Chunk<'_>, Infallible> {
        Ok(Chunk::whole(self.0))
    }
}

/// A recording in memory, given in chunks of one size, for tests.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Pieces<'a> {
    pub bytes: &'a [u8],
    pub size: usize,
}

impl Chunks for Pieces<'_> {
    type Error = Infallible;

    fn length(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, Infallible> {
        let from = from.min(self.bytes.len());
        let end = chunk_end(from, beyond, self.size, self.bytes.len());
        Ok(Chunk::part(from, &self.bytes[from..end], end == self.bytes.len()))
    }
}

/// A walk that takes a recording chunk by chunk.
pub trait Fed: Sized {
    /// Plays the data of the chunk. Data that later bytes may change waits for the next chunk.
    #[must_use]
    fn feed(self, chunk: Chunk<'_>) -> Self;

    /// The first byte that the next chunk must hold.
    fn needed(&self) -> usize;

    /// True if the walk needs no more bytes.
    fn is_over(&self) -> bool {
        false
    }
}

/// Feeds a walk with all chunks of a recording, or with as many as it needs.
pub fn feed_all<W: Fed, C: Chunks>(mut walk: W, chunks: &mut C) -> Result<W, C::Error> {
    let (mut beyond, mut last) = (0, false);
    while !last && !walk.is_over() {
        let chunk = chunks.chunk(walk.needed(), beyond)?;
        (beyond, last) = (chunk.end(), chunk.is_last());
        walk = walk.feed(chunk);
    }
    Ok(walk)
}

/// Whether a recording has these bytes, and no others.
pub fn has_bytes<C: Chunks>(chunks: &mut C, bytes: &[u8]) -> Result<bool, C::Error> {
    let mut same = bytes.len() == chunks.length();
    if same {
        show_range(chunks, 0..bytes.len(), |from, piece| {
            same = bytes[from..].starts_with(piece);
            same
        })?;
    }
    Ok(same)
}

/// Shows the bytes of a range in pieces, each with its offset, until `show` returns false or the recording ends.
pub fn show_range<C: Chunks>(chunks: &mut C, range: Range<usize>, mut show: impl FnMut(usize, &[u8]) -> bool) -> Result<(), C::Error> {
    let Range { start: mut from, end: to } = range;
    while from < to {
        let chunk = chunks.chunk(from, from)?;
        let bytes = chunk.from(from);
        let bytes = &bytes[..bytes.len().min(to - from)];
        if bytes.is_empty() || !show(from, bytes) {
            break;
        }
        from += bytes.len();
    }
    Ok(())
}
