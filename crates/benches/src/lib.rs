//! What measures the libraries is in `benches/`, and tests against other parsers are in `tests/`. Compiling what both need takes as long as a family,
//! so `cargo xtask ci` leaves this crate to `cargo xtask ci --long`.
