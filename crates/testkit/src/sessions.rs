//! How often random tests try.

/// How many sessions on bad networks a test runs: what the environment's `FRAGREEL_SESSIONS` says, else [`cases`] of `usually`.
pub fn sessions(usually: u64) -> u64 {
    number("FRAGREEL_SESSIONS").unwrap_or_else(|| cases(usually))
}

/// How many cases a random test tries: `usually`, times what the environment's `FRAGREEL_REPEATED` says. `cargo xtask ci --long` sets it to 10.
pub fn cases(usually: u64) -> u64 {
    usually * number("FRAGREEL_REPEATED").unwrap_or(1)
}

/// How far apart the cases are that a test tries of a list of all: `usually`, and next to each other when a run repeats random tests.
///
/// A step that shares no divisor with the lengths of the lists that a case combines reaches every element of each.
pub fn stride(usually: usize) -> usize {
    if cases(1) > 1 { 1 } else { usually }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
