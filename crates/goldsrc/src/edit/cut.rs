//! `cut`: ranges of frames, each as a recording that the game plays (`docs/formats/goldsrc.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::replay::{CheckedCut, Chunks, Located, Locator, SizedParts, Whole, cut_all};
use fragreel_model::{Edited, Range};

use super::compare_chunks::compare_chunks;
use super::part_writer::{self, Parts, Run};
use super::{Source, check_frames_known};
use crate::walk::input::Input;
use crate::walk::timeline::{Timeline, find_frames};

/// The frames of ranges, each as a recording.
pub(crate) fn cuts(source: &Source, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    let timeline = match source.timeline() {
        Ok(timeline) => timeline,
        Err(error) => return ranges.iter().map(|_| Err(error.clone())).collect(),
    };
    let frames = ranges.iter().map(|range| timeline.range(*range).map(|(first, last)| first..last + 1)).collect();
    cut_all(frames, &mut |parts| cut_frames(source, timeline, parts.iter().map(|frames| (frames.start, frames.end - 1)).collect()))
}

/// Runs of frames, first and last, in rising order, each as a recording.
pub(super) fn cut_frames(source: &Source, timeline: &Timeline, runs: Vec<(usize, usize)>) -> Result<Vec<Edited>, Error> {
    let frames = &timeline.line.frames;
    let run = |(first, last): (usize, usize)| Run {
        first: frames[first].message,
        last: frames[last].message,
        behind: frames.get(last + 1).map(|frame| frame.message),
    };
    write_parts(source, timeline, &Parts::Frames(runs.into_iter().map(run).collect())).map(parts_of)
}

/// Writes the parts in one walk over the source.
pub(super) fn write_parts(source: &Source, timeline: &Timeline, wanted: &Parts) -> Result<SizedParts, Error> {
    let Ok(parts) = part_writer::write_parts(source.input, timeline.frames.len(), wanted, &mut Whole(source.input.container.bytes));
    parts
}

fn parts_of(written: SizedParts) -> Vec<Edited> {
    match written {
        SizedParts::Parts(parts) => parts,
        SizedParts::TooLong { .. } => Vec::new(),
    }
}

/// The frames of a range of the recording in `chunks`, compared with those of the recording. `input` says how it is read.
pub(crate) fn cut_chunks<C: Chunks>(input: &Input, range: Range, chunks: &mut C) -> Result<Result<CheckedCut, Error>, C::Error> {
    if let Err(error) = check_frames_known(input) {
        return Ok(Err(error));
    }
    let locator = find_frames(input, Locator::new(range), chunks)?;
    let count = locator.count();
    let Located { frames, first, last, behind, .. } = match locator.finish() {
        Ok(located) => located,
        Err(error) => return Ok(Err(error)),
    };
    let run = Run { first: first.message, last: last.message, behind: behind.map(|frame| frame.message) };
    let mut parts = Some(part_writer::write_parts(input, count, &Parts::Frames(vec![run]), chunks)?.map(parts_of));
    let part = cut_all(vec![Ok(frames)], &mut |_| parts.take().unwrap_or(Ok(Vec::new()))).remove(0);
    match part {
        Ok(edited) => Ok(compare_chunks(input, &edited, chunks)?.map(|comparison| CheckedCut { edited, comparison })),
        Err(error) => Ok(Err(error)),
    }
}
