//! `cut`: some of a recording's frames as a recording of their own.

use model::{Edited, Range};
use wire::Error;

use super::copy::{Copier, Manner};
use super::copy_mvd::MvdCopier;
use super::timeline::{Run, Timeline};
use crate::Recording;
use crate::identify::Framing;

pub(crate) fn cut(recording: &Recording, range: Range) -> Result<Edited, Error> {
    let timeline = Timeline::of(recording);
    let run = timeline.run(recording, range)?;
    let mut parts = runs(recording, &timeline, vec![run], None)?;
    let edited = parts.pop().ok_or_else(|| Error::malformed("no frame of the range can be rebuilt: their delta bases are missing"))?;
    Ok(edited)
}

/// Runs of frames, each as a recording; runs without a frame that can be rebuilt are left out.
pub(crate) fn runs(recording: &Recording, timeline: &Timeline, runs: Vec<Run>, most_bytes: Option<u64>) -> Result<Vec<Edited>, Error> {
    let manner = Manner { runs, frames: timeline.marks.len() as u64, most_bytes, mend: true };
    Ok(match recording.identified().framing {
        Framing::Dm2 => {
            let mut copier = Copier::new(recording.identified().dialect, recording.bytes(), manner, None);
            let (walked, _) = recording.walk(recording.manner(), &mut copier);
            copier.finish(walked.end);
            copier.done
        }
        Framing::Mvd2 => {
            let mut copier = MvdCopier::new(recording.identified().dialect, manner, None);
            let (walked, _) = recording.walk(crate::playback::Manner { parcels: false, ..recording.manner() }, &mut copier);
            copier.finish(walked.end, recording.bytes());
            copier.done
        }
    })
}
