//! Which frames a recording has, when they are, and which of them a time, a range or a part means.

use std::ops::Range as Span;

use super::{FrameAt, Locator};
use crate::{Range, When};
use fragreel_base::wire::Error;

/// The frames of a recording in stream order. A family makes it in one pass.
///
/// ```
/// use fragreel_model::{Clock, Milliseconds, Range};
/// use fragreel_model::replay::{FrameAt, Timeline};
///
/// let at = |time: i64| FrameAt { demo: Milliseconds(time), ..FrameAt::default() };
/// let timeline = Timeline { frames: [0, 100, 200, 300].map(at).to_vec() };
/// let range = Range { clock: Clock::Demo, from: Milliseconds(150), to: Milliseconds(250) };
/// assert_eq!(timeline.locate(range)?, 1..3);
/// // what lies behind the end is refused
/// assert!(timeline.locate(Range { from: Milliseconds(301), to: Milliseconds(400), ..range }).is_err());
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// The frames.
    pub frames: Vec<FrameAt>,
}

impl Timeline {
    /// Whether a frame is the first of its level.
    pub fn starts_level(&self, frame: usize) -> bool {
        frame == 0 || self.frames[frame - 1].level != self.frames[frame].level
    }

    /// The last frame at or before a time; the first frame for earlier times. The server's clock may show a time several times: the
    /// first run of frames with rising times that reaches it counts, else the last.
    pub fn at(&self, when: When) -> Option<usize> {
        match when {
            When::Demo(wanted) => self.frames.len().checked_sub(1).map(|_| self.frames.partition_point(|frame| frame.demo <= wanted).max(1) - 1),
            When::Server(wanted) => {
                let runs = self.server_runs();
                let run = runs.iter().find(|run| self.frames[run.end - 1].server >= wanted).or(runs.last())?;
                Some(run.start + self.frames[run.clone()].partition_point(|frame| frame.server <= wanted).max(1) - 1)
            }
        }
    }

    /// The frames of each match: where its clock runs, and the countdowns between its rounds.
    pub fn matches(&self) -> Vec<Span<usize>> {
        let mut matches: Vec<Span<usize>> = Vec::new();
        for run in self.clock_runs() {
            let counted_down = |gap: Span<usize>| !gap.is_empty() && self.frames[gap].iter().all(|frame| frame.before_round);
            let same_level = |last: usize| self.frames[last].level == self.frames[run.start].level;
            match matches.last_mut().filter(|last| same_level(last.start) && counted_down(last.end..run.start)) {
                Some(current) => current.end = run.end,
                None => matches.push(run),
            }
        }
        matches
    }

    /// The frames of each level; those of levels that `same` holds of, which follow each other, are one.
    pub fn levels(&self, same: impl Fn(u32, u32) -> bool) -> Vec<Span<usize>> {
        let mut levels: Vec<Span<usize>> = Vec::new();
        for at in 0..self.frames.len() {
            let goes_on = at > 0 && {
                let (before, this) = (self.frames[at - 1].level, self.frames[at].level);
                before == this || same(before, this)
            };
            match levels.last_mut().filter(|_| goes_on) {
                Some(current) => current.end = at + 1,
                None => levels.push(at..at + 1),
            }
        }
        levels
    }

    /// The frames that a range means: from the last at or before its start, or else the first there is, to the last at or before
    /// its end.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for a range that ends before it starts, that no frame lies in, or on a clock that never
    /// runs; [`ErrorKind::Malformed`](fragreel_base::wire::ErrorKind::Malformed) where the recording has no frame.
    pub fn locate(&self, range: Range) -> Result<Span<usize>, Error> {
        let mut locator = Locator::new(range);
        self.frames.iter().for_each(|frame| locator.frame(frame));
        Ok(locator.finish()?.frames)
    }

    /// Frames whose server times do not fall. Clocks start again with a level, late, or without one.
    pub fn server_runs(&self) -> Vec<Span<usize>> {
        self.runs(|before, this| this.server >= before.server, |_| true)
    }

    /// Frames over which the clock of the match goes on without a break. Rounds have clocks of their own.
    fn clock_runs(&self) -> Vec<Span<usize>> {
        let goes_on = |before: &FrameAt, this: &FrameAt| before.level == this.level && before.in_match <= this.in_match;
        self.runs(goes_on, |frame| frame.in_match.is_some())
    }

    fn runs(&self, goes_on: impl Fn(&FrameAt, &FrameAt) -> bool, counts: impl Fn(&FrameAt) -> bool) -> Vec<Span<usize>> {
        let mut runs: Vec<Span<usize>> = Vec::new();
        for (at, frame) in self.frames.iter().enumerate().filter(|(_, frame)| counts(frame)) {
            match runs.last_mut().filter(|last| last.end == at && goes_on(&self.frames[at - 1], frame)) {
                Some(current) => current.end = at + 1,
                None => runs.push(at..at + 1),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Milliseconds};

    fn timeline(frames: &[(u32, i64, Option<i64>)]) -> Timeline {
        let mut clock = crate::replay::Clock::default();
        let mut level_before = None;
        let frames = frames.iter().enumerate().map(|(at, &(level, server, in_match))| {
            if level_before.replace(level) != Some(level) {
                clock.level();
            }
            let times = (clock.at(server), Milliseconds(server), in_match.map(Milliseconds));
            FrameAt { message: at as u32, key: at as i64, level, demo: times.0, server: times.1, in_match: times.2, before_round: false }
        });
        Timeline { frames: frames.collect() }
    }

    fn located(timeline: &Timeline, clock: Clock, from: i64, to: i64) -> Option<Span<usize>> {
        timeline.locate(Range { clock, from: Milliseconds(from), to: Milliseconds(to) }).ok()
    }

    #[test]
    fn ranges_find_the_run_that_both_ends_lie_in() {
        // a level whose clock starts again two frames late
        let timeline = timeline(&[(0, 9000, None), (0, 9100, None), (1, 9200, None), (1, 100, Some(0)), (1, 200, Some(100)), (1, 300, Some(200))]);
        assert_eq!(timeline.frames.iter().map(|frame| frame.demo.0).collect::<Vec<_>>(), [0, 100, 200, 200, 300, 400]);
        assert_eq!(located(&timeline, Clock::Server, 150, 250), Some(3..5));
        assert_eq!(located(&timeline, Clock::Server, 9050, 9150), Some(0..2));
        assert_eq!(located(&timeline, Clock::Demo, 200, 200), Some(3..4), "the last frame at a time");
        assert_eq!(located(&timeline, Clock::Demo, -50, 0), Some(0..1));
        assert_eq!(located(&timeline, Clock::Match, 50, 150), Some(3..5));
        assert_eq!(located(&timeline, Clock::Demo, 401, 500), None, "behind the end");
        assert_eq!(located(&timeline, Clock::Demo, -50, -10), None, "before the start");
        assert_eq!(located(&timeline, Clock::Demo, 200, 100), None, "backwards");
        assert_eq!(located(&Timeline::default(), Clock::Demo, 0, 100), None);
    }

    #[test]
    fn times_find_the_last_frame_at_or_before_them() {
        let timeline = timeline(&[(0, 9000, None), (0, 9100, None), (1, 100, None), (1, 300, None)]);
        let at = |when| timeline.at(when).unwrap();
        assert_eq!([-5, 0, 99, 100, 5000].map(|time| at(When::Demo(Milliseconds(time)))), [0, 0, 0, 2, 3]);
        assert_eq!([9050, 9999, 0].map(|time| at(When::Server(Milliseconds(time)))), [0, 3, 0]);
        assert_eq!(Timeline::default().at(When::Demo(Milliseconds(0))), None);
    }

    #[test]
    fn matches_and_levels_are_runs() {
        let mut timeline = timeline(&[(0, 0, Some(0)), (0, 50, None), (0, 100, Some(0)), (1, 150, Some(0)), (2, 200, None)]);
        assert_eq!(timeline.matches(), [0..1, 2..3, 3..4]);
        timeline.frames[1].before_round = true;
        assert_eq!(timeline.matches(), [0..3, 3..4]);
        assert_eq!(timeline.levels(|_, _| false), [0..3, 3..4, 4..5]);
        assert_eq!(timeline.levels(|a, b| (a, b) == (1, 2)), [0..3, 3..5]);
    }
}
