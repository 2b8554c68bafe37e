//! The blocks of a file, in order.

use fragreel_base::wire::{Error, Limits};

use super::clock::{Following, Jump, LONGEST_HOLE, STEADY, stated_time, steady};
use super::framing::{Container, Framing};
use super::plausible::{IN_A_ROW, LONGEST_LIKELY, plausible, plausible_length};
use super::read::{Block, block_at, header, starts_with_zeros};

/// The blocks of a recording in file order.
///
/// An error is yielded once where framing breaks; then [`resume`](Self::resume) looks for the next place from which
/// several blocks in a row make sense.
#[derive(Debug, Clone)]
pub struct Blocks<'a> {
    bytes: &'a [u8],
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
    /// False while the file may grow.
    ends: bool,
}

impl<'a> Blocks<'a> {
    /// The blocks of a file that does not start with one, or with a NetQuake file's line. The first item is an error.
    pub(crate) fn without_start(bytes: &'a [u8], container: Container, limits: &Limits) -> Self {
        Blocks { bytes, container, at: 0, number: 0, limit: limits.message_bytes, broken: false, cut: false, lost_start: true, time: None, ends: true }
    }

    /// The blocks of a file. Fails when a NetQuake file does not start with its line.
    pub fn new(bytes: &'a [u8], container: Container, limits: &Limits) -> Result<Self, Error> {
        let at = match container {
            Container::NetQuake => {
                header(bytes).ok_or_else(|| Error::malformed("the recording does not start with the number of a music track").at_offset(0))?.len()
            }
            _ => 0,
        };
        Ok(Blocks { bytes, container, at, number: 0, limit: limits.message_bytes, broken: false, cut: false, lost_start: false, time: None, ends: true })
    }

    /// The same place in more, or in other bytes. `ends` says that no more will follow.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8], ends: bool) -> Blocks<'b> {
        Blocks { bytes, ends, ..*self }
    }

    /// Where the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.at as u64
    }

    #[inline(always)]
    fn read(&self, at: usize) -> Result<(Framing, usize, usize), Error> {
        block_at(self.bytes, at, self.container, self.limit)
    }

    /// The time that the block at `at` states, if it states one, and where the next one starts.
    fn stated_at(&self, at: usize) -> Option<(Option<f32>, usize)> {
        let (framing, data, length) = self.read(at).ok()?;
        Some((stated_time(&framing, &self.bytes[data..data + length]), data + length))
    }

    /// What follows the block before `at`, for those who judge its time.
    fn following(&self, at: usize) -> Following<impl Fn(usize) -> Option<(Option<f32>, usize)>> {
        Following { at, end: self.bytes.len(), ends: self.ends, netquake: self.container == Container::NetQuake, time_at: move |at| self.stated_at(at) }
    }

    /// The next block: framing, where its data starts, the data's length, and what is wrong with its time.
    #[inline(always)]
    fn read_in_time(&mut self) -> Result<(Framing, usize, usize, Option<Jump>), Error> {
        let (framing, data, length) = self.read(self.at)?;
        let stated = stated_time(&framing, &self.bytes[data..data + length]);
        let Some(time) = stated else { return Ok((framing, data, length, None)) };
        let Some(before) = self.time else {
            let contradicted = self.following(data + length).contradicts_first(time);
            self.time = Some(time).filter(|_| !contradicted);
            return Ok((framing, data, length, contradicted.then_some(Jump::Contradicted)));
        };
        let is_plain = self.container != Container::NetQuake || time >= before;
        if let Some(time) = steady(before, time, STEADY).filter(|_| is_plain) {
            if time - before > -STEADY.start && self.following(data + length).contradicts_step(before, time) {
                return Ok((framing, data, length, Some(Jump::Contradicted)));
            }
            self.time = Some(time);
            return Ok((framing, data, length, None));
        }
        match self.following(data + length).judge(before, time) {
            Jump::Set => self.time = Some(time),
            // a clock that falls a little is no damage
            Jump::Broken | Jump::Contradicted if steady(before, time, STEADY).is_some() => self.time = Some(time),
            Jump::Broken => return Err(Error::malformed("a time that the neighboring blocks contradict")),
            doubtful => return Ok((framing, data, length, Some(doubtful))),
        }
        Ok((framing, data, length, None))
    }

    /// Looks for the next place after the one that broke where blocks make sense again, and `reads` reads the first. Where it reads none, their framing
    /// alone decides. The bytes passed over are returned; `None` when there is no such place.
    pub fn resume(&mut self, reads: impl Fn(&Block<'_>) -> bool) -> Option<(u64, u64)> {
        if !self.broken {
            return None;
        }
        let from = self.at;
        // where the file may just have been cut, a few bytes that look like a block at its very end prove nothing
        let cut = self.cut;
        let known = self.time.filter(|_| self.container == Container::QuakeWorld);
        let time_at = |at: usize| self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes);
        let makes_sense = |at: usize, in_time: bool| {
            let mut at = at;
            let (mut last, mut longest) = (known.filter(|_| in_time), LONGEST_HOLE);
            for _ in 0..IN_A_ROW {
                if starts_with_zeros(&self.bytes[at..]) {
                    return false;
                }
                if let (Some(before), Some(time)) = (last, time_at(at)) {
                    if !(STEADY.start..longest).contains(&(time - before)) {
                        return false;
                    }
                    (last, longest) = (Some(time), STEADY.end);
                }
                let Some(length) = plausible_length(&self.bytes[at..], self.container, self.limit) else { return false };
                at += length;
                if at == self.bytes.len() {
                    return !cut;
                }
            }
            true
        };
        let is_read = |at: usize| {
            let Ok((framing, data, length)) = self.read(at) else { return false };
            let data_offset = data as u64;
            let data = &self.bytes[data..data + length];
            reads(&Block { number: self.number, offset: at as u64, data_offset, framing, data, contradicted: false, late: false })
        };
        let place = |in_time: bool, is_read: &dyn Fn(usize) -> bool| {
            let mut places = from + 1..self.bytes.len();
            places.find(|&at| makes_sense(at, in_time) && is_read(at))
        };
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
        if self.broken || self.at >= self.bytes.len() {
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
                Some(Ok(Block { number, offset, data_offset, framing, data: &self.bytes[data..data + length], contradicted, late }))
            }
            Err(error) => {
                self.broken = true;
                self.cut = error.kind() == fragreel_base::wire::ErrorKind::Malformed && self.bytes.len() - offset <= LONGEST_LIKELY;
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
