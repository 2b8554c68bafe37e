//! An index that is made once for a recording.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// An index that a recording and its copies share. It is made when somebody seeks, or asks for a state the second time: a single question
/// is answered sooner without.
///
/// ```
/// use fragreel_model::replay::LazyIndex;
///
/// let once = LazyIndex::default();
/// assert_eq!(once.for_question(|| "index"), None);
/// assert_eq!(once.for_question(|| "index"), Some(&"index"));
/// assert_eq!(once.get_or_make(|| "another"), &"index");
/// ```
#[derive(Debug)]
pub struct LazyIndex<I> {
    index: OnceLock<I>,
    asked: AtomicBool,
}

impl<I> Default for LazyIndex<I> {
    fn default() -> Self {
        LazyIndex { index: OnceLock::new(), asked: AtomicBool::new(false) }
    }
}

impl<I> LazyIndex<I> {
    /// The index, once it was made.
    pub fn get(&self) -> Option<&I> {
        self.index.get()
    }

    /// The index; made now if it was not before.
    pub fn get_or_make(&self, make: impl FnOnce() -> I) -> &I {
        self.index.get_or_init(make)
    }

    /// The index for a question that may be the only one: none the first time, unless it was made already.
    pub fn for_question(&self, make: impl FnOnce() -> I) -> Option<&I> {
        if self.asked.swap(true, Ordering::Relaxed) { Some(self.get_or_make(make)) } else { self.get() }
    }
}
