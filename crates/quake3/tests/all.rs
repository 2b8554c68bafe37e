//! Tests on real recordings.

mod round_trip;
mod verify;
