//! Configstrings.

/// The configstrings of a level, each as last set. Long strings are kept whole. In engines they overwrite the following slots.
#[derive(Debug, Clone, Default)]
pub struct Strings {
    values: Vec<Vec<u8>>,
}

impl Strings {
    pub(crate) fn set(&mut self, index: u16, value: &[u8]) {
        let at = usize::from(index);
        if self.values.len() <= at {
            self.values.resize_with(at + 1, Vec::new);
        }
        let slot = &mut self.values[at];
        slot.clear();
        slot.extend_from_slice(value);
    }

    /// Clears all strings, for a level that has `count` of them. Room for all at once, instead of doubled again and again, saves a fifth of the instructions
    /// of `info` of a small MVD2.
    pub(crate) fn clear(&mut self, count: u16) {
        self.values.iter_mut().for_each(Vec::clear);
        self.values.reserve(usize::from(count).saturating_sub(self.values.len()));
    }

    /// The value of `index`. Empty if it was never set.
    #[inline]
    pub fn get(&self, index: u16) -> &[u8] {
        self.values.get(usize::from(index)).map_or(&[], Vec::as_slice)
    }

    /// The upper bound of the indices in use.
    pub(super) fn count(&self) -> u16 {
        self.values.len() as u16
    }

    /// The strings that are not empty.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &[u8])> {
        self.values.iter().enumerate().filter(|(_, value)| !value.is_empty()).map(|(at, value)| (at as u16, value.as_slice()))
    }
}
