//! Times as Python programs say them.

use fragreel::edit::Clock;
use fragreel::model::{Milliseconds, When};
use pyo3::prelude::*;

use crate::error::misuse;

/// Seconds, or the command line's words: `1:30`, `90.5`, `2m`.
#[derive(FromPyObject)]
pub enum Time {
    /// Seconds.
    #[pyo3(transparent)]
    Seconds(f64),
    /// Words.
    #[pyo3(transparent)]
    Words(String),
}

impl Time {
    /// In milliseconds.
    pub fn milliseconds(&self) -> PyResult<Milliseconds> {
        match self {
            Time::Seconds(seconds) if seconds.is_finite() => Ok(Milliseconds::from_seconds(*seconds)),
            Time::Seconds(seconds) => Err(misuse(format!("{seconds} is not a time: give seconds"))),
            Time::Words(words) => words.parse().map_err(misuse),
        }
    }
}

/// The clock of that name.
pub fn clock(name: &str) -> PyResult<Clock> {
    match name {
        "demo" => Ok(Clock::Demo),
        "server" => Ok(Clock::Server),
        "match" => Ok(Clock::Match),
        _ => Err(misuse(format!("there is no clock {name:?}: there are \"demo\", \"server\" and \"match\""))),
    }
}

/// A moment on a clock that moments can be found by.
pub fn when(time: &Time, name: &str) -> PyResult<When> {
    let time = time.milliseconds()?;
    match name {
        "demo" => Ok(When::Demo(time)),
        "server" => Ok(When::Server(time)),
        _ => Err(misuse(format!("moments are found by the \"demo\" or the \"server\" clock, not by {name:?}"))),
    }
}
