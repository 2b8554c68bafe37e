//! Splits a recording into parts that play.

use fragreel_base::wire::Error;
use fragreel_model::replay::{SizePlan, SizedParts, parts_of_size};
use fragreel_model::{Edited, Split};

use super::part_writer::{PartWriter, Start, write_part};
use super::source::SourceSeeker;
use crate::Recording;
use crate::container::{END_MARK, Frames, Piece};
use crate::strings::info;
use crate::walk::Timeline;

pub(super) fn split(recording: &Recording<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = recording.timeline();
    let line = &timeline.line;
    let mut seeker = SourceSeeker::new(recording);
    if line.frames.is_empty() {
        return Err(Error::malformed("the recording has no complete frame"));
    }
    let mut upto = |frames: std::ops::Range<usize>, end: u32| write_part(recording, timeline, &mut seeker, frames, end);
    let mut parts = |parts: Vec<std::ops::Range<usize>>| -> Result<Vec<Edited>, Error> {
        parts.into_iter().map(|frames| upto(frames.clone(), end(timeline, frames.end))).collect()
    };
    match by {
        Split::Gamestate => parts(line.levels(|_, _| false)),
        Split::Level => parts(line.levels(|before, after| map(timeline, before) == map(timeline, after) && !timeline.levels[after as usize].is_appended)),
        Split::Match => {
            let matches = line.matches();
            if matches.is_empty() {
                return Err(Error::misuse("no match runs in the recording"));
            }
            matches.into_iter().map(|frames| upto(frames.clone(), line.frames[frames.end - 1].message)).collect()
        }
        Split::Size(most) => parts_of_size(recording.bytes().len(), most, &mut |sizing| by_size(recording, timeline, sizing)),
        _ => Err(Error::unsupported("Quake III recordings are split by level, gamestate, match or size")),
    }
}

/// Splits by size in one walk. A part ends when the bytes of the next frame would not fit.
fn by_size(recording: &Recording<'_>, timeline: &Timeline, mut sizing: SizePlan) -> Result<SizedParts, Error> {
    let frames = timeline.line.frames.len();
    let offsets: Vec<u64> =
        Frames::new(recording.bytes()).filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame.offset) } else { None }).collect();
    let size = recording.bytes().len() as u64;
    let offset = |message: u32| offsets.get(message as usize).copied().unwrap_or(size);
    // the first byte of a frame; at the start of a level, that of its gamestate
    let start = |frame: usize| if frame < frames { offset(Start::of(timeline, frame).message) } else { size };
    let mut parts = Vec::new();
    let mut writer = PartWriter::new(&recording.input, Start::of(timeline, 0));
    let mut source = SourceSeeker::new(recording).before(writer.start.message);
    let mut next = 1;
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        // a gamestate in an earlier frame's message starts no part
        while next < frames && Start::of(timeline, next).message < frame.number {
            next += 1;
        }
        if next < frames && frame.number == Start::of(timeline, next).message {
            let bytes = writer.writer.bytes.len();
            if sizing.ends(bytes, start(next + 1).saturating_sub(start(next)) as usize + END_MARK.len()) {
                let following = PartWriter::new(&recording.input, Start::of(timeline, next));
                let part = std::mem::replace(&mut writer, following).finish(recording, timeline, next - 1, frame.number - 1);
                if let Some(too_long) = sizing.close(part.bytes.len())? {
                    return Ok(too_long);
                }
                parts.push(part);
            }
            next += 1;
        }
        if let Some(opening) = writer.pass(&mut source, &frame)? {
            sizing.open(opening);
        }
    }
    let part = writer.finish(recording, timeline, frames - 1, u32::MAX);
    if let Some(too_long) = sizing.close(part.bytes.len())? {
        return Ok(too_long);
    }
    parts.push(part);
    Ok(SizedParts::Parts(parts))
}

fn map(timeline: &Timeline, level: u32) -> &[u8] {
    info(&timeline.levels[level as usize].strings[0], "mapname")
}

/// The last message of a part that ends before the frame `next`.
fn end(timeline: &Timeline, next: usize) -> u32 {
    if next == timeline.line.frames.len() { u32::MAX } else { Start::of(timeline, next).message.saturating_sub(1) }
}
