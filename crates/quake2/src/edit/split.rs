//! `split`: writes the parts of a recording to files.

use std::ops::Range as Span;

use fragreel_base::wire::Error;
use fragreel_model::replay::parts_of_size;
use fragreel_model::{Edited, Split};

use super::EditSource;
use super::cut::{parts, runs};
use crate::walk::timeline::Run;

pub(crate) fn split(source: &EditSource<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    source.check_editable("split")?;
    let timeline = source.timeline();
    let all = timeline.all()?;
    let line = &timeline.line;
    let stretches: Vec<Span<usize>> = match by {
        Split::Gamestate => line.levels(|_, _| false),
        Split::Level => line.levels(|a, b| timeline.map(a) == timeline.map(b)),
        Split::Match => line.matches(),
        Split::Size(most) => {
            let mut make = |sizing| parts(source, timeline, vec![all], Some(sizing));
            return parts_of_size(source.input.bytes.len(), most, &mut make);
        }
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    if stretches.is_empty() {
        return Err(Error::unsupported("the recording does not state when a match starts: split it by level"));
    }
    runs(source, timeline, stretches.into_iter().map(Run::from).collect())
}
