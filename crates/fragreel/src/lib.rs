//! Reads, checks and explains game recordings ("demos") of the Quake family: Quake III, Quake II, Half-Life and
//! Quake, with their engines and mods.
//!
//! A [`Demo`] is a recording's bytes, unpacked. [`Demo::open`] finds out what they are and gives a [`Recording`],
//! which answers five questions, the same for every game:
//!
//! | question | answer |
//! |---|---|
//! | [`info`](Recording::info) | what is it, who played, where, for how long |
//! | [`verify`](Recording::verify) | is it whole, does it survive decoding and encoding byte for byte |
//! | [`events`](Recording::events) | what happened in it |
//! | [`explain`](Recording::explain) | what does every bit of it say |
//! | [`state_at`](Recording::state_at) | where was everything at one moment |
//!
//! Nothing here opens a file or reads a clock: bytes go in, values come out.

mod demo;
mod family;
#[cfg(feature = "gzip")]
mod gzip;
mod recording;

pub use demo::Demo;
pub use family::{detect, is_recording_name};
pub use model;
pub use recording::Recording;
pub use wire::{Error, Fault, Limits};
