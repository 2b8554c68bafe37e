//! A value for each slot of a server.

use std::ops::{Index, IndexMut};

/// A value for each of 256 slots. Most servers use few. The rest are not kept: they took a seventh of the instructions of `events` over a small
/// recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots<T> {
    /// The values up to the last slot that was changed.
    kept: Vec<T>,
    /// The value of every other slot.
    unused: T,
}

impl<T: Clone + Default + PartialEq> Slots<T> {
    /// The values that may differ from the default, by slot.
    pub(crate) fn kept_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.kept.iter_mut()
    }

    /// How many values differ from the default.
    pub(crate) fn count(&self) -> usize {
        self.kept.iter().filter(|value| **value != self.unused).count()
    }

    /// Copies of the values that differ from the default, with their slots.
    pub(crate) fn packed(&self) -> Box<[(u8, T)]> {
        let kept = (0..=u8::MAX).zip(&self.kept).filter(|(_, value)| **value != self.unused);
        kept.map(|(slot, value)| (slot, value.clone())).collect()
    }

    /// What [`packed`](Self::packed) was made of.
    pub(crate) fn unpacked(packed: &[(u8, T)]) -> Self {
        let mut slots = Slots::default();
        for (slot, value) in packed {
            slots[*slot] = value.clone();
        }
        slots
    }
}

impl<T> Index<u8> for Slots<T> {
    type Output = T;

    #[inline]
    fn index(&self, slot: u8) -> &T {
        self.kept.get(usize::from(slot)).unwrap_or(&self.unused)
    }
}

impl<T: Default> IndexMut<u8> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, slot: u8) -> &mut T {
        let slot = usize::from(slot);
        if self.kept.len() <= slot {
            self.kept.resize_with(slot + 1, T::default);
        }
        &mut self.kept[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back_from_those_in_use() {
        let mut slots = Slots::default();
        (slots[3], slots[255], slots[7]) = (1, 2, 0);
        let packed = slots.packed();
        assert_eq!(*packed, [(3, 1), (255, 2)]);
        let unpacked = Slots::unpacked(&packed);
        assert!((0..=u8::MAX).all(|slot| unpacked[slot] == slots[slot]));
    }
}
