//! A part of a recording as a recording.

use std::ops::Range as Span;

use model::{Action, Edited, Range};
use replay::{FrameAt, cut_all};
use wire::Error;

use super::opening::Opening;
use super::source::{Entrance, Source};
use super::timeline::Timeline;
use super::writer::Writer;
use crate::Recording;
use crate::container::{Frame, Piece};

pub(super) fn cuts(recording: &Recording<'_>, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    let timeline = recording.timeline();
    let frames = ranges.iter().map(|range| timeline.line.locate(*range)).collect();
    cut_all(frames, &mut |parts| {
        let mut entrance = Entrance::new(recording);
        let end = |frames: &Span<usize>| timeline.line.frames[frames.end - 1].message;
        parts.iter().map(|frames| part(recording, timeline, &mut entrance, frames.clone(), end(frames))).collect()
    })
}

/// The message that a part starts with when `first` is its first frame: of a whole level, its gamestate's.
pub(super) fn begin(timeline: &Timeline, first: usize) -> u32 {
    let frame = timeline.line.frames[first];
    if timeline.line.starts_level(first) { timeline.levels[frame.level as usize].message } else { frame.message }
}

/// The frames `part` of a recording, and what follows them up to the message `end`, with an opening as of then.
pub(super) fn part(recording: &Recording<'_>, timeline: &Timeline, entrance: &mut Entrance<'_>, part: Span<usize>, end: u32) -> Result<Edited, Error> {
    let mut made = Part::new(recording, timeline, part.start);
    let mut source = entrance.before(made.begin);
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        made.take(&mut source, &frame)?;
        if frame.number >= end {
            break;
        }
    }
    Ok(made.finish(recording, timeline, part.end - 1, end))
}

/// A part that is being made.
pub(super) struct Part {
    /// What is written so far.
    pub writer: Writer,
    /// The message that it starts with.
    pub begin: u32,
    first: FrameAt,
    whole_level: bool,
}

impl Part {
    /// One whose first frame is this one.
    pub fn new(recording: &Recording<'_>, timeline: &Timeline, first: usize) -> Self {
        let (begin, whole_level) = (begin(timeline, first), timeline.line.starts_level(first));
        Part { writer: Writer::like(recording), begin, first: timeline.line.frames[first], whole_level }
    }

    /// Lets the message that `source` read last happen, and writes it; before the first one, the opening. Returns how many bytes come
    /// before the part's first frame, when this is its message.
    pub fn take(&mut self, source: &mut Source<'_>, frame: &Frame) -> Result<Option<usize>, Error> {
        let mut changed = false;
        if frame.number == self.begin && !self.whole_level {
            let mut opening =
                Opening::of(source, source.playback.message.acknowledged).ok_or_else(|| Error::malformed("the level of the range has no whole gamestate"))?;
            self.writer.write((self.first.key as i32).wrapping_sub(1), &mut opening.message)?;
            changed = opening.shorten(&mut source.playback.message);
        }
        let opening = (frame.number == self.first.message).then_some(self.writer.bytes.len());
        self.writer.pass_changed(source, frame, changed)?;
        Ok(opening)
    }

    /// The part, whose last frame is `last`, up to the message `end`.
    pub fn finish(self, recording: &Recording<'_>, timeline: &Timeline, last: usize, end: u32) -> Edited {
        let mut actions = Vec::new();
        let (first, last) = (self.first, timeline.line.frames[last]);
        let end = end.min(timeline.messages.saturating_sub(1));
        if self.begin > 0 || end + 1 < timeline.messages {
            actions.push(Action::FramesKept { from: first.demo, to: last.demo, first: self.begin, last: end, messages: timeline.messages });
        }
        if !self.whole_level {
            actions.push(Action::GamestateMade);
        }
        self.writer.finish(recording, actions)
    }
}
