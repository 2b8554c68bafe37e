//! Probabilities and their logarithms (`docs/formats/pack.md`, "Logistic numbers"). Tables made at compile time from integers alone.
//!
//! A *logit* is ln(p / (1 - p)) in 4096ths.

/// The largest logit that is used.
pub(crate) const MOST: i32 = 12 * 4096 - 1;

/// Exp(1/32) in 2^40ths.
const STEP: u128 = 1_134_413_873_426;
/// Ln(2) in 4096ths of 2^20ths.
const LN_2: i64 = 2_977_044_471;

/// 65536 p for logits from -12 to 12 in steps of 1/32.
static SQUASH: [u32; 769] = {
    let mut table = [32768; 769];
    let mut e: u128 = 1 << 40;
    let mut at = 0;
    while at <= 384 {
        let p = (e << 16) / (e + (1 << 40));
        table[384 + at] = p as u32;
        table[384 - at] = 65536 - p as u32;
        e = (e * STEP) >> 40;
        at += 1;
    }
    table
};

/// The probability of 65536 that belongs to a logit: 1 to 65535.
#[inline(always)]
pub(crate) const fn squash(logit: i32) -> u32 {
    let logit = if logit > MOST {
        MOST
    } else if logit < -MOST {
        -MOST
    } else {
        logit
    };
    let x = (logit + 12 * 4096) as u32;
    let (at, part) = ((x >> 7) as usize, x & 127);
    let one = (SQUASH[at] * (128 - part) + SQUASH[at + 1] * part) >> 7;
    if one == 0 {
        1
    } else if one > 65535 {
        65535
    } else {
        one
    }
}

/// Ln(x) in 4096ths, for x of at least 1.
const fn ln(x: u64) -> i64 {
    let whole = 63 - x.leading_zeros() as i64;
    let mut y = (x as u128) << (63 - whole);
    let mut log = whole;
    let mut at = 0;
    while at < 20 {
        y = (y * y) >> 63;
        log <<= 1;
        if y >> 64 != 0 {
            log |= 1;
            y >>= 1;
        }
        at += 1;
    }
    // log is log2(x) in 2^20ths
    ((log as i128 * LN_2 as i128) >> 40) as i64
}

/// Logits of probabilities below one half, by the place of the highest bit and the six bits behind it. As long as a power of two, so that no
/// index needs a check.
static STRETCH: [i32; 2048] = {
    let mut table = [0; 2048];
    let mut at = 0;
    while at < 22 * 64 {
        let (top, behind) = (at as u64 / 64, at as u64 % 64);
        // the middle of the numbers of this entry, in 2^-8ths of 2^-22
        let x = ((64 + behind) * 2 + 1) << top << 1;
        let logit = ln(x) - ln((1 << 30) - x);
        table[at] = if logit < -36864 { -36864 } else { logit as i32 };
        at += 1;
    }
    table
};

/// The logit of a probability of 2^22.
#[inline(always)]
pub(crate) const fn stretch(p: u32) -> i32 {
    // all bits where it is above one half: the logit of the opposite is the opposite
    let above = (p >> 21).wrapping_neg();
    let low = p ^ above & 0x3f_ffff;
    let low = if low == 0 { 1 } else { low };
    let top = 31 - low.leading_zeros();
    let behind = (low << 6 >> top) & 63;
    let logit = STRETCH[(top * 64 + behind) as usize & 2047];
    (logit ^ above as i32).wrapping_sub(above as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_hold_the_functions() {
        for logit in (-MOST..=MOST).step_by(97) {
            let expected = 65536.0 / (1.0 + (-f64::from(logit) / 4096.0).exp());
            assert!((f64::from(squash(logit)) - expected).abs() < 3.0, "{logit}: {} instead of {expected}", squash(logit));
        }
        for p in (600..1 << 22).step_by(1013) {
            let x = f64::from(p) / f64::from(1 << 22);
            let expected = ((x / (1.0 - x)).ln() * 4096.0).clamp(-36864.0, 36864.0);
            assert!((f64::from(stretch(p)) - expected).abs() < 80.0, "{p}: {} instead of {expected}", stretch(p));
        }
        assert_eq!((squash(i32::MIN), squash(i32::MAX)), (1, 65535));
        assert_eq!((stretch(0), stretch((1 << 22) - 1)), (-36864, 36864));
    }
}
