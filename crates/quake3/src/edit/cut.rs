//! A part of a recording as a recording.

use model::{Edited, Range};
use wire::Error;

use super::opening::Opening;
use super::source::Entrance;
use super::timeline::Timeline;
use super::writer::Writer;
use crate::Recording;
use crate::container::Piece;

pub(super) fn cut(recording: &Recording<'_>, range: Range) -> Result<Edited, Error> {
    let timeline = Timeline::of(recording);
    let frames = timeline.line.locate(range)?;
    let last = timeline.line.frames[frames.end - 1].message;
    part(recording, &timeline, &mut Entrance::new(recording), frames, last)
}

/// The message that a part starts with when `first` is its first frame: of a whole level, its gamestate's.
pub(super) fn begin(timeline: &Timeline, first: usize) -> u32 {
    let frame = timeline.line.frames[first];
    if timeline.line.starts_level(first) { timeline.levels[frame.level as usize].message } else { frame.message }
}

/// The frames `part` of a recording, and what follows them up to the message `end`, with an opening as of then.
pub(super) fn part(
    recording: &Recording<'_>,
    timeline: &Timeline,
    entrance: &mut Entrance<'_>,
    part: std::ops::Range<usize>,
    end: u32,
) -> Result<Edited, Error> {
    let (first, last) = (timeline.line.frames[part.start], timeline.line.frames[part.end - 1]);
    let whole_level = timeline.line.starts_level(part.start);
    let begin = begin(timeline, part.start);
    let mut source = entrance.before(begin);
    let mut writer = Writer::like(recording);
    let mut actions = Vec::new();
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        let mut changed = false;
        if frame.number == begin && !whole_level {
            let mut opening =
                Opening::of(&source, source.playback.message.acknowledged).ok_or_else(|| Error::malformed("the level of the range has no whole gamestate"))?;
            writer.write((first.key as i32).wrapping_sub(1), &mut opening.message)?;
            changed = opening.shorten(&mut source.playback.message);
        }
        writer.pass_changed(&mut source, &frame, changed)?;
        if frame.number >= end {
            break;
        }
    }
    let end = end.min(timeline.messages.saturating_sub(1));
    if begin > 0 || end + 1 < timeline.messages {
        actions.push(format!("frames from {} to {} kept: messages {} to {} of {}", first.demo, last.demo, begin, end, timeline.messages));
    }
    if !whole_level {
        actions.push(String::from("a gamestate made as of the first frame"));
    }
    Ok(writer.finish(recording, actions))
}
