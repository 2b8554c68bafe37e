//! What walks through the recordings of all families share. It knows no format: a family says what a frame is, who is in a
//! slot, which bytes were read, and this crate draws the conclusions at one place.

mod between;
mod clock;
pub mod info_string;
mod pace;
pub mod personal;

pub use between::{between, mix, turn};
pub use clock::{Clock, RESTART};
pub use pace::{Choice, Pace};
