//! The time of every frame, and the frames of a time range.

use std::ops::Range as Span;
use std::sync::{Arc, OnceLock};

use fragreel_base::wire::Error;
use fragreel_model::Range;
use fragreel_model::replay::FrameAt;

use crate::dialect::Dialect;
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::state::{Detail, Effect, State};
use crate::walk::match_clock::MatchClock;
use crate::walk::{At, Input, Visitor, WalkOptions};

/// A run of frames by their numbers in the file, from 1. Both ends are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub first: u64,
    pub last: u64,
}

impl From<Span<usize>> for Run {
    fn from(span: Span<usize>) -> Self {
        Run { first: span.start as u64 + 1, last: span.end as u64 }
    }
}

/// Takes the frames that begin, one by one. The key is the frame number.
pub(crate) trait FrameSink {
    fn frame(&mut self, frame: FrameAt, state: &State);
}

/// Finds the frames and their times. Its walk takes the options of [`options`].
pub(crate) struct FrameFinder<S> {
    pub sink: S,
    clock: MatchClock,
}

/// The frames of a recording, and the map of each level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    /// All frames that begin.
    pub line: fragreel_model::replay::Timeline,
    /// The map of each level, by [`State::levels`] at its start.
    maps: Vec<(u32, Vec<u8>)>,
    /// The dialect of each of these levels.
    pub dialects: Vec<Dialect>,
}

impl<S: FrameSink> Visitor for FrameFinder<S> {
    fn message(&mut self, at: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        self.clock.effect(effect);
        match &message.body {
            Body::Frame(_) if effect != Effect::Contradicted => self.frame(at, state),
            Body::Print(print) => drop(self.clock.print(&print.text.0, state.clock.time())),
            _ => {}
        }
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, _: &[u8], effect: Effect, state: &State) {
        self.clock.effect(effect);
        match &message.body {
            MvdBody::Frame(_) | MvdBody::ServerData(_) => self.frame(at, state),
            MvdBody::Print(print) => drop(self.clock.print(&print.text.0, state.clock.time())),
            _ => {}
        }
    }
}

/// A [`Timeline`] that is built on first use. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LazyTimeline(Arc<OnceLock<Timeline>>);

impl LazyTimeline {
    /// The timeline of `input`, which must be the same on every call.
    pub(crate) fn get(&self, input: &Input<'_>) -> &Timeline {
        self.0.get_or_init(|| Timeline::of(input))
    }
}

impl<S> FrameFinder<S> {
    /// Gives the frames to `sink`.
    pub(crate) fn new(sink: S) -> Self {
        FrameFinder { sink, clock: MatchClock::default() }
    }
}

/// The options of a walk that finds frames.
pub(crate) fn options(input: &Input<'_>) -> WalkOptions {
    WalkOptions { skim: true, detail: Detail::Strings, parcels: false, ..input.walk_options() }
}

impl<S: FrameSink> FrameFinder<S> {
    fn frame(&mut self, at: At, state: &State) {
        let clock = &state.clock;
        let frame = FrameAt {
            message: at.block,
            key: clock.number(),
            level: state.levels,
            demo: clock.time(),
            server: clock.server_time(),
            in_match: self.clock.at(clock.time()),
            before_round: false,
        };
        self.sink.frame(frame, state);
    }
}

impl FrameSink for Timeline {
    fn frame(&mut self, frame: FrameAt, state: &State) {
        self.line.frames.push(frame);
        if self.maps.last().is_none_or(|(level, _)| *level != state.levels) {
            self.maps.push((state.levels, state.strings.get(state.dialect.strings.models + 1).to_vec()));
            self.dialects.push(state.dialect);
        }
    }
}

/// Why a recording without frames has no part.
pub(crate) fn no_frame() -> Error {
    Error::misuse("the recording has no frame")
}

impl Timeline {
    fn of(input: &Input<'_>) -> Self {
        let mut finder = FrameFinder::new(Timeline::default());
        input.walk(options(input), &mut finder);
        finder.sink
    }

    /// The map of a level.
    pub(crate) fn map(&self, level: u32) -> &[u8] {
        self.maps.iter().find(|(known, _)| *known == level).map_or(&[], |(_, map)| map)
    }

    /// The number of frames.
    pub(crate) fn count(&self) -> u64 {
        self.line.frames.len() as u64
    }

    /// All frames. Fails if there are none.
    pub(crate) fn all(&self) -> Result<Run, Error> {
        match self.count() {
            0 => Err(no_frame()),
            last => Ok(Run { first: 1, last }),
        }
    }

    /// From the last frame at or before the start of `range` to the last at or before its end.
    pub(crate) fn span(&self, range: Range) -> Result<Span<usize>, Error> {
        self.all()?;
        self.line.locate(range)
    }
}
