//! Cuts a recording that comes in chunks (`docs/formats/quake1.md`, "Editing").

use std::ops::Range as Span;

use fragreel_base::wire::{Chunk, Error, Limits};
use fragreel_model::replay::{CheckedCut, Chunks, Fed, FrameAt, Locator, feed_all, has_bytes};
use fragreel_model::{Comparison, Edited, Range};

use crate::edit::compare::{Comparer, FrameStepper};
use crate::edit::part_writer::PartWriter;
use crate::edit::source::Source;
use crate::edit::understood;
use crate::walk::input::Input;
use crate::walk::timeline::{Blocks, Timeline, TimelineSink, TimelineWalk, lasting};

/// The frames of a range as a recording, and how they compare with those of the source. `input` says how it is read.
pub(crate) fn cut<C: Chunks>(input: &Input<'_>, range: Range, chunks: &mut C) -> Result<Result<CheckedCut, Error>, C::Error> {
    if let Err(error) = understood(input) {
        return Ok(Err(error));
    }
    let place = match find(input, range, chunks)? {
        Ok(place) => place,
        Err(error) => return Ok(Err(error)),
    };
    let CutWalk { mut writer, before, .. } = feed_all(CutWalk::new(input, place), chunks)?;
    let to = writer.offset() as usize;
    let (report, out) = writer.finish();
    let is_source = has_bytes(chunks, &out.bytes)?;
    let edited = report.edited(out, is_source);
    let comparison = compare(input, &edited, before, to, chunks)?;
    Ok(Ok(CheckedCut { edited, comparison }))
}

/// Where a part lies.
#[derive(Debug, Clone)]
struct Place {
    frames: Span<usize>,
    blocks: Blocks,
    /// The block of the frame before.
    before: Option<u32>,
}

/// Finds the frames of a range.
fn find<C: Chunks>(input: &Input<'_>, range: Range, chunks: &mut C) -> Result<Result<Place, Error>, C::Error> {
    let mut walk = feed_all(FindWalk::new(input, range), chunks)?;
    let lasting = lasting(range, walk.found.last.as_ref(), walk.timeline.clock());
    if lasting != range {
        // where the recording ends was not known before
        walk = feed_all(FindWalk::new(input, lasting), chunks)?;
    }
    let FindWalk { found: Found { locator, stated, .. }, .. } = walk;
    Ok(locator.finish().map(|located| Place {
        blocks: Blocks::new(&located.first, &located.last, located.behind.as_ref(), stated),
        before: located.before.map(|frame| frame.message),
        frames: located.frames,
    }))
}

/// The walk that finds the frames of a range.
struct FindWalk {
    timeline: TimelineWalk<'static>,
    found: Found,
}

/// What is known of the frames so far.
struct Found {
    locator: Locator,
    last: Option<FrameAt>,
    /// The first block that states a level behind a frame, for each frame that has one before the next.
    stated: Vec<u32>,
    states_level: bool,
}

impl FindWalk {
    fn new(input: &Input<'_>, range: Range) -> Self {
        let found = Found { locator: Locator::new(range), last: None, stated: Vec::new(), states_level: false };
        FindWalk { timeline: TimelineWalk::new(input).over(Chunk::none()), found }
    }
}

impl TimelineSink for Found {
    fn frame(&mut self, frame: FrameAt, _: bool, _: u64) {
        self.locator.frame(&frame);
        (self.last, self.states_level) = (Some(frame), false);
    }

    fn level(&mut self, stated: u32) {
        if !std::mem::replace(&mut self.states_level, true) {
            self.stated.push(stated);
        }
    }
}

impl Fed for FindWalk {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let FindWalk { timeline, mut found, .. } = self;
        let mut timeline = timeline.over(chunk);
        while timeline.step(&mut found) {}
        FindWalk { timeline: timeline.over(Chunk::none()), found }
    }

    fn needed(&self) -> usize {
        self.timeline.offset() as usize
    }
}

/// The walk that writes a part.
struct CutWalk {
    place: Place,
    writer: PartWriter<'static>,
    before: Before,
}

/// Walks that stop before the first block of a part.
#[derive(Debug, Clone)]
struct Before {
    stepper: FrameStepper<'static>,
    timeline: TimelineWalk<'static>,
    /// The number of frames that the part has.
    frames: usize,
}

impl CutWalk {
    fn new(input: &Input<'_>, place: Place) -> Self {
        let mut writer = PartWriter::new(input).over(Chunk::none()).needing(place.before.map(|before| before..place.blocks.first + 1).into_iter().collect());
        if place.before.is_none() {
            writer.begin(true);
        }
        let timeline = TimelineWalk::new(input).over(Chunk::none());
        let before = Before { stepper: FrameStepper::in_chunks(input), timeline, frames: place.frames.len() };
        CutWalk { place, writer, before }
    }
}

impl Fed for CutWalk {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let CutWalk { place, writer, before } = self;
        let mut writer = writer.over(chunk);
        writer.write(place.blocks, place.before.is_none());
        let before = before.play(&place, chunk);
        CutWalk { place, writer: writer.over(Chunk::none()), before }
    }

    fn needed(&self) -> usize {
        // the others have been there, or wait before the part
        self.writer.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.writer.next() >= self.place.blocks.end
    }
}

impl Before {
    /// Goes on to the part, or to the end of the chunk.
    fn play(self, place: &Place, chunk: Chunk<'_>) -> Self {
        let (mut stepper, mut timeline) = (self.stepper.over(chunk), self.timeline.over(chunk));
        stepper.play_before(place.blocks.first, place.frames.start as u32);
        while timeline.next_number() < place.blocks.first && timeline.step(&mut ()) {}
        Before { stepper: stepper.over(Chunk::none()), timeline: timeline.over(Chunk::none()), frames: self.frames }
    }

    /// The frames of the part, if the chunk has all of them.
    fn frames_in(&self, chunk: Chunk<'_>) -> Option<Timeline> {
        let (mut walk, mut timeline) = (self.timeline.clone().over(chunk), Timeline::default());
        while timeline.line.frames.len() < self.frames && walk.step(&mut timeline) {}
        (timeline.line.frames.len() == self.frames || chunk.is_last()).then_some(timeline)
    }
}

/// Compares a part with the frames that it was made of, which end before the byte `to`. Nothing is compared where the part is no recording.
fn compare<C: Chunks>(input: &Input<'_>, edited: &Edited, before: Before, to: usize, chunks: &mut C) -> Result<Comparison, C::Error> {
    let Ok(part) = Input::open(&edited.bytes, Some(&edited.extension), Limits::default()) else { return Ok(Comparison::default()) };
    let part = Source::new(part);
    let from = before.stepper.offset() as usize;
    let mut beyond = to.saturating_sub(1);
    loop {
        let chunk = chunks.chunk(from, beyond)?;
        if let Some(timeline) = before.frames_in(chunk) {
            let source = Source::with_timeline(input.over(&[]), timeline);
            return Ok(Comparer::with_part(source, before.stepper.over(chunk)).compare_with_strings(&part));
        }
        // how the last blocks are read depends on what lies behind them
        beyond = chunk.end();
    }
}
