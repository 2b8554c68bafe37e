//! Half-Life (GoldSrc) recordings: the container `HLDEMO`, its macros and network messages, in both directions.
//!
//! The format is described in `docs/formats/goldsrc.md`; what recorders and servers do differently in
//! `docs/errata/goldsrc.md`.
//!
//! Most programs want the crate `fragreel`, which has all families. Of this one, `Recording`, `Frames`, `detect` and what they take and
//! give are stable; modules, trees of messages and states follow the format, and may change in any version.

mod audit;
mod body;
mod canonical;
mod commands;
pub mod container;
mod context;
mod description;
mod dialect;
mod edit;
mod events;
mod explain;
mod fields;
mod frames;
mod info;
mod match_clock;
pub mod message;
mod moment;
pub mod munge;
mod names;
mod payload;
mod plain;
mod playback;
#[doc(hidden)]
pub mod properties;
mod recording;
mod roster;
mod rows;
mod section;
mod state;
mod stream;
pub mod text_form;
mod time;
mod unreadable;
mod user_messages;
mod verify;

pub use body::{Body, ClientData, ClientSound, DemoInfo, Info, MoveVars, OldView, PredictedEvent, RefParams, Sequence, UserCommand, WeaponAnim};
pub use body::{frame_sequence, messages};
pub use context::{Context, UserMessageShape};
pub use description::{DeltaDescription, Description, Field, FieldDescription, Kind};
pub use dialect::{BlockShape, Dialect, MacroTable, Rules, Vac};
pub use edit::Comparer;
pub use fields::Structure;
pub use frames::Frames;
pub use plain::{ByteTurn, Coord, Fifths, Padded, Str, Turn};
pub use recording::{Recording, detect};
pub use rows::RowId;
pub use section::BitOrder;
pub use state::{Entity, Slot, State, Stumble};
pub use stream::{Decoder, encode};
