//! Half-Life (GoldSrc) recordings: the container `HLDEMO`, its macros and network messages, in both directions.
//!
//! `docs/formats/goldsrc.md` describes the format, `docs/errata/goldsrc.md` the deviations of recorders and servers.
//!
//! Most programs want the crate `fragreel`, which covers all families. In this crate, `Recording`, `Frames`, `detect` and the types in their
//! signatures are stable. Modules, messages and states follow the format, and may change in any version.

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
