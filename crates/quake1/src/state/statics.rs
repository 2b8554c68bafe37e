//! Entities that never change.

use std::sync::Arc;

use crate::state::seen::Seen;

/// No engine keeps more.
const MOST: usize = 1 << 16;

/// The level's entities that never change. Copies share them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Statics(Arc<Vec<Seen>>);

impl Statics {
    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Each, with its place as its number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Seen> {
        self.0.iter()
    }

    /// The static entity at an index.
    pub(crate) fn get(&self, at: usize) -> Option<&Seen> {
        self.0.get(at)
    }

    /// Bytes of memory that it does not share with `like`.
    pub(super) fn bytes_beside(&self, like: Option<&Self>) -> usize {
        if like.is_some_and(|like| Arc::ptr_eq(&self.0, &like.0)) { 0 } else { size_of_val(&self.0[..]) }
    }

    /// Adds one.
    pub(super) fn add(&mut self, seen: Seen) {
        if self.0.len() < MOST {
            Arc::make_mut(&mut self.0).push(seen);
        }
    }
}
