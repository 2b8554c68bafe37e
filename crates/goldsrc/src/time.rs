//! Times as macros and messages have them: seconds since the recording or the level began.

use model::Milliseconds;

/// No game lasts longer: a thousand years.
const MOST: f64 = 3.2e10;

/// Never negative: proxies write times a hair below 0. What is no number is 0.
pub(crate) fn milliseconds(seconds: f32) -> Milliseconds {
    Milliseconds::from_seconds(f64::from(seconds).clamp(0.0, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_times() {
        for (seconds, expected) in [(1.5, 1500), (-1.96e-7, 0), (-3.0, 0), (f32::NAN, 0), (f32::NEG_INFINITY, 0), (f32::INFINITY, 32_000_000_000_000)] {
            assert_eq!(milliseconds(seconds), Milliseconds(expected), "{seconds}");
        }
    }
}
