//! Reads, checks and explains game recordings ("demos") of the Quake family: Quake III, Quake II, Half-Life and
//! Quake, with their engines and mods.
//!
//! A [`Demo`] is a recording's bytes, unpacked. [`Demo::open`] finds out what they are and gives a [`Recording`],
//! which answers these questions, the same for every game:
//!
//! | question | answer |
//! |---|---|
//! | [`info`](Recording::info) | what is it, who played, where, for how long |
//! | [`verify`](Recording::verify) | is it whole, does it survive decoding and encoding byte for byte |
//! | [`audit`](Recording::audit) | is it one unbroken recording, or was it cut or tampered with, and where |
//! | [`events`](Recording::events) | what happened in it |
//! | [`scores`](Recording::scores) | who won, and how well each player did |
//! | [`runs`](Recording::runs) | what was run against the clock, and how fast |
//! | [`explain`](Recording::explain) | what does every bit of it say |
//! | [`state_at`](Recording::state_at) | where was everything at one moment |
//!
//! Half-Life's recordings answer one more: what the player's hands did ([`commands`](Recording::commands)).
//!
//! [`edit`] makes other recordings of them: parts, wholes of several, repaired, converted, changed throughout.
//!
//! Nothing here opens a file or reads a clock: bytes go in, values come out.
//!
//! ```
//! use fragreel::Demo;
//! use fragreel::model::{Family, Milliseconds, When};
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let recording = demo.open()?;
//! assert_eq!(recording.family(), Family::Quake3);
//!
//! let info = recording.info();
//! assert_eq!(info.maps, ["oa_minia"]);
//! assert!(recording.verify().is_whole());
//!
//! // The last frame at or before a time.
//! let moment = recording.state_at(When::Demo(Milliseconds::from_seconds(20.0)))?;
//! assert!(moment.sections.iter().any(|section| section.name == "player"));
//! # Ok(())
//! # }
//! ```

#[cfg(not(any(feature = "quake3", feature = "quake2", feature = "goldsrc", feature = "quake1")))]
compile_error!("fragreel reads nothing without a family: enable at least one of the features quake3, quake2, goldsrc, quake1");

mod date;
mod demo;
#[cfg(feature = "edit")]
pub mod edit;
mod family;
mod frames;
#[cfg(feature = "gzip")]
mod gzip;
mod owned;
#[cfg(feature = "edit")]
#[doc(hidden)]
pub mod properties;
mod recording;
mod runs;
mod scenes;
mod statistics;
#[cfg(feature = "text")]
pub mod text_form;
#[cfg(feature = "goldsrc")]
mod user_command;

pub use demo::Demo;
pub use family::{detect, is_recording_name};
pub use frames::Frames;
#[cfg(feature = "gzip")]
pub use gzip::Unpacked;
pub use model;
pub use owned::{OwnedFrames, OwnedRecording};
pub use recording::Recording;
pub use replay::{Flow, between};
#[cfg(feature = "goldsrc")]
pub use user_command::UserCommand;
pub use wire::{Error, Fault, Limits};

/// The program in README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
