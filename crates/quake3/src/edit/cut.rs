//! Cuts: a range of frames as a recording.

use std::ops::Range as Span;

use fragreel_base::wire::Error;
use fragreel_model::replay::cut_all;
use fragreel_model::{Edited, Range};

use super::part_writer::write_part;
use super::source::SourceSeeker;
use crate::Recording;

pub(super) fn cuts(recording: &Recording<'_>, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    let timeline = recording.timeline();
    let frames = ranges.iter().map(|range| timeline.line.locate(*range)).collect();
    cut_all(frames, &mut |parts| {
        let mut seeker = SourceSeeker::new(recording);
        let end = |frames: &Span<usize>| timeline.line.frames[frames.end - 1].message;
        parts.iter().map(|frames| write_part(recording, timeline, &mut seeker, frames.clone(), end(frames))).collect()
    })
}
