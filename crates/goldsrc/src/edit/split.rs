//! `split`: parts by level, match or size.

use std::sync::{Arc, OnceLock};

use fragreel_base::wire::Error;
use fragreel_model::replay::parts_of_size;
use fragreel_model::{Edited, Split};

use super::Source;
use super::cut::{cut_frames, write_parts};
use super::part_writer::Parts;
use crate::walk::input::Input;
use crate::walk::timeline::Timeline;

/// Parts of the recording, and of a second one that begins behind it.
pub(crate) fn split(source: &Source, by: Split) -> Result<Vec<Edited>, Error> {
    let container = &source.input.container;
    let Some(at) = container.second else { return parts(source, by) };
    let (first, second) = container.bytes.split_at(at);
    let mut all = Vec::new();
    for bytes in [first, second] {
        let input = Input::open(bytes, source.input.limits)?;
        let (index, timeline) = (Arc::default(), OnceLock::new());
        match split(&Source { input: &input, index: &index, timeline: &timeline }, by) {
            Ok(found) if found.len() > 1 => all.extend(found),
            // a recording that is one part stays as it is
            Ok(_) | Err(_) if !matches!(by, Split::Size(_)) => {
                all.push(Edited { bytes: bytes.to_vec(), extension: String::from("dem"), ..Edited::default() });
            }
            found => all.extend(found?),
        }
    }
    Ok(all)
}

fn parts(source: &Source, by: Split) -> Result<Vec<Edited>, Error> {
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
    let ranges: Vec<_> = stretches.into_iter().filter(|stretch| !stretch.is_empty()).map(|stretch| (stretch.start, stretch.end - 1)).collect();
    if ranges.is_empty() {
        return Err(Error::misuse("the recording has nothing to split it by"));
    }
    cut_frames(source, timeline, ranges)
}

fn split_by_size(source: &Source, timeline: &Timeline, most: u64) -> Result<Vec<Edited>, Error> {
    let bytes = source.input.container.bytes.len();
    let parts = parts_of_size(bytes, most, &mut |plan| write_parts(source, timeline, &Parts::Bytes(plan, timeline)))?;
    if parts.is_empty() { Err(Error::misuse("the recording has no frames to split it by")) } else { Ok(parts) }
}
