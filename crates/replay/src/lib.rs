//! What walks through the recordings of all families share. It knows no format: a family says what a frame is, who is in a
//! slot, which bytes were read, and this crate draws the conclusions at one place.

pub mod info_string;
pub mod personal;
