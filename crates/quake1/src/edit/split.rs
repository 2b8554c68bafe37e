//! Cuts and splits recordings (`docs/formats/quake1.md`, "Editing").

use std::ops::Range as Span;

use fragreel_base::wire::Error;
use fragreel_model::replay::{SizePlan, SizedParts, cut_all, parts_of_size};
use fragreel_model::{Edited, Range, Split};

use crate::container::Container;
use crate::edit::source::Source;
use crate::message::Float;
use crate::walk::input::Input;

use crate::edit::part_writer::PartWriter;
use crate::encode::block_writer::BlockWriter;
use crate::walk::timeline::Timeline;

/// The frames of each range as a recording.
pub(super) fn cuts(recording: &Source<'_>, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    let timeline = recording.timeline();
    let frames = ranges.iter().map(|range| timeline.locate(*range)).collect();
    cut_all(frames, &mut |parts| {
        let later = parts.iter().filter(|frames| frames.start > 0);
        let needed = later.map(|frames| timeline.line.frames[frames.start - 1].message..timeline.blocks(frames).first + 1);
        let mut walk = PartWriter::new(recording).needing(needed.collect());
        Ok(parts.iter().map(|frames| walk.part(timeline.blocks(frames), frames.start == 0)).collect())
    })
}

/// Splits a recording.
pub(super) fn split(recording: &Source<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = recording.timeline();
    let line = &timeline.line;
    if line.frames.is_empty() {
        return Err(Error::malformed("the recording has no complete frame"));
    }
    let mut walk = PartWriter::new(recording);
    let mut parts = |parts: Vec<Span<usize>>| parts.into_iter().map(|frames| walk.part(timeline.blocks(&frames), frames.start == 0)).collect();
    match by {
        Split::Gamestate => Ok(parts(line.levels(|_, _| false))),
        Split::Level => {
            let map = |level: u32| timeline.levels.get((level as usize).wrapping_sub(1)).and_then(|level| level.map.as_ref());
            Ok(parts(line.levels(|before, after| map(before).is_some() && map(before) == map(after))))
        }
        Split::Match => {
            let matches = line.matches();
            if matches.is_empty() {
                return Err(Error::misuse("no match starts in the recording"));
            }
            Ok(parts(matches))
        }
        Split::Size(most) if recording.bytes.len() as u64 <= most => {
            Ok(vec![Edited { bytes: recording.bytes.to_vec(), extension: recording.container.extension().to_owned(), ..Edited::default() }])
        }
        Split::Size(most) => parts_of_size(recording.bytes.len(), most, &mut |sizing| by_size(recording, timeline, sizing)),
        _ => Err(Error::unsupported("recordings of QuakeWorld and NetQuake are split by level, gamestate, match and size")),
    }
}

/// Splits by size in one walk. A part ends before the frame that does not fit.
fn by_size(recording: &Input<'_>, timeline: &Timeline, mut sizing: SizePlan) -> Result<SizedParts, Error> {
    // blocks with one time stay together
    let starts = if recording.container == Container::MultiView { timeline.moments() } else { timeline.line.clone() };
    let block = |at: usize| starts.frames.get(at).map_or(u32::MAX, |frame| frame.message);
    let offset = |at: usize| starts.frames.get(at).map_or(recording.bytes.len() as u64, |frame| timeline.offset(frame.message));
    let mut end = BlockWriter::new(recording.container, &[]);
    end.write_end(Float(0), [Float(0); 3]);
    let mut walk = PartWriter::new(recording);
    walk.begin(true);
    // the next frame, and the block of the part's first frame until it is written
    let (mut next, mut first) = (0, Some(block(0)));
    let mut parts = Vec::new();
    loop {
        if walk.next() == block(next) {
            let bytes = walk.bytes().0;
            if first.is_none() && sizing.ends(bytes, (offset(next + 1) - offset(next)) as usize + end.bytes.len()) {
                let part = walk.end();
                if let Some(too_long) = sizing.close(part.bytes.len())? {
                    return Ok(too_long);
                }
                parts.push(part);
                walk.begin(false);
                first = Some(block(next));
            }
            next += 1;
        }
        if !walk.step() {
            break;
        }
        if first.is_some_and(|block| walk.next() > block) {
            sizing.open(walk.bytes().1);
            first = None;
        }
    }
    let part = walk.end();
    if let Some(too_long) = sizing.close(part.bytes.len())? {
        return Ok(too_long);
    }
    parts.push(part);
    Ok(SizedParts::Parts(parts))
}
