//! One binary for all tests of the crate.

mod corpus;
