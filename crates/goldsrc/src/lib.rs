//! Reads and writes Half-Life (GoldSrc) recordings: `HLDEMO` files, with their macros and network messages.
//! `docs/formats/goldsrc.md` describes the format, `docs/errata/goldsrc.md` the deviations of recorders and servers.
//!
//! [`Recording`] answers questions and makes edits. Below it, [`container`] reads the directory, segments and macros, [`message`] decodes trees with the field
//! descriptions that the server sent, and `state` applies them. One step of the walk is one macro.
//!
//! A keyframe for seeking holds the positions of the blocks that a level begins with, and the rows of the frames that later ones need.
//!
//! Most programs want the crate `fragreel`, which supports all families. In this crate, `Recording`, `Frames`, `detect` and their
//! arguments and results are stable. Modules, message trees and states follow the format, and may change in any version.

#![warn(unreachable_pub)]

mod answers;
mod bit_order;
mod chunked;
pub mod container;
mod detect;
mod dialect;
mod edit;
mod encode;
mod events;
mod fields;
mod frames;
mod game_text;
mod limits;
pub mod message;
#[doc(hidden)]
pub mod properties;
mod recording;
mod scalars;
mod state;
pub mod text;
mod walk;
mod weapon_numbers;
mod weapon_scripts;

pub use bit_order::BitOrder;
#[doc(hidden)]
pub use chunked::Chunked;
pub use container::body::{Body, ClientData, ClientSound, DemoInfo, Info, MoveVars, OldView, PredictedEvent, RefParams, Sequence, UserCommand, WeaponAnim};
pub use container::body::{frame_sequence, messages};
pub use detect::detect;
pub use dialect::{BlockShape, Dialect, MacroTable, Rules, Vac};
pub use edit::donor::Described;
pub use fields::Structure;
pub use fields::description::{DeltaDescription, Description, Field, FieldDescription, Kind};
pub use frames::Frames;
pub use message::context::{Context, UserMessageShape};
pub use message::decoder::{Decoder, encode};
pub use recording::{Comparer, Recording};
pub use scalars::{Attenuation, ByteTurn, Coord, Fifths, Padded, Pitch, Str, Turn, Volume};
pub use state::rows::RowId;
pub use state::{ApplyError, Entity, Slot, State};
