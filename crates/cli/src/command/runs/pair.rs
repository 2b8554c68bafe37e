//! A segment of both sides, compared.

use fragreel::model::Milliseconds;
use fragreel::movement::Compared;

use super::side::Segment;

/// A segment of both sides.
pub struct Pair<'s> {
    pub a: &'s Segment,
    pub b: &'s Segment,
    pub compared: Compared,
}

/// A difference, with its sign.
pub fn signed(time: Milliseconds) -> String {
    let sign = if time.0 < 0 { '-' } else { '+' };
    let time = time.0.unsigned_abs();
    format!("{sign}{}.{:03}", time / 1000, time % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_signs() {
        assert_eq!([0, 5, -1250].map(|time| signed(Milliseconds(time))), ["+0.000", "+0.005", "-1.250"]);
    }
}
