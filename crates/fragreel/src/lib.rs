//! Reads, checks and explains game recordings ("demos") of the Quake family: Quake III, Quake II, Half-Life and
//! Quake, with their engines and mods.
//!
//! A [`Demo`] is a recording's bytes, unpacked. [`Demo::open`] finds out what they are and gives a [`Recording`], which answers the
//! same questions for every game and makes other recordings of itself:
//!
//! | to | ask | |
//! |---|---|---|
//! | know what it is, who played, where, for how long | [`info`](Recording::info) | [example](#what-is-it) |
//! | know whether it is whole, byte for byte | [`verify`](Recording::verify) | [example](#is-it-whole) |
//! | know whether it was cut or tampered with, and where | [`audit`](Recording::audit) | [example](Recording::audit) |
//! | hear what happened: kills, chat, items, matches | [`events`](Recording::events) | [example](#what-happened) |
//! | see who won, and how well each player did | [`scores`](Recording::scores) | [example](#who-won) |
//! | see what was run against the clock, and how fast | [`runs`](Recording::runs) | [example](Recording::runs) |
//! | know what every bit of it says | [`explain`](Recording::explain) | [example](Recording::explain) |
//! | see where everything was at one moment, in the game's own fields | [`state_at`](Recording::state_at) | [example](#where-was-everything) |
//! | walk over all frames, in the same terms for all games | [`frames`](Recording::frames) | [example](#frame-by-frame) |
//! | keep it, or send it to another thread or language | [`OwnedRecording`] | [example](OwnedRecording) |
//! | cut, split, join, repair, convert, merge, scrub, rename | [`edit`] | [example](#edit-it) |
//! | change anything in it throughout | [`edit::Rewrite`] | [example](edit) |
//! | read and write it as text | [`text_form`] | [example](text_form) |
//! | read user commands (Half-Life, QuakeWorld) | [`commands`](Recording::commands) | |
//!
//! Nothing here opens a file or reads a clock: bytes go in, values come out. Answers to questions serialise to the JSON that the
//! `fragreel` command prints.
//!
//! # Features
//!
//! Each family of games is a feature: `quake3`, `quake2`, `goldsrc`, `quake1`. So are `text` ([`text_form`]), `edit` ([`edit`]) and
//! `gzip` (packed recordings). All are on by default; without defaults, at least one family has to be named.
//!
//! What is public here and in [`model`] follows semantic versioning. The crates of the families (`fragreel-quake3` and so on) offer no
//! such promise but for their `Recording`, `Frames` and `detect`: their trees of messages follow the formats.
//!
//! # What is it?
//!
//! ```
//! use fragreel::Demo;
//! use fragreel::model::Family;
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let recording = demo.open()?;
//! assert_eq!(recording.family(), Family::Quake3);
//! let info = recording.info();
//! assert_eq!(info.maps, ["oa_minia"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Is it whole?
//!
//! ```
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! // the last kilobyte is lost
//! let demo = fragreel::Demo::new(&bytes[..bytes.len() - 1024], "dm_bots.dm_71")?;
//! let report = demo.open()?.verify();
//! assert!(!report.is_whole());
//! for damage in &report.damage {
//!     println!("{} at byte {}", damage.detail, damage.offset);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What happened?
//!
//! ```
//! use std::ops::ControlFlow;
//! use fragreel::model::{EventKind, Kind};
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let mut first = None;
//! demo.open()?.events([Kind::Kill].into_iter().collect(), &mut |event| match event.kind {
//!     EventKind::Kill(kill) => {
//!         first = Some((event.time, kill.victim.name.clean));
//!         // the rest of the recording is not read
//!         ControlFlow::Break(())
//!     }
//!     _ => ControlFlow::Continue(()),
//! });
//! assert_eq!(first.unwrap().1, "Kyonshi");
//! # Ok(())
//! # }
//! ```
//!
//! # Who won?
//!
//! ```
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let (matches, _) = demo.open()?.scores();
//! assert_eq!(matches[0].players[0].player.name.clean, "Gargoyle");
//! # Ok(())
//! # }
//! ```
//!
//! # Where was everything?
//!
//! ```
//! use fragreel::model::{Milliseconds, When};
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let moment = demo.open()?.state_at(When::Demo(Milliseconds::from_seconds(20.0)))?;
//! let player = &moment.section("player").unwrap().records[0];
//! assert_eq!(player.find("gravity").and_then(|value| value.as_int()), Some(800));
//! # Ok(())
//! # }
//! ```
//!
//! # Frame by frame
//!
//! ```
//! use fragreel::model::{Fields, FrameOptions};
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let mut farthest = 0.0_f32;
//! for frame in demo.open()?.frames(FrameOptions::default().hz(10.0).fields(Fields::ORIGIN))? {
//!     for [x, y, _] in frame.players.iter().filter_map(|player| player.origin) {
//!         farthest = farthest.max(x.hypot(y));
//!     }
//! }
//! assert!(farthest > 1000.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Edit it
//!
//! ```
//! use fragreel::edit::{Clock, Range};
//! use fragreel::model::Milliseconds;
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let clip = demo.open()?.cut(Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) })?;
//! assert!(clip.bytes.len() < bytes.len());
//! # Ok(())
//! # }
//! ```

#[cfg(not(any(feature = "quake3", feature = "quake2", feature = "goldsrc", feature = "quake1")))]
compile_error!("fragreel reads nothing without a family: enable at least one of the features quake3, quake2, goldsrc, quake1");

mod demo;
pub mod differences;
#[cfg(feature = "edit")]
pub mod edit;
mod family;
mod foreign;
mod frames;
mod geometry;
#[cfg(feature = "gzip")]
mod gzip;
mod kill_context;
mod owned;
#[cfg(feature = "edit")]
#[doc(hidden)]
pub mod properties;
mod recording;
mod runs;
mod statistics;
#[cfg(feature = "text")]
pub mod text_form;
#[cfg(any(feature = "goldsrc", feature = "quake1"))]
mod user_command;

pub use demo::Demo;
pub use family::{detect, is_recording_name};
pub use frames::Frames;
#[cfg(feature = "gzip")]
pub use gzip::Unpacked;
pub use kill_context::{AIR_TIME_LIMIT, VIEW_TURN_WINDOW};
pub use model;
pub use owned::{OwnedFrames, OwnedRecording};
pub use recording::{Events, Recording};
pub use replay::{Flow, between};
#[cfg(any(feature = "goldsrc", feature = "quake1"))]
pub use user_command::{ButtonStats, InputStats, StrafeStats, ViewTurn, ViewTurns};
pub use wire::{Error, Fault, Limits};

/// The program in README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
