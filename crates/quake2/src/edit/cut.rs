//! `cut`: some of a recording's frames as a recording of their own.

use model::{Edited, Range};
use replay::{SizePlan, SizedParts, cut_all};
use wire::Error;

use super::copy::{Copier, Manner};
use super::copy_mvd::MvdCopier;
use super::timeline::{Run, Timeline};
use crate::Recording;
use crate::identify::Framing;

pub(crate) fn cuts(recording: &Recording, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    let timeline = recording.timeline();
    let frames = ranges.iter().map(|range| timeline.span(*range)).collect();
    cut_all(frames, &mut |parts| runs(recording, timeline, parts.iter().cloned().map(Run::from).collect()))
}

/// Runs of frames, each as a recording; runs without a frame that can be rebuilt are left out.
pub(crate) fn runs(recording: &Recording, timeline: &Timeline, runs: Vec<Run>) -> Result<Vec<Edited>, Error> {
    match parts(recording, timeline, runs, None)? {
        SizedParts::Parts(parts) => Ok(parts),
        SizedParts::TooLong { .. } => Ok(Vec::new()),
    }
}

/// The same in one walk, each run in parts of a size.
pub(crate) fn parts(recording: &Recording, timeline: &Timeline, runs: Vec<Run>, sizing: Option<SizePlan>) -> Result<SizedParts, Error> {
    let manner = Manner { runs, frames: timeline.count(), sizing, mend: true };
    match recording.identified().framing {
        Framing::Dm2 => {
            let mut copier = Copier::new(recording.identified().dialect, recording.bytes(), manner, None);
            let (walked, _) = recording.walk(recording.manner(), &mut copier);
            copier.finish(walked.end);
            copier.made()
        }
        Framing::Mvd2 => {
            let mut copier = MvdCopier::new(recording.identified().dialect, manner, None);
            let (walked, _) = recording.walk(crate::playback::Manner { parcels: false, ..recording.manner() }, &mut copier);
            copier.finish(walked.end, recording.bytes());
            copier.made()
        }
    }
}
