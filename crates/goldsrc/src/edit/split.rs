//! `split`: parts by level, match or size.

use model::{Edited, Split};
use replay::parts_of_size;
use wire::Error;

use crate::recording::Recording;

use super::cut::{Parts, frames_of, parts};
use super::timeline::{Stretch, Timeline};

pub(super) fn split(recording: &Recording, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = Timeline::of(recording)?;
    let stretches = match by {
        Split::Gamestate => timeline.levels.clone(),
        Split::Level => levels(&timeline),
        Split::Match => timeline.matches.clone(),
        Split::Size(most) => return by_size(recording, &timeline, most),
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    let ranges: Vec<_> = stretches.iter().filter_map(|stretch| frames(&timeline, stretch)).collect();
    if ranges.is_empty() {
        return Err(Error::misuse("there is nothing in the recording to split it by"));
    }
    frames_of(recording, &timeline, ranges)
}

/// Gamestates of one map after another are one level.
fn levels(timeline: &Timeline) -> Vec<Stretch> {
    let mut levels: Vec<Stretch> = Vec::new();
    for stretch in &timeline.levels {
        match levels.last_mut().filter(|last| last.map == stretch.map) {
            Some(last) => last.to = stretch.to,
            None => levels.push(stretch.clone()),
        }
    }
    levels
}

/// First and last frame of a stretch, from the first on that can be rebuilt.
fn frames(timeline: &Timeline, stretch: &Stretch) -> Option<(usize, usize)> {
    let first = timeline.frames[stretch.from..stretch.to].iter().position(|frame| frame.known)?;
    Some((stretch.from + first, stretch.to - 1))
}

fn by_size(recording: &Recording, timeline: &Timeline, most: u64) -> Result<Vec<Edited>, Error> {
    let bytes = recording.container.bytes.len();
    let parts = parts_of_size(bytes, most, &mut |sizing| parts(recording, timeline, &Parts::Bytes(sizing)))?;
    if parts.is_empty() { Err(Error::misuse("the recording has no frames to split it by")) } else { Ok(parts) }
}
