//! `cut`: copies frames of a recording to new files.

use fragreel_base::wire::Error;
use fragreel_model::replay::{SizePlan, SizedParts, cut_all};
use fragreel_model::{Edited, Range};

use super::EditSource;
use super::copy::copy;
use super::part_writer::CopyOptions;
use crate::walk::timeline::{Run, Timeline};

pub(crate) fn cuts(source: &EditSource<'_>, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    if let Err(error) = source.check_editable("cut") {
        return ranges.iter().map(|_| Err(error.clone())).collect();
    }
    let timeline = source.timeline();
    let frames = ranges.iter().map(|range| timeline.span(*range)).collect();
    cut_all(frames, &mut |parts| runs(source, timeline, parts.iter().cloned().map(Run::from).collect()))
}

/// Copies each run of frames to a file. Skips runs in which no frame can be rebuilt.
pub(crate) fn runs(source: &EditSource<'_>, timeline: &Timeline, runs: Vec<Run>) -> Result<Vec<Edited>, Error> {
    Ok(files(parts(source, timeline, runs, None)?))
}

/// The files that were written without a wanted size.
pub(super) fn files(parts: SizedParts) -> Vec<Edited> {
    match parts {
        SizedParts::Parts(parts) => parts,
        SizedParts::TooLong { .. } => Vec::new(),
    }
}

/// Like [`runs`], with each run split into files of a size if `sizing` says so.
pub(crate) fn parts(source: &EditSource<'_>, timeline: &Timeline, runs: Vec<Run>, sizing: Option<SizePlan>) -> Result<SizedParts, Error> {
    copy(source, CopyOptions { runs, frames: timeline.count(), sizing, repair: true }, None).0.into_parts()
}
