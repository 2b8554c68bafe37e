//! `split`: the parts of a recording, each as a recording of its own.

use model::{Clock, Edited, Range, Split};
use wire::Error;

use super::cut::runs;
use super::timeline::{Mark, Run, Timeline, matches};
use crate::Recording;

pub(crate) fn split(recording: &Recording, by: Split) -> Result<Vec<Edited>, Error> {
    let timeline = Timeline::of(recording);
    let all = timeline.all()?;
    let (wanted, most_bytes) = match by {
        Split::Gamestate => (chunks(&timeline, |a, b| a.level == b.level), None),
        Split::Level => (chunks(&timeline, |a, b| timeline.map(a.level) == timeline.map(b.level)), None),
        Split::Match => (of_matches(recording, &timeline)?, None),
        Split::Size(bytes) => (vec![all], Some(bytes)),
        _ => return Err(Error::unsupported("recordings are split by level, gamestate, match or size")),
    };
    let Some(most) = most_bytes else { return runs(recording, &timeline, wanted, None) };
    // Frames behind a cut may be told in more bytes than in the source, so the first try may give parts a little too long.
    let mut aim = most;
    let mut longest = 0;
    for _ in 0..TRIES {
        let parts = runs(recording, &timeline, wanted.clone(), Some(aim))?;
        longest = parts.iter().map(|part| part.bytes.len() as u64).max().unwrap_or(0);
        if longest <= most {
            return Ok(parts);
        }
        aim = aim.saturating_sub(longest - most);
    }
    Err(Error::misuse(format!("an opening with its first frame takes up to {longest} bytes: parts of at most {most} bytes are too small")))
}

/// How often parts are made a little shorter.
const TRIES: usize = 4;

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
