//! Which frames of a walk are asked for.

use super::At;
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
    /// Milliseconds of an interval on the server's clock, and the level and the interval that the last frame was of.
    server_interval: Option<i64>,
    last_on_server: Option<(u32, i64)>,
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
        let server_interval = options.server_interval.map(|length| length.0).filter(|length| *length > 0);
        Sampler { clock: options.clock, from: options.from, to: options.to, interval, last: None, server_interval, last_on_server: None, skip: None }
    }

    /// Whether a frame is given. Frames come in order.
    pub fn choose(&mut self, at: &At) -> Choice {
        if self.skip.is_some_and(|until| at.time < until) {
            return Choice::Skip;
        }
        let time = match self.clock {
            Clock::Demo => Some(at.time),
            Clock::Server => Some(at.server_time),
            Clock::Match => at.match_time,
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
            let interval = (at.time.0 as f64 / self.interval).floor() as i64;
            if self.last.replace(interval) == Some(interval) {
                return Choice::Skip;
            }
        }
        if let Some(length) = self.server_interval {
            let interval = (at.level, at.server_time.0.div_euclid(length));
            if self.last_on_server.replace(interval) == Some(interval) {
                return Choice::Skip;
            }
        }
        Choice::Take
    }

    /// Passes over frames before a time since the first frame, besides what the options pass over.
    pub fn skip_until(&mut self, time: Milliseconds) {
        self.skip = Some(time);
    }

    /// A walk goes on elsewhere.
    pub fn jump(&mut self) {
        (self.last, self.last_on_server, self.skip) = (None, None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(pace: &mut Sampler, (time, server_time, in_match, level): (i64, i64, Option<i64>, u32)) -> Choice {
        let at = At { number: 0, message: 0, level, time: Milliseconds(time), server_time: Milliseconds(server_time), match_time: in_match.map(Milliseconds) };
        pace.choose(&at)
    }

    #[test]
    fn the_first_frame_of_each_interval_is_given() {
        let mut pace = Sampler::new(&FrameOptions::default().hz(10.0).from(Milliseconds(100)).to(Milliseconds(400)));
        let given: Vec<i64> = (0..20).map(|frame| frame * 33).filter(|&time| choose(&mut pace, (time, 0, None, 0)) == Choice::Take).collect();
        assert_eq!(given, [132, 231, 330]);
        let mut all = Sampler::new(&FrameOptions::default().hz(f64::NAN));
        assert_eq!(choose(&mut all, (0, 0, None, 0)), Choice::Take);
        assert_eq!(choose(&mut all, (0, 0, None, 0)), Choice::Take);
    }

    #[test]
    fn the_first_frame_of_each_interval_on_the_servers_clock_is_given() {
        let mut pace = Sampler::new(&FrameOptions::default().server_interval(Milliseconds(2000)));
        let frames = [(-1, 0), (0, 0), (1999, 0), (2000, 0), (2000, 1), (3999, 1), (1, 1)];
        let given = frames.map(|(server, level)| choose(&mut pace, (0, server, None, level)) == Choice::Take);
        assert_eq!(given, [true, true, false, true, true, false, true]);
    }

    #[test]
    fn frames_are_passed_over_until_a_time_and_no_longer_where_the_walk_jumps() {
        let mut pace = Sampler::new(&FrameOptions::default());
        let choose = |pace: &mut Sampler, time| choose(pace, (time, 0, None, 0));
        pace.skip_until(Milliseconds(100));
        assert_eq!([0, 99, 100, 133].map(|time| choose(&mut pace, time)), [Choice::Skip, Choice::Skip, Choice::Take, Choice::Take]);
        pace.jump();
        assert_eq!(choose(&mut pace, 0), Choice::Take);
    }

    #[test]
    fn the_clock_of_the_match_knows_only_frames_of_matches() {
        let mut pace = Sampler::new(&FrameOptions { clock: Clock::Match, ..FrameOptions::default().to(Milliseconds(50)) });
        let mut choose = |time: Option<i64>| choose(&mut pace, (0, 0, time, 0));
        assert_eq!([choose(None), choose(Some(10)), choose(Some(60)), choose(Some(5))], [Choice::Skip, Choice::Take, Choice::Skip, Choice::Take]);
    }
}
