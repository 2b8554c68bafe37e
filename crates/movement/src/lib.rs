//! Steps, strafes and jumps of players, from rows of their movement.
//!
//! A [`State`] is a player at one time, with the user command that led there if it is known. A [`Tracker`] takes the states of one player in order. It gives a
//! [`Step`] for each of them, and a [`Jump`] when a phase off the ground ends. [`Physics`] computes what a command does to a velocity in each game, so steps
//! have the best possible gain, and the computed velocity proves the formula against the recorded one ([`Step::explained`]).
//!
//! `docs/movement.md` defines all figures.

#![warn(unreachable_pub)]
#![deny(missing_debug_implementations)]

mod input;
mod jump;
mod kind;
mod physics;
mod side;
mod state;
mod step;
mod strafe;
mod tracker;

pub use input::{Input, Keys, KeysSource};
pub use jump::{End, Jump};
pub use kind::JumpKind;
pub use physics::{Best, Game, Physics, Wish};
pub use side::Side;
pub use state::{Phase, Source, State};
pub use step::Step;
pub use strafe::Strafe;
pub use tracker::{Tracked, Tracker};
