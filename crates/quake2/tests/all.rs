//! All integration tests of the Quake II family, in one binary.

mod all_players;
mod assembled;
mod clocks;
mod damage;
mod editing;
mod engine;
mod frames;
mod happenings;
mod holes;
mod judged;
mod kills;
mod made;
mod privacy;
mod properties;
mod questions;
mod round_trip;
mod rounds;
mod text_form;
mod unread;
mod viewpoints;
