//! Reads, verifies, analyzes and edits demos of Quake, QuakeWorld, Quake II, Quake III and Half-Life, with their engines and mods.
//!
//! A [`Demo`] holds the bytes of a recording, unpacked. [`Demo::open`] detects the format and returns a [`Recording`], which has the same
//! methods for every game:
//!
//! | to | ask | |
//! |---|---|---|
//! | get game, map, players, duration | [`info`](Recording::info) | [example](#what-is-it) |
//! | check that it is whole, byte for byte | [`verify`](Recording::verify) | [example](#is-it-whole) |
//! | find cuts and edits made by others | [`audit`](Recording::audit) | [example](Recording::audit) |
//! | list kills, chat, items, matches | [`iter_events`](Recording::iter_events) | [example](#what-happened) |
//! | get scoreboards and player statistics | [`scores`](Recording::scores) | [example](#who-won) |
//! | get kills, deaths and scores at any time | [`score_history`](Recording::score_history) | [example](Recording::score_history) |
//! | get runs against the clock, with their times | [`runs`](Recording::runs) | [example](Recording::runs) |
//! | see each field of each message, with its bits | [`explain`](Recording::explain) | [example](Recording::explain) |
//! | get the state at one time, in the game's own fields | [`state_at`](Recording::state_at) | [example](#where-was-everything) |
//! | walk over all frames, with the same fields for all games | [`frames`](Recording::frames) | [example](#frame-by-frame) |
//! | own the bytes and the recording, or send it to another thread | [`OwnedRecording`] | [example](OwnedRecording) |
//! | cut, split, join, repair, convert, merge, scrub, rename | [`edit`] | [example](#edit-it) |
//! | change any text or message | [`edit::Rewrite`] | [example](edit) |
//! | read and write it as text | [`text_form`] | [example](text_form) |
//! | read user commands (Half-Life, QuakeWorld) | [`usercmds`](Recording::usercmds) | |
//!
//! Nothing here opens a file or reads a clock: bytes go in, values come out. Answers serialize to the JSON that the `fragreel` command
//! prints.
//!
//! # Features
//!
//! Each family of games is a feature: `quake3`, `quake2`, `goldsrc`, `quake1`. So are `text` ([`text_form`]), `edit` ([`edit`]) and
//! `gzip` (recordings in gzip) and `pack` (recordings in Fragreel's own packing). All are on by default. Without default features, name at least one family.
//!
//! What is public here and in [`model`] follows semantic versioning. In the crates of the families (`fragreel-quake3` and so on),
//! only `Recording`, `Frames` and `detect` do: message trees follow the formats.
//!
//! # What is it?
//!
//! ```
//! use fragreel::Demo;
//! use fragreel::model::Family;
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
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
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
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
//! use fragreel::Demo;
//! use fragreel::model::Kind;
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let recording = demo.open()?;
//! // The recording is read only as far as events are taken.
//! let first = recording.iter_events(Kind::Kill).next().unwrap();
//! assert_eq!(format!("{} {}", first.time, first.kind), "0:03.650 Gargoyle killed Kyonshi: rocket");
//! # Ok(())
//! # }
//! ```
//!
//! # Who won?
//!
//! ```
//! # fn main() -> Result<(), fragreel::Error> {
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
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
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
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
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
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
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let clip = demo.open()?.cut(Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) })?;
//! assert!(clip.bytes.len() < bytes.len());
//! # Ok(())
//! # }
//! ```

#![warn(unreachable_pub)]

#[cfg(not(any(feature = "quake3", feature = "quake2", feature = "goldsrc", feature = "quake1")))]
compile_error!("fragreel reads nothing without a family: enable at least one of the features quake3, quake2, goldsrc, quake1");

mod demo;
pub mod differences;
#[cfg(feature = "edit")]
pub mod edit;
pub mod extract;
mod family;
mod foreign;
mod frames;
mod geometry;
#[cfg(feature = "gzip")]
mod gzip;
mod kill_context;
mod owned;
#[cfg(feature = "pack")]
pub mod packing;
#[cfg(feature = "edit")]
#[doc(hidden)]
pub mod properties;
mod recording;
mod runs;
#[cfg(feature = "edit")]
mod same;
mod scores;
mod statistics;
#[cfg(feature = "text")]
pub mod text_form;
#[cfg(any(feature = "goldsrc", feature = "quake1"))]
mod user_command;

pub use demo::Demo;
pub use family::{detect, is_recording_name};
pub use fragreel_base::code_page;
pub use fragreel_base::wire::{Error, ErrorKind, Limits};
pub use fragreel_model as model;
pub use fragreel_model::replay::{Flow, between};
#[cfg(feature = "quake1")]
pub use fragreel_quake1::PhraseFile;
pub use frames::Frames;
#[cfg(feature = "gzip")]
pub use gzip::Unpacked;
pub use kill_context::{AIR_TIME_LIMIT, VIEW_TURN_WINDOW};
pub use owned::{OwnedFrames, OwnedRecording};
pub use recording::{Events, Recording};
pub use statistics::{PlayerStanding, ScoreHistory, Standing};
#[cfg(any(feature = "goldsrc", feature = "quake1"))]
pub use user_command::{ButtonStats, InputStats, StrafeStats, ViewTurn, ViewTurns};

/// The program in README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
