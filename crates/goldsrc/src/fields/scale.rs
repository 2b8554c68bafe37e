//! What the words of a field are worth, worked out once for each description.

use super::description::{Field, Kind, significant};
use crate::bit_order::BitOrder;

/// How a field's words become numbers. A value takes no branch but one, because frames ask for 17 of them each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Scale {
    /// The bit that turns the number around, and where the magnitude is.
    sign: u32,
    shift: u32,
    magnitude: u32,
    /// The bit that is subtracted: times in a state are two's complements.
    subtracted: u32,
    /// Fractions are cut off.
    cuts: bool,
    divisor: f64,
    factor: f64,
}

impl Scale {
    /// The scale of a field's words in a state's row.
    pub(super) fn of(field: &Field, order: BitOrder) -> Self {
        let top = 1 << 31;
        let (sign, shift, magnitude, subtracted) = match order {
            _ if field.is_time() => (0, 0, top - 1, top),
            _ if !field.signed => (0, 0, u32::MAX, 0),
            BitOrder::LeastFirst => (1, 1, u32::MAX, 0),
            BitOrder::MostFirst => (1 << (field.bits - 1), 0, (1 << (field.bits - 1)) - 1, 0),
        };
        let (divisor, factor) = if field.is_time() {
            (field.time_scale(), 1.0)
        } else if field.kind == Kind::Angle {
            ((1u64 << field.bits) as f64, 360.0)
        } else {
            let divisor = if significant(field.premultiply) && field.premultiply != 0.0 { field.premultiply } else { 1.0 };
            (divisor, if significant(field.postmultiply) { field.postmultiply } else { 1.0 })
        };
        // a whole number that is not scaled has no fraction
        let cuts = field.kind == Kind::Whole && (divisor, factor) != (1.0, 1.0);
        Scale { sign, shift, magnitude, subtracted, cuts, divisor, factor }
    }

    /// What a word is worth.
    #[inline]
    pub(crate) fn value(&self, word: u32) -> f32 {
        let whole = i64::from(word >> self.shift & self.magnitude) - i64::from(word & self.subtracted);
        let whole = if word & self.sign != 0 { -whole } else { whole };
        let value = whole as f64 / self.divisor * self.factor;
        (if self.cuts { cut(value) } else { value }) as f32
    }
}

/// A function of its own, because `trunc` would be called for every value, and its result dropped: 17 times a frame.
#[cold]
#[inline(never)]
fn cut(value: f64) -> f64 {
    value.trunc()
}
