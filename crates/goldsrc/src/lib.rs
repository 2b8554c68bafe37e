//! Half-Life (GoldSrc) recordings: the container `HLDEMO`, its macros and network messages, in both directions.
//!
//! The format is described in `docs/formats/goldsrc.md`; what recorders and servers do differently in
//! `docs/errata/goldsrc.md`.

mod body;
mod canonical;
pub mod container;
mod context;
mod description;
mod dialect;
mod fields;
pub mod message;
pub mod munge;
mod plain;
mod recording;
mod rows;
mod section;
mod state;
mod stream;
mod verify;

pub use body::{Body, ClientData, ClientSound, DemoInfo, Info, MoveVars, OldView, PredictedEvent, RefParams, Sequence, UserCommand, WeaponAnim};
pub use context::{Context, UserMessageShape};
pub use description::{DeltaDescription, Description, Field, FieldDescription, Kind};
pub use dialect::{BlockShape, Dialect, MacroTable, Rules, Vac};
pub use fields::Structure;
pub use plain::{Coord, Padded, Str};
pub use section::BitOrder;
pub use recording::{Recording, detect};
pub use state::{Entity, State, Stumble};
pub use stream::{Decoder, encode};
