//! `split`: parts by level, match or size.

use model::{Edited, Split};
use replay::parts_of_size;
use wire::Error;

use super::Source;
use super::cut::{cut_frames, write_parts};
use super::part_writer::Parts;
use crate::walk::timeline::Timeline;

pub(crate) fn split(source: &Source, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = source.timeline()?;
    let line = &timeline.line;
    let stretches = match by {
        Split::Gamestate => line.levels(|_, _| false),
        // the same map twice in a row is one level
        Split::Level => line.levels(|before, after| timeline.map(before) == timeline.map(after)),
        Split::Match => line.matches(),
        Split::Size(most) => return split_by_size(source, timeline, most),
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    let ranges = timeline.known(stretches);
    if ranges.is_empty() {
        return Err(Error::misuse("there is nothing in the recording to split it by"));
    }
    cut_frames(source, timeline, ranges)
}

fn split_by_size(source: &Source, timeline: &Timeline, most: u64) -> Result<Vec<Edited>, Error> {
    let bytes = source.input.container.bytes.len();
    let parts = parts_of_size(bytes, most, &mut |plan| write_parts(source, timeline, &Parts::Bytes(plan)))?;
    if parts.is_empty() { Err(Error::misuse("the recording has no frames to split it by")) } else { Ok(parts) }
}
