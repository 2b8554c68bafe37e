//! `split`: parts by level, match or size.

use model::{Edited, Split};
use replay::parts_of_size;
use wire::Error;

use crate::recording::Recording;

use super::cut::{Parts, frames_of, parts};
use crate::walk::timeline::Timeline;

pub(super) fn split(recording: &Recording, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = recording.timeline()?;
    let line = &timeline.line;
    let stretches = match by {
        Split::Gamestate => line.levels(|_, _| false),
        // gamestates of one map after another are one level
        Split::Level => line.levels(|before, after| timeline.map(before) == timeline.map(after)),
        Split::Match => line.matches(),
        Split::Size(most) => return by_size(recording, timeline, most),
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    let ranges = timeline.known(stretches);
    if ranges.is_empty() {
        return Err(Error::misuse("there is nothing in the recording to split it by"));
    }
    frames_of(recording, timeline, ranges)
}

fn by_size(recording: &Recording, timeline: &Timeline, most: u64) -> Result<Vec<Edited>, Error> {
    let bytes = recording.container.bytes.len();
    let parts = parts_of_size(bytes, most, &mut |sizing| parts(recording, timeline, &Parts::Bytes(sizing)))?;
    if parts.is_empty() { Err(Error::misuse("the recording has no frames to split it by")) } else { Ok(parts) }
}
