//! What is tried on a case.

use fragreel::Recording;
use fragreel::model::Milliseconds;

use crate::case::Case;
use crate::clean::Clean;

/// Nothing, or what did not hold.
pub type Outcome = Result<(), String>;

/// An operation.
pub struct Operation {
    /// Its name on the command line.
    pub name: &'static str,
    /// Runs it and judges what it gave.
    pub run: fn(&Case, &mut Clean, u64) -> Outcome,
    /// Whether it compares with the clean recording's events, which must not count as its cost.
    pub needs_clean: bool,
    /// Whether the seed chooses what is done, so that another seed is other work.
    pub seeded: bool,
}

impl Operation {
    /// One that needs nothing but the case.
    pub const fn plain(name: &'static str, run: fn(&Case, &mut Clean, u64) -> Outcome) -> Self {
        Operation { name, run, needs_clean: false, seeded: false }
    }
}

/// Opens the case's recording and asks; what cannot be opened has nothing to answer.
pub fn opened(case: &Case, ask: impl FnOnce(&Recording) -> Outcome) -> Outcome {
    let Ok(recording) = Recording::open(case.bytes.clone(), &case.name) else { return Ok(()) };
    ask(&recording)
}

/// A time in a recording of that length, in parts of 256.
pub fn part(length: i64, parts: usize) -> Milliseconds {
    Milliseconds((i128::from(length) * parts as i128 / 255) as i64)
}
