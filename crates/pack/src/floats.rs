//! Floats by integer arithmetic, so that predictions are the same everywhere.

/// The value of a float in 65536ths, cut off towards zero; what is too large for that is the largest.
pub(crate) fn fixed(word: u32) -> i64 {
    const MOST: i64 = 1 << 46;
    let exponent = (word >> 23 & 0xff) as i32;
    let mantissa = i64::from(word & 0x7f_ffff) | if exponent > 0 { 1 << 23 } else { 0 };
    let shift = exponent - 150 + 16;
    let amount = if shift >= 23 {
        MOST
    } else if shift >= 0 {
        mantissa << shift
    } else {
        mantissa.checked_shr(-shift as u32).unwrap_or(0)
    };
    if word >> 31 != 0 { -amount } else { amount }
}

/// The float of 65536ths, cut off towards zero.
pub(crate) fn float(fixed: i64) -> u32 {
    let amount = fixed.unsigned_abs();
    if amount == 0 {
        return 0;
    }
    let top = 63 - amount.leading_zeros();
    let mantissa = if top > 23 { amount >> (top - 23) } else { amount << (23 - top) } as u32 & 0x7f_ffff;
    u32::from(fixed < 0) << 31 | (top + 127 - 16) << 23 | mantissa
}

/// Rounds 65536ths to the nearest whole number.
pub(crate) fn whole(fixed: i64) -> i64 {
    (fixed + 32768) >> 16
}

/// Floats in the order of their values.
pub(crate) fn order(word: u32) -> i64 {
    let word = word as i32;
    i64::from(if word < 0 { i32::MIN.wrapping_sub(word) } else { word })
}

/// The opposite of [`order`].
pub(crate) fn unordered(order: i64) -> u32 {
    let order = order as i32;
    (if order < 0 { i32::MIN.wrapping_sub(order) } else { order }) as u32
}

/// The number of steps of 360/65536 that a float is exactly, up to a turn in either direction.
pub(crate) fn steps(word: u32) -> Option<i32> {
    // steps of 45/8192
    let fixed = fixed(word);
    let eighths = fixed >> 3;
    let steps = eighths / 45;
    (fixed & 7 == 0 && eighths % 45 == 0 && steps.abs() <= 65536 && of_steps(steps as i32) == word).then_some(steps as i32)
}

/// The float of this number of steps.
pub(crate) fn of_steps(steps: i32) -> u32 {
    float(i64::from(steps) * 45 * 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_become_integers_and_floats() {
        for value in [0.0f32, 1.0, -1.5, 4095.0, 0.0625, -123.456, 1e30, -1e30, f32::NAN, 1e-30, 65535.99] {
            let expected = (f64::from(value) * 65536.0).clamp(-(2f64.powi(46)), 2f64.powi(46));
            assert!(value.is_nan() || (fixed(value.to_bits()) as f64 - expected).abs() < 1.0, "{value}");
            assert_eq!(unordered(order(value.to_bits())), value.to_bits());
        }
        for value in [1.0f32, -1.5, 4095.25, -0.0625] {
            assert_eq!(float(fixed(value.to_bits())), value.to_bits());
        }
        for at in -65536..=65536 {
            let word = (at as f32 * (360.0 / 65536.0)).to_bits();
            assert_eq!(steps(word), Some(at), "{at}");
            assert_eq!(of_steps(at), word);
        }
        assert_eq!((steps(0.001f32.to_bits()), steps((-0.0f32).to_bits())), (None, None));
    }
}
