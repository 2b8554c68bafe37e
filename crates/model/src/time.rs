//! Time as games count it.

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
        Self((seconds * 1000.0).round() as i64)
    }

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
    /// On the server's clock.
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
        let sign = if self.0 < 0 { "-" } else { "" };
        let ms = self.0.unsigned_abs();
        let (hours, minutes, seconds, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
        let text = if hours > 0 { format!("{sign}{hours}:{minutes:02}:{seconds:02}.{rest:03}") } else { format!("{sign}{minutes}:{seconds:02}.{rest:03}") };
        f.pad(&text)
    }
}

/// Reads seconds (`90`, `90.5`), `m:ss` and `h:mm:ss`, each with an optional fraction.
impl FromStr for Milliseconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no time; write seconds such as 90.5, or m:ss such as 1:30");
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let parts: Vec<&str> = digits.split(':').collect();
        let (last, front) = parts.split_last().ok_or_else(wrong)?;
        if front.len() > 2 || digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == ':' || c == '.') {
            return Err(wrong());
        }
        let mut seconds: f64 = last.parse().map_err(|_| wrong())?;
        for (place, part) in front.iter().rev().enumerate() {
            seconds += f64::from(part.parse::<u32>().map_err(|_| wrong())?) * 60f64.powi(place as i32 + 1);
        }
        Ok(Self::from_seconds(if negative { -seconds } else { seconds }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_and_print() {
        for (text, ms, shown) in
            [("90.5", 90_500, "1:30.500"), ("1:30", 90_000, "1:30.000"), ("1:00:01.25", 3_601_250, "1:00:01.250"), ("-2", -2000, "-0:02.000")]
        {
            let time: Milliseconds = text.parse().unwrap();
            assert_eq!((time.0, time.to_string().as_str()), (ms, shown));
        }
        for bad in ["", "x", "1:2:3:4", ":", "1:", "1e3"] {
            assert!(bad.parse::<Milliseconds>().is_err(), "{bad}");
        }
    }
}
