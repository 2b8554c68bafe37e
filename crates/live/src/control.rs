//! What those who watch a show may say to it.

use crate::Clock;
use crate::status::words;

/// The clock of a show with what its viewers' commands do to it: `pause`, `play`, `seek 1:30`, `seek +10`, `speed 0.5`, `next`, `prev` and
/// `follow NAME`, bare or, in chat, behind an exclamation mark.
///
/// ```
/// use fragreel_live::{Control, ControlCommand};
///
/// let mut control = Control::new(60_000, [10_000, 40_000]);
/// assert_eq!(control.command(b"say \"!seek 0:30\"", 1.0), Some(ControlCommand::Seek(30_000)));
/// assert_eq!(control.command(b"seek +5", 1.0), Some(ControlCommand::Seek(6000)));
/// assert_eq!(control.command(b"next", 1.0), Some(ControlCommand::Seek(7000)));
/// assert_eq!(control.command(b"pause", 2.0), Some(ControlCommand::Say(String::from("paused at 0:02.000"))));
/// assert_eq!(control.command(b"follow somebody", 2.0), Some(ControlCommand::Follow(String::from("somebody"))));
/// assert_eq!(control.command(b"say hello", 2.0), None);
/// ```
#[derive(Debug, Clone)]
pub struct Control {
    /// The clock.
    pub clock: Clock,
    length: i64,
    marks: Vec<i64>,
    /// The recording grows, and all that there is of it is due.
    live: bool,
}

/// What a command asks of the show.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControlCommand {
    /// Go there, in milliseconds. [`Control::seek`] sets the clock.
    Seek(i64),
    /// PlaybackServer through the eyes of whom this names, as far as it was said.
    Follow(String),
    /// The clock changed, or nothing could be done: this is to be said to those who watch.
    Say(String),
}

/// How far before a mark `next` and `prev` go, in milliseconds.
const LEAD: i64 = 3000;
/// Milliseconds within which a mark is where the show is already.
const NEAR: i64 = 100;

impl Control {
    /// For a recording of this length in milliseconds. `marks` are the times that `next` and `prev` go to, in rising order.
    pub fn new(length: i64, marks: impl IntoIterator<Item = i64>) -> Self {
        Self { clock: Clock::new(), length, marks: marks.into_iter().collect(), live: false }
    }

    /// The recording's length in milliseconds.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// The recording grows from now on: all that there is of it is due, and the clock says nothing any more.
    pub fn go_live(&mut self) {
        self.live = true;
    }

    /// Whether the recording grows.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// How long the recording is by now.
    pub fn grow(&mut self, length: i64) {
        self.length = self.length.max(length);
    }

    /// Up to where everything is to be shown, in milliseconds since the first frame.
    pub fn due(&self, now: f64) -> i64 {
        if self.live { i64::MAX } else { self.clock.at(now) as i64 }
    }

    /// What is shown, in milliseconds since the first frame: never beyond the last one.
    pub fn position(&self, now: f64) -> i64 {
        if self.live {
            return self.length;
        }
        (self.clock.at(now) as i64).clamp(0, self.length)
    }

    /// Takes a position within the recording as the clock's.
    pub fn seek(&mut self, now: f64, position: i64) -> i64 {
        let position = position.clamp(0, self.length);
        self.clock.seek(now, position as f64);
        position
    }

    /// Stops a show that came to its end a second ago. Says so once.
    pub fn end(&mut self, now: f64) -> Option<&'static str> {
        let over = !self.live && !self.clock.is_paused() && self.clock.at(now) > self.length as f64 + 1000.0;
        over.then(|| {
            self.clock.pause(now, true);
            "the recording is over: !seek 0 begins again"
        })
    }

    /// What a client's command asks for; `None` where it is for nobody here.
    pub fn command(&mut self, text: &[u8], now: f64) -> Option<ControlCommand> {
        let mut said = words(text);
        if matches!(said.first().map(Vec::as_slice), Some(b"say" | b"say_team")) {
            let chat: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'"').collect();
            let at = chat.iter().position(|&byte| byte == b'!')?;
            said = words(&chat[at + 1..]);
        }
        let mut said = said.iter().map(|word| String::from_utf8_lossy(word).into_owned());
        let (word, argument) = (said.next()?, said.next().unwrap_or_default());
        let here = self.position(now);
        let say = |text: &str| Some(ControlCommand::Say(text.to_owned()));
        match word.as_str() {
            "pause" => self.paused(!self.clock.is_paused(), now),
            "play" => self.paused(false, now),
            "seek" => match target(&argument, here) {
                Some(time) => Some(ControlCommand::Seek(time.clamp(0, self.length))),
                None => say("!seek 1:30 goes to that time, !seek +10 and !seek -10 go forward and back by seconds"),
            },
            "speed" => match argument.parse::<f64>() {
                Ok(speed) if Clock::SPEEDS.contains(&speed) => {
                    self.clock.set_speed(now, speed);
                    Some(ControlCommand::Say(format!("speed {speed}")))
                }
                _ => say("!speed takes numbers from 0.05 to 20; 1 is normal"),
            },
            "next" => match self.marks.iter().copied().find(|&mark| mark - LEAD > here + NEAR) {
                Some(mark) => Some(ControlCommand::Seek(mark - LEAD)),
                None => say("there is no kill after this"),
            },
            "prev" => match self.marks.iter().copied().rev().find(|&mark| mark + NEAR < here) {
                Some(mark) => Some(ControlCommand::Seek((mark - LEAD).max(0))),
                None => say("there is no kill before this"),
            },
            "follow" => Some(ControlCommand::Follow(argument)),
            _ => None,
        }
    }

    fn paused(&mut self, paused: bool, now: f64) -> Option<ControlCommand> {
        self.clock.pause(now, paused);
        let what = if paused { "paused at" } else { "playing from" };
        Some(ControlCommand::Say(format!("{what} {}", stamp(self.position(now)))))
    }
}

/// A position as people read it: `1:02.500`.
pub fn stamp(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    format!("{}:{:02}.{:03}", seconds / 60, seconds % 60, milliseconds % 1000)
}

/// The time that `1:30`, `90`, `+10` or `-10` means.
fn target(text: &str, here: i64) -> Option<i64> {
    let (from, sign, digits) = match text.as_bytes().first()? {
        b'+' => (here, 1, &text[1..]),
        b'-' => (here, -1, &text[1..]),
        _ => (0, 1, text),
    };
    let (minutes, seconds) = digits.split_once(':').unwrap_or(("0", digits));
    let (minutes, seconds): (u32, f64) = (minutes.parse().ok()?, seconds.parse().ok()?);
    let milliseconds = f64::from(minutes) * 60_000.0 + seconds * 1000.0;
    (seconds >= 0.0 && milliseconds.is_finite()).then_some(from + sign * milliseconds as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let cases = [
            ("1:30", Some(90_000)),
            ("90.5", Some(90_500)),
            ("+10", Some(15_000)),
            ("-10", Some(-5000)),
            ("", None),
            ("x", None),
            ("--1", None),
            ("1:-3", None),
            ("nan", None),
        ];
        for (text, time) in cases {
            assert_eq!(target(text, 5000), time, "{text}");
        }
    }

    #[test]
    fn a_show_stops_at_its_end_and_can_begin_again() {
        let mut control = Control::new(5000, []);
        assert_eq!(control.end(5.9), None);
        assert!(control.end(6.1).is_some());
        assert_eq!((control.end(7.0), control.position(9.0)), (None, 5000));
        assert_eq!(control.command(b"seek 0", 9.0), Some(ControlCommand::Seek(0)));
        assert_eq!(control.command(b"prev", 9.0), Some(ControlCommand::Say(String::from("there is no kill before this"))));
        for text in [&b""[..], b"say", b"say !", b"\xff\xfe", b"seek 99999999999999999999"] {
            assert!(!matches!(control.command(text, 9.0), Some(ControlCommand::Seek(time)) if !(0..=5000).contains(&time)));
        }
    }
}
