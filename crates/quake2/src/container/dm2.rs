//! `.dm2` and `.rla`: blocks with four length bytes each, ended by −1 or by the end of the file.

use fragreel_base::wire::Chunk;

use super::{Cause, End, Found, Gap, Window};
use crate::dialect::{Announced, Dialect, Numbering, RecordingKind};
use crate::message::{MessageKind, Reader};

/// The length that ends a client recording.
pub const END_MARK: u32 = u32::MAX;

/// The blocks of a file. After the last, [`end`](Blocks::end) says how the file ends.
///
/// ```
/// use fragreel_quake2::container::{End, dm2::Blocks};
///
/// let mut blocks = Blocks::new(b"\x01\0\0\0\x06\xff\xff\xff\xff");
/// assert_eq!(blocks.next().map(|block| block.data), Some(&b"\x06"[..]));
/// assert!(blocks.next().is_none());
/// assert_eq!(blocks.end(), End::Mark { at: 5, after: 9 });
/// ```
#[derive(Debug, Clone)]
pub struct Blocks<'a> {
    chunk: Chunk<'a>,
    next: usize,
    end: Option<End>,
    /// Resynchronize after what is no block of this dialect.
    recover: Option<Dialect>,
    gap: Option<Gap>,
}

/// No engine writes longer blocks. A greater length is damage. A smaller one that reaches beyond the end is a truncation.
pub const LONGEST: u32 = 0x1_0000;
/// The number of plausible blocks in a row that end a resynchronization.
const CHAIN: usize = 3;
/// Zeros in a row that are no blocks without data. Engines write one such block for a packet without payload.
const MANY_ZEROS: usize = 128;

impl<'a> Blocks<'a> {
    /// The blocks of a whole file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Blocks { chunk: Chunk::whole(bytes), next: 0, end: None, recover: None, gap: None }
    }

    /// Like [`new`](Self::new), but resynchronizes after an implausible length, after a long run of zeros, and after an end mark that
    /// is none, at three blocks in a row that can be read. [`gap`](Self::gap) returns the bytes skipped.
    pub fn recovering(bytes: &'a [u8], dialect: Dialect) -> Self {
        Blocks { recover: Some(dialect), ..Self::new(bytes) }
    }

    /// Continues in more bytes of the same file, which must start with the bytes seen so far. Set `last` once no more bytes will arrive.
    /// Until then, an incomplete block waits.
    pub fn over<'b>(&self, bytes: &'b [u8], last: bool) -> Blocks<'b> {
        self.over_chunk(Chunk::growing(bytes, last))
    }

    /// Continues in another chunk of the same file. Unless it is the last, what it does not show whole waits.
    pub(crate) fn over_chunk<'b>(&self, chunk: Chunk<'b>) -> Blocks<'b> {
        // how the last chunk ends is known; what ends another may go on
        let end = self.end.filter(|end| self.chunk.is_last() || matches!(end, End::Mark { .. }));
        Blocks { chunk, next: self.next, end, recover: self.recover, gap: self.gap }
    }

    /// The bytes that they are read from.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.chunk
    }

    /// The offset of the next block.
    pub(crate) fn offset(&self) -> usize {
        self.next
    }

    /// The bytes skipped before the last block.
    pub fn gap(&mut self) -> Option<Gap> {
        self.gap.take()
    }

    /// The first offset from `at` on at which blocks begin that can be read.
    #[cold]
    fn resume(&self, mut at: usize) -> Option<usize> {
        let dialect = self.recover?;
        loop {
            if at > self.chunk.end() {
                return None;
            }
            let window = self.chunk.from(at);
            let (passed, found) = search(window, self.chunk.is_last(), dialect.numbering);
            if !found {
                return None;
            }
            if readable(&window[passed..], dialect) {
                return Some(at + passed);
            }
            at += passed + 1;
        }
    }

    /// Passes over what is no block, up to `to`.
    #[cold]
    fn skip(&mut self, to: usize, cause: Cause) -> Option<Window<'a>> {
        // Two gaps in a row are one.
        let from = self.gap.map_or(self.next as u64, |gap| gap.from);
        let cause = self.gap.map_or(cause, |gap| gap.cause);
        self.gap = Some(Gap { from, to: to as u64, cause });
        self.next = to;
        self.next()
    }

    /// What follows an end mark, if the recording goes on after it.
    #[cold]
    fn behind_mark(&self, after: usize) -> Option<(usize, Cause)> {
        self.recover.filter(|_| self.chunk.is_last() && after < self.chunk.end())?;
        let next = self.resume(after)?;
        let second = next == after && begins_recording(self.chunk.from(next));
        Some((next, if second { Cause::SecondRecording } else { Cause::Mark }))
    }

    /// The end of a run of zeros from here on that no engine writes.
    #[cold]
    fn zeros(&self) -> Option<usize> {
        self.recover.filter(|_| self.chunk.is_last() || self.chunk.hides_more())?;
        let zeros = self.chunk.from(self.next).iter().take_while(|&&byte| byte == 0).count();
        (zeros >= MANY_ZEROS).then_some(self.next + zeros)
    }

    /// How the file ends. Valid after the iterator ended.
    pub fn end(&self) -> End {
        self.end.unwrap_or(End::File)
    }

    fn stop(&mut self, end: End) -> Option<Window<'a>> {
        if self.chunk.is_last() || matches!(end, End::Mark { .. }) {
            self.end = Some(end);
        }
        None
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Window<'a>;

    #[inline]
    fn next(&mut self) -> Option<Window<'a>> {
        if self.end.is_some() {
            return None;
        }
        let at = self.next as u64;
        let rest = self.chunk.from(self.next);
        if rest.is_empty() {
            return self.stop(End::File);
        }
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return self.stop(End::InLength(at)) };
        let length = u32::from_le_bytes(*length);
        let hides_more = self.chunk.hides_more();
        if length == END_MARK {
            // all that follows says whether the recording ends here
            if hides_more {
                return None;
            }
            if let Some((next, cause)) = self.behind_mark(self.next + 4) {
                return self.skip(next, cause);
            }
            return self.stop(End::Mark { at, after: at + 4 });
        }
        if length == 0
            && let Some(end) = self.zeros()
        {
            if hides_more && end == self.chunk.end() {
                return None;
            }
            // The first byte of a length may be zero.
            return match self.resume((end - 3).max(self.next)) {
                Some(next) => self.skip(next, Cause::Zeros),
                None if hides_more => None,
                None if end == self.chunk.end() => self.stop(End::Zeros(at)),
                None => self.stop(End::InBlock { at, stated: 0, present: rest.len() as u64 }),
            };
        }
        let data = rest.get(..length as usize);
        if hides_more && data.is_none_or(|data| length > LONGEST && first(&rest[data.len()..]) == Found::Part || length == 0 && rest.len() < MANY_ZEROS) {
            return None;
        }
        // No engine writes such a block, but it counts as one if others follow it.
        let wild = length > LONGEST && data.is_none_or(|data| matches!(first(&rest[data.len()..]), Found::Wild | Found::Part));
        if wild {
            match self.resume(self.next + 1) {
                Some(next) => return self.skip(next, Cause::Length),
                None if hides_more => return None,
                None => {}
            }
        }
        let Some(data) = data else {
            return self.stop(End::InBlock { at, stated: length.into(), present: rest.len() as u64 });
        };
        self.next += 4 + data.len();
        Some(Window { offset: at, data_offset: at + 4, data })
    }
}

/// What starts at a window.
pub fn first(window: &[u8]) -> Found {
    let Some((length, rest)) = window.split_first_chunk::<4>() else { return Found::Part };
    match u32::from_le_bytes(*length) {
        END_MARK => Found::Mark(4),
        length if length > LONGEST => Found::Wild,
        length if rest.len() < length as usize => Found::Part,
        length => Found::Block(4, 4 + length as usize),
    }
}

/// Searches for plausible blocks: three in a row, or as many as there are up to the end. Returns the number of bytes to skip, and whether
/// blocks begin there. If not, and the window is not the `last`, a longer one is needed.
pub fn search(window: &[u8], last: bool, numbering: Numbering) -> (usize, bool) {
    for start in 0..window.len() {
        match chain(&window[start..], last, numbering) {
            Some(false) => {}
            Some(true) => return (start, true),
            None => return (start, false),
        }
    }
    (window.len(), false)
}

/// Whether plausible blocks begin here. `None` if the window is too short to know.
fn chain(window: &[u8], last: bool, numbering: Numbering) -> Option<bool> {
    let unknown = if last { Some(false) } else { None };
    let mut next = window;
    for link in 0..CHAIN {
        let Some((length, rest)) = next.split_first_chunk::<4>() else { return unknown };
        let length = u32::from_le_bytes(*length);
        if length == END_MARK {
            let closes = link > 0 && rest.is_empty();
            return if closes && !last { None } else { Some(closes) };
        }
        if length == 0 || length > LONGEST {
            return Some(false);
        }
        let Some(&number) = rest.first() else { return unknown };
        if MessageKind::of(numbering, number).is_none() {
            return Some(false);
        }
        let Some(behind) = rest.get(length as usize..) else { return unknown };
        next = behind;
        if next.is_empty() && last {
            return Some(true);
        }
    }
    Some(true)
}

/// Whether the blocks of a chain can be read in this dialect.
fn readable(window: &[u8], dialect: Dialect) -> bool {
    if dialect.numbering == Numbering::TestRelease {
        return true;
    }
    let mut reader = Reader::new(dialect).skimming(true);
    Blocks::new(window).take(CHAIN).all(|block| reader.block(block.data, |_, _, _| true).is_ok())
}

/// Whether a recording begins here: with `serverdata` of a protocol.
fn begins_recording(window: &[u8]) -> bool {
    let Some(data) = Blocks::new(window).next().map(|block| block.data) else { return false };
    let protocol = data.get(1..5).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let kind = data.get(9).copied().unwrap_or_default();
    data.first() == Some(&12) && protocol.is_some_and(|protocol| Dialect::of(protocol, RecordingKind(kind), Announced::default()).is_some())
}

/// Writes a block.
pub fn write_block(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    out.extend_from_slice(data);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_goes_on_behind_a_wild_length() {
        let good = b"\x02\0\0\0\x06\x06";
        let bytes = [&good[..], b"\xf0\xff\xff\x7fjunk", good, good, good, b"\xff\xff\xff\xff"].concat();
        let dialect = Dialect::of(34, RecordingKind::CLIENT, Announced::default()).unwrap();
        let mut blocks = Blocks::recovering(&bytes, dialect);
        let offsets: Vec<(u64, Option<(u64, u64)>)> =
            std::iter::from_fn(|| blocks.next().map(|block| (block.offset, blocks.gap().map(|gap| (gap.from, gap.to))))).collect();
        assert_eq!(offsets, [(0, None), (14, Some((6, 14))), (20, None), (26, None)]);
        assert_eq!(blocks.end(), End::Mark { at: 32, after: 36 });
        assert_eq!(Blocks::new(&bytes).count(), 1);
    }

    #[test]
    fn files_end_in_five_ways() {
        let end = |bytes: &[u8]| {
            let mut blocks = Blocks::new(bytes);
            let count = blocks.by_ref().count();
            (count, blocks.end())
        };
        assert_eq!(end(b""), (0, End::File));
        assert_eq!(end(b"\0\0\0\0"), (1, End::File));
        assert_eq!(end(b"\0\0\0\0\xff\xff\xff\xffmore"), (1, End::Mark { at: 4, after: 8 }));
        assert_eq!(end(b"\x01\0"), (0, End::InLength(0)));
        assert_eq!(end(b"\x02\0\0\0x"), (0, End::InBlock { at: 0, stated: 2, present: 1 }));
    }
}
