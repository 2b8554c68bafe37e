//! Known faults, by recording and question, each with its reason. A list of them can only shrink.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// A known fault: the recording's name or a part of it, the question, why.
pub type Known = (&'static str, &'static str, &'static str);

/// What a test found, against the list of what is known.
#[derive(Debug)]
pub struct Exceptions {
    known: &'static [Known],
    seen: Mutex<BTreeSet<String>>,
    faults: Mutex<BTreeMap<(String, String), String>>,
}

impl Exceptions {
    /// With the faults that are known.
    pub fn new(known: &'static [Known]) -> Self {
        Exceptions { known, seen: Mutex::default(), faults: Mutex::default() }
    }

    /// A recording was looked at.
    ///
    /// # Panics
    /// When another thread panicked.
    pub fn seen(&self, name: &str) {
        self.seen.lock().expect("no panic").insert(name.to_owned());
    }

    /// It has a fault.
    ///
    /// # Panics
    /// When another thread panicked.
    pub fn fault(&self, name: &str, question: &str, what: &str) {
        self.faults.lock().expect("no panic").entry((name.to_owned(), question.to_owned())).or_insert_with(|| what.to_owned());
    }

    /// Fails on faults that are not listed, and on entries of the list that no recording needs.
    ///
    /// # Panics
    /// On these.
    pub fn end(self) {
        let (seen, faults) = (self.seen.into_inner().expect("no panic"), self.faults.into_inner().expect("no panic"));
        let fits = |known: &Known, name: &str, question: &str| name.contains(known.0) && question == known.1;
        let unknown: Vec<String> = faults
            .iter()
            .filter(|((name, question), _)| !self.known.iter().any(|known| fits(known, name, question)))
            .map(|((name, question), what)| format!("{name}: {question}: {what}"))
            .collect();
        let stale: Vec<String> = self
            .known
            .iter()
            .filter(|known| seen.iter().any(|name| name.contains(known.0)) && !faults.keys().any(|(name, question)| fits(known, name, question)))
            .map(|(name, question, why)| format!("{name}: {question}: {why}"))
            .collect();
        assert!(unknown.is_empty() && stale.is_empty(), "new faults:\n{}\nentries that are no longer needed:\n{}", unknown.join("\n"), stale.join("\n"));
    }
}
