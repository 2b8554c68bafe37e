//! Coordinates and angles as numbers that people read.

use fragreel_base::textform::Form;

use fragreel_base::wire::sign_extend;

use crate::replacement::{Angles, Coordinates};

/// A coordinate in units.
#[inline]
pub(crate) fn coordinate<F: Form>(f: &mut F, kind: Coordinates, word: u32) -> Result<u32, F::Error> {
    match kind {
        Coordinates::Eighths => Ok(f.scaled(i64::from(word as i32), 0.125, i16::MIN.into(), i16::MAX.into())? as u32),
        Coordinates::Sixteenths => Ok(f.scaled(i64::from(word as i32), 0.0625, i32::MIN.into(), i32::MAX.into())? as u32),
        Coordinates::Float => f.float(f32::from_bits(word)).map(f32::to_bits),
        Coordinates::Fraction => fraction(f, word),
    }
}

/// A coordinate of 24 bits. 255 255ths, which servers write for what lies a little below zero, are another word than the
/// next unit and so no number: `"0x7f8f0000"` with the unit in the low half.
fn fraction<F: Form>(f: &mut F, word: u32) -> Result<u32, F::Error> {
    const WHOLE: u32 = 0x7f8f_0000;
    let shown = if word >> 16 & 255 == 255 { f32::from_bits(WHOLE | word & 0xffff) } else { Coordinates::Fraction.units(word) };
    let read = f.float(shown)?;
    if read.to_bits() & 0xffff_0000 == WHOLE {
        return Ok(0x00ff_0000 | read.to_bits() & 0xffff);
    }
    f.insist((-32768.0..32768.0).contains(&read), "expected a coordinate from -32768 up to 32768")?;
    let (mut whole, mut part) = (read.floor(), ((read - read.floor()) * 255.0).round());
    if part == 255.0 {
        (whole, part) = (whole + 1.0, 0.0);
    }
    Ok(whole as i32 as u32 & 0xffff | (part as u32) << 16)
}

/// The units of fields that are shown as on the wire: opacity, sizes and fatness, tints, glows, and sounds.
pub(crate) const OPACITY: f64 = 1.0 / 254.0;
pub(crate) const SIXTEENTH: f64 = 1.0 / 16.0;
pub(crate) const TINT: f64 = 1.0 / 32.0;
pub(crate) const GLOW: f64 = 4.0;
pub(crate) const VOLUME: f64 = 1.0 / 255.0;
pub(crate) const ATTENUATION: f64 = 1.0 / 64.0;

/// A byte as on the wire, or units as text.
#[inline]
pub(crate) fn byte_or_units<F: Form>(f: &mut F, value: u8, unit: f64) -> Result<u8, F::Error> {
    f.steps(value.into(), unit, 0, 255).map(|value| value as u8)
}

/// Bytes as on the wire, or each in units.
#[inline]
pub(crate) fn bytes_or_units<F: Form, const N: usize>(f: &mut F, values: &mut [u8; N], unit: f64) -> Result<(), F::Error> {
    f.tuple(N, |f, at| {
        values[at] = byte_or_units(f, values[at], unit)?;
        Ok(())
    })
}

/// An angle of a byte as on the wire, or in degrees as text, from -180 on or up to 360.
pub(crate) fn byte_or_degrees<F: Form>(f: &mut F, value: u8) -> Result<u8, F::Error> {
    f.steps(value.into(), BYTE_ANGLE, -128, 255).map(|value| value as u8)
}

/// One step of an angle of 8 and of 16 bits.
pub(crate) const BYTE_ANGLE: f64 = 360.0 / 256.0;
pub(crate) const SHORT_ANGLE: f64 = 360.0 / 65536.0;

/// An angle in degrees.
#[inline]
pub(crate) fn angle<F: Form>(f: &mut F, kind: Angles, word: u32) -> Result<u32, F::Error> {
    match kind {
        Angles::Byte => Ok(turn(f, word >> 8, BYTE_ANGLE, 8)? << 8),
        Angles::Short => short_angle(f, word),
        Angles::Float => f.float(f32::from_bits(word)).map(f32::to_bits),
    }
}

/// An angle of 16 bits in degrees.
#[inline]
pub(crate) fn short_angle<F: Form>(f: &mut F, word: u32) -> Result<u32, F::Error> {
    turn(f, word, SHORT_ANGLE, 16)
}

/// An angle of `width` bits in degrees, from -180 up to 180. What goes on up to 360 is read as well.
#[inline]
pub(crate) fn turn<F: Form>(f: &mut F, word: u32, unit: f64, width: u32) -> Result<u32, F::Error> {
    let half = 1i64 << (width - 1);
    let steps = f.scaled(i64::from(sign_extend(word, width) as i32), unit, -half, 2 * half - 1)?;
    Ok(steps as u32 & ((1 << width) - 1))
}
