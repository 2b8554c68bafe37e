//! The clock that wolfcamql's `seekclock` counts on.

use fragreel::Recording;
use fragreel::model::{Fields, FrameOptions, Milliseconds};

/// Maps the recording's time to the clock of the first match that runs.
///
/// wolfcamql reads the start of the clock once, where the recording begins, and seeks from there. The match clock of Capture
/// Strike and Clan Arena restarts every round, so it names another moment. This clock goes on: it holds while the match clock
/// holds, and otherwise advances with the recording.
#[derive(Debug, Default)]
pub struct LevelClock {
    /// Where the clock stops being the recording's time plus one offset: the time, and the clock then. In order of time.
    bends: Vec<(Milliseconds, Milliseconds)>,
    /// The last frame: its time, the match clock, and this clock.
    last: Option<(Milliseconds, Option<Milliseconds>, Milliseconds)>,
}

impl LevelClock {
    /// Reads the clock of a recording.
    pub fn of(recording: &Recording) -> Self {
        let mut clock = LevelClock::default();
        for frame in recording.frames(FrameOptions::default().fields(Fields::NONE).players_only()).into_iter().flatten() {
            clock.add(frame.time, frame.match_time);
        }
        clock
    }

    /// Adds a frame.
    fn add(&mut self, time: Milliseconds, match_time: Option<Milliseconds>) {
        let Some((last_time, last_match_time, last)) = self.last else {
            // Before the first match there is no clock.
            if let Some(match_time) = match_time {
                self.bends.push((time, match_time));
                self.last = Some((time, Some(match_time), match_time));
            }
            return;
        };
        let passed = time - last_time;
        // A pause holds the clock for a part of the step or all of it. A step back, or too far ahead, is a restart.
        let by_match_clock = match_time.zip(last_match_time).map(|(now, before)| now - before).filter(|step| (0..=passed.0).contains(&step.0));
        let step = by_match_clock.unwrap_or(passed);
        if step != passed {
            self.bends.extend([(last_time, last), (time, last + step)]);
        }
        self.last = Some((time, match_time, last + step));
    }

    /// The clock from one time to another, for something that happens at `time`; `None` where that is before the first match.
    pub fn range(&self, time: Milliseconds, from: Milliseconds, to: Milliseconds) -> Option<(Milliseconds, Milliseconds)> {
        self.at(time)?;
        let first = self.bends.first()?.1;
        Some((self.at(from).unwrap_or(first), self.at(to)?))
    }

    /// The clock at a time since the recording's first frame; `None` before the first match.
    fn at(&self, time: Milliseconds) -> Option<Milliseconds> {
        let after = self.bends.partition_point(|(bend, _)| *bend <= time);
        let (bend, clock) = self.bends[after.checked_sub(1)?];
        let clock = clock + (time - bend);
        // Within a pause the clock has not passed the reading at its end.
        Some(self.bends.get(after).map_or(clock, |(_, next)| clock.min(*next)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(frames: &[(i64, Option<i64>)]) -> LevelClock {
        let mut clock = LevelClock::default();
        frames.iter().for_each(|(time, match_time)| clock.add(Milliseconds(*time), match_time.map(Milliseconds)));
        clock
    }

    #[test]
    fn rounds_do_not_restart_it() {
        // A warm-up, a round from 0:10, its end, and the next round, whose clock begins again.
        let clock = clock(&[(0, None), (1000, Some(10_000)), (2000, Some(11_000)), (3000, None), (4000, Some(0)), (5000, Some(1000))]);
        let at = |time| clock.at(Milliseconds(time)).map(|time| time.0);
        assert_eq!([at(0), at(1000), at(1500), at(3500), at(4500), at(9000)], [None, Some(10_000), Some(10_500), Some(12_500), Some(13_500), Some(18_000)]);
    }

    #[test]
    fn pauses_hold_it() {
        let clock = clock(&[(0, Some(5000)), (100, Some(5100)), (200, Some(5100)), (300, Some(5100)), (400, Some(5200)), (500, Some(5300))]);
        let at = |time| clock.at(Milliseconds(time)).map(|time| time.0);
        assert_eq!([at(50), at(100), at(250), at(300), at(350), at(500)], [Some(5050), Some(5100), Some(5100), Some(5100), Some(5150), Some(5300)]);
    }
}
