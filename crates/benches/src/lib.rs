//! Benchmarks of the libraries are in `benches/`, and tests against other parsers in `tests/`. Compiling what both need takes as long as a family, so
//! `cargo test --workspace` leaves them out, and `cargo xtask nightly` runs them.
