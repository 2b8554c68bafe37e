//! Times of macros and messages: seconds since the start of the recording or the level.

use fragreel_model::Milliseconds;

/// The longest time in seconds: a thousand years.
const MAX_SECONDS: f64 = 3.2e10;

/// Converts seconds. Negative times stay negative; NaN is 0.
pub(crate) fn milliseconds(seconds: f32) -> Milliseconds {
    Milliseconds::from_seconds(f64::from(seconds).clamp(-MAX_SECONDS, MAX_SECONDS))
}

/// Time since the first frame. Every played segment counts from 0, and segments follow one another. An engine plays a macro once its time has
/// come, so the time stands still where a macro's time is lower than the one before.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Elapsed {
    segment: Option<usize>,
    /// The time at which the segment began.
    base: Milliseconds,
    /// The highest time in it, in seconds. Proxies write times slightly below 0.
    highest: f32,
}

impl Elapsed {
    /// Advances to a macro of a played segment.
    #[inline]
    pub(crate) fn at(&mut self, segment: usize, seconds: f32) {
        if self.segment != Some(segment) {
            *self = Elapsed { segment: Some(segment), base: self.now(), highest: 0.0 };
        }
        // false for what is no number, too
        if seconds > self.highest {
            self.highest = seconds;
        }
    }

    /// The time of the last macro that was played.
    pub(crate) fn now(&self) -> Milliseconds {
        self.base + milliseconds(self.highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(elapsed: &mut Elapsed, segment: usize, seconds: f32) -> i64 {
        elapsed.at(segment, seconds);
        elapsed.now().0
    }

    #[test]
    fn segments_follow_one_another() {
        let mut elapsed = Elapsed::default();
        let times = [(1, 0.0), (1, 2.5), (3, 0.0), (3, 1.0), (4, 0.5)].map(|(segment, seconds)| at(&mut elapsed, segment, seconds));
        assert_eq!((times, elapsed.now().0), ([0, 2500, 2500, 3500, 4000], 4000));
    }

    #[test]
    fn a_time_that_falls_stands_still() {
        let mut elapsed = Elapsed::default();
        assert_eq!([1.0, 2.5, 0.0, 2.4, 2.75].map(|seconds| at(&mut elapsed, 1, seconds)), [1000, 2500, 2500, 2500, 2750]);
    }

    #[test]
    fn times_are_times() {
        let most = 32_000_000_000_000;
        for (seconds, expected) in [(1.5, 1500), (-1.96e-7, 0), (-3.0, -3000), (f32::NAN, 0), (f32::NEG_INFINITY, -most), (f32::INFINITY, most)] {
            assert_eq!(milliseconds(seconds), Milliseconds(expected), "{seconds}");
        }
    }

    #[test]
    fn what_passes_is_never_negative() {
        let mut elapsed = Elapsed::default();
        assert_eq!([-3.0, -1.0, 0.5, f32::NEG_INFINITY, f32::NAN].map(|seconds| at(&mut elapsed, 1, seconds)), [0, 0, 500, 500, 500]);
        assert_eq!(at(&mut elapsed, 2, -9.0), 500);
    }
}
