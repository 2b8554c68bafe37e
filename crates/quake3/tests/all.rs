//! Tests on real recordings.

mod properties;
mod round_trip;
mod trees;
mod verify;
