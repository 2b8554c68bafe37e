//! Tests on real recordings.

mod events;
mod properties;
mod round_trip;
mod trees;
mod verify;
