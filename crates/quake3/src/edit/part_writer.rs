//! Writes a part of a recording: a signon, the first frame, and the messages behind it.

use std::ops::Range as Span;

use fragreel_base::wire::Error;
use fragreel_model::replay::FrameAt;
use fragreel_model::{Action, Edited};

use super::recording_writer::RecordingWriter;
use super::source::{Source, SourceSeeker};
use crate::Recording;
use crate::container::{Frame, Piece};
use crate::encode::Signon;
use crate::walk::Timeline;

/// The first message of a part whose first frame is `first`. At the start of a level, that is the message with the gamestate.
pub(super) fn first_message(timeline: &Timeline, first: usize) -> u32 {
    let frame = timeline.line.frames[first];
    if timeline.line.starts_level(first) { timeline.levels[frame.level as usize].message } else { frame.message }
}

/// Writes the frames `part` of a recording, and what follows up to the message `end`, behind a signon.
pub(super) fn write_part(recording: &Recording<'_>, timeline: &Timeline, seeker: &mut SourceSeeker<'_>, part: Span<usize>, end: u32) -> Result<Edited, Error> {
    let mut writer = PartWriter::new(recording, timeline, part.start);
    let mut source = seeker.before(writer.begin);
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        writer.pass(&mut source, &frame)?;
        if frame.number >= end {
            break;
        }
    }
    Ok(writer.finish(recording, timeline, part.end - 1, end))
}

/// A part of a recording while it is written.
pub(super) struct PartWriter {
    pub writer: RecordingWriter,
    /// Its first message.
    pub begin: u32,
    first: FrameAt,
    whole_level: bool,
}

impl PartWriter {
    /// Starts a part with this first frame.
    pub(super) fn new(recording: &Recording<'_>, timeline: &Timeline, first: usize) -> Self {
        let (begin, whole_level) = (first_message(timeline, first), timeline.line.starts_level(first));
        PartWriter { writer: RecordingWriter::for_source(recording), begin, first: timeline.line.frames[first], whole_level }
    }

    /// Applies the last message of `source` and writes it; the signon goes before the first. For the message of the first frame, returns
    /// how many bytes come before it.
    pub(super) fn pass(&mut self, source: &mut Source<'_>, frame: &Frame) -> Result<Option<usize>, Error> {
        let mut changed = false;
        if frame.number == self.begin && !self.whole_level {
            let mut signon = Signon::of(&source.playback.state, &source.signon, source.playback.message.acknowledged)
                .ok_or_else(|| Error::malformed("the level of the range has no whole gamestate"))?;
            self.writer.write((self.first.key as i32).wrapping_sub(1), &mut signon.message)?;
            changed = signon.adjust_first_message(&mut source.playback.message);
        }
        let signon_size = (frame.number == self.first.message).then_some(self.writer.bytes.len());
        self.writer.pass_changed(source, frame, changed)?;
        Ok(signon_size)
    }

    /// Ends the part with the frame `last` and the message `end`.
    pub(super) fn finish(self, recording: &Recording<'_>, timeline: &Timeline, last: usize, end: u32) -> Edited {
        let mut actions = Vec::new();
        let (first, last) = (self.first, timeline.line.frames[last]);
        let end = end.min(timeline.messages.saturating_sub(1));
        if self.begin > 0 || end + 1 < timeline.messages {
            actions.push(Action::FramesKept { from: first.demo, to: last.demo, first: self.begin, last: end, messages: timeline.messages });
        }
        if !self.whole_level {
            actions.push(Action::SignonMade { frames: 1 });
        }
        self.writer.finish(recording, actions)
    }
}
