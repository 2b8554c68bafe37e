//! The meanings a word can have.

/// A type that is kept in one 32-bit word of a row.
pub trait Word: Copy {
    /// The value that `word` holds.
    fn of(word: u32) -> Self;
    /// The word that holds this value.
    fn word(self) -> u32;
}

impl Word for u32 {
    #[inline(always)]
    fn of(word: u32) -> Self {
        word
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self
    }
}

impl Word for i32 {
    #[inline(always)]
    fn of(word: u32) -> Self {
        word as i32
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self as u32
    }
}

impl Word for f32 {
    #[inline(always)]
    fn of(word: u32) -> Self {
        f32::from_bits(word)
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self.to_bits()
    }
}
