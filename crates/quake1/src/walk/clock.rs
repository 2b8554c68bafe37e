//! The two clocks of a recording (`docs/formats/quake1.md`, "Time").

use fragreel_model::Milliseconds;

use crate::container::{Framing, Stamp};
use crate::message::{Float, Message};

/// The demo clock and the server clock.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// Time since the recording's first frame.
    pub demo: Milliseconds,
    /// The server's time.
    pub server: Milliseconds,
    /// The time of this level's first frame on both clocks.
    level: Option<(Milliseconds, Milliseconds)>,
    /// The client's clock at the last block.
    last: Option<Milliseconds>,
    /// True once the stream states the server's time.
    stated: bool,
    /// True in NetQuake, where the demo clock follows the server's. Other containers have times of their own.
    by_server: bool,
    /// True if the block's time is contradicted.
    ignores: bool,
    /// Derives the demo clock from the server's.
    frames: fragreel_model::replay::Clock,
    believed: Believed,
}

/// The server's times of a level, as far as they confirm each other.
#[derive(Debug, Clone, Default)]
struct Believed {
    last: Option<Milliseconds>,
    /// A time that jumped ahead. It counts once the next one goes on from it.
    jumped: Option<Milliseconds>,
    /// True once a time followed another.
    confirmed: bool,
    /// The time of the last replacement delta whose dialect was guessed.
    guessed: Option<Milliseconds>,
}

/// What a server's time is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    Believed,
    /// The one before confirms its jump ahead, and nothing confirms those before that.
    First,
    /// It jumps ahead, and nothing confirms it yet.
    Doubtful,
}

/// The time that a server may pause, or a hole may take, in milliseconds.
const LONGEST_PAUSE: i64 = 60_000;
/// The longest step of a steady clock in milliseconds.
const STEADY: i64 = 5_000;

impl Believed {
    fn weigh(&mut self, now: Milliseconds) -> Worth {
        let jumped = self.jumped.take();
        let worth =
            match self.last.map(|last| now.0.saturating_sub(last.0)) {
                None => Worth::Believed,
                Some(passed) if passed <= LONGEST_PAUSE => {
                    self.confirmed |= (0..=STEADY).contains(&passed);
                    Worth::Believed
                }
                Some(_) if jumped.is_some_and(|jumped| (0..=STEADY).contains(&now.0.saturating_sub(jumped.0))) => {
                    if std::mem::replace(&mut self.confirmed, true) { Worth::Believed } else { Worth::First }
                }
                Some(_) => Worth::Doubtful,
            };
        match worth {
            Worth::Doubtful => self.jumped = Some(now),
            _ => self.last = Some(now),
        }
        worth
    }
}

/// Three years in seconds. No game's clock goes further.
const SANE: f64 = 1e8;

fn seconds(time: Float) -> Option<Milliseconds> {
    is_sane(time).then(|| Milliseconds::from_seconds(f64::from(time.value())))
}

/// True if a time in seconds is plausible.
pub(crate) fn is_sane(time: Float) -> bool {
    f64::from(time.value()).abs() < SANE
}

impl Clock {
    /// Advances to a block's time, unless other blocks contradict it.
    #[inline]
    pub fn block(&mut self, framing: &Framing, contradicted: bool) {
        self.ignores = contradicted;
        let time = match framing {
            Framing::NetQuake { .. } => {
                self.by_server = true;
                return;
            }
            Framing::Command { time, .. } | Framing::Packet { time, .. } | Framing::Sequences { time, .. } => *time,
        };
        match time {
            Stamp::After(delay) => self.pass(delay.into()),
            Stamp::At(_) if contradicted => {}
            Stamp::At(time) => {
                let Some(now) = seconds(time) else { return };
                // a client's clock that is set back starts again from there
                self.demo.0 += (now - self.last.unwrap_or(now)).0.max(0);
                self.last = Some(now);
                if !self.stated {
                    self.server = now;
                }
            }
        }
    }

    /// Advances to the time of the last of several blocks, which is this many milliseconds later (`.mvd`).
    #[inline]
    pub(crate) fn pass(&mut self, delay: i64) {
        self.demo.0 += delay;
        if let Some((demo, server)) = self.level {
            self.server = server + (self.demo - demo);
        } else {
            self.server = self.demo;
        }
    }

    /// Whether a block has the same time as the one before, judging by its framing. `None` if its messages state the time.
    pub(crate) fn is_same_time(&self, framing: &Framing) -> Option<bool> {
        let by_messages = self.stated && !matches!(framing, Framing::Packet { time: Stamp::After(_), .. });
        (!by_messages).then(|| self.is_same_demo_time(framing))
    }

    /// The same for the demo clock alone.
    pub(crate) fn is_same_demo_time(&self, framing: &Framing) -> bool {
        let mut next = self.clone();
        next.block(framing, false);
        // where a client's clock was set back, the recording's stands still, and another moment begins all the same
        next.demo == self.demo && next.server == self.server
    }

    /// Follows a replacement delta where none was agreed on. A dialect that was guessed reads such of noise, so its time counts where it goes on
    /// from another.
    pub(crate) fn guessed_update(&mut self, message: &Message, time: Float) {
        let Some(now) = seconds(time) else { return };
        let goes_on = |before: Option<Milliseconds>| before.is_some_and(|before| (1..=STEADY).contains(&now.0.saturating_sub(before.0)));
        let last = self.believed.last;
        if goes_on(self.believed.guessed.replace(now)) || goes_on(last) {
            self.message(message);
        }
    }

    /// Whether [`message`](Self::message) may change the clocks.
    #[inline]
    pub(crate) fn follows(message: &Message) -> bool {
        matches!(message, Message::NqTime(_) | Message::QwTime(_) | Message::UpdateEntities(_) | Message::ServerData(_) | Message::ServerInfo(_))
    }

    /// Follows a message that may state the time.
    #[inline]
    pub(crate) fn message(&mut self, message: &Message) {
        let time = match message {
            Message::NqTime(_) | Message::UpdateEntities(_) if self.ignores && self.by_server => return,
            Message::NqTime(m) => m.time,
            Message::QwTime(m) => m.time,
            Message::UpdateEntities(m) => Float(m.update.time),
            Message::ServerData(m) => {
                self.stated = false;
                self.believed = Believed::default();
                if let Some(server) = seconds(m.time).filter(|_| m.time.0 != 0) {
                    self.level = Some((self.demo, server));
                    self.server = server;
                }
                return;
            }
            Message::ServerInfo(_) => {
                self.frames.level();
                self.believed = Believed::default();
                return;
            }
            _ => return,
        };
        // servers start above 0: this is damage
        if self.by_server && time.value().abs() < 0.001 && self.server.0 > 0 {
            return;
        }
        let Some(now) = seconds(time) else { return };
        match self.believed.weigh(now) {
            Worth::Believed => {}
            Worth::First => self.frames.level(),
            Worth::Doubtful => return,
        }
        self.stated = true;
        self.server = now;
        if self.by_server {
            self.demo = self.frames.at(now.0);
        } else {
            self.level = Some((self.demo, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::Target;
    use crate::message::NqTime;

    fn server(clock: &mut Clock, seconds: f32) -> i64 {
        clock.block(&Framing::NetQuake { angles: [Float(0); 3] }, false);
        clock.message(&Message::NqTime(NqTime { time: Float::from(seconds), ..NqTime::default() }));
        clock.demo.0
    }

    /// The demo clock never falls or stalls: not if the server's clock restarts unannounced, at a level's start, late, or never.
    #[test]
    fn time_never_goes_back_or_stands_still() {
        let mut clock = Clock::default();
        let times: Vec<i64> = [100.0, 101.0, 2.0, 3.0].iter().map(|&at| server(&mut clock, at)).collect();
        assert_eq!(times, [0, 1000, 1000, 2000]);
        // the server states a level, its clock goes on and falls a message later
        clock.message(&Message::ServerInfo(Default::default()));
        let times: Vec<i64> = [3.5, 1.0, 1.5].iter().map(|&at| server(&mut clock, at)).collect();
        assert_eq!(times, [2500, 2500, 3000]);
        // and one whose clock goes on
        clock.message(&Message::ServerInfo(Default::default()));
        let times: Vec<i64> = [2.0, 2.25].iter().map(|&at| server(&mut clock, at)).collect();
        assert_eq!(times, [3500, 3750]);
        assert_eq!(clock.server, Milliseconds(2250));
    }

    /// A time that jumps ahead counts once another goes on from it.
    #[test]
    fn one_time_alone_is_not_believed() {
        let times = |seconds: &[f32]| {
            let mut clock = Clock::default();
            seconds.iter().map(|&at| server(&mut clock, at)).collect::<Vec<_>>()
        };
        assert_eq!(times(&[10.0, 11.0, 3966.0, 12.0, 13.0]), [0, 1000, 1000, 2000, 3000], "in the middle");
        assert_eq!(times(&[10.0, 11.0, 3966.0]), [0, 1000, 1000], "the last");
        assert_eq!(times(&[1.0, 1000.0, 1001.0, 1002.0]), [0, 0, 0, 1000], "the first is too low");
        assert_eq!(times(&[9000.0, 10.0, 11.0, 12.0]), [0, 0, 1000, 2000], "the first is too high");
        assert_eq!(times(&[10.0, 11.0, 100.0, 101.0]), [0, 1000, 1000, 91_000], "a long pause");
        assert_eq!(times(&[10.0, 700.0, 50.0, 4000.0, 90.0, 60.0]), [0, 0, 40_000, 40_000, 80_000, 80_000], "noise");
    }

    /// A client's clock may be set back, be NaN, or stand still.
    #[test]
    fn clients_clocks_may_be_set() {
        let mut clock = Clock::default();
        let mut at = |seconds: f32| {
            clock.block(&Framing::Packet { time: Stamp::At(Float::from(seconds)), target: Target::default() }, false);
            clock.demo.0
        };
        assert_eq!([10.0, 11.0, 5.0, f32::NAN, 5.5, 1e30, 6.0].map(&mut at), [0, 1000, 1000, 1000, 1500, 1500, 2000]);
    }
}
