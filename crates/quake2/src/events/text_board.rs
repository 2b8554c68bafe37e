//! Scoreboards that mods draw as text (`docs/formats/quake2.md`, "Scoreboards").

use fragreel_model::Stat;

use crate::walk::scoreboard::Words;

/// A board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Board {
    /// The mod that draws it.
    pub source: &'static str,
    /// The time on the board, as the server writes it.
    pub date: Option<String>,
    /// Teams and their scores.
    pub teams: Vec<(String, i32)>,
    pub rows: Vec<Row>,
}

/// A player's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub name: String,
    pub team: Option<String>,
    pub figures: Vec<(Stat, i64)>,
}

impl Row {
    /// One of its figures.
    pub(super) fn get(&self, stat: Stat) -> Option<i64> {
        self.figures.iter().find(|(known, _)| *known == stat).map(|(_, value)| *value)
    }
}

/// The lines of text in a layout, with their y positions.
pub(super) fn lines(layout: &str) -> Vec<(i32, &str)> {
    let mut lines = Vec::new();
    let (mut words, mut y) = (Words(layout), 0);
    while let Some(word) = words.next() {
        match word {
            "yv" => y = words.next().and_then(|word| word.parse().ok()).unwrap_or(y),
            "string" | "string2" => lines.extend(words.next().map(|line| (y, line))),
            _ => {}
        }
    }
    lines
}
