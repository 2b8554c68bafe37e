//! Lists whose elements are used again.

use std::ops::{Deref, DerefMut};

/// A list that keeps the elements it is cut by, so that filling it again allocates nothing.
///
/// ```
/// let mut list = fragreel_base::wire::Reused::<Vec<u8>>::default();
/// list.grow().push(7);
/// list.cut(0);
/// assert_eq!(list.len(), 0);
/// assert_eq!(*list.grow(), [7], "the element comes back as it was left");
/// ```
#[derive(Clone)]
pub struct Reused<T> {
    items: Vec<T>,
    length: usize,
}

impl<T: Default> Reused<T> {
    /// One element more: one that was cut off before, as it was left, or a new one.
    #[inline(always)]
    pub fn grow(&mut self) -> &mut T {
        if self.length == self.items.len() {
            self.items.push(T::default());
        }
        self.length += 1;
        &mut self.items[self.length - 1]
    }

    /// Leaves the first `length` elements.
    #[inline(always)]
    pub fn cut(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl<T> Default for Reused<T> {
    fn default() -> Self {
        Self { items: Vec::new(), length: 0 }
    }
}

impl<T> From<Vec<T>> for Reused<T> {
    fn from(items: Vec<T>) -> Self {
        Self { length: items.len(), items }
    }
}

impl<T> Deref for Reused<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.items[..self.length]
    }
}

impl<T> DerefMut for Reused<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.length]
    }
}

impl<T: PartialEq> PartialEq for Reused<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Reused<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl<'a, T> IntoIterator for &'a Reused<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
