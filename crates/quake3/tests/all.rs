//! Tests on real recordings.

mod properties;
mod round_trip;
mod verify;
