//! `split`: parts by level, match or size.

use model::{Edited, Split};
use wire::Error;

use crate::recording::Recording;

use super::cut::{Parts, parts};
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
    parts(recording, &timeline, &Parts::Frames(ranges))
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

/// How often parts are tried a little shorter.
const TRIES: usize = 4;

/// Where a part begins, frames take more bytes than they took before, so that the first try may be a little too long.
fn by_size(recording: &Recording, timeline: &Timeline, most: u64) -> Result<Vec<Edited>, Error> {
    let (mut aim, mut longest) = (most, 0);
    for _ in 0..TRIES {
        let parts = parts(recording, timeline, &Parts::Bytes(aim))?;
        if parts.is_empty() {
            return Err(Error::misuse("the recording has no frames to split it by"));
        }
        longest = parts.iter().map(|part| part.bytes.len() as u64).max().unwrap_or_default();
        if longest <= most {
            return Ok(parts);
        }
        aim = aim.saturating_sub(longest - most);
    }
    Err(Error::misuse(format!("a loading part with its first frames takes up to {longest} bytes: parts of {most} bytes are too small")))
}
