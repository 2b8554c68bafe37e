//! All integration tests of the Quake II family, in one binary.

mod assembled;
mod clocks;
mod damage;
mod editing;
mod engine;
mod frames;
mod happenings;
mod holes;
mod judged;
mod made;
mod privacy;
mod properties;
mod questions;
mod round_trip;
mod text_form;
mod unread;
mod viewpoints;
