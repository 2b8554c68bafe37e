//! Half-Life (GoldSrc) recordings: the container `HLDEMO`, its macros and network messages, in both directions.
//!
//! The format is described in `docs/formats/goldsrc.md`; what recorders and servers do differently in
//! `docs/errata/goldsrc.md`.
//!
//! Most programs want the crate `fragreel`, which has all families. Of this one, `Recording`, `Frames`, `detect` and what they take and
//! give are stable; modules, trees of messages and states follow the format, and may change in any version.

mod answers;
mod bit_order;
pub mod container;
mod detect;
mod dialect;
mod edit;
mod encode;
mod events;
mod fields;
mod frames;
mod game_text;
pub mod message;
#[doc(hidden)]
pub mod properties;
mod recording;
mod scalars;
mod state;
pub mod text;
mod walk;

pub use bit_order::BitOrder;
pub use container::body::{Body, ClientData, ClientSound, DemoInfo, Info, MoveVars, OldView, PredictedEvent, RefParams, Sequence, UserCommand, WeaponAnim};
pub use container::body::{frame_sequence, messages};
pub use detect::detect;
pub use dialect::{BlockShape, Dialect, MacroTable, Rules, Vac};
pub use fields::Structure;
pub use fields::description::{DeltaDescription, Description, Field, FieldDescription, Kind};
pub use frames::Frames;
pub use message::context::{Context, UserMessageShape};
pub use message::decoder::{Decoder, encode};
pub use recording::{Comparer, Recording};
pub use scalars::{ByteTurn, Coord, Fifths, Padded, Str, Turn};
pub use state::rows::RowId;
pub use state::{ApplyError, Entity, Slot, State};

/// The name that `fragreel` uses for [`text`] until all families have moved.
#[doc(hidden)]
pub use text as text_form;
