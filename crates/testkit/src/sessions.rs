//! How often sessions are simulated.

/// How many sessions on bad networks a test runs: `usually`, or what the environment's `FRAGREEL_SESSIONS` says, which `cargo xtask sessions` sets.
pub fn sessions(usually: u64) -> u64 {
    std::env::var("FRAGREEL_SESSIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(usually)
}
