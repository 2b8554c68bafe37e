//! A recording in parts, each of which plays.

use model::{Edited, Split};
use wire::Error;

use super::cut::{begin, part};
use super::source::Entrance;
use super::timeline::Timeline;
use crate::Recording;
use crate::text::info;

pub(super) fn split(recording: &Recording<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = Timeline::of(recording);
    let line = &timeline.line;
    let mut entrance = Entrance::new(recording);
    if line.frames.is_empty() {
        return Err(Error::malformed("there is no whole frame in the recording"));
    }
    let mut upto = |frames: std::ops::Range<usize>, end: u32| part(recording, &timeline, &mut entrance, frames, end);
    let mut parts = |parts: Vec<std::ops::Range<usize>>| -> Result<Vec<Edited>, Error> {
        parts.into_iter().map(|frames| upto(frames.clone(), end(&timeline, frames.end))).collect()
    };
    match by {
        Split::Gamestate => parts(line.levels(|_, _| false)),
        Split::Level => parts(line.levels(|before, after| map(&timeline, before) == map(&timeline, after))),
        Split::Match => {
            let matches = line.matches();
            if matches.is_empty() {
                return Err(Error::misuse("no match runs in the recording"));
            }
            matches.into_iter().map(|frames| upto(frames.clone(), line.frames[frames.end - 1].message)).collect()
        }
        Split::Size(bytes) => line.by_size(recording.bytes().len(), bytes, &mut |frames| upto(frames.clone(), end(&timeline, frames.end))),
        _ => Err(Error::unsupported("Quake III recordings are split by level, gamestate, match or size")),
    }
}

fn map(timeline: &Timeline, level: u32) -> &[u8] {
    info(&timeline.levels[level as usize].strings[0], "mapname")
}

/// The last message of a part that ends before the frame `next`.
fn end(timeline: &Timeline, next: usize) -> u32 {
    if next == timeline.line.frames.len() { u32::MAX } else { begin(timeline, next).saturating_sub(1) }
}
