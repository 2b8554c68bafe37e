//! A part of a recording that is in memory.

use std::ops::Range;

/// Whether bytes follow a [`Chunk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// The recording ends with the chunk.
    Nothing,
    /// The recording has more bytes, which the next chunk shows.
    More,
    /// The recording is still being written.
    Unwritten,
}

/// A part of a recording that is in memory. Offsets count from the first byte of the recording.
///
/// ```
/// use fragreel_base::wire::Chunk;
///
/// let chunk = Chunk::part(1000, b"abcd", false);
/// assert_eq!(chunk.end(), 1004);
/// assert_eq!(chunk.from(1002), b"cd");
/// assert_eq!(chunk.get(1001..1003), Some(&b"bc"[..]));
/// assert_eq!(chunk.get(999..1003), None);
/// assert!(chunk.hides_more());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    bytes: &'a [u8],
    base: usize,
    behind: Behind,
}

impl<'a> Chunk<'a> {
    /// A whole recording.
    pub const fn whole(bytes: &'a [u8]) -> Self {
        Chunk { bytes, base: 0, behind: Behind::Nothing }
    }

    /// The part of a recording that starts at `base`. `last` says that the recording ends with it.
    pub const fn part(base: usize, bytes: &'a [u8], last: bool) -> Self {
        Chunk { bytes, base, behind: if last { Behind::Nothing } else { Behind::More } }
    }

    /// What has been written of a recording so far. `last` says that it is complete.
    pub const fn growing(bytes: &'a [u8], last: bool) -> Self {
        Chunk { bytes, base: 0, behind: if last { Behind::Nothing } else { Behind::Unwritten } }
    }

    /// An empty chunk, for a walk that waits for the next one.
    pub const fn none() -> Self {
        Chunk { bytes: &[], base: 0, behind: Behind::More }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The offset of the first byte.
    #[inline]
    pub fn start(&self) -> usize {
        self.base
    }

    /// The offset behind the last byte.
    #[inline]
    pub fn end(&self) -> usize {
        self.base + self.bytes.len()
    }

    /// True if the recording ends with the chunk.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.behind == Behind::Nothing
    }

    /// True if the recording has more bytes, which are in the next chunk. A walk waits for them if they decide the meaning of the bytes before them.
    #[inline]
    pub fn hides_more(&self) -> bool {
        self.behind == Behind::More
    }

    /// The bytes from an offset on. Empty where the chunk does not hold it.
    #[inline]
    pub fn from(&self, offset: usize) -> &'a [u8] {
        offset.checked_sub(self.base).and_then(|at| self.bytes.get(at..)).unwrap_or_default()
    }

    /// The bytes of a range. `None` where the chunk does not hold all of it.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> Option<&'a [u8]> {
        let from = range.start.checked_sub(self.base)?;
        self.bytes.get(from..range.end.checked_sub(self.base)?)
    }
}

impl<'a> From<&'a [u8]> for Chunk<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Chunk::whole(bytes)
    }
}
