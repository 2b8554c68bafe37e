//! QuakeWorld and NetQuake recordings, both directions (`docs/formats/quake1.md`).
//!
//! [`Recording`] answers questions and makes edits. Below it, [`container`] divides a file into blocks, [`message`] reads and writes
//! their messages as lossless trees in a [`dialect`], and [`state`] applies messages to a game. [`replacement`] has FTE's replacement
//! deltas.
//!
//! One step of a walk is one block. A keyframe for seeking is the game's state at that time; parts that seldom change are shared between
//! keyframes.
//!
//! ```
//! use fragreel_quake1::container::{Container, Framing, write_block};
//! use fragreel_quake1::dialect::{Dialect, Stream};
//! use fragreel_quake1::message::{CenterPrint, Float, Message, Packet, Text};
//!
//! let text = Text(b"get ready\n".to_vec());
//! let mut packet = Packet { messages: vec![Message::CenterPrint(CenterPrint { text })], ..Packet::default() };
//! let data = packet.write(&mut Dialect::new(Stream::NetQuake));
//! let mut file = b"-1\n".to_vec();
//! write_block(&mut file, Container::NetQuake, &Framing::NetQuake { angles: [Float(0); 3] }, &data);
//!
//! let recording = fragreel_quake1::Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
//! let mut lines = Vec::new();
//! recording.events(fragreel_model::Kinds::ALL, &mut |event| lines.push(event.kind));
//! assert!(matches!(&lines[..], [fragreel_model::EventKind::CenterPrint { text }] if text.clean == "get ready"));
//! ```
//!
//! Most programs want the crate `fragreel`, which has all families. Here `Recording`, `Frames`, `detect` and the types that they take and
//! return are stable. Modules, message trees and states follow the format, and may change in any version.

#![warn(unreachable_pub)]

mod answers;
pub mod characters;
pub mod container;
mod detect;
pub mod dialect;
mod edit;
mod encode;
mod events;
mod extensions;
pub mod fields;
mod frames;
#[doc(hidden)]
pub mod limits;
pub mod message;
mod phrase_file;
#[doc(hidden)]
pub mod properties;
mod recording;
pub mod replacement;
pub mod state;
pub mod text;
#[doc(hidden)]
pub mod unstable;
mod walk;

pub use answers::replay::Replayed;
pub use detect::{detect, is_hexen2};
pub use frames::Frames;
pub use phrase_file::PhraseFile;
pub use recording::{Comparer, Recording};
