//! Parts of a recording, each a recording (`docs/formats/quake1.md`, "Editing").

use std::ops::Range as Span;

use model::{Edited, Split};
use wire::Error;

use crate::Recording;
use crate::container::Container;

use super::excerpt;
use super::timeline::{Blocks, Timeline};

/// Parts of a recording.
pub fn split(recording: &Recording<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = if by == Split::Match { Timeline::with_matches(recording) } else { Timeline::of(recording) };
    let line = &timeline.line;
    if line.frames.is_empty() {
        return Err(Error::malformed("there is no whole frame in the recording"));
    }
    let parts = |parts: Vec<Span<usize>>| parts.into_iter().map(|frames| part(recording, timeline.blocks(&frames), frames.start == 0)).collect();
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
            Ok(vec![Edited { bytes: recording.bytes.to_vec(), extension: recording.container().extension().to_owned(), ..Edited::default() }])
        }
        Split::Size(most) => {
            let line = if recording.container() == Container::MultiView { timeline.moments() } else { line.clone() };
            let block = |at: usize| line.frames.get(at).map_or(u32::MAX, |frame| frame.message);
            line.by_size(recording.bytes.len(), most, &mut |frames| {
                Ok(part(recording, Blocks { first: block(frames.start), end: block(frames.end) }, frames.start == 0))
            })
        }
        _ => Err(Error::unsupported("recordings of QuakeWorld and NetQuake are split by level, gamestate, match and size")),
    }
}

/// Blocks of a recording as a recording. `from_start` says that no frame comes before them.
pub fn part(recording: &Recording<'_>, blocks: Blocks, from_start: bool) -> Edited {
    let (out, report) = excerpt::write(recording, blocks, from_start);
    report.edited(recording, out)
}
