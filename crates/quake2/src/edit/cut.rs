//! `cut`: some of a recording's frames as a recording of their own.

use model::{Edited, Range};
use replay::{SizePlan, SizedParts, cut_all};
use wire::Error;

use super::EditSource;
use super::copy::{CopyOptions, PartWriter};
use super::copy_mvd::MvdPartWriter;
use crate::detect::Framing;
use crate::walk::timeline::{Run, Timeline};

pub(crate) fn cuts(source: &EditSource<'_>, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    if let Err(error) = source.check_editable("cut") {
        return ranges.iter().map(|_| Err(error.clone())).collect();
    }
    let timeline = source.timeline();
    let frames = ranges.iter().map(|range| timeline.span(*range)).collect();
    cut_all(frames, &mut |parts| runs(source, timeline, parts.iter().cloned().map(Run::from).collect()))
}

/// Runs of frames, each as a recording; runs without a frame that can be rebuilt are left out.
pub(crate) fn runs(source: &EditSource<'_>, timeline: &Timeline, runs: Vec<Run>) -> Result<Vec<Edited>, Error> {
    match parts(source, timeline, runs, None)? {
        SizedParts::Parts(parts) => Ok(parts),
        SizedParts::TooLong { .. } => Ok(Vec::new()),
    }
}

/// The same in one walk, each run in parts of a size.
pub(crate) fn parts(source: &EditSource<'_>, timeline: &Timeline, runs: Vec<Run>, sizing: Option<SizePlan>) -> Result<SizedParts, Error> {
    let options = CopyOptions { runs, frames: timeline.count(), sizing, repair: true };
    match source.input.container {
        Framing::Dm2 => {
            let mut writer = PartWriter::new(source.input.dialect, source.input.bytes, options, None);
            let (walked, _) = source.input.walk(source.input.walk_options(), &mut writer);
            writer.finish(walked.end);
            writer.made()
        }
        Framing::Mvd2 => {
            let mut writer = MvdPartWriter::new(source.input.dialect, options, None);
            let (walked, _) = source.input.walk(crate::walk::WalkOptions { parcels: false, ..source.input.walk_options() }, &mut writer);
            writer.finish(walked.end, source.input.bytes);
            writer.made()
        }
    }
}
