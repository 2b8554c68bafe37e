//! The frames and levels of a recording, and the blocks of a range of time.

use std::ops::Range as Span;

use fragreel_base::wire::Error;
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

impl Timeline {
    /// Reads a recording from start to end.
    pub(crate) fn of(input: &Input<'_>) -> Self {
        let mut timeline = Timeline::default();
        let mut playback = Playback::new(input, false);
        let (mut closed, mut match_clock) = (false, MatchClock::default());
        while let Some(step) = playback.next_block() {
            let NextBlock::Block(block) = step else { continue };
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
                        timeline.levels.push(Level { stated: block.number, map: None });
                        closed = false;
                    }
                    MessageKind::Disconnect => closes = true,
                    _ => {}
                }
                if let (Message::ServerInfo(_) | Message::ModelList(_) | Message::ModelListShort(_), Some(level)) = (message, timeline.levels.last_mut()) {
                    level.map = context.game.level.map().or(level.map.take());
                }
            });
            if framed && !playback.signing_on {
                let (demo, server) = (playback.clock.demo, playback.clock.server);
                let level = timeline.levels.len() as u32;
                timeline.line.frames.push(FrameAt {
                    message: block.number,
                    key: key.into(),
                    level,
                    demo,
                    server,
                    in_match: match_clock.at(demo),
                    ..FrameAt::default()
                });
                timeline.closed.push(closed);
                timeline.offsets.push(block.offset);
            }
            closed |= closes;
        }
        timeline.end = playback.clock;
        timeline
    }

    /// True if the server's clock never moves, as in some single-player recordings of FTE. Only the demo clock distinguishes frames then.
    pub(crate) fn server_stands_still(&self) -> bool {
        self.line.frames.len() > 1 && self.line.frames.windows(2).all(|pair| pair[0].server == pair[1].server)
    }

    /// The frames of a range. The last frame lasts until the end of the recording.
    pub(crate) fn locate(&self, mut range: Range) -> Result<Span<usize>, Error> {
        if let Some(last) = self.line.frames.last() {
            let (end, last) = match range.clock {
                Clock::Demo => (self.end.demo, last.demo),
                Clock::Server => (self.end.server, last.server),
                Clock::Match => (Milliseconds(0), Milliseconds(0)),
            };
            if range.from > last && range.from <= end && range.to >= range.from {
                range.from = last;
            }
        }
        self.line.locate(range)
    }

    /// The blocks of frames, including those up to the next frame or level.
    pub(crate) fn blocks(&self, frames: &Span<usize>) -> Blocks {
        let (first, last) = (self.line.frames[frames.start].message, self.line.frames[frames.end - 1].message);
        let Some(next) = self.line.frames.get(frames.end) else { return Blocks { first, end: u32::MAX } };
        let stated = self.levels.iter().map(|level| level.stated).find(|stated| *stated > last);
        Blocks { first, end: stated.map_or(next.message, |stated| stated.min(next.message)) }
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
