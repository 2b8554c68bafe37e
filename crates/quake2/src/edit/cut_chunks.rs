//! `cut` of a recording that comes in chunks. Keeps the part and its state, and nothing of what lies before and behind it.

use fragreel_base::wire::{Error, Limits};
use fragreel_model::Range;
use fragreel_model::replay::{CheckedCut, Chunks, FrameAt, Located, Locator, cut_all, feed_all};

use super::compare::{Comparer, same_layout};
use super::copy::copy_chunks;
use super::cut::files;
use super::part_writer::CopyOptions;
use super::source::check_editable;
use crate::dialect::Dialect;
use crate::encode::reencode::MAX_STEPS;
use crate::state::State;
use crate::walk::timeline::{self, FrameFinder, FrameSink, Run, no_frame};
use crate::walk::{Input, VisitorWalk};

/// Cuts a range out of the recording that `chunks` give, and compares it with the recording.
pub(crate) fn cut_chunks<C: Chunks>(input: &Input<'_>, range: Range, chunks: &mut C) -> Result<Result<CheckedCut, Error>, C::Error> {
    if let Err(error) = check_editable(input, "cut", chunks)? {
        return Ok(Err(error));
    }
    let survey = Survey { locator: Locator::new(range), level: None, dialects: Vec::new() };
    let finder = VisitorWalk::new(input, timeline::options(input), FrameFinder::new(survey));
    let Survey { locator, dialects, .. } = feed_all(finder, chunks)?.visitor.sink;
    let count = locator.count();
    let located = match locator.finish() {
        _ if count == 0 => return Ok(Err(no_frame())),
        Err(error) => return Ok(Err(error)),
        Ok(located) => located,
    };
    let Located { frames, first, .. } = located;
    let run = Run::from(frames.clone());
    let options = CopyOptions { runs: vec![run], frames: count as u64, sizing: None, repair: true };
    // a part whose first frame is too long begins with parts of it that have the numbers of the frames before
    let stand = first.message.saturating_sub(MAX_STEPS as u32);
    let (parts, seen) = copy_chunks(input, options, None, stand, chunks)?;
    let mut made = parts.into_parts().map(files);
    let edited = match cut_all(vec![Ok(frames)], &mut |_| std::mem::replace(&mut made, Ok(Vec::new()))).remove(0) {
        Ok(edited) => edited,
        Err(error) => return Ok(Err(error)),
    };
    let again = match Input::open(&edited.bytes, Some(&edited.extension), Limits::default()) {
        Ok(again) => again,
        Err(error) => return Ok(Err(error)),
    };
    // the part as one chunk, in which the walk goes on from where it stood before it
    let chunk = chunks.chunk(seen.before.needed(), seen.bytes.saturating_sub(1))?;
    let near = Run { first: run.first.saturating_sub(MAX_STEPS as u64), ..run };
    let comparison = Comparer::of_part(input, dialects, seen.before.over_chunk(chunk), near).compare(&again);
    Ok(Ok(CheckedCut { edited, comparison }))
}

/// Finds the frames of the part, and sees in which dialects the levels are.
struct Survey {
    locator: Locator,
    level: Option<u32>,
    /// One of each layout.
    dialects: Vec<Dialect>,
}

impl FrameSink for Survey {
    fn frame(&mut self, frame: FrameAt, state: &State) {
        self.locator.frame(&frame);
        if self.level.replace(state.levels) != Some(state.levels) && !self.dialects.iter().any(|known| same_layout(known, &state.dialect)) {
            self.dialects.push(state.dialect);
        }
    }
}
