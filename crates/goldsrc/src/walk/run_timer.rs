//! The timer of a speedrunner's tool, macro by macro.

use fragreel_model::{Milliseconds, Timer, TimerSplit};

use crate::container::bunnymod::{self, Fact};
use crate::container::{Macro, MacroKind, body, bunnymod_data};
use crate::game_text::clean;

/// The timer's time is written when its whole second changes.
const EVERY: Milliseconds = Milliseconds(1000);
/// No more splits than this are kept.
const MOST_SPLITS: usize = 1000;

/// The data so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunTimer {
    /// The data of the commands in a row under way.
    open: Vec<u8>,
    timer: Option<Timer>,
    /// When the timer's time was written.
    written: Milliseconds,
    is_stopped: bool,
    /// Splits that belong to runs that ended.
    past: usize,
}

/// A run that the tool saw end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) time: Option<Milliseconds>,
    pub(crate) splits: Vec<TimerSplit>,
    pub(crate) version: Option<String>,
}

impl RunTimer {
    /// Takes a macro in, and returns the run that ended with it.
    pub(crate) fn take(&mut self, window: &Macro, now: Milliseconds) -> Option<Ended> {
        if window.kind == MacroKind::Command
            && let Some(data) = bunnymod_data(&body::command_text(window).0)
        {
            self.open.extend_from_slice(data);
            return None;
        }
        if self.open.is_empty() { None } else { self.close(now) }
    }

    /// The recording is over.
    pub(crate) fn end(&mut self, now: Milliseconds) -> Option<Ended> {
        if self.open.is_empty() { None } else { self.close(now) }
    }

    /// What is known at last.
    pub(crate) fn timer(self) -> Option<Timer> {
        self.timer
    }

    fn close(&mut self, now: Milliseconds) -> Option<Ended> {
        let facts = bunnymod::read(&std::mem::take(&mut self.open));
        let mut ended = None;
        for fact in facts {
            let timer = self.timer.get_or_insert_with(|| Timer::new("BunnymodXT"));
            match fact {
                Fact::Version { build, version } => (timer.game_build, timer.version) = (Some(build), Some(clean(&version))),
                Fact::Time(time) => (timer.time, self.written) = (Some(Milliseconds(time)), now),
                Fact::Timer(command) => {
                    self.is_stopped = command != b"start";
                    if command == b"reset" {
                        (timer.time, self.past) = (Some(Milliseconds(0)), timer.splits.len());
                    }
                }
                Fact::Split { name, map } if timer.splits.len() < MOST_SPLITS => {
                    let passed = Some(now - self.written).filter(|passed| !self.is_stopped && (Milliseconds(0)..EVERY).contains(passed));
                    let time = timer.time.map(|time| time + passed.unwrap_or_default());
                    timer.splits.push(TimerSplit::new(clean(&name), Some(clean(&map)).filter(|map| !map.is_empty()), now, time));
                }
                Fact::Split { .. } => {}
                Fact::End => {
                    timer.ended = true;
                    let splits = timer.splits[self.past..].to_vec();
                    self.past = timer.splits.len();
                    ended = Some(Ended { time: timer.time, splits, version: timer.version.clone() });
                }
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::bunnymod::tests::{blob, split, text, time};

    fn feed(timer: &mut RunTimer, records: &[Vec<u8>], now: i64) -> Option<Ended> {
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        timer.open = blob(&records);
        timer.end(Milliseconds(now))
    }

    fn command(command: &str) -> Vec<u8> {
        [&[7][..], &text(command)].concat()
    }

    /// The bytes are made as the tool's public source describes them: no recording that we have a run of has splits.
    #[test]
    fn a_timed_run_has_its_splits_and_its_last_time() {
        let mut timer = RunTimer::default();
        assert_eq!(feed(&mut timer, &[command("bxt_timer_reset"), command("bxt_timer_start")], 0), None);
        assert_eq!(feed(&mut timer, &[time(0, 1, 0.004)], 2000), None);
        // 0.3 s after the timer's time was written, it still runs
        assert_eq!(feed(&mut timer, &[split("top", "c1a0")], 2300), None);
        assert_eq!(feed(&mut timer, &[time(0, 2, 0.0), command("bxt_timer_stop")], 3000), None);
        assert_eq!(feed(&mut timer, &[split("", "")], 3200), None);
        let ended = feed(&mut timer, &[time(0, 2, 0.5), vec![8]], 3500).unwrap();
        let splits: Vec<_> = ended.splits.iter().map(|split| (split.name.as_str(), split.map.as_deref(), split.at.0, split.time.map(|time| time.0))).collect();
        assert_eq!(splits, [("top", Some("c1a0"), 2300, Some(1304)), ("", None, 3200, Some(2000))]);
        assert_eq!(ended.time, Some(Milliseconds(2500)));
        // what follows is another run's
        let ended = feed(&mut timer, &[vec![8]], 4000).unwrap();
        assert!(ended.splits.is_empty());
        let timer = timer.timer().unwrap();
        assert!(timer.ended && timer.splits.len() == 2 && timer.time == Some(Milliseconds(2500)));
    }
}
