//! What walks through the recordings of all families share. It knows no format: a family says what a frame is, who is in a
//! slot, which bytes were read, and this crate draws the conclusions at one place.

mod aim;
mod behind;
mod between;
pub mod cheats;
mod clock;
mod cuts;
pub mod date;
mod findings;
mod frames;
pub mod info_string;
mod keyframes;
pub mod lockstep;
mod once;
mod pace;
mod people;
pub mod personal;
pub mod properties;
mod sink;
mod timeline;
pub mod unread;

pub use aim::{Made, Sizing, parts_of_size};
pub use behind::{Behind, Play};
pub use between::{between, mix, turn};
pub use clock::{Clock, RESTART};
pub use cuts::cut_all;
pub use findings::Findings;
pub use frames::{At, Draft, Frames, Index, Source};
pub use keyframes::{Key, Keyframes};
pub use once::Once;
pub use pace::{Choice, Pace};
pub use people::People;
pub use sink::{Flow, Sink};
pub use timeline::{FrameAt, Timeline};
