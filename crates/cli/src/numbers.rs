//! Numbers as text in a buffer, without the machinery of formats.

use std::io::Write;

/// Integers below this are floats exactly. Most floats of recordings are such: positions are rounded, and so are speeds.
const EXACT: f32 = 16_777_216.0;

/// The exact digits of eighths below this are also their shortest digits. With one digit less, they are another float. Positions in Quake are eighths.
const EIGHTHS: f32 = 65_536.0;

/// The digits of each eighth after the decimal point, and their number.
const FRACTIONS: [(&[u8; 3], usize); 8] = [(b"0  ", 1), (b"125", 3), (b"25 ", 2), (b"375", 3), (b"5  ", 1), (b"625", 3), (b"75 ", 2), (b"875", 3)];

/// A whole number.
#[inline]
pub fn push_integer(text: &mut Vec<u8>, value: impl itoa::Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// A number that JSON has, as `serde_json` writes it; otherwise `null`.
#[inline]
pub fn push_json<F: Float>(text: &mut Vec<u8>, value: F) {
    if let Some(eighths) = value.eighths() {
        push_eighths(text, eighths, true);
    } else if let Some(whole) = value.whole() {
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
    if let Some(eighths) = value.eighths() {
        return push_eighths(text, eighths, eighths % 8 != 0);
    }
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

/// Appends a number of eighths that is less than [`EIGHTHS`]. A whole number may be written without a decimal point.
#[inline]
fn push_eighths(text: &mut Vec<u8>, eighths: i32, with_point: bool) {
    let magnitude = eighths.unsigned_abs();
    // writes from the last digit to the sign
    let (mut digits, mut start, mut rest) = ([0; 16], 12, magnitude / 8);
    if with_point {
        let (fraction, _) = FRACTIONS[(magnitude % 8) as usize];
        [digits[12], digits[13], digits[14], digits[15]] = [b'.', fraction[0], fraction[1], fraction[2]];
    }
    while {
        start -= 1;
        digits[start % 16] = b'0' + (rest % 10) as u8;
        rest /= 10;
        rest > 0
    } {}
    if eighths < 0 {
        start -= 1;
        digits[start % 16] = b'-';
    }
    let end = if with_point { 13 + FRACTIONS[(magnitude % 8) as usize].1 } else { 12 };
    push_start(text, (u128::from_le_bytes(digits) >> (8 * start)).to_le_bytes(), end - start);
}

/// Appends the first `count` bytes. It copies all 16 at once, which is faster than copying only `count`.
#[inline]
fn push_start(text: &mut Vec<u8>, bytes: [u8; 16], count: usize) {
    let length = text.len() + count;
    text.extend_from_slice(&bytes);
    text.truncate(length);
}

/// The number of hash bits that select the place of a number's text.
/// With 256 places, 83,000 of 180,000 numbers of a Quake II recording had to be written, and with these 46,000.
const PLACE_BITS: u32 = 13;

/// Writes numbers in one format and keeps the texts of some. A view has the same numbers as its player, and other numbers come again in the next frame.
pub struct Recent {
    write: fn(&mut Vec<u8>, f32),
    kept: Vec<Kept>,
    /// A text before it is kept.
    new: Vec<u8>,
}

/// The most bytes of a text that is kept.
pub const SHORT: usize = 16;

/// A number with its text.
#[derive(Clone, Copy, Default)]
struct Kept {
    text: [u8; SHORT],
    bits: u32,
    /// The length of the text, or 0 if there is none.
    length: u8,
}

impl Recent {
    /// Creates a writer that formats numbers with `write`.
    pub fn new(write: fn(&mut Vec<u8>, f32)) -> Self {
        Recent { write, kept: vec![Kept::default(); 1 << PLACE_BITS], new: Vec::new() }
    }

    /// The text of a number at the start of the bytes, and its length. The error is a text that is longer.
    #[inline]
    pub fn text(&mut self, value: f32) -> Result<(&[u8; SHORT], usize), &[u8]> {
        let bits = value.to_bits();
        let place = (bits.wrapping_mul(0x9e37_79b1) >> (32 - PLACE_BITS)) as usize;
        let kept = self.kept[place];
        if (kept.bits != bits || kept.length == 0) && !self.keep(value, place) {
            return Err(&self.new);
        }
        let kept = &self.kept[place];
        Ok((&kept.text, usize::from(kept.length)))
    }

    /// Keeps the text of a number in a place. False if it is too long.
    #[inline(never)]
    fn keep(&mut self, value: f32, place: usize) -> bool {
        self.new.clear();
        (self.write)(&mut self.new, value);
        let length = self.new.len();
        if length <= SHORT {
            self.new.extend_from_slice(&[0; SHORT]);
            if let (Some(text), Some(kept)) = (self.new.first_chunk(), self.kept.get_mut(place)) {
                *kept = Kept { text: *text, bits: value.to_bits(), length: length as u8 };
            }
        }
        length <= SHORT
    }
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
    /// Its value in eighths, if that is a whole number and the value is below [`EIGHTHS`]. Negative zero gives `None`.
    fn eighths(self) -> Option<i32>;
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
    fn eighths(self) -> Option<i32> {
        (self * 8.0).whole().filter(|_| self.abs() < EIGHTHS)
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
    fn eighths(self) -> Option<i32> {
        (self * 8.0).whole().filter(|_| self.abs() < f64::from(EIGHTHS))
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
        let eighths = (-9000..9000).chain(-524_300..-520_000).chain(524_000..524_300).map(|step| step as f32 / 8.0);
        let angles = (0..65536).flat_map(|step| [step as f32 * (360.0 / 65536.0), step as f32 / 65536.0, step as f32 / 128.0]);
        let any = (0..=u32::MAX).step_by(40_009).map(f32::from_bits);
        let (mut recent_shown, mut recent_json) = (Recent::new(push_shown), Recent::new(push_json));
        for value in edges.into_iter().chain(eighths).chain(angles).chain(any) {
            let (mut shown, mut json, mut wide) = (Vec::new(), Vec::new(), Vec::new());
            push_shown(&mut shown, value);
            push_json(&mut json, value);
            push_json(&mut wide, f64::from(value));
            for (recent, wanted) in [(&mut recent_shown, &shown), (&mut recent_json, &json)] {
                for _ in 0..2 {
                    let again = recent.text(value).map_or_else(<[u8]>::to_vec, |(short, length)| short[..length].to_vec());
                    assert_eq!(&again, wanted, "{value}");
                }
            }
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            assert_eq!(text(shown), value.to_string());
            assert_eq!(text(json), serde_json::to_string(&value).unwrap());
            assert_eq!(text(wide), serde_json::to_string(&f64::from(value)).unwrap());
        }
    }
}
