//! Which recordings a test takes that works long on each.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs;

use crate::Sample;

/// Up to this size a recording is small.
pub const SMALL: u64 = 350_000;

thread_local! {
    static TAKES_ALL: Cell<bool> = const { Cell::new(false) };
}

/// Of these recordings, the small ones: our own, those of up to [`SMALL`] bytes, and the smallest whole one of each dialect that the manifest states. In
/// [`on_all_recordings`] they are all of them.
pub fn small(samples: Vec<Sample>) -> Vec<Sample> {
    if TAKES_ALL.get() {
        return samples;
    }
    let size = |sample: &Sample| fs::metadata(&sample.path).map_or(0, |file| file.len());
    let mut smallest: HashMap<&str, u64> = HashMap::new();
    for sample in samples.iter().filter(|sample| !sample.damaged) {
        let least = smallest.entry(&sample.dialect).or_insert(u64::MAX);
        *least = size(sample).min(*least);
    }
    let is_small = |sample: &&Sample| sample.origin == "sample" || size(sample) <= smallest.get(&*sample.dialect).map_or(SMALL, |&least| SMALL.max(least));
    samples.iter().filter(is_small).cloned().collect()
}

/// Runs tests that take [`small`] recordings on all recordings, for a test that `cargo xtask nightly` runs.
pub fn on_all_recordings(tests: &[fn()]) {
    TAKES_ALL.set(true);
    tests.iter().for_each(|test| test());
    TAKES_ALL.set(false);
}
