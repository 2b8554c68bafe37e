//! The board of a match in a page of its own, which is part of no site.

use askama::Template;

use super::recording::{Part, Result, part_alone, result};
use crate::facts::Board;
use crate::{summary, text};

/// What links would start with; there are none.
struct Nowhere {
    root: &'static str,
}

#[derive(Template)]
#[template(path = "alone.html")]
struct Page {
    frame: Nowhere,
    facts: Vec<String>,
    result: Result,
    part: Part,
}

/// A match of a recording called `name`. `place` makes its ids differ from those of the other boards in the page.
pub(crate) fn alone(name: &str, board: &Board, place: usize) -> askama::Result<String> {
    let mode = summary::mode(board);
    let facts = [Some(text::name(name)), Some(mode), Some(format!("{} min", text::minutes(board.length()))), Some(text::name(&board.map)), board.date.clone()];
    let facts = facts.into_iter().flatten().map(|fact| text::line(&fact, 80)).collect();
    Page { frame: Nowhere { root: "" }, facts, result: result(&summary::row(board, None)), part: part_alone(board, place) }.render()
}
