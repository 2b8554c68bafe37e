//! The module `fragreel._native` as `cargo test` builds it: with the features of everything else, so that nothing is compiled twice.
//! `cargo xtask python` tests it.

extern crate _native;
