//! Cuts of a recording that comes in chunks (`docs/formats/quake3.md`, "Editing").
//!
//! The first walk finds the frames of the range, the second one writes them. The comparison has the bytes of the part in memory.

use fragreel_base::wire::{Chunk, Error, Limits};
use fragreel_model::replay::{CheckedCut, Chunks, Fed, FrameAt, Locator, feed_all, has_bytes};
use fragreel_model::{Comparison, Range};

use super::compare::compare_part;
use super::part_writer::{PartWriter, Start};
use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::message::Depth;
use crate::state::State;
use crate::walk::{Input, Playback, TimelineSink, TimelineWalk};

/// Cuts a range out of the recording that `chunks` give, and compares the part with it. `input` says how it is read, and has its first bytes.
pub(crate) fn cut_chunks<C: Chunks>(input: &Input<'_>, range: Range, chunks: &mut C) -> Result<Result<CheckedCut, Error>, C::Error> {
    let playback = Playback::new(input, Depth::Whole).over(Chunk::none());
    let walk = feed_all(TimelineWalk::new(playback, PartFinder { levels: Vec::new(), locator: Locator::new(range) }), chunks)?;
    let messages = walk.messages();
    let Part { start, last } = match walk.sink.finish() {
        Ok(part) => part,
        Err(error) => return Ok(Err(error)),
    };
    let WritingWalk { before, writer, reached, outcome, .. } = feed_all(WritingWalk::new(input, start, last.message), chunks)?;
    if let Some(Err(error)) = outcome {
        return Ok(Err(error));
    }
    let mut edited = writer.finish_changed(input, last.demo, last.message, messages);
    if has_bytes(chunks, &edited.bytes)? {
        edited.actions.clear();
    }
    let comparison = match Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()) {
        Ok(part) => {
            let window = chunks.chunk(before.needed(), reached.saturating_sub(1))?;
            compare(before.over(window), start.message, last.message, &part)
        }
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(CheckedCut { edited, comparison }))
}

/// Where a part starts, and its last frame.
struct Part {
    start: Start,
    last: FrameAt,
}

/// Finds the part that has the frames of a range.
struct PartFinder {
    /// The message of each level's gamestate.
    levels: Vec<u32>,
    locator: Locator,
}

impl PartFinder {
    fn finish(self) -> Result<Part, Error> {
        let located = self.locator.finish()?;
        let (frame, whole_level) = (located.first, located.starts_level());
        let message = if whole_level { self.levels[frame.level as usize] } else { frame.message };
        Ok(Part { start: Start { frame, message, whole_level }, last: located.last })
    }
}

impl TimelineSink for PartFinder {
    fn level(&mut self, message: u32, _: &State, _: bool) {
        self.levels.push(message);
    }

    fn frame(&mut self, frame: &FrameAt) {
        self.locator.frame(frame);
    }
}

/// The walk that plays up to a part and writes it.
struct WritingWalk {
    source: Source<'static>,
    /// The source right before the part.
    before: Source<'static>,
    is_there: bool,
    writer: PartWriter,
    /// The last message of the part.
    end: u32,
    /// Where the last chunk ended. No walk needs bytes behind that to come to the end of the part.
    reached: usize,
    /// How writing ended.
    outcome: Option<Result<(), Error>>,
}

impl WritingWalk {
    fn new(input: &Input<'_>, start: Start, end: u32) -> Self {
        let source = Source::of_input(input).over(Chunk::none());
        WritingWalk { before: source.clone(), source, is_there: false, writer: PartWriter::new(input, start), end, reached: 0, outcome: None }
    }
}

impl Fed for WritingWalk {
    fn feed(mut self, chunk: Chunk<'_>) -> Self {
        let mut source = self.source.over(chunk);
        self.reached = chunk.end();
        if !self.is_there && play_to(&mut source, self.writer.start.message) {
            self.is_there = true;
            self.before = source.clone().over(Chunk::none());
        }
        if self.is_there {
            self.outcome = self.writer.write(&mut source, self.end).map(|is_written| is_written.then_some(())).transpose();
        }
        WritingWalk { source: source.over(Chunk::none()), ..self }
    }

    fn needed(&self) -> usize {
        self.source.needed()
    }

    fn is_over(&self) -> bool {
        self.outcome.is_some()
    }
}

/// Plays up to a message. Returns whether the source stands right before it.
fn play_to(source: &mut Source<'_>, message: u32) -> bool {
    loop {
        match source.playback.place().clone().next() {
            None => return false,
            Some(Piece::Message(frame)) if frame.number >= message => return true,
            Some(_) => match source.next() {
                None => return false,
                Some(Piece::Message(frame)) => source.apply(&frame),
                Some(_) => {}
            },
        }
    }
}

/// Compares a part with its source, which stands before the message `first`. `last` is the message of the last frame.
fn compare(source: Source<'_>, first: u32, last: u32, part: &Recording<'_>) -> Comparison {
    let (playback, signon) = (source.playback.clone(), &source.signon);
    let mut walk = TimelineWalk::inside(playback, signon.levels, signon.gamestate.is_some(), PartFrames { frames: Vec::new(), last });
    walk.play();
    compare_part(&walk.sink.frames, source, first, part)
}

/// The frames up to a message.
struct PartFrames {
    frames: Vec<FrameAt>,
    last: u32,
}

impl TimelineSink for PartFrames {
    fn level(&mut self, _: u32, _: &State, _: bool) {}

    fn frame(&mut self, frame: &FrameAt) {
        self.frames.push(*frame);
    }

    fn is_over(&self, message: u32) -> bool {
        message >= self.last
    }
}
