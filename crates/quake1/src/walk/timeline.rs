//! The frames and levels of a recording, and the blocks of a range of time.

use std::ops::Range as Span;

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::replay::FrameAt;
use fragreel_model::{Clock, Milliseconds, Range};

use crate::message::{Message, MessageKind};
use crate::walk::blocks::NextBlock;
use crate::walk::clock::Clock as Clocks;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::Playback;

/// A level of a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Level {
    /// The block with the server's statement of the level.
    pub stated: u32,
    /// Its map, if the recording names it.
    pub map: Option<String>,
}

/// What takes frames and levels as a walk finds them.
pub(crate) trait TimelineSink {
    /// The next frame. `closed` says whether the connection was closed before it; `offset` is the first byte of its block.
    fn frame(&mut self, _frame: FrameAt, _closed: bool, _offset: u64) {}
    /// The next level, which a block states.
    fn level(&mut self, _stated: u32) {}
    /// The map of the last level.
    fn map(&mut self, _map: Option<String>) {}
}

/// Takes nothing.
impl TimelineSink for () {}

/// The walk that finds the frames and levels of a recording.
#[derive(Debug, Clone)]
pub(crate) struct TimelineWalk<'a> {
    playback: Playback<'a>,
    match_clock: MatchClock,
    /// The number of levels so far.
    levels: u32,
    closed: bool,
}

impl<'a> TimelineWalk<'a> {
    /// One that stands before the first block.
    pub(crate) fn new(input: &Input<'a>) -> Self {
        TimelineWalk { playback: Playback::new(input, false), match_clock: MatchClock::default(), levels: 0, closed: false }
    }

    /// Continues over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> TimelineWalk<'b> {
        TimelineWalk { playback: self.playback.over(chunk), match_clock: self.match_clock, levels: self.levels, closed: self.closed }
    }

    /// The byte at which the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.playback.offset()
    }

    /// The number of the next block.
    pub(crate) fn next_number(&self) -> u32 {
        self.playback.next_number()
    }

    /// The clocks after the last block.
    pub(crate) fn clock(&self) -> &Clocks {
        &self.playback.clock
    }

    /// Reads a block. Returns false at the end.
    pub(crate) fn step(&mut self, sink: &mut impl TimelineSink) -> bool {
        let TimelineWalk { playback, match_clock, levels, closed } = self;
        let block = match playback.next_block() {
            None => return false,
            Some(NextBlock::Broken(..)) => return true,
            Some(NextBlock::Block(block)) => block,
        };
        let (mut framed, mut closes, mut key) = (false, false, 0);
        // what cannot be read has no frame
        let _ = playback.play(&block, |context, item| {
            let Item::Message(message) = item else { return };
            match_clock.message(message, context.delivery.target, context.clock.demo);
            context.apply(message);
            key = context.delivery.sequence;
            framed |= context.brings_frame(message);
            match message.kind() {
                MessageKind::ServerData | MessageKind::ServerInfo => {
                    *levels += 1;
                    sink.level(block.number);
                    *closed = false;
                }
                MessageKind::Disconnect => closes = true,
                _ => {}
            }
            if matches!(message, Message::ServerInfo(_) | Message::ModelList(_) | Message::ModelListShort(_)) {
                sink.map(context.game.level.map());
            }
        });
        if framed && !playback.signing_on {
            let (demo, server) = (playback.clock.demo, playback.clock.server);
            let in_match = match_clock.at(demo);
            let frame = FrameAt { message: block.number, key: key.into(), level: *levels, demo, server, in_match, ..FrameAt::default() };
            sink.frame(frame, *closed, block.offset);
        }
        *closed |= closes;
        true
    }
}

/// The frames and levels of a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    /// Blocks that bring a frame; their key is the packet's number (`.qwd`). Frames before the first level have level 0.
    /// Players in the signon of a multi-view recording are not a frame.
    pub line: fragreel_model::replay::Timeline,
    /// For each frame, whether the connection was closed before it. Engines stop there.
    pub closed: Vec<bool>,
    /// The first byte of each frame's block.
    offsets: Vec<u64>,
    /// The levels.
    pub levels: Vec<Level>,
    /// The clocks at the end.
    end: Clocks,
}

/// A range of blocks that starts with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// The first block, a frame.
    pub first: u32,
    /// The block after the last.
    pub end: u32,
}

impl Blocks {
    /// The blocks of frames, including those up to the next frame or level. `stated` are the blocks that state levels.
    pub(crate) fn new(first: &FrameAt, last: &FrameAt, next: Option<&FrameAt>, stated: impl IntoIterator<Item = u32>) -> Self {
        let first = first.message;
        let Some(next) = next else { return Blocks { first, end: u32::MAX } };
        let stated = stated.into_iter().find(|stated| *stated > last.message);
        Blocks { first, end: stated.map_or(next.message, |stated| stated.min(next.message)) }
    }
}

/// The range with which the frames of `range` are found. The last frame lasts until the end of the recording.
pub(crate) fn lasting(mut range: Range, last: Option<&FrameAt>, end: &Clocks) -> Range {
    let Some(last) = last else { return range };
    let (end, last) = match range.clock {
        Clock::Demo => (end.demo, last.demo),
        Clock::Server => (end.server, last.server),
        Clock::Match => (Milliseconds(0), Milliseconds(0)),
    };
    if range.from > last && range.from <= end && range.to >= range.from {
        range.from = last;
    }
    range
}

impl TimelineSink for Timeline {
    fn frame(&mut self, frame: FrameAt, closed: bool, offset: u64) {
        self.line.frames.push(frame);
        self.closed.push(closed);
        self.offsets.push(offset);
    }

    fn level(&mut self, stated: u32) {
        self.levels.push(Level { stated, map: None });
    }

    fn map(&mut self, map: Option<String>) {
        if let Some(level) = self.levels.last_mut() {
            level.map = map.or(level.map.take());
        }
    }
}

impl Timeline {
    /// Reads a recording from start to end.
    pub(crate) fn of(input: &Input<'_>) -> Self {
        let mut timeline = Timeline::default();
        let mut walk = TimelineWalk::new(input);
        while walk.step(&mut timeline) {}
        timeline.end = walk.playback.clock;
        timeline
    }

    /// True if the server's clock never moves, as in some single-player recordings of FTE. Only the demo clock distinguishes frames then.
    pub(crate) fn server_stands_still(&self) -> bool {
        self.line.frames.len() > 1 && self.line.frames.windows(2).all(|pair| pair[0].server == pair[1].server)
    }

    /// The frames of a range. The last frame lasts until the end of the recording.
    pub(crate) fn locate(&self, range: Range) -> Result<Span<usize>, Error> {
        self.line.locate(lasting(range, self.line.frames.last(), &self.end))
    }

    /// The blocks of frames, including those up to the next frame or level.
    pub(crate) fn blocks(&self, frames: &Span<usize>) -> Blocks {
        let (first, last) = (&self.line.frames[frames.start], &self.line.frames[frames.end - 1]);
        Blocks::new(first, last, self.line.frames.get(frames.end), self.levels.iter().map(|level| level.stated))
    }

    /// The first byte of a frame's block.
    pub(crate) fn offset(&self, block: u32) -> u64 {
        self.offsets[self.line.frames.partition_point(|frame| frame.message < block)]
    }

    /// The first frame of each moment: a server may write several blocks at one time.
    pub(crate) fn moments(&self) -> fragreel_model::replay::Timeline {
        let mut frames = self.line.frames.clone();
        frames.dedup_by_key(|frame| (frame.demo, frame.level));
        fragreel_model::replay::Timeline { frames }
    }
}
