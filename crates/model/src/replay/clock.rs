//! Time since a recording's first frame, from a server's clock that may start again at any moment.

use crate::Milliseconds;

/// How far a server's clock must fall to have started again; less is a frame out of order, at which time stands still.
pub const RESTART: i64 = 1000;

/// How far a server's clock may rise over the beginning of a level to have gone on; more is another clock.
const GOES_ON: i64 = 10_000;

/// Adds up the time that passes on a server's clock.
///
/// Servers start their clock again with a level, some frames after it, without one, or never; so the clock starts again wherever
/// the server's time falls by a second or more, and where a level begins unless the server's clock goes on there (by less than ten
/// seconds). The frame where it does is of the same time as the one before. Times never fall and are never negative.
///
/// ```
/// use fragreel_model::Milliseconds;
/// use fragreel_model::replay::Clock;
///
/// let mut clock = Clock::default();
/// assert_eq!([clock.at(5000), clock.at(9000)], [0, 4000].map(Milliseconds));
/// clock.level();
/// assert_eq!([clock.at(100), clock.at(1100)], [4000, 5000].map(Milliseconds));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// The last server time.
    last: Option<i64>,
    /// A level began since.
    level: bool,
    elapsed: i64,
}

impl Clock {
    /// A level begins.
    pub fn level(&mut self) {
        self.level = true;
    }

    /// The time since the first frame, at this server time in milliseconds. The same time may be asked for again.
    pub fn at(&mut self, server: i64) -> Milliseconds {
        let begins = std::mem::take(&mut self.level);
        match self.last {
            Some(last) if server >= last && !(begins && server.saturating_sub(last) >= GOES_ON) => {
                self.elapsed = self.elapsed.saturating_add(server.saturating_sub(last));
                self.last = Some(server);
            }
            Some(last) if !begins && server < last && last.saturating_sub(server) < RESTART => {}
            _ => self.last = Some(server),
        }
        Milliseconds(self.elapsed)
    }

    /// The time of the last frame.
    pub fn now(&self) -> Milliseconds {
        Milliseconds(self.elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(servers: &[i64], level_before: Option<usize>) -> Vec<i64> {
        let mut clock = Clock::default();
        let time = |(at, &server): (usize, &i64)| {
            if level_before == Some(at) {
                clock.level();
            }
            clock.at(server).0
        };
        servers.iter().enumerate().map(time).collect()
    }

    #[test]
    fn clocks_restart_with_the_level_late_early_or_never() {
        assert_eq!(times(&[5000, 9000, 100, 1100], Some(2)), [0, 4000, 4000, 5000], "with the level");
        assert_eq!(times(&[5000, 9000, 9500, 9600, 100, 200], Some(2)), [0, 4000, 4500, 4600, 4600, 4700], "two frames late");
        assert_eq!(times(&[5000, 9000, 100, 200, 300], Some(3)), [0, 4000, 4000, 4100, 4200], "a frame early");
        assert_eq!(times(&[5000, 9000, 90_000, 90_100], Some(2)), [0, 4000, 4000, 4100], "another clock");
        assert_eq!(times(&[5000, 9000, 9500, 9600], Some(2)), [0, 4000, 4500, 4600], "never");
        assert_eq!(times(&[5000, 9000, 100, 1100], None), [0, 4000, 4000, 5000], "between two matches in one level");
    }

    #[test]
    fn frames_out_of_order_stop_time_and_nothing_overflows() {
        assert_eq!(times(&[5000, 5100, 5050, 5100, 5150], None), [0, 100, 100, 100, 150]);
        assert_eq!(times(&[-500, -400], None), [0, 100]);
        let extreme = times(&[i64::MIN, i64::MAX, i64::MIN, i64::MAX], None);
        assert!(extreme.is_sorted() && extreme[0] == 0);
    }
}
