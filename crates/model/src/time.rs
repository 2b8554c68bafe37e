//! Time as games count it, by two clocks, in all families alike.
//!
//! The time since a recording's first frame never falls and is never negative. The server's clock is what the server states, unchanged, which is what
//! engines go by: it may start again, stand still, jump, and be negative.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A time or a span in milliseconds. Which clock it belongs to is said where it stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Milliseconds(pub i64);

impl Milliseconds {
    /// From seconds, as GoldSrc and the first Quake count. Values that are no time become 0.
    pub fn from_seconds(seconds: f64) -> Self {
        let milliseconds = seconds * 1000.0;
        // as `f64::round` does it, which is a call into the C library: 36 instructions for each of the blocks of a QuakeWorld recording
        let whole = milliseconds as i64;
        let rest = milliseconds - whole as f64;
        Self(whole.saturating_add(i64::from(rest >= 0.5)).saturating_sub(i64::from(rest <= -0.5)))
    }

    /// From a setting in whole minutes, such as a time limit. `None` for a text that is no number.
    pub fn of_minutes(text: &[u8]) -> Option<Self> {
        let minutes: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
        (0.0..1e6).contains(&minutes).then(|| Self::from_seconds(minutes * 60.0))
    }

    /// Later than any recording lasts: as the end of a range, the recording's own end. Shown as "the end".
    pub const END: Self = Self(1 << 40);

    /// In seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

/// A point in time on one of the two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Since the recording's first frame.
    Demo(Milliseconds),
    /// On the server's clock, as the server states it: it may be negative. Where it starts again with a level, so that several levels show a time, the last that comes nearest is meant.
    Server(Milliseconds),
}

impl std::ops::Sub for Milliseconds {
    type Output = Milliseconds;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::ops::Add for Milliseconds {
    type Output = Milliseconds;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// `m:ss.mmm`, with `h:` in front from one hour on.
impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self >= Self::END {
            return f.pad("the end");
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        let ms = self.0.unsigned_abs();
        let (hours, minutes, seconds, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
        let text = if hours > 0 { format!("{sign}{hours}:{minutes:02}:{seconds:02}.{rest:03}") } else { format!("{sign}{minutes}:{seconds:02}.{rest:03}") };
        f.pad(&text)
    }
}

/// Reads seconds (`90`, `90.5`), `m:ss` and `h:mm:ss`, each with an optional fraction, and numbers with units (`20s`, `5m`,
/// `1h30m`).
impl FromStr for Milliseconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let seconds = if digits.contains(':') { with_colons(digits) } else { with_units(digits) };
        let seconds = seconds.filter(|&seconds| seconds < Self::END.seconds());
        let seconds = seconds.ok_or_else(|| format!("`{text}` is not a time; write seconds such as 90.5, 20s or 5m, or m:ss such as 1:30"))?;
        Ok(Self::from_seconds(if negative { -seconds } else { seconds }))
    }
}

/// `m:ss` and `h:mm:ss`: after the first part nothing reaches 60.
fn with_colons(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let (last, front) = parts.split_last().filter(|(_, front)| front.len() <= 2)?;
    let mut seconds = number(last).filter(|&seconds| seconds < 60.0)?;
    for (place, part) in front.iter().rev().enumerate() {
        let part: u32 = part.parse().ok().filter(|_| part.bytes().all(|digit| digit.is_ascii_digit()))?;
        if place + 1 < front.len() && part >= 60 {
            return None;
        }
        seconds += f64::from(part) * 60f64.powi(place as i32 + 1);
    }
    Some(seconds)
}

/// Seconds, or hours, minutes and seconds with their letters, in that order.
fn with_units(text: &str) -> Option<f64> {
    let (mut seconds, mut rest, mut last) = (0.0, text, f64::INFINITY);
    while let Some(end) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        let unit = [("h", 3600.0), ("m", 60.0), ("s", 1.0)].into_iter().find(|(name, _)| rest[end..].starts_with(name))?.1;
        if unit >= last {
            return None;
        }
        seconds += number(&rest[..end])? * unit;
        (rest, last) = (&rest[end + 1..], unit);
    }
    match rest {
        "" if last.is_finite() => Some(seconds),
        _ if last.is_infinite() => number(rest),
        _ => None,
    }
}

/// Digits with an optional fraction.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|_| text.bytes().all(|c| c.is_ascii_digit() || c == b'.'))
}

/// A clock that times are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clock {
    /// Since the recording's first frame.
    Demo,
    /// The server's, as it states it: it may be negative.
    Server,
    /// The match's, as players saw it; of several matches in a recording, the first in which both ends lie.
    Match,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_millisecond() {
        let halves = (-2000..=2000).map(|number| f64::from(number) / 8000.0);
        let neighbors = halves.flat_map(|seconds| [seconds, f64::from_bits(seconds.to_bits() + 1), f64::from_bits(seconds.to_bits().max(1) - 1)]);
        let extremes = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 9.3e15, 9_007_199_254_740.993, 4_503_599_627_370.497];
        for seconds in neighbors.chain(extremes) {
            assert_eq!(Milliseconds::from_seconds(seconds).0, (seconds * 1000.0).round() as i64, "{seconds}");
        }
    }

    #[test]
    fn times_read_and_print() {
        for (text, ms, shown) in
            [("90.5", 90_500, "1:30.500"), ("1:30", 90_000, "1:30.000"), ("1:00:01.25", 3_601_250, "1:00:01.250"), ("-2", -2000, "-0:02.000")]
        {
            let time: Milliseconds = text.parse().unwrap();
            assert_eq!((time.0, time.to_string().as_str()), (ms, shown));
        }
        for (text, ms) in
            [("20s", 20_000), ("5m", 300_000), ("1h30m", 5_400_000), ("1m2.5s", 62_500), ("1:23.4", 83_400), ("-5m", -300_000), ("90:00", 5_400_000)]
        {
            assert_eq!(text.parse(), Ok(Milliseconds(ms)), "{text}");
        }
        assert_eq!(Milliseconds::END.to_string(), "the end");
        for bad in ["", "x", "1:2:3:4", ":", "1:", "1e3", "1:75", "1:60", "1:99:00", "5x", "s", "5s3m", "5m3", "1:5m", "+5", "1.2.3", "9999999999999"] {
            assert!(bad.parse::<Milliseconds>().is_err(), "{bad}");
        }
    }
}
