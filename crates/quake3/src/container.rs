//! Messages in a file (`docs/formats/quake3.md`, "Container").
//!
//! [`Frames`] walks a recording that is in memory; [`Splitter`] takes it in chunks of any size, for recordings that are still being written. Both
//! use the same [`Walker`] and give the same pieces. No message is decoded.

mod head;

use std::ops::Range;

use fragreel_base::wire::Chunk;

use head::{BAD_LENGTH, BAD_SEQUENCE, CONVINCING, CONVINCING_AGAIN, CUT_DATA, CUT_HEAD, Chain, ENDED_BY_LENGTH, FALSE_END, Head, JUMP, TRAILING};
pub use head::{END_MARK, Fault, Framing, HEAD, LONGEST};
use head::{cause, chain, confirm, may_begin, parse_head};

/// A piece of a recording. Pieces follow each other without gap or overlap, so writing them all gives the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes before the first message.
    Prologue(Range<u64>),
    /// A message.
    Message(Frame),
    /// The mark that ends a recording.
    End(Range<u64>),
    /// Bytes that are none of these, and why.
    Opaque(Range<u64>, Fault),
}

/// A message's place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Number of the message, from 0.
    pub number: u32,
    /// Where its head starts.
    pub offset: u64,
    /// The server's packet number.
    pub sequence: i32,
    /// Bytes of data.
    pub length: u32,
    /// How it is framed.
    pub framing: Framing,
}

impl Frame {
    /// Where its data starts.
    pub fn data_offset(&self) -> u64 {
        self.offset + HEAD as u64
    }

    /// The byte after its last.
    pub fn end(&self) -> u64 {
        self.data_offset() + u64::from(self.length) + if self.framing == Framing::Mirrored { 4 } else { 0 }
    }

    /// Writes the message with `data` in its frame.
    pub fn write(&self, data: &[u8], out: &mut Vec<u8>) {
        let length = (data.len() as u32).to_le_bytes();
        out.extend_from_slice(&self.sequence.to_le_bytes());
        out.extend_from_slice(&length);
        out.extend_from_slice(data);
        if self.framing == Framing::Mirrored {
            out.extend_from_slice(&length);
        }
    }
}

/// The result of [`Walker::step`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The next piece.
    Piece(Piece),
    /// More bytes are needed.
    More,
    /// The file has ended.
    Done,
}

/// The walk itself, over a window of the file that starts at its offset.
#[derive(Debug, Clone)]
pub struct Walker {
    offset: u64,
    number: u32,
    sequence: Option<i32>,
    framing: Option<Framing>,
    ended: bool,
}

impl Walker {
    /// A walk from the start of a file.
    pub fn new() -> Self {
        Walker { offset: 0, number: 0, sequence: None, framing: None, ended: false }
    }

    /// How far the walk has come.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next piece of `window`, which starts at [`offset`](Self::offset). Set `last` if nothing follows the window.
    #[inline(always)]
    pub fn step(&mut self, window: &[u8], last: bool) -> Step {
        match self.next_message(window) {
            Some(frame) => Step::Piece(Piece::Message(frame)),
            None => self.look_closer(window, last),
        }
    }

    /// The message that begins the window, if it is whole and follows the one before.
    #[inline(always)]
    fn next_message(&mut self, window: &[u8]) -> Option<Frame> {
        let framing = self.framing.filter(|_| !self.ended)?;
        match parse_head(window, framing) {
            Head::Message { sequence, length, whole } if window.len() >= whole && self.is_near(sequence) => Some(self.pass(sequence, length, framing, whole)),
            _ => None,
        }
    }

    /// Takes a message of `whole` bytes.
    #[inline(always)]
    fn pass(&mut self, sequence: i32, length: u32, framing: Framing, whole: usize) -> Frame {
        let frame = Frame { number: self.number, offset: self.offset, sequence, length, framing };
        self.number += 1;
        self.sequence = Some(sequence);
        self.offset += whole as u64;
        frame
    }

    /// The same, whatever the window begins with.
    #[inline(never)]
    fn look_closer(&mut self, window: &[u8], last: bool) -> Step {
        if window.is_empty() {
            return if last { Step::Done } else { Step::More };
        }
        if self.ended {
            return if last { self.opaque(window.len(), TRAILING) } else { Step::More };
        }
        let Some(framing) = self.framing else {
            return self.open(window, last);
        };
        match parse_head(window, framing) {
            Head::Message { sequence, length, whole } if window.len() >= whole => {
                if !self.is_near(sequence) {
                    match confirm(&window[whole..], framing, sequence, last) {
                        Chain::Holds => {}
                        Chain::Unsure => return Step::More,
                        Chain::Broken => return self.recover(window, last, BAD_SEQUENCE),
                    }
                }
                Step::Piece(Piece::Message(self.pass(sequence, length, framing, whole)))
            }
            Head::End => self.end(window, last),
            _ if !last && !matches!(parse_head(window, framing), Head::Wrong) => Step::More,
            Head::Cut => self.recover(window, last, CUT_HEAD),
            Head::Message { .. } => self.recover(window, last, CUT_DATA),
            Head::Wrong if last && window.len() == HEAD && window[4..] == END_MARK[4..] => {
                self.ended = true;
                self.opaque(window.len(), ENDED_BY_LENGTH)
            }
            Head::Wrong => self.recover(window, last, BAD_LENGTH),
        }
    }

    /// Finds out how messages are framed. Only Urban Terror's recordings have a prologue: a length, that many bytes of
    /// text, a version and two zeros.
    #[cold]
    fn open(&mut self, window: &[u8], last: bool) -> Step {
        if window.len() < PROLOGUE_LONGEST && !last {
            return Step::More;
        }
        match prologue(window) {
            Some(length) => {
                self.framing = Some(Framing::Mirrored);
                self.offset += length as u64;
                Step::Piece(Piece::Prologue(0..self.offset))
            }
            None => {
                self.framing = Some(Framing::Plain);
                self.step(window, last)
            }
        }
    }

    fn opaque(&mut self, length: usize, fault: Fault) -> Step {
        let from = self.offset;
        self.offset += length as u64;
        Step::Piece(Piece::Opaque(from..self.offset, fault))
    }

    /// Whether a message with this sequence may follow the last one without a closer look.
    #[inline]
    fn is_near(&self, sequence: i32) -> bool {
        self.sequence.is_none_or(|before| (0..=JUMP).contains(&(i64::from(sequence) - i64::from(before))))
    }

    /// Distinguishes the mark that ends a recording from bytes that look like it: behind those the same recording continues.
    #[cold]
    fn end(&mut self, window: &[u8], last: bool) -> Step {
        let framing = self.framing.unwrap_or(Framing::Plain);
        let behind = &window[HEAD..];
        if !last && behind.len() < HEAD {
            return Step::More;
        }
        // another recording, or a part of this one, may be appended
        match chain(behind, framing, None, CONVINCING) {
            Chain::Holds => self.sequence = None,
            Chain::Unsure if !last => return Step::More,
            _ => {
                let continues = (1..behind.len()).filter(|&skip| may_begin(&behind[skip..])).find_map(|skip| {
                    match chain(&behind[skip..], framing, self.sequence, CONVINCING) {
                        Chain::Broken => None,
                        Chain::Unsure if last => None,
                        found => Some((skip, found)),
                    }
                });
                match continues {
                    Some((skip, Chain::Holds)) => return self.opaque(HEAD + skip, FALSE_END),
                    Some(_) => return Step::More,
                    None if !last => return Step::More,
                    None => self.ended = true,
                }
            }
        }
        let from = self.offset;
        self.offset += HEAD as u64;
        Step::Piece(Piece::End(from..self.offset))
    }

    /// Passes over bytes up to the next place where three messages follow each other, or the last ones do. Where the sequences begin again, more
    /// messages must.
    #[cold]
    fn recover(&mut self, window: &[u8], last: bool, fault: Fault) -> Step {
        let framing = self.framing.unwrap_or(Framing::Plain);
        for skip in (1..window.len()).filter(|&skip| may_begin(&window[skip..])) {
            let found = match chain(&window[skip..], framing, self.sequence, CONVINCING) {
                Chain::Broken if self.sequence.is_some() => chain(&window[skip..], framing, None, CONVINCING_AGAIN),
                found => found,
            };
            match found {
                Chain::Holds => return self.opaque(skip, cause(&window[..skip], fault, false)),
                Chain::Unsure if !last => return Step::More,
                _ => {}
            }
        }
        if last { self.opaque(window.len(), cause(window, fault, true)) } else { Step::More }
    }
}

impl Default for Walker {
    fn default() -> Self {
        Self::new()
    }
}

/// Longest text that a prologue may hold.
const PROLOGUE_TEXT: usize = 64;
/// Bytes that hold the prologue, if there is one.
pub(crate) const PROLOGUE_LONGEST: usize = 4 + PROLOGUE_TEXT + 12;

fn prologue(window: &[u8]) -> Option<usize> {
    let word = |at: usize| window.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let length = word(0)? as usize;
    if length == 0 || length > PROLOGUE_TEXT {
        return None;
    }
    let text = window.get(4..4 + length)?;
    let printable = text.iter().all(|&byte| byte == 0 || (0x20..0x7f).contains(&byte));
    let after = 4 + length;
    (printable && word(after)? < 1000 && word(after + 4)? == 0 && word(after + 8)? == 0).then_some(after + 12)
}

/// The message at the start of a file, if it starts with one.
pub fn first(bytes: &[u8]) -> Option<Frame> {
    let (framing, offset) = prologue(bytes).map_or((Framing::Plain, 0), |length| (Framing::Mirrored, length));
    match parse_head(&bytes[offset..], framing) {
        Head::Message { sequence, length, whole } if bytes.len() - offset >= whole => {
            Some(Frame { number: 0, offset: offset as u64, sequence, length, framing })
        }
        _ => None,
    }
}

/// The pieces of a recording in memory.
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    chunk: Chunk<'a>,
    walker: Walker,
}

impl<'a> Frames<'a> {
    /// A walk over a whole file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Frames { chunk: Chunk::whole(bytes), walker: Walker::new() }
    }

    /// The same walk over more bytes, which begin with those it has seen. Set `last` if nothing follows them; until then, an incomplete piece
    /// waits.
    pub fn over<'b>(&self, bytes: &'b [u8], last: bool) -> Frames<'b> {
        self.over_chunk(Chunk::growing(bytes, last))
    }

    /// The same walk over another chunk of the file.
    pub(crate) fn over_chunk<'b>(&self, chunk: Chunk<'b>) -> Frames<'b> {
        Frames { chunk, walker: self.walker.clone() }
    }

    /// How far the walk has come.
    pub fn offset(&self) -> u64 {
        self.walker.offset()
    }

    /// The bytes that it walks over.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.chunk
    }
}

impl Iterator for Frames<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        match self.walker.step(self.chunk.from(self.walker.offset() as usize), self.chunk.is_last()) {
            Step::Piece(piece) => Some(piece),
            Step::More | Step::Done => None,
        }
    }
}

/// The data of a message.
pub fn data<'a>(bytes: &'a [u8], frame: &Frame) -> &'a [u8] {
    let from = frame.data_offset() as usize;
    &bytes[from..from + frame.length as usize]
}

/// The data of a message that the chunk holds.
pub(crate) fn data_in<'a>(chunk: Chunk<'a>, frame: &Frame) -> &'a [u8] {
    let from = frame.data_offset() as usize;
    chunk.get(from..from + frame.length as usize).unwrap_or_default()
}

/// Most bytes of data that two messages in a row may share by chance.
const SHORT: u32 = 8;

/// Whether a message stands in the file twice in a row, byte for byte. No recorder writes it so: engines drop a packet that comes again.
pub(crate) fn is_repeated(chunk: Chunk<'_>, before: &Frame, frame: &Frame) -> bool {
    let same = (before.sequence, before.length) == (frame.sequence, frame.length) && before.end() == frame.offset && frame.length > SHORT;
    same && data_in(chunk, before) == data_in(chunk, frame)
}

/// Takes a recording in chunks.
///
/// ```
/// use fragreel_quake3::container::{Piece, Splitter};
///
/// let mut splitter = Splitter::default();
/// let file = [7, 0, 0, 0, 2, 0, 0, 0, 0xaa, 0xbb, 255, 255, 255, 255, 255, 255, 255, 255];
/// for chunk in file.chunks(5) {
///     splitter.push(chunk);
/// }
/// splitter.finish();
/// let Some((Piece::Message(frame), bytes)) = splitter.next_piece() else { panic!() };
/// assert_eq!((frame.sequence, bytes), (7, &file[..10]));
/// assert!(matches!(splitter.next_piece(), Some((Piece::End(_), _))));
/// assert!(splitter.next_piece().is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Splitter {
    walker: Walker,
    window: Vec<u8>,
    /// Bytes of the window whose pieces were returned.
    spent: usize,
    last: bool,
}

impl Splitter {
    /// Takes the next bytes.
    pub fn push(&mut self, chunk: &[u8]) {
        self.window.drain(..self.spent);
        self.spent = 0;
        self.window.extend_from_slice(chunk);
    }

    /// Ends the input.
    pub fn finish(&mut self) {
        self.last = true;
    }

    /// The next piece and its bytes, head and all; `None` until more is pushed, or at the end.
    pub fn next_piece(&mut self) -> Option<(Piece, &[u8])> {
        let from = self.spent;
        let before = self.walker.offset();
        match self.walker.step(&self.window[from..], self.last) {
            Step::Piece(piece) => {
                self.spent += (self.walker.offset() - before) as usize;
                Some((piece, &self.window[from..self.spent]))
            }
            Step::More | Step::Done => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::head::{TEXT_MODE, ZEROS, ZEROS_TO_END};
    use super::*;

    fn message(sequence: i32, data: &[u8], framing: Framing) -> Vec<u8> {
        let mut out = Vec::new();
        Frame { number: 0, offset: 0, sequence, length: 0, framing }.write(data, &mut out);
        out
    }

    fn sequences(bytes: &[u8]) -> Vec<String> {
        Frames::new(bytes)
            .map(|piece| match piece {
                Piece::Prologue(range) => format!("prologue {range:?}"),
                Piece::Message(frame) => format!("{}", frame.sequence),
                Piece::End(_) => String::from("end"),
                Piece::Opaque(range, fault) => format!("{} {range:?}", fault.kind.name()),
            })
            .collect()
    }

    #[test]
    fn the_first_message_is_there_or_not_searched_for() {
        let plain = message(7, &[9; 20], Framing::Plain);
        assert_eq!(first(&plain).map(|first| (first.offset, first.sequence, first.length)), Some((0, 7, 20)));
        assert_eq!(first(&plain[..27]), None, "it is cut off");
        assert_eq!(first(&END_MARK), None);
        assert_eq!(first(&[]), None);
        let behind = [&[0xee; 9], &*plain, &*plain, &*plain, &*plain].concat();
        assert!(sequences(&behind).len() > 1 && first(&behind).is_none());
        let prologue = [&4u32.to_le_bytes()[..], b"4.3\0", &70u32.to_le_bytes(), &[0; 8]].concat();
        let mirrored = [prologue, message(7, &[9; 20], Framing::Mirrored)].concat();
        assert_eq!(first(&mirrored).map(|first| (first.offset, first.framing)), Some((20, Framing::Mirrored)));
    }

    #[test]
    fn damage_in_the_middle_costs_only_itself() {
        let mut file = Vec::new();
        for sequence in 1..=3 {
            file.extend(message(sequence, &[9; 20], Framing::Plain));
        }
        file.extend([0xee; 100]);
        for sequence in 9..=12 {
            file.extend(message(sequence, &[9; 20], Framing::Plain));
        }
        file.extend(END_MARK);
        assert_eq!(sequences(&file), ["1", "2", "3", "framing 84..184", "9", "10", "11", "12", "end"]);
        file.truncate(file.len() - 10);
        assert_eq!(sequences(&file)[7..], ["truncated 268..294"]);
    }

    /// Messages with these sequences.
    fn messages(of: std::ops::RangeInclusive<i32>) -> Vec<u8> {
        of.flat_map(|sequence| message(sequence, &[9; 40], Framing::Plain)).collect()
    }

    #[test]
    fn holes_cost_the_messages_in_them() {
        for (content, kind) in [(0u8, ZEROS), (0xff, FALSE_END)] {
            let mut file = [messages(1..=40), END_MARK.to_vec()].concat();
            file[480..992].fill(content);
            let pieces: Vec<Piece> = Frames::new(&file).collect();
            let opaque: Vec<Fault> = pieces.iter().filter_map(|piece| if let Piece::Opaque(_, fault) = piece { Some(*fault) } else { None }).collect();
            assert_eq!(opaque, [kind], "{content}");
            let whole = pieces.iter().filter(|piece| matches!(piece, Piece::Message(_))).count();
            assert!(whole >= 29 && matches!(pieces.last(), Some(Piece::End(_))), "{content}: {whole}");
        }
    }

    #[test]
    fn zeros_up_to_the_end_are_an_unfinished_download() {
        let file = [messages(1..=9), vec![0; 5000]].concat();
        assert!(matches!(Frames::new(&file).last(), Some(Piece::Opaque(range, fault)) if fault == ZEROS_TO_END && range == (432..5432)));
    }

    #[test]
    fn line_feeds_with_carriage_returns_are_a_transfer_in_text_mode() {
        let plain: Vec<u8> = (1..=40).flat_map(|sequence| message(sequence, b"\n9999999999\n999999\n9", Framing::Plain)).collect();
        let sent: Vec<u8> = plain.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
        assert!(Frames::new(&sent).any(|piece| matches!(piece, Piece::Opaque(_, fault) if fault == TEXT_MODE)), "{:?}", sequences(&sent));
    }

    #[test]
    fn a_sequence_that_both_neighbors_contradict_is_damage() {
        let file = [messages(5..=8), messages(900_000..=900_000), messages(9..=13), END_MARK.to_vec()].concat();
        assert_eq!(sequences(&file), ["5", "6", "7", "8", "framing 192..240", "9", "10", "11", "12", "13", "end"]);
        // a level may begin another count
        let file = [messages(500..=503), messages(7..=9), END_MARK.to_vec()].concat();
        assert_eq!(sequences(&file), ["500", "501", "502", "503", "7", "8", "9", "end"]);
    }

    #[test]
    fn a_second_recording_is_read_too() {
        let one = [messages(7..=9), END_MARK.to_vec()].concat();
        assert_eq!(sequences(&[&one[..], &one[..]].concat()), ["7", "8", "9", "end", "7", "8", "9", "end"]);
        assert_eq!(sequences(&[&one[..], b"signature"].concat()), ["7", "8", "9", "end", "trailing_data 152..161"]);
    }

    #[test]
    fn mirrored_lengths_follow_a_prologue() {
        let mut file = 7u32.to_le_bytes().to_vec();
        file.extend(b"4.2.023");
        file.extend([68u32, 0, 0].map(u32::to_le_bytes).concat());
        file.extend(message(5, &[1, 2, 3], Framing::Mirrored));
        file.extend(END_MARK);
        file.extend(b"junk");
        assert_eq!(sequences(&file), ["prologue 0..23", "5", "end", "trailing_data 46..50"]);
    }
}
