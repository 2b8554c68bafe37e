//! What the words of a field are worth, worked out once for each description.

/// How a field's words become numbers. A value takes no branch but one, because frames ask for 17 of them each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Scale {
    /// The bit that turns the number around, and where the magnitude is.
    pub sign: u32,
    pub shift: u32,
    pub magnitude: u32,
    /// The bit that is subtracted: times in a state are two's complements.
    pub subtracted: u32,
    /// Fractions are cut off.
    pub cuts: bool,
    pub divisor: f64,
    pub factor: f64,
}

impl Scale {
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
