//! Tables for people: columns in line, as wide as the terminal allows; in a pipe, as wide as they are.

use std::io::{self, Write};

use comfy_table::{Attribute, Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};

use crate::output::printable;
use crate::shell::Shell;

/// Rows that are looked at together to find the columns' widths.
const BATCH: usize = 200;

/// A table that is written in batches, so that it may have any number of rows. Later batches keep the columns where
/// they were, as far as they fit.
pub struct Rows {
    headings: Vec<String>,
    widths: Vec<u16>,
    waiting: Vec<Vec<String>>,
    headed: bool,
}

impl Rows {
    /// A table with these headings.
    pub fn new(headings: &[&str]) -> Self {
        Rows { headings: headings.iter().map(ToString::to_string).collect(), widths: vec![0; headings.len()], waiting: Vec::new(), headed: false }
    }

    /// Adds a row.
    pub fn push(&mut self, shell: &Shell, output: &mut impl Write, row: Vec<String>) -> io::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() >= BATCH { self.flush(shell, output) } else { Ok(()) }
    }

    /// Writes the rows that are waiting.
    pub fn flush(&mut self, shell: &Shell, output: &mut impl Write) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut table = plain(shell);
        if !self.headed {
            table.set_header(self.headings.iter().map(|heading| strong(shell, heading)));
            self.headed = true;
        }
        for row in self.waiting.drain(..) {
            table.add_row(row.iter().map(|cell| printable(cell)));
        }
        for (column, width) in table.column_iter_mut().zip(&self.widths) {
            column.set_padding((0, GAP));
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(*width)));
        }
        self.widths = table.column_max_content_widths().iter().zip(&self.widths).map(|(now, before)| (*now + GAP).max(*before)).collect();
        writeln!(output, "{}", table.trim_fmt())
    }
}

/// Writes names and values below each other.
pub fn pairs<'a>(shell: &Shell, output: &mut impl Write, pairs: impl IntoIterator<Item = (&'a str, String)>) -> io::Result<()> {
    let mut table = plain(shell);
    for (name, value) in pairs {
        table.add_row([strong(shell, name), Cell::new(printable(&value))]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    writeln!(output, "{}", table.trim_fmt())
}

/// Space between columns.
const GAP: u16 = 2;

fn plain(shell: &Shell) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    if shell.output_is_terminal {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
    }
    table
}

fn strong(shell: &Shell, text: &str) -> Cell {
    if shell.has_color() { Cell::new(text).add_attribute(Attribute::Bold) } else { Cell::new(text) }
}
