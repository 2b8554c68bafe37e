//! MVD2: a magic number, then records with two length bytes each, ended by a length of 0.

use fragreel_base::wire::Chunk;

use super::{Cause, End, Found, Gap, Window};
use crate::dialect::Dialect;
use crate::message::{Context, MvdBody, MvdReader};

/// The magic number.
pub const MAGIC: &[u8; 4] = b"MVD2";

/// The length that ends a recording.
pub const END_MARK: [u8; 2] = [0; 2];

/// What starts at a window.
pub fn first(window: &[u8]) -> Found {
    let Some((length, rest)) = window.split_first_chunk::<2>() else { return Found::Part };
    let length = usize::from(u16::from_le_bytes(*length));
    match rest.len() {
        _ if length == 0 => Found::Mark(END_MARK.len()),
        present if present < length => Found::Part,
        _ => Found::Block(2, 2 + length),
    }
}

/// The records of a file. After the last, [`end`](Records::end) says how the file ends.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    chunk: Chunk<'a>,
    next: usize,
    end: Option<End>,
    gap: Option<Gap>,
    /// How many heads from `next` on are known to make sense, and where the head after these begins.
    sensible: usize,
    ahead: usize,
}

/// The number of records in a row that end a resynchronization.
const CHAIN: usize = 4;
/// How many heads of further records must make sense for a record to be taken as it is, without reading it first.
const AHEAD: usize = 8;
/// How many heads are looked at in one go.
const AT_ONCE: usize = 64;
/// Zeros in a row that are no end mark.
const MANY_ZEROS: usize = 64;

impl<'a> Records<'a> {
    /// The records of a whole file, which must begin with [`MAGIC`].
    pub fn new(bytes: &'a [u8]) -> Self {
        Records { chunk: Chunk::whole(bytes), next: MAGIC.len(), end: None, gap: None, sensible: 0, ahead: MAGIC.len() }
    }

    /// Continues in more bytes of the same file, which must start with the bytes seen so far. Set `last` once no more bytes will arrive.
    pub fn over<'b>(&self, bytes: &'b [u8], last: bool) -> Records<'b> {
        self.over_chunk(Chunk::growing(bytes, last))
    }

    /// Continues in another chunk of the same file. Unless it is the last, what it does not show whole waits.
    pub(crate) fn over_chunk<'b>(&self, chunk: Chunk<'b>) -> Records<'b> {
        // how the last chunk ends is known; what ends another may go on
        let end = self.end.filter(|end| self.chunk.is_last() || matches!(end, End::Mark { .. }));
        Records { chunk, next: self.next, end, gap: self.gap, sensible: 0, ahead: self.next }
    }

    /// The bytes that they are read from.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.chunk
    }

    /// The offset of the next record.
    pub(crate) fn offset(&self) -> usize {
        self.next
    }

    /// How the file ends. Valid after the iterator ended.
    pub fn end(&self) -> End {
        self.end.unwrap_or(End::File)
    }

    /// The bytes skipped before the last record.
    pub fn gap(&mut self) -> Option<Gap> {
        self.gap.take()
    }

    fn stop(&mut self, end: End) -> Option<Window<'a>> {
        if self.chunk.is_last() || matches!(end, End::Mark { .. }) {
            self.end = Some(end);
        }
        None
    }

    /// Like `next`, but resynchronizes after what is no record, at four records in a row that `reader` can read. [`gap`](Self::gap)
    /// returns the bytes skipped. `reader` must skim, and know what the records so far announced.
    pub(crate) fn next_readable(&mut self, reader: &mut MvdReader) -> Option<Window<'a>> {
        if self.needs_no_reader() { Iterator::next(self) } else { self.next_checked(reader) }
    }

    /// True if `next` returns what [`next_readable`](Self::next_readable) would, whatever its reader knows.
    #[inline]
    pub(crate) fn needs_no_reader(&mut self) -> bool {
        self.sensible >= AHEAD || self.grows() || self.end.is_some() || self.makes_sense()
    }

    /// Whether the file is still being written: an incomplete record waits, and nothing else is looked at ahead.
    fn grows(&self) -> bool {
        !self.chunk.is_last() && !self.chunk.hides_more()
    }

    /// All records, with resynchronization after what is none.
    pub fn readable(bytes: &'a [u8], dialect: Dialect) -> Vec<Window<'a>> {
        let (mut records, mut reader) = (Records::new(bytes), MvdReader::new(dialect).skimming(true));
        let next = || {
            let window = records.next_readable(&mut reader)?;
            let _ = reader.record(window.data, |_, _, _| true);
            Some(window)
        };
        std::iter::from_fn(next).collect()
    }

    /// Whether the heads of the next records make sense. Looks at more of them than are needed, so that most records need no look.
    #[inline(never)]
    fn makes_sense(&mut self) -> bool {
        while self.sensible < AT_ONCE {
            let at = self.ahead;
            let [low, high, rest @ ..] = self.chunk.from(at) else { break };
            let length = usize::from(u16::from_le_bytes([*low, *high]));
            let end = at + 2 + length;
            if length == 0 && end == self.chunk.end() && self.chunk.is_last() {
                // nothing follows that could make no sense
                self.sensible = usize::MAX;
                break;
            }
            if length == 0 || !rest.first().is_some_and(|&number| is_number(number)) || end >= self.chunk.end() {
                break;
            }
            self.ahead = end;
            self.sensible += 1;
        }
        self.sensible >= AHEAD
    }

    #[cold]
    fn next_checked(&mut self, reader: &mut MvdReader) -> Option<Window<'a>> {
        if self.chunk.hides_more() {
            // all that follows may decide
            return None;
        }
        let at = self.next;
        let rest = self.chunk.from(at);
        let (end, whole) = match first(rest) {
            Found::Mark(length) if rest.len() == length => return Iterator::next(self),
            Found::Mark(length) => return self.behind_mark(at + length, reader),
            Found::Block(from, to) if reads(reader, &rest[from..to]) => return Iterator::next(self),
            Found::Block(_, to) => (at + to, true),
            _ => (self.chunk.end(), false),
        };
        // The record cannot be read. Its length counts if records follow it, or if none begin inside it.
        if whole && (end == self.chunk.end() || self.records_begin(end, reader)) {
            return Iterator::next(self);
        }
        match self.resume(at + 1, reader) {
            Some(next) if next < end || !whole || self.gap.is_some() => self.skip(next, Cause::Length, reader),
            _ => Iterator::next(self),
        }
    }

    fn behind_mark(&mut self, after: usize, reader: &mut MvdReader) -> Option<Window<'a>> {
        let rest = self.chunk.from(after);
        if rest.starts_with(MAGIC) && self.records_begin(after + MAGIC.len(), reader) {
            return self.skip(after + MAGIC.len(), Cause::SecondRecording, reader);
        }
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        let many = zeros + END_MARK.len() >= MANY_ZEROS;
        if many && zeros == rest.len() {
            return self.stop(End::Zeros(self.next as u64));
        }
        // The last of the zeros may begin a length.
        match self.resume(after + zeros.saturating_sub(1), reader) {
            Some(next) => self.skip(next, if many { Cause::Zeros } else { Cause::Mark }, reader),
            None => Iterator::next(self),
        }
    }

    fn skip(&mut self, to: usize, cause: Cause, reader: &mut MvdReader) -> Option<Window<'a>> {
        // Two gaps in a row are one.
        let from = self.gap.map_or(self.next as u64, |gap| gap.from);
        let cause = self.gap.map_or(cause, |gap| gap.cause);
        self.gap = Some(Gap { from, to: to as u64, cause });
        (self.next, self.sensible, self.ahead) = (to, 0, to);
        self.next_readable(reader)
    }

    /// The first offset from `at` on at which records begin that can be read.
    fn resume(&self, at: usize, reader: &mut MvdReader) -> Option<usize> {
        let begins = |at: usize| {
            let rest = self.chunk.from(at);
            matches!(first(rest), Found::Block(from, _) if is_number(rest[from]))
        };
        (at..self.chunk.end()).find(|&at| begins(at) && self.records_begin(at, reader))
    }

    /// Whether records begin here that can be read, each with a frame. At the end of the file fewer are enough.
    fn records_begin(&self, mut at: usize, reader: &mut MvdReader) -> bool {
        let before = reader.clone_context();
        for link in 0..CHAIN {
            let rest = self.chunk.from(at);
            match first(rest) {
                Found::Mark(length) if link > 0 && rest.len() == length => return restored(reader, before, true),
                Found::Block(from, to) if is_number(rest[from]) => {
                    let mut framed = false;
                    let read = reader.record(&rest[from..to], |message, _, _| {
                        framed |= matches!(message.body, MvdBody::Frame(_) | MvdBody::ServerData(_));
                        true
                    });
                    if read.is_err() || !framed {
                        break;
                    }
                    at += to;
                }
                Found::Part if link > 1 => return restored(reader, before, true),
                _ => break,
            }
            if link + 1 == CHAIN || at == self.chunk.end() && link > 0 {
                return restored(reader, before, true);
            }
        }
        restored(reader, before, false)
    }
}

/// Whether a message can begin with this byte.
#[inline]
fn is_number(byte: u8) -> bool {
    let (number, extra) = (byte & 31, byte >> 5);
    match number {
        1..=3 | 5 | 6 | 16..=18 => extra == 0,
        4 | 8..=15 => true,
        _ => false,
    }
}

fn reads(reader: &mut MvdReader, data: &[u8]) -> bool {
    let before = reader.clone_context();
    let read = reader.record(data, |_, _, _| true).is_ok();
    restored(reader, before, read)
}

/// Restores the reader's context, and returns `answer`.
fn restored(reader: &mut MvdReader, before: Context, answer: bool) -> bool {
    reader.context = before;
    answer
}

impl<'a> Iterator for Records<'a> {
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
        let Some((length, rest)) = rest.split_first_chunk::<2>() else { return self.stop(End::InLength(at)) };
        let length = u16::from_le_bytes(*length);
        if length == 0 {
            return self.stop(End::Mark { at, after: at + 2 });
        }
        let Some(data) = rest.get(..usize::from(length)) else {
            return self.stop(End::InBlock { at, stated: length.into(), present: rest.len() as u64 });
        };
        self.next += 2 + data.len();
        match self.sensible.checked_sub(1) {
            Some(left) => self.sensible = left,
            None => self.ahead = self.next,
        }
        Some(Window { offset: at, data_offset: at + 2, data })
    }
}

/// Writes a record. `data` must not exceed 65,535 bytes.
pub fn write_record(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(&(data.len() as u16).to_le_bytes());
    out.extend_from_slice(data);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heads that were looked at for the records before count as if they were looked at now.
    #[test]
    fn heads_are_looked_at_once() {
        let mut random = fragreel_testkit::Random::new(3);
        let (mut sensible, mut others) = (0, 0);
        for _ in 0..300 {
            let mut file = MAGIC.to_vec();
            for _ in 0..random.number() % 200 {
                let number = if random.once_in(40) { 31 } else { 16 };
                write_record(&mut file, &[&[number][..], &vec![0; random.number() as usize % 5]].concat());
            }
            file.extend(END_MARK);
            if random.once_in(2) {
                file.push(7);
            }
            let mut records = Records::new(&file);
            while records.end.is_none() {
                let answer = records.needs_no_reader();
                assert_eq!(answer, Records { sensible: 0, ahead: records.next, ..records.clone() }.needs_no_reader());
                let mut at = records.next;
                let plain = (0..AHEAD).all(|_| match first(&file[at..]) {
                    Found::Mark(length) => at + length == file.len(),
                    Found::Block(from, to) => {
                        let makes_sense = is_number(file[at + from]) && at + to < file.len();
                        at += to;
                        makes_sense
                    }
                    _ => false,
                });
                assert_eq!(answer, plain);
                (sensible, others) = (sensible + u32::from(answer), others + u32::from(!answer));
                records.next();
            }
        }
        assert!(sensible > 1000 && others > 1000, "{sensible} {others}");
    }
}
