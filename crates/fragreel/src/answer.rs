//! What questions give.

use fragreel_model::Damage;

/// An answer, and the damage met on the way to it: of what is damaged, the answer lacks what could not be read.
///
/// Iterators such as [`Events`](crate::Events) and [`Frames`](crate::Frames) say as much with `damage()`, once they have come to the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer<T> {
    /// What was asked for.
    pub value: T,
    /// What is wrong with the recording, as far as it was read.
    pub damage: Vec<Damage>,
}

impl<T> Answer<T> {
    /// The same damage with another value.
    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { value: f(self.value), damage: self.damage }
    }
}
