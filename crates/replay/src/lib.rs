//! What walks through the recordings of all families share. It knows no format: a family says what a frame is, who is in a
//! slot, which bytes were read, and this crate draws the conclusions at one place.

mod between;
pub mod cheats;
mod checkpointed_walk;
mod clock;
mod cuts;
pub mod date;
mod findings;
mod frames;
pub mod info_string;
mod keyframes;
mod lazy_index;
pub mod lockstep;
mod people;
pub mod personal;
pub mod properties;
mod sampler;
mod sink;
mod split_by_size;
mod timeline;
pub mod undecoded;

pub use between::{between, mix, turn};
pub use checkpointed_walk::{Advance, CheckpointedWalk};
pub use clock::{Clock, RESTART};
pub use cuts::cut_all;
pub use findings::Findings;
pub use frames::{At, Draft, Frames, Index, Source};
pub use keyframes::{Key, Keyframes};
pub use lazy_index::LazyIndex;
pub use people::People;
pub use sampler::{Choice, Sampler};
pub use sink::{Flow, Sink};
pub use split_by_size::{SizePlan, SizedParts, parts_of_size};
pub use timeline::{FrameAt, Timeline};
