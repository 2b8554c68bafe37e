//! Reads, verifies, analyzes and edits demos of Quake, QuakeWorld, Quake II, Quake III and Half-Life, with their engines and mods.
//!
//! [`Recording::open`] takes the bytes of a demo, finds out its format, and gives a [`Recording`], which has the same methods for every game.
//! Nothing here opens a file or reads a clock: bytes go in, values come out. Answers serialize to the JSON that the `fragreel` command
//! prints.
//!
//! # What is it?
//!
//! ```
//! # use fragreel::Recording;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let bytes = std::fs::read("../../samples/quake3/dm_bots.dm_71")?;
//! let recording = Recording::open(bytes, "dm_bots.dm_71")?;
//! let info = recording.info();
//! assert_eq!(info.game, "OpenArena");
//! assert_eq!(info.maps, ["oa_minia"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Is it whole?
//!
//! ```
//! # use fragreel::Recording;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut bytes = std::fs::read("../../samples/quake3/dm_bots.dm_71")?;
//! // the last kilobyte is lost
//! bytes.truncate(bytes.len() - 1024);
//! let report = Recording::open(bytes, "dm_bots.dm_71")?.verify();
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
//! # use fragreel::Recording;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let bytes = std::fs::read("../../samples/quake3/dm_bots.dm_71")?;
//! use fragreel::model::Kind;
//!
//! let recording = Recording::open(bytes, "dm_bots.dm_71")?;
//! // The recording is read only as far as events are taken.
//! let first = recording.events(Kind::Kill).next().unwrap();
//! assert_eq!(format!("{} {}", first.time, first.kind), "0:03.650 Gargoyle killed Kyonshi: rocket");
//! # Ok(())
//! # }
//! ```
//!
//! # Who won?
//!
//! ```
//! # use fragreel::Recording;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let bytes = std::fs::read("../../samples/quake3/dm_bots.dm_71")?;
//! let scores = Recording::open(bytes, "dm_bots.dm_71")?.scores();
//! assert_eq!(scores.value[0].players[0].player.name.clean, "Gargoyle");
//! # Ok(())
//! # }
//! ```
//!
//! # Cut a clip
//!
//! ```
//! # use fragreel::Recording;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let bytes = std::fs::read("../../samples/quake3/dm_bots.dm_71")?;
//! use fragreel::edit::{Clock, Range};
//! use fragreel::model::Milliseconds;
//!
//! let recording = Recording::open(bytes, "dm_bots.dm_71")?;
//! let clip = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) })?;
//! assert!(clip.bytes.len() < recording.bytes().len());
//! # Ok(())
//! # }
//! ```
//!
//! # All questions
//!
//! | to | ask |
//! |---|---|
//! | get game, map, players, duration | [`info`](Recording::info) |
//! | check that it is whole, byte for byte | [`verify`](Recording::verify) |
//! | find cuts and edits made by others | [`audit`](Recording::audit) |
//! | list kills, chat, items, matches | [`events`](Recording::events) |
//! | get scoreboards and player statistics | [`scores`](Recording::scores) |
//! | get kills, deaths and scores at any time | [`score_history`](Recording::score_history) |
//! | get runs against the clock, with their times | [`runs`](Recording::runs) |
//! | see each field of each message, with its bits | [`explain`](Recording::explain) |
//! | get the state at one time, in the game's own fields | [`state_at`](Recording::state_at) |
//! | walk over all frames, with the same fields for all games | [`frames`](Recording::frames) |
//! | read user commands (Half-Life, QuakeWorld) | [`usercmds`](Recording::usercmds) |
//! | see steps, strafes and jumps of players | [`movement`](Recording::movement) |
//! | see how players aimed at each shot | [`aim`](Recording::aim) |
//! | take out files, voice, and other data | [`extract`](Recording::extract) |
//! | ask several of these in one walk | [`ask`](Recording::ask) |
//! | compare two recordings | [`differences`] |
//! | cut, split, join, repair, convert, merge, scrub, rename | [`edit`] |
//! | change any text or message | [`edit::Rewrite`] |
//! | read and write it as text | [`text_form`] |
//!
//! What is damaged is reported, and the rest is answered. Questions that look for no damage themselves give an [`Answer`]: a value, and the damage that
//! was met. Iterators have a method `damage()`. [`Info`](model::Info) and [`Verification`](model::Verification) list it as their own field `damage`.
//!
//! # Features
//!
//! All are on by default. Without default features, name at least one family.
//!
//! | feature | reads |
//! |---|---|
//! | `quake3` | Quake III Arena, Quake Live and mods |
//! | `quake2` | Quake II, its engines and the re-release |
//! | `goldsrc` | Half-Life and its mods |
//! | `quake1` | QuakeWorld, NetQuake and their engines |
//! | `gzip` | recordings that are compressed with gzip |
//! | `pack` | recordings that `fragreel pack` packed ([`packing`]) |
//! | `text` | recordings as text, and back ([`text_form`]) |
//! | `edit` | edits ([`edit`]) |
//!
//! What is public here and in [`model`] follows semantic versioning. In the crates of the families (`fragreel-quake3` and so on),
//! only `Recording`, `Frames` and `detect` do: message trees follow the formats.

#![warn(unreachable_pub)]
#![deny(missing_debug_implementations)]

#[cfg(not(any(feature = "quake3", feature = "quake2", feature = "goldsrc", feature = "quake1")))]
compile_error!("fragreel reads nothing without a family: enable at least one of the features quake3, quake2, goldsrc, quake1");

mod aim;
mod answer;
pub mod differences;
#[cfg(feature = "edit")]
pub mod edit;
mod events;
mod explain;
pub mod extract;
mod family;
mod feeder;
mod foreign;
mod frames;
mod geometry;
#[cfg(feature = "gzip")]
mod gzip;
mod kill_context;
mod long_recording;
mod marathon;
mod means;
pub mod movement;
#[cfg(feature = "pack")]
pub mod packing;
#[cfg(feature = "edit")]
#[doc(hidden)]
pub mod properties;
mod questions;
mod recording;
mod runs;
#[cfg(feature = "edit")]
mod same;
mod scores;
mod source;
mod statistics;
#[cfg(feature = "text")]
pub mod text_form;
#[cfg(any(feature = "goldsrc", feature = "quake1"))]
mod user_command;
mod verification;

pub use aim::{Aim, AimKind, ViewSource};
pub use answer::Answer;
pub use bytes::Bytes;
pub use events::Events;
pub use family::{detect, is_recording_name};
pub use fragreel_base::code_page;
pub use fragreel_base::wire::{Error, ErrorKind, Limits};
pub use fragreel_model as model;
pub use fragreel_model::replay::between;
#[cfg(feature = "quake1")]
pub use fragreel_quake1::PhraseFile;
pub use frames::Frames;
#[cfg(feature = "gzip")]
pub use gzip::Unpacked;
pub use kill_context::{AIR_TIME_LIMIT, VIEW_TURN_WINDOW};
pub use long_recording::LongRecording;
pub use marathon::marathon;
pub use questions::{Answers, Questions};
pub use recording::Recording;
pub use statistics::{PlayerStanding, ScoreHistory, Standing};
#[cfg(any(feature = "goldsrc", feature = "quake1"))]
pub use user_command::{ButtonStats, InputStats, StrafeStats, ViewTurn, ViewTurns};
pub use verification::Task;

/// The program in README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
