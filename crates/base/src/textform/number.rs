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
/// Powers of ten.
pub(crate) const POWERS: [f64; MOST as usize + 1] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12];

/// `steps * unit`, exactly where five digits behind the point are enough, else with as few (from three on) as bring the
/// steps back.
pub(crate) fn push_scaled(out: &mut Vec<u8>, steps: i64, unit: f64) {
    const ONE: f64 = POWERS[EXACT as usize];
    let value = steps as f64 * unit;
    if value.abs() < 1e15 && value as i64 as f64 == value {
        return push_int(out, value as i64);
    }
    // the digits as one whole number: a division less for each digit, and no search (a tenth of all time)
    let (mut whole, mut places) = (nearest(value * ONE), EXACT);
    if whole as f64 / ONE != value {
        let power = |places: u32| POWERS[places as usize];
        let brings_back = |places: &u32| steps_of(nearest(value * power(*places)) as f64 / power(*places), unit) == Some(steps);
        places = (3..MOST).find(brings_back).unwrap_or(MOST);
        whole = nearest(value * power(places));
    }
    while whole % 10 == 0 && places > 0 {
        whole /= 10;
        places -= 1;
    }
    push_decimal(out, whole, places as usize);
}

/// A whole number with a point before its last digits.
fn push_decimal(out: &mut Vec<u8>, whole: i64, places: usize) {
    if whole < 0 {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(whole.unsigned_abs()).as_bytes();
    let point = digits.len().saturating_sub(places);
    out.extend_from_slice(if point == 0 { b"0" } else { &digits[..point] });
    if places > 0 {
        out.push(b'.');
        out.extend(std::iter::repeat_n(b'0', places.saturating_sub(digits.len())));
        out.extend_from_slice(&digits[point..]);
    }
}

/// The nearest whole number; ties go away from zero. (As quick as a conversion, which `f64::round` is not on every processor.)
#[inline]
fn nearest(value: f64) -> i64 {
    (value + 0.5f64.copysign(value)) as i64
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
    let steps = value / unit;
    (steps.abs() < 1e15).then(|| nearest(steps))
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
        assert_eq!(scaled(-182, 360.0 / 65536.0), "-1");
        assert_eq!(scaled(-181, 360.0 / 65536.0), "-0.994");
        assert_eq!(scaled(7, 0.1), "0.7");
        assert_eq!(scaled(1, 1e-9), "0.000000001");
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
