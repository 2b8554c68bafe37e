//! The blocks of a file, in order.

use fragreel_base::wire::{Chunk, Error, Limits};

use super::clock::{Following, Jump, LONGEST_HOLE, STEADY, stated_time, steady};
use super::framing::{Container, Framing, Target};
use super::hot_path;
use super::plausible::{IN_A_ROW, LONGEST_LIKELY, plausible, plausible_length};
use super::read::{Block, ZEROS, block_at, header, starts_with_zeros};

/// Bytes of the longest framing.
const LONGEST_FRAMING: usize = 64;

/// The blocks of a recording in file order.
///
/// An error is yielded once where framing breaks; then [`resume`](Self::resume) looks for the next place from which
/// several blocks in a row make sense.
#[derive(Debug, Clone)]
pub struct Blocks<'a> {
    chunk: Chunk<'a>,
    container: Container,
    at: usize,
    number: u32,
    limit: usize,
    broken: bool,
    /// Whether the broken block may be whole but for the file's end.
    cut: bool,
    /// Whether the file's start, which comes next, is damaged.
    lost_start: bool,
    /// The last time that the blocks stated.
    time: Option<f32>,
}

impl<'a> Blocks<'a> {
    /// The blocks of a file that does not start with one, or with a NetQuake file's line. The first item is an error.
    pub(crate) fn without_start(bytes: &'a [u8], container: Container, limits: &Limits) -> Self {
        Blocks { lost_start: true, ..Self::starting_at(0, bytes, container, limits) }
    }

    /// The blocks of a file. Fails when a NetQuake file does not start with its line.
    pub fn new(bytes: &'a [u8], container: Container, limits: &Limits) -> Result<Self, Error> {
        let at = match container {
            Container::NetQuake => {
                header(bytes).ok_or_else(|| Error::malformed("the recording does not start with the number of a music track").at_offset(0))?.len()
            }
            _ => 0,
        };
        Ok(Self::starting_at(at, bytes, container, limits))
    }

    fn starting_at(at: usize, bytes: &'a [u8], container: Container, limits: &Limits) -> Self {
        let chunk = Chunk::whole(bytes);
        Blocks { chunk, container, at, number: 0, limit: limits.message_bytes, broken: false, cut: false, lost_start: false, time: None }
    }

    /// The same place in another chunk of the file.
    pub(crate) fn over<'b>(&self, chunk: Chunk<'b>) -> Blocks<'b> {
        Blocks { chunk, ..*self }
    }

    /// The bytes that they are read from.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.chunk
    }

    /// Where the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.at as u64
    }

    /// The number of the next block.
    pub(crate) fn next_number(&self) -> u32 {
        self.number
    }

    #[inline(always)]
    fn read(&self, at: usize) -> Result<(Framing, usize, usize), Error> {
        block_at(self.chunk, at, self.container, self.limit)
    }

    /// The time that the block at `at` states, if it states one, and where the next one starts.
    fn stated_at(&self, at: usize) -> Option<(Option<f32>, usize)> {
        let (framing, data, length) = self.read(at).ok()?;
        Some((stated_time(&framing, self.data(data, length)), data + length))
    }

    /// What follows the block before `at`, for those who judge its time.
    fn following(&self, at: usize) -> Following<impl Fn(usize) -> Option<(Option<f32>, usize)>> {
        let hides_more = self.chunk.hides_more();
        Following {
            at,
            end: self.chunk.end(),
            ends: self.chunk.is_last() || hides_more,
            hidden: hides_more.then_some(self.longest()),
            is_unknown: false,
            netquake: self.container == Container::NetQuake,
            time_at: move |at| self.stated_at(at),
        }
    }

    /// Bytes of the longest block with its framing.
    fn longest(&self) -> usize {
        self.limit.saturating_add(LONGEST_FRAMING)
    }

    #[inline(always)]
    fn data(&self, from: usize, length: usize) -> &'a [u8] {
        self.chunk.get(from..from + length).unwrap_or_default()
    }

    /// The next block: framing, where its data starts, the data's length, and what is wrong with its time. The error is `None` if the next chunk shows
    /// what is wrong.
    #[inline(always)]
    fn read_in_time(&mut self) -> Result<(Framing, usize, usize, Option<Jump>), Option<Error>> {
        let (framing, data, length) = match self.read(self.at) {
            Ok(found) => found,
            Err(error) => return Err(Some(error).filter(|_| !self.chunk.hides_more() || self.chunk.end() - self.at >= self.longest())),
        };
        let stated = stated_time(&framing, self.data(data, length));
        let Some(time) = stated else { return Ok((framing, data, length, None)) };
        let Some(before) = self.time else {
            let contradicted = {
                let mut following = self.following(data + length);
                let contradicted = following.contradicts_first(time);
                following.known(contradicted).ok_or(None)?
            };
            self.time = Some(time).filter(|_| !contradicted);
            return Ok((framing, data, length, contradicted.then_some(Jump::Contradicted)));
        };
        let is_plain = self.container != Container::NetQuake || time >= before;
        if let Some(time) = steady(before, time, STEADY).filter(|_| is_plain) {
            if time - before > -STEADY.start {
                let mut following = self.following(data + length);
                let contradicted = following.contradicts_step(before, time);
                if following.known(contradicted).ok_or(None)? {
                    return Ok((framing, data, length, Some(Jump::Contradicted)));
                }
            }
            self.time = Some(time);
            return Ok((framing, data, length, None));
        }
        let jump = {
            let mut following = self.following(data + length);
            let jump = following.judge(before, time);
            following.known(jump).ok_or(None)?
        };
        match jump {
            Jump::Set => self.time = Some(time),
            // a clock that falls a little is no damage
            Jump::Broken | Jump::Contradicted if steady(before, time, STEADY).is_some() => self.time = Some(time),
            Jump::Broken => return Err(Some(Error::malformed("a time that the neighboring blocks contradict"))),
            doubtful => return Ok((framing, data, length, Some(doubtful))),
        }
        Ok((framing, data, length, None))
    }

    /// Passes over blocks of a multi-view recording, as long as `passes` says so of a block: of its delay, its target, the bytes from its data on, and the
    /// length of its data. Stops where a block is not whole, too.
    #[inline(always)]
    pub(crate) fn pass_while(&mut self, mut passes: impl FnMut(u8, Target, &[u8], usize) -> bool) {
        if self.container != Container::MultiView || self.broken || self.lost_start {
            return;
        }
        let (mut at, mut number) = (self.at, self.number);
        let bytes = self.chunk.from(at);
        let mut rest = bytes;
        // zeros are no such block
        while let (Some(head), true) = (rest.first_chunk(), rest.len() >= ZEROS) {
            let Some((delay, target, data, length)) = hot_path::packet(head) else { break };
            rest = &rest[data..];
            if length > self.limit || length > rest.len() || !passes(delay, target, rest, length) {
                break;
            }
            rest = &rest[length..];
            number = number.wrapping_add(1);
            at = self.at + (bytes.len() - rest.len());
        }
        (self.at, self.number) = (at, number);
    }

    /// Looks for the next place after the one that broke where blocks make sense again, and `reads` reads the first. Where it reads none, their framing
    /// alone decides. Returns the bytes passed over. `None` if there is no such place, or if the chunk does not show which one it is.
    pub fn resume(&mut self, reads: impl Fn(&Block<'_>) -> bool) -> Option<(u64, u64)> {
        if !self.broken {
            return None;
        }
        let from = self.at;
        // where the file may just have been cut, a few bytes that look like a block at its very end prove nothing
        let cut = self.cut;
        let known = self.time.filter(|_| self.container == Container::QuakeWorld);
        let time_at = |at: usize| self.chunk.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes);
        let makes_sense = |at: usize, in_time: bool| {
            let mut at = at;
            let (mut last, mut longest) = (known.filter(|_| in_time), LONGEST_HOLE);
            for _ in 0..IN_A_ROW {
                if starts_with_zeros(self.chunk.from(at)) {
                    return false;
                }
                if let (Some(before), Some(time)) = (last, time_at(at)) {
                    if !(STEADY.start..longest).contains(&(time - before)) {
                        return false;
                    }
                    (last, longest) = (Some(time), STEADY.end);
                }
                let Some(length) = plausible_length(self.chunk.from(at), self.container, self.limit) else { return false };
                at += length;
                if at == self.chunk.end() {
                    return !cut;
                }
            }
            true
        };
        let is_read = |at: usize| {
            let Ok((framing, data, length)) = self.read(at) else { return false };
            let data_offset = data as u64;
            let data = self.data(data, length);
            reads(&Block { number: self.number, offset: at as u64, data_offset, framing, data, contradicted: false, late: false })
        };
        let place = |in_time: bool, is_read: &dyn Fn(usize) -> bool| {
            let mut places = from + 1..self.chunk.end();
            places.find(|&at| makes_sense(at, in_time) && is_read(at))
        };
        if self.chunk.hides_more() {
            // no block that may decide about this place or one before it reaches the end of the chunk
            let first = place(known.is_some(), &is_read).filter(|at| at + IN_A_ROW * (LONGEST_LIKELY + LONGEST_FRAMING) <= self.chunk.end());
            self.at = first?;
            self.broken = false;
            return Some((from as u64, self.at as u64));
        }
        let in_time = known.and_then(|_| place(true, &is_read).or_else(|| place(true, &|_| true)));
        self.at = in_time.or_else(|| place(false, &is_read)).or_else(|| place(false, &|_| true))?;
        self.broken = false;
        Some((from as u64, self.at as u64))
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.broken || self.at >= self.chunk.end() || self.chunk.hides_more() && self.chunk.end() - self.at < ZEROS {
            return None;
        }
        let offset = self.at;
        if std::mem::take(&mut self.lost_start) {
            self.broken = true;
            return Some(Err(Error::malformed("the start of the recording is damaged").at_offset(0).inside("block", Some(0))));
        }
        match self.read_in_time() {
            Ok((framing, data, length, doubt)) => {
                let number = self.number;
                self.number = number.wrapping_add(1);
                self.at = data + length;
                let (contradicted, late) = (matches!(doubt, Some(Jump::Contradicted)), matches!(doubt, Some(Jump::Late)));
                let (offset, data_offset) = (offset as u64, data as u64);
                Some(Ok(Block { number, offset, data_offset, framing, data: self.data(data, length), contradicted, late }))
            }
            Err(None) => None,
            Err(Some(error)) => {
                self.broken = true;
                self.cut = error.kind() == fragreel_base::wire::ErrorKind::Malformed && self.chunk.end() - offset <= LONGEST_LIKELY;
                Some(Err(error.in_message_at(offset as u64).inside("block", Some(self.number))))
            }
        }
    }
}

/// How many blocks in a row make sense from the start: detection's question.
pub(crate) fn sense(bytes: &[u8], container: Container, most: usize) -> usize {
    let Ok(mut blocks) = Blocks::new(bytes, container, &Limits::default()) else { return 0 };
    let mut count = 0;
    while count < most {
        match blocks.next() {
            Some(Ok(block)) if plausible(&block.framing, block.data) || block.data.is_empty() => count += 1,
            _ => break,
        }
    }
    count
}
