//! Pages: what their templates need, in strings that are ready to be shown.

mod board;
mod frame;
mod items;
mod lists;
mod recording;
mod small;
mod subject;
mod timeline;

pub(crate) use frame::{Frame, Shell};
pub(crate) use items::item;
pub(crate) use lists::{best, calendar, event, home, month, month_folder, months, runs};
pub(crate) use recording::{File, PlanLink, Surroundings, main_match, recording};
pub(crate) use small::{Row, about, find, index_of, missing};
pub(crate) use subject::{Sort, older, older_pages, subject};

use crate::facts::Board;
use crate::text;

use serde::Serialize;

/// A score as boards show it.
pub(crate) fn shown_score(board: &Board, score: i64) -> String {
    match board.is_race {
        true if fragreel::model::MatchStats::is_run(score) => text::run_time(score),
        true => String::from("–"),
        false => score.to_string(),
    }
}

/// A link with its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Link {
    /// Where to.
    pub href: String,
    /// The words.
    pub name: String,
}

impl Link {
    /// A link.
    pub(crate) fn new(href: impl Into<String>, name: impl Into<String>) -> Self {
        Link { href: href.into(), name: name.into() }
    }
}
