//! Numbers as text in a buffer, without the machinery of formats.

use std::io::Write;

/// Integers below this are floats exactly. Most floats of recordings are such: positions are rounded, and so are speeds.
const EXACT: f32 = 16_777_216.0;

/// A whole number.
#[inline]
pub fn push_integer(text: &mut Vec<u8>, value: impl itoa::Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// A number that JSON has, as `serde_json` writes it; otherwise `null`.
#[inline]
pub fn push_json<F: Float>(text: &mut Vec<u8>, value: F) {
    if let Some(whole) = value.whole() {
        push_integer(text, whole);
        text.extend_from_slice(b".0");
    } else if value.is_finite() {
        text.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else {
        text.extend_from_slice(b"null");
    }
}

/// The shortest digits that come back, as `Display` writes them: without an exponent, and without a point behind a whole number.
#[inline]
pub fn push_shown(text: &mut Vec<u8>, value: f32) {
    if let Some(whole) = value.whole() {
        return push_integer(text, whole);
    }
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format(value);
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    let places = digits.bytes().rev().position(|byte| byte == b'.').unwrap_or_default();
    if !value.is_finite() || digits.contains('e') || fraction_bits(value) == places as i32 + 1 {
        // memory takes it
        let _ = write!(text, "{value}");
        return;
    }
    text.extend_from_slice(digits.as_bytes());
}

/// How many bits a value has behind the point, which are as many digits. With one more than is written, the value lies in the middle of two numbers of
/// that length. `Display` takes the upper one then, and `zmij` the even one.
#[inline]
fn fraction_bits(value: f32) -> i32 {
    let bits = value.to_bits();
    let (exponent, mantissa) = ((bits >> 23 & 0xff) as i32, bits & 0x7f_ffff);
    let (exponent, mantissa) = if exponent == 0 { (1, mantissa) } else { (exponent, mantissa | 0x80_0000) };
    150 - exponent - mantissa.trailing_zeros() as i32
}

/// A float of either size.
pub trait Float: zmij::Float + Copy {
    /// Its value, if that is a whole number with few digits. The negative zero is none.
    fn whole(self) -> Option<i32>;
    fn is_finite(self) -> bool;
}

impl Float for f32 {
    #[inline]
    fn whole(self) -> Option<i32> {
        let whole = self as i32;
        // the bits of a negative zero differ
        (self.abs() < EXACT && (whole as f32).to_bits() == self.to_bits()).then_some(whole)
    }

    #[inline]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
}

impl Float for f64 {
    #[inline]
    fn whole(self) -> Option<i32> {
        let whole = self as i32;
        (self.abs() < f64::from(EXACT) && f64::from(whole).to_bits() == self.to_bits()).then_some(whole)
    }

    #[inline]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_display_and_serde_json() {
        let edges =
            [0.0, -0.0, 1.0, -1.0, EXACT, -EXACT, EXACT - 1.0, 1e9, 1e20, f32::MAX, f32::MIN_POSITIVE, f32::EPSILON, f32::NAN, f32::INFINITY, -f32::INFINITY];
        // eighths as positions have them, angles, and floats of any bits
        let eighths = (-9000..9000).map(|step| step as f32 / 8.0);
        let angles = (0..65536).flat_map(|step| [step as f32 * (360.0 / 65536.0), step as f32 / 65536.0, step as f32 / 128.0]);
        let any = (0..=u32::MAX).step_by(40_009).map(f32::from_bits);
        for value in edges.into_iter().chain(eighths).chain(angles).chain(any) {
            let (mut shown, mut json, mut wide) = (Vec::new(), Vec::new(), Vec::new());
            push_shown(&mut shown, value);
            push_json(&mut json, value);
            push_json(&mut wide, f64::from(value));
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            assert_eq!(text(shown), value.to_string());
            assert_eq!(text(json), serde_json::to_string(&value).unwrap());
            assert_eq!(text(wide), serde_json::to_string(&f64::from(value)).unwrap());
        }
    }
}
