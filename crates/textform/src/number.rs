//! Numbers as text: shortest that come back, whole numbers without a point.

/// A float that JSON can say.
pub(crate) fn push_float(out: &mut Vec<u8>, value: f32) {
    // most are whole: an eighth of all time was spent on the others' way
    const WHOLE: f32 = 16_777_216.0;
    if value.fract() == 0.0 && value.abs() < WHOLE && value.to_bits() != 1 << 31 {
        return push_int(out, value as i64);
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    // `-0` is read as an integer by some tools and loses its sign
    let text = if value == 0.0 && value.is_sign_negative() { text } else { text.strip_suffix(".0").unwrap_or(text) };
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn push_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Digits behind the point up to which a product is shown exactly.
const EXACT: u32 = 5;
const MOST: u32 = 12;

/// `steps * unit`, exactly where five digits behind the point are enough, else with as few (from three on) as bring the
/// steps back.
pub(crate) fn push_scaled(out: &mut Vec<u8>, steps: i64, unit: f64) {
    let value = steps as f64 * unit;
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return push_int(out, value as i64);
    }
    let digits = |places: u32| {
        let power = 10f64.powi(places as i32);
        ((value * power).round(), power)
    };
    let exact = (0..=EXACT).find(|&places| {
        let (whole, power) = digits(places);
        whole / power == value
    });
    let close = || {
        (3..MOST).find(|&places| {
            let (whole, power) = digits(places);
            steps_of(whole / power, unit) == Some(steps)
        })
    };
    let places = exact.or_else(close).unwrap_or(MOST);
    let whole = digits(places).0 as i64;
    let power = 10i64.pow(places);
    if whole < 0 {
        out.push(b'-');
    }
    push_int(out, (whole / power).abs());
    if places > 0 {
        out.push(b'.');
        let fraction = (whole % power).abs();
        for place in (0..places).rev() {
            out.push(b'0' + (fraction / 10i64.pow(place) % 10) as u8);
        }
    }
}

/// A whole number, if that is what the characters are. Longer ones than any format has are none.
#[inline]
pub(crate) fn whole(digits: &[u8]) -> Option<i64> {
    let (negative, digits) = match digits {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some(if negative { -value } else { value })
}

/// The steps nearest to a value.
pub(crate) fn steps_of(value: f64, unit: f64) -> Option<i64> {
    let steps = (value / unit).round();
    (steps.abs() < 1e15).then_some(steps as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(steps: i64, unit: f64) -> String {
        let mut out = Vec::new();
        push_scaled(&mut out, steps, unit);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn steps_come_back_and_read_well() {
        assert_eq!(scaled(4096, 0.125), "512");
        assert_eq!(scaled(-1, 0.125), "-0.125");
        assert_eq!(scaled(1, 360.0 / 256.0), "1.40625");
        assert_eq!(scaled(1, 360.0 / 65536.0), "0.005");
        for unit in [0.125, 0.25, 1.0 / 16.0, 360.0 / 256.0, 360.0 / 65536.0, 1.0 / 32.0, 0.1, 1.0 / 255.0] {
            for steps in (-70_000..70_000).step_by(7) {
                let text = scaled(steps, unit);
                assert_eq!(steps_of(text.parse().unwrap(), unit), Some(steps), "{text} {unit}");
            }
        }
    }

    #[test]
    fn floats_are_short() {
        for (value, text) in [(1.0, "1"), (-0.0, "-0.0"), (0.1, "0.1"), (-1234.125, "-1234.125"), (1e-45, "1e-45"), (3e38, "3e38")] {
            let mut out = Vec::new();
            push_float(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
