//! How much tests of chance try.

/// How many sessions on bad networks a test runs: what the environment's `FRAGREEL_SESSIONS` says, else `usually`. `cargo xtask sessions`
/// sets it.
pub fn sessions(usually: u64) -> u64 {
    std::env::var("FRAGREEL_SESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(usually)
}
