//! Writes a part of a recording: a signon, the first frame, and the messages behind it.

use std::ops::Range as Span;

use fragreel_base::wire::Error;
use fragreel_model::replay::FrameAt;
use fragreel_model::{Action, Edited, Milliseconds};

use super::recording_writer::{RecordingWriter, without_needless_actions};
use super::source::{Source, SourceSeeker};
use crate::Recording;
use crate::container::{END_MARK, Frame, Piece};
use crate::encode::Signon;
use crate::walk::{Input, Timeline};

/// Where a part starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// Its first frame.
    pub frame: FrameAt,
    /// Its first message. At the start of a level, that is the one with the gamestate.
    pub message: u32,
    /// Whether it starts with a level.
    pub whole_level: bool,
}

impl Start {
    /// Where a part starts that has this frame as its first.
    pub(super) fn of(timeline: &Timeline, first: usize) -> Self {
        let (frame, whole_level) = (timeline.line.frames[first], timeline.line.starts_level(first));
        Start { frame, message: if whole_level { timeline.levels[frame.level as usize].message } else { frame.message }, whole_level }
    }
}

/// Writes the frames `part` of a recording, and what follows up to the message `end`, behind a signon.
pub(super) fn write_part(recording: &Recording<'_>, timeline: &Timeline, seeker: &mut SourceSeeker<'_>, part: Span<usize>, end: u32) -> Result<Edited, Error> {
    let mut writer = PartWriter::new(&recording.input, Start::of(timeline, part.start));
    let mut source = seeker.before(writer.start.message);
    writer.write(&mut source, end)?;
    Ok(writer.finish(recording, timeline, part.end - 1, end))
}

/// A part of a recording while it is written.
pub(super) struct PartWriter {
    pub writer: RecordingWriter,
    pub start: Start,
}

impl PartWriter {
    /// Starts a part of the recording that begins with the bytes of `input`.
    pub(super) fn new(input: &Input<'_>, start: Start) -> Self {
        PartWriter { writer: RecordingWriter::for_input(input), start }
    }

    /// Writes the messages of `source` up to the message `end`. Returns whether it came there.
    pub(super) fn write(&mut self, source: &mut Source<'_>, end: u32) -> Result<bool, Error> {
        while let Some(piece) = source.next() {
            let Piece::Message(frame) = piece else { continue };
            self.pass(source, &frame)?;
            if frame.number >= end {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Applies the last message of `source` and writes it; the signon goes before the first. For the message of the first frame, returns
    /// how many bytes come before it.
    pub(super) fn pass(&mut self, source: &mut Source<'_>, frame: &Frame) -> Result<Option<usize>, Error> {
        let mut changed = false;
        if frame.number == self.start.message && !self.start.whole_level {
            let mut signon = Signon::of(&source.playback.state, &source.signon, source.playback.message.acknowledged)
                .ok_or_else(|| Error::malformed("the level of the range has no whole gamestate"))?;
            self.writer.write((self.start.frame.key as i32).wrapping_sub(1), &mut signon.message)?;
            changed = signon.adjust_first_message(&mut source.playback.message);
        }
        let signon_size = (frame.number == self.start.frame.message).then_some(self.writer.bytes.len());
        self.writer.pass_changed(source, frame, changed)?;
        Ok(signon_size)
    }

    /// Ends the part with the frame `last` and the message `end`.
    pub(super) fn finish(self, recording: &Recording<'_>, timeline: &Timeline, last: usize, end: u32) -> Edited {
        let last = timeline.line.frames[last].demo;
        without_needless_actions(self.finish_changed(&recording.input, last, end, timeline.messages), recording)
    }

    /// The same for a part whose bytes are not those of the source, which has this number of messages. `last` is the time of the last frame.
    pub(super) fn finish_changed(mut self, input: &Input<'_>, last: Milliseconds, end: u32, messages: u32) -> Edited {
        let mut actions = Vec::new();
        let Start { frame, message: begin, whole_level } = self.start;
        let end = end.min(messages.saturating_sub(1));
        if begin > 0 || end + 1 < messages {
            actions.push(Action::FramesKept { from: frame.demo, to: last, first: begin, last: end, messages });
        }
        if !whole_level {
            actions.push(Action::SignonMade { frames: 1 });
        }
        self.writer.bytes.extend_from_slice(&END_MARK);
        self.writer.finish_changed(input, actions)
    }
}
