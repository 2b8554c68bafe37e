//! Which frames of a walk are asked for.

use crate::{Clock, FrameOptions, Milliseconds};

/// Chooses frames by the times and the rate of [`FrameOptions`], before anything is put into them.
#[derive(Debug, Clone)]
pub struct Sampler {
    clock: Clock,
    from: Option<Milliseconds>,
    to: Option<Milliseconds>,
    /// Milliseconds between frames; 0 for all.
    interval: f64,
    /// The interval that the last frame was of.
    last: Option<i64>,
    /// Frames before this are passed over.
    skip: Option<Milliseconds>,
}

/// What becomes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It is given.
    Take,
    /// It is passed over.
    Skip,
    /// It is passed over, and so is everything behind it.
    Done,
}

impl Sampler {
    /// The frames that `options` ask for.
    pub fn new(options: &FrameOptions) -> Self {
        let interval = options.rate.filter(|rate| rate.is_finite() && *rate > 0.0).map_or(0.0, |rate| 1000.0 / rate);
        Sampler { clock: options.clock, from: options.from, to: options.to, interval, last: None, skip: None }
    }

    /// Whether the frame at these times is given. Frames come in order.
    pub fn choose(&mut self, demo: Milliseconds, server: Milliseconds, in_match: Option<Milliseconds>) -> Choice {
        if self.skip.is_some_and(|until| demo < until) {
            return Choice::Skip;
        }
        let time = match self.clock {
            Clock::Demo => Some(demo),
            Clock::Server => Some(server),
            Clock::Match => in_match,
        };
        let bounded = self.from.is_some() || self.to.is_some();
        match time {
            None if bounded => return Choice::Skip,
            Some(time) if self.from.is_some_and(|from| time < from) => return Choice::Skip,
            // other clocks may start again
            Some(time) if self.to.is_some_and(|to| time > to) => return if self.clock == Clock::Demo { Choice::Done } else { Choice::Skip },
            _ => {}
        }
        if self.interval > 0.0 {
            let interval = (demo.0 as f64 / self.interval).floor() as i64;
            if self.last == Some(interval) {
                return Choice::Skip;
            }
            self.last = Some(interval);
        }
        Choice::Take
    }

    /// Passes over frames before a time since the first frame, besides what the options pass over.
    pub fn skip_until(&mut self, time: Milliseconds) {
        self.skip = Some(time);
    }

    /// A walk goes on elsewhere.
    pub fn jump(&mut self) {
        (self.last, self.skip) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_of_each_interval_is_given() {
        let mut pace = Sampler::new(&FrameOptions::default().hz(10.0).from(Milliseconds(100)).to(Milliseconds(400)));
        let given: Vec<i64> = (0..20).map(|frame| frame * 33).filter(|&time| pace.choose(Milliseconds(time), Milliseconds(0), None) == Choice::Take).collect();
        assert_eq!(given, [132, 231, 330]);
        let mut all = Sampler::new(&FrameOptions::default().hz(f64::NAN));
        assert_eq!(all.choose(Milliseconds(0), Milliseconds(0), None), Choice::Take);
        assert_eq!(all.choose(Milliseconds(0), Milliseconds(0), None), Choice::Take);
    }

    #[test]
    fn frames_are_passed_over_until_a_time_and_no_longer_where_the_walk_jumps() {
        let mut pace = Sampler::new(&FrameOptions::default());
        let choose = |pace: &mut Sampler, time| pace.choose(Milliseconds(time), Milliseconds(0), None);
        pace.skip_until(Milliseconds(100));
        assert_eq!([0, 99, 100, 133].map(|time| choose(&mut pace, time)), [Choice::Skip, Choice::Skip, Choice::Take, Choice::Take]);
        pace.jump();
        assert_eq!(choose(&mut pace, 0), Choice::Take);
    }

    #[test]
    fn the_clock_of_the_match_knows_only_frames_of_matches() {
        let mut pace = Sampler::new(&FrameOptions { clock: Clock::Match, ..FrameOptions::default().to(Milliseconds(50)) });
        let mut choose = |time: Option<i64>| pace.choose(Milliseconds(0), Milliseconds(0), time.map(Milliseconds));
        assert_eq!([choose(None), choose(Some(10)), choose(Some(60)), choose(Some(5))], [Choice::Skip, Choice::Take, Choice::Skip, Choice::Take]);
    }
}
