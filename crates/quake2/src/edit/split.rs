//! `split`: the parts of a recording, each as a recording of its own.

use model::{Clock, Edited, Range, Split};
use replay::parts_of_size;
use wire::Error;

use super::cut::{parts, runs};
use super::timeline::{Mark, Run, Timeline, matches};
use crate::Recording;

pub(crate) fn split(recording: &Recording, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = Timeline::of(recording);
    let all = timeline.all()?;
    let wanted = match by {
        Split::Gamestate => chunks(&timeline, |a, b| a.level == b.level),
        Split::Level => chunks(&timeline, |a, b| timeline.map(a.level) == timeline.map(b.level)),
        Split::Match => of_matches(recording, &timeline)?,
        Split::Size(most) => {
            let mut make = |sizing| parts(recording, &timeline, vec![all], Some(sizing));
            return parts_of_size(recording.bytes().len(), most, &mut make);
        }
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    runs(recording, &timeline, wanted)
}

fn chunks(timeline: &Timeline, same: impl Fn(&Mark, &Mark) -> bool) -> Vec<Run> {
    let mut before = 0;
    let runs = timeline.marks.chunk_by(same).map(|marks| {
        let run = Run { first: before + 1, last: before + marks.len() as u64 };
        before = run.last;
        run
    });
    runs.collect()
}

fn of_matches(recording: &Recording, timeline: &Timeline) -> Result<Vec<Run>, Error> {
    let found = matches(recording);
    if found.is_empty() {
        return Err(Error::unsupported("nothing in the recording says when a match starts: split it by level"));
    }
    let end = timeline.marks.last().map(|mark| mark.time).unwrap_or_default();
    let starts: Vec<_> = found.iter().map(|(start, _)| *start).skip(1).chain([end]).collect();
    let ranges = found.iter().zip(starts).map(|(&(from, to), next)| Range { clock: Clock::Demo, from, to: to.unwrap_or(next) });
    let mut runs = ranges.map(|range| timeline.run(recording, range)).collect::<Result<Vec<Run>, Error>>()?;
    // A match that is said to start again where the last ended shares no frame with it.
    for at in 1..runs.len() {
        runs[at].first = runs[at].first.max(runs[at - 1].last + 1);
    }
    runs.retain(|run| run.first <= run.last);
    Ok(runs)
}
