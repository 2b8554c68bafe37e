//! A case: a recording, mutated.

use std::cell::OnceCell;

use fragreel::Recording;

use crate::watch::guarded;

/// A recording to be judged.
pub struct Case {
    /// Its number in the run.
    pub number: u64,
    /// The name of the recording that it was made of.
    pub name: String,
    /// What was done to it, in words.
    pub mutations: Vec<String>,
    /// The recording.
    pub bytes: Vec<u8>,
    /// The first byte that is not the clean recording's, where there is one.
    pub first: Option<usize>,
    /// The recording that it was spliced with, and its name: one that may take longer by the byte.
    pub other: Option<(String, Vec<u8>)>,
    /// What [`is_whole`](Self::is_whole) found.
    pub whole: OnceCell<bool>,
}

impl Case {
    /// A recording as it is.
    pub fn plain(name: String, bytes: Vec<u8>) -> Self {
        Case { number: 0, name, mutations: Vec::new(), bytes, first: None, other: None, whole: OnceCell::new() }
    }

    /// Whether `verify` finds it whole: most edits are judged by that, and it is asked once.
    pub fn is_whole(&self) -> bool {
        *self.whole.get_or_init(|| {
            // A panic is found by `verify` itself.
            guarded(|| Recording::open(self.bytes.clone(), &self.name).is_ok_and(|recording| recording.verify().is_whole())).unwrap_or_default()
        })
    }
}
