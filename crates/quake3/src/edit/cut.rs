//! A part of a recording as a recording.

use model::{Edited, Range};
use wire::Error;

use super::opening::Opening;
use super::source::Source;
use super::timeline::Timeline;
use super::writer::Writer;
use crate::Recording;
use crate::container::Piece;

pub(super) fn cut(recording: &Recording<'_>, range: Range) -> Result<Edited, Error> {
    let timeline = Timeline::of(recording);
    let frames = timeline.locate(range)?;
    part(recording, &timeline, frames)
}

/// The frames `part` of a recording, with an opening as of then.
pub(super) fn part(recording: &Recording<'_>, timeline: &Timeline, part: std::ops::Range<usize>) -> Result<Edited, Error> {
    let (first, last) = (timeline.frames[part.start], timeline.frames[part.end - 1]);
    let whole_level = timeline.starts_level(part.start);
    let begin = if whole_level { timeline.levels[first.level as usize].message } else { first.message };
    let mut source = Source::new(recording);
    let mut writer = Writer::like(recording);
    let mut actions = Vec::new();
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        if frame.number < begin {
            source.apply(&frame);
            continue;
        }
        let mut changed = false;
        if frame.number == begin && !whole_level {
            let mut opening =
                Opening::of(&source, source.message.acknowledged).ok_or_else(|| Error::malformed("the level of the range has no whole gamestate"))?;
            writer.write(first.sequence.wrapping_sub(1), &mut opening.message)?;
            changed = opening.shorten(&mut source.message);
        }
        writer.pass_changed(&mut source, &frame, changed)?;
        if frame.number >= last.message {
            break;
        }
    }
    if begin > 0 || last.message + 1 < timeline.messages {
        actions.push(format!("frames from {} to {} kept: messages {} to {} of {}", first.demo, last.demo, first.message, last.message, timeline.messages));
    }
    if !whole_level {
        actions.push(String::from("a gamestate made as of the first frame"));
    }
    Ok(writer.finish(recording, actions))
}
