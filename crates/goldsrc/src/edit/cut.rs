//! `cut`: ranges of frames, each as a recording that the game plays (`docs/formats/goldsrc.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::replay::{SizedParts, Whole, cut_all};
use fragreel_model::{Edited, Range};

use super::Source;
use super::part_writer::{self, Parts, Run};
use crate::walk::timeline::Timeline;

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
