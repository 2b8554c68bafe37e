//! Scoreboards: one for each match of a recording, from what the server states and what can be counted of its events
//! (`docs/statistics.md` defines every figure).

mod checks;
mod history;
mod matches;
mod numbered;
mod of_frames;
mod pace;
mod phase;
mod players;
mod record;
mod result;
mod segments;
mod sources;
mod stated;
mod survey;
mod tally;
pub(crate) mod terms;

pub(crate) use history::Historian;
pub use history::{PlayerStanding, ScoreHistory, Standing};
pub(crate) use matches::Matches;
pub(crate) use numbered::{KINDS, Numbered};
pub(crate) use stated::{LastStatement, STATEMENTS, tidy};
