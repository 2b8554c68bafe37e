//! Rows of fields by number. Copies share the rows that neither has changed.

use std::sync::Arc;

/// Numbers above this cannot be spelled by any message that sets a row here.
pub(super) const MOST_ROWS: usize = 1 << 16;
/// Rows that are shared or copied together: numbers come close together, or one by one from anywhere in what is damaged.
const PART: usize = 64;

/// Rows by number.
#[derive(Debug, Clone)]
pub(super) struct Rows<R> {
    parts: Vec<Option<Arc<[R; PART]>>>,
    empty: R,
}

impl<R: Copy + PartialEq> Rows<R> {
    /// Rows that are all `empty`.
    pub(super) fn new(empty: R) -> Self {
        Rows { parts: Vec::new(), empty }
    }

    /// The row of a number.
    pub(super) fn get(&self, number: u32) -> R {
        let at = number as usize;
        self.parts.get(at / PART).and_then(Option::as_ref).map_or(self.empty, |part| part[at % PART])
    }

    /// Shows each row that is not empty, in rising order of numbers.
    pub(super) fn each(&self, mut show: impl FnMut(u32, &R)) {
        for (at, part) in self.parts.iter().enumerate() {
            for (place, row) in part.iter().flat_map(|part| part.iter().enumerate()).filter(|(_, row)| **row != self.empty) {
                show((at * PART + place) as u32, row);
            }
        }
    }

    /// Sets the row of a number.
    pub(super) fn set(&mut self, number: u32, row: R) {
        let at = number as usize;
        if at >= MOST_ROWS {
            return;
        }
        if self.parts.len() <= at / PART {
            self.parts.resize(at / PART + 1, None);
        }
        let part = self.parts[at / PART].get_or_insert_with(|| Arc::new([self.empty; PART]));
        Arc::make_mut(part)[at % PART] = row;
    }

    /// Bytes of memory that it does not share with `like`.
    pub(super) fn bytes_beside(&self, like: Option<&Self>) -> usize {
        let shared = |at: usize, part: &Arc<_>| like.and_then(|like| like.parts.get(at)?.as_ref()).is_some_and(|like| Arc::ptr_eq(part, like));
        let own = (0..).zip(&self.parts).filter(|(at, part)| part.as_ref().is_some_and(|part| !shared(*at, part))).count();
        size_of_val(&self.parts[..]) + own * size_of::<[R; PART]>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_what_neither_has_changed() {
        let mut rows = Rows::new([0u32; 4]);
        rows.set(3, [1; 4]);
        rows.set(65_535, [2; 4]);
        rows.set(65_536, [3; 4]);
        let mut copy = rows.clone();
        copy.set(4, [4; 4]);
        assert_eq!([3, 4, 65_535, 65_536, u32::MAX].map(|number| rows.get(number)[0]), [1, 0, 2, 0, 0]);
        assert_eq!([3, 4, 65_535].map(|number| copy.get(number)[0]), [1, 4, 2]);
        let part = size_of::<[[u32; 4]; PART]>();
        assert_eq!(rows.bytes_beside(None) - rows.bytes_beside(Some(&rows)), 2 * part);
        assert_eq!(copy.bytes_beside(Some(&rows)) - copy.bytes_beside(Some(&copy)), part);
    }
}
