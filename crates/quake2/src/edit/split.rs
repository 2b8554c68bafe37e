//! `split`: the parts of a recording, each as a recording of its own.

use std::ops::Range as Span;

use model::{Edited, Split};
use replay::parts_of_size;
use wire::Error;

use super::cut::{parts, runs};
use super::timeline::Run;
use crate::Recording;

pub(crate) fn split(recording: &Recording, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = recording.timeline();
    let all = timeline.all()?;
    let line = &timeline.line;
    let stretches: Vec<Span<usize>> = match by {
        Split::Gamestate => line.levels(|_, _| false),
        Split::Level => line.levels(|a, b| timeline.map(a) == timeline.map(b)),
        Split::Match => line.matches(),
        Split::Size(most) => {
            let mut make = |sizing| parts(recording, timeline, vec![all], Some(sizing));
            return parts_of_size(recording.bytes().len(), most, &mut make);
        }
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    if stretches.is_empty() {
        return Err(Error::unsupported("nothing in the recording says when a match starts: split it by level"));
    }
    runs(recording, timeline, stretches.into_iter().map(Run::from).collect())
}
