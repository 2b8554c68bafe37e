//! Finds the frames of a range while frames come one by one.

use std::ops::Range as Span;

use super::FrameAt;
use crate::{Clock, Milliseconds, Range};
use fragreel_base::wire::Error;

/// The frames of a range, with those that decide how a part of them begins and ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Their numbers, counted from 0.
    pub frames: Span<usize>,
    /// The frame before the first.
    pub before: Option<FrameAt>,
    /// The first.
    pub first: FrameAt,
    /// The last.
    pub last: FrameAt,
    /// The frame behind the last.
    pub behind: Option<FrameAt>,
}

impl Located {
    /// True if the first frame is the first of its level.
    pub fn starts_level(&self) -> bool {
        self.before.is_none_or(|before| before.level != self.first.level)
    }
}

/// Finds the frames of a range: from the last at or before its start, or the first, to the last at or before its end. Memory does not depend on the number
/// of frames.
///
/// ```
/// use fragreel_model::{Clock, Milliseconds, Range};
/// use fragreel_model::replay::{FrameAt, Locator};
///
/// let mut locator = Locator::new(Range { clock: Clock::Demo, from: Milliseconds(150), to: Milliseconds(250) });
/// for time in [0, 100, 200, 300] {
///     locator.frame(&FrameAt { demo: Milliseconds(time), ..FrameAt::default() });
/// }
/// assert_eq!(locator.finish()?.frames, 1..3);
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Locator {
    range: Range,
    /// The number of frames so far.
    count: usize,
    previous: Option<FrameAt>,
    /// The current run of frames whose clock goes on.
    run: Option<Run>,
    /// The first run that has both ends of the range.
    whole: Option<Located>,
    /// The first run that has frames in it.
    partial: Option<Located>,
    /// The times of all runs, for those who ask for others.
    has: Vec<String>,
}

/// Frames whose clock goes on without a break.
#[derive(Debug, Clone)]
struct Run {
    first: Milliseconds,
    last: Milliseconds,
    located: Located,
}

impl Locator {
    /// Looks for the frames of a range.
    pub fn new(range: Range) -> Self {
        Locator { range, count: 0, previous: None, run: None, whole: None, partial: None, has: Vec::new() }
    }

    /// The number of frames so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Takes the next frame.
    pub fn frame(&mut self, frame: &FrameAt) {
        let (at, before) = (self.count, self.previous.replace(*frame));
        self.count += 1;
        let time = match self.range.clock {
            Clock::Demo => Some(frame.demo),
            Clock::Server => Some(frame.server),
            Clock::Match => frame.in_match,
        };
        let goes_on = before.is_some_and(|before| match self.range.clock {
            Clock::Demo => true,
            Clock::Server => frame.server >= before.server,
            Clock::Match => before.in_match.is_some() && before.level == frame.level && before.in_match <= frame.in_match,
        });
        if !goes_on || time.is_none() {
            self.end_run();
        }
        self.see_behind(at, frame);
        let Some(time) = time else { return };
        let located = || Located { frames: at..at + 1, before, first: *frame, last: *frame, behind: None };
        let run = self.run.get_or_insert_with(|| Run { first: time, last: time, located: located() });
        run.last = time;
        if time <= self.range.from {
            run.located = located();
        } else if time <= self.range.to {
            (run.located.frames.end, run.located.last, run.located.behind) = (at + 1, *frame, None);
        }
    }

    /// Notes the frame behind those that were found.
    fn see_behind(&mut self, at: usize, frame: &FrameAt) {
        let run = self.run.as_mut().map(|run| &mut run.located);
        for located in [run, self.whole.as_mut(), self.partial.as_mut()].into_iter().flatten() {
            if located.frames.end == at {
                located.behind = Some(*frame);
            }
        }
    }

    fn end_run(&mut self) {
        let Some(Run { first, last, located }) = self.run.take() else { return };
        self.has.push(format!("{first} to {last}"));
        if self.range.to < first || self.range.from > last {
            return;
        }
        if first <= self.range.from && last >= self.range.to {
            self.whole.get_or_insert(located);
        } else {
            self.partial.get_or_insert(located);
        }
    }

    /// The frames of the range, after the last frame came.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for a range that ends before it starts, that no frame lies in, or on a clock that never
    /// runs; [`ErrorKind::Malformed`](fragreel_base::wire::ErrorKind::Malformed) where the recording has no frame.
    pub fn finish(mut self) -> Result<Located, Error> {
        let range = self.range;
        if range.to < range.from {
            return Err(Error::misuse(format!("a range from {} to {} ends before it starts", range.from, range.to)));
        }
        if self.count == 0 {
            return Err(Error::malformed("the recording has no complete frame"));
        }
        self.end_run();
        if self.has.is_empty() {
            return Err(Error::misuse("the recording has no match: use another clock"));
        }
        self.whole.or(self.partial).ok_or_else(|| {
            let has = self.has.join(", ");
            Error::misuse(format!("no frame is between {} and {}: there are frames from {has}", range.from, range.to))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Timeline;

    fn found(frames: &[FrameAt], clock: Clock, from: i64, to: i64) -> Located {
        let mut locator = Locator::new(Range { clock, from: Milliseconds(from), to: Milliseconds(to) });
        frames.iter().for_each(|frame| locator.frame(frame));
        locator.finish().unwrap()
    }

    #[test]
    fn frames_around_the_range_are_known() {
        let frames: Vec<FrameAt> = [(0, 100), (0, 200), (1, 50), (1, 150), (1, 250)]
            .map(|(level, server)| FrameAt { level, server: Milliseconds(server), ..FrameAt::default() })
            .to_vec();
        let located = found(&frames, Clock::Server, 60, 160);
        assert_eq!((located.frames.clone(), located.before, located.behind), (2..4, Some(frames[1]), Some(frames[4])));
        assert!(located.starts_level());
        // no frame is behind the last
        let located = found(&frames, Clock::Server, 210, 260);
        assert_eq!((located.frames.clone(), located.behind), (3..5, None));
        let located = found(&frames, Clock::Server, 160, 200);
        assert_eq!((located.frames.clone(), located.behind, located.starts_level()), (0..2, Some(frames[2]), true));
        let timeline = Timeline { frames };
        assert_eq!(timeline.locate(Range { clock: Clock::Server, from: Milliseconds(150), to: Milliseconds(200) }), Ok(0..2));
    }
}
