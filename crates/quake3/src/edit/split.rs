//! A recording in parts, each of which plays.

use model::{Edited, Split};
use wire::Error;

use super::cut::{begin, part};
use super::timeline::Timeline;
use crate::Recording;
use crate::text::info;

pub(super) fn split(recording: &Recording<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = Timeline::of(recording);
    if timeline.frames.is_empty() {
        return Err(Error::malformed("there is no whole frame in the recording"));
    }
    match by {
        Split::Gamestate => at_levels(recording, &timeline, |_, _| true),
        Split::Level => at_levels(recording, &timeline, |before, after| map(&timeline, before) != map(&timeline, after)),
        Split::Match => {
            let matches = timeline.matches();
            if matches.is_empty() {
                return Err(Error::misuse("no match runs in the recording"));
            }
            matches.into_iter().map(|frames| part(recording, &timeline, frames.clone(), timeline.frames[frames.end - 1].message)).collect()
        }
        Split::Size(bytes) => by_size(recording, &timeline, bytes),
        _ => Err(Error::unsupported("Quake III recordings are split by level, gamestate, match or size")),
    }
}

fn map(timeline: &Timeline, level: u32) -> &[u8] {
    info(&timeline.levels[level as usize].strings[0], "mapname")
}

/// Parts that begin wherever a level differs from the one before.
fn at_levels(recording: &Recording<'_>, timeline: &Timeline, differ: impl Fn(u32, u32) -> bool) -> Result<Vec<Edited>, Error> {
    let level = |frame: usize| timeline.frames[frame].level;
    let begins = |frame: &usize| *frame == 0 || level(frame - 1) != level(*frame) && differ(level(frame - 1), level(*frame));
    let starts: Vec<usize> = (0..timeline.frames.len()).filter(begins).collect();
    let ends = starts[1..].iter().copied().chain([timeline.frames.len()]);
    starts.iter().copied().zip(ends).map(|(from, to)| part(recording, timeline, from..to, end(timeline, to))).collect()
}

/// The last message of a part that ends before the frame `next`.
fn end(timeline: &Timeline, next: usize) -> u32 {
    if next == timeline.frames.len() { u32::MAX } else { begin(timeline, next).saturating_sub(1) }
}

/// Parts of at most so many bytes, as few as possible.
fn by_size(recording: &Recording<'_>, timeline: &Timeline, most: u64) -> Result<Vec<Edited>, Error> {
    let frames = timeline.frames.len();
    // frames that would fit if all took the same
    let guess = (most as usize / (recording.bytes().len() / frames).max(1)).max(1);
    let mut parts = Vec::new();
    let mut from = 0;
    while from < frames {
        let mut to = (from + guess).min(frames);
        // what fits, and the first that does not
        let (mut fits, mut beyond): (Option<(usize, Edited)>, usize) = (None, frames + 1);
        loop {
            let made = part(recording, timeline, from..to, end(timeline, to))?;
            let length = made.bytes.len() as u64;
            if length <= most {
                fits = Some((to, made));
            } else {
                beyond = to;
            }
            if beyond == from + 1 {
                return Err(Error::misuse(format!("a part of one frame takes {length} bytes: parts of {most} are too small")));
            }
            let least = fits.as_ref().map_or(from, |(to, _)| *to);
            let full = length <= most && length * 50 > most * 49;
            if full || beyond - least <= 1 {
                break;
            }
            let scaled = from + ((to - from) as u64 * most / length.max(1)) as usize;
            to = scaled.clamp(least + 1, beyond - 1);
        }
        let Some((to, made)) = fits else { break };
        parts.push(made);
        from = to;
    }
    Ok(parts)
}
