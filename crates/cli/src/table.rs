//! Tables for people: columns in line, as wide as the terminal allows; in a pipe, as wide as they are.

use std::io::{self, Write};

use comfy_table::{Attribute, Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::printable;
use crate::shell::Shell;

/// A column of texts may become as narrow as this, in a terminal.
const BROKEN: usize = 24;

/// Rows that are looked at together to find the columns' widths.
const BATCH: usize = 200;

/// A table that is written in batches, so that it may have any number of rows. Later batches keep the columns where
/// they were, as far as they fit.
pub struct Rows {
    headings: Vec<String>,
    widths: Vec<u16>,
    waiting: Vec<Vec<String>>,
    headed: bool,
    /// What may be left out where the terminal is too narrow, first to go first.
    spare: &'static [&'static str],
    /// Columns that are shown; known once the first batch is.
    kept: Option<Vec<usize>>,
}

impl Rows {
    /// A table with these headings.
    pub fn new(headings: &[&str]) -> Self {
        Rows {
            headings: headings.iter().map(ToString::to_string).collect(),
            widths: vec![0; headings.len()],
            waiting: Vec::new(),
            headed: false,
            spare: &[],
            kept: None,
        }
    }

    /// Leaves out some columns where the terminal is too narrow for all, the first named first.
    #[must_use]
    pub fn sparing(mut self, spare: &'static [&'static str]) -> Self {
        self.spare = spare;
        self
    }

    /// Adds a row and lets it wait.
    pub fn hold(&mut self, row: Vec<String>) {
        self.waiting.push(row);
    }

    /// Adds a row, and writes those that wait when they are many.
    pub fn push(&mut self, shell: &Shell, output: &mut impl Write, row: Vec<String>) -> io::Result<()> {
        self.hold(row);
        if self.waiting.len() >= BATCH { self.flush(shell, output) } else { Ok(()) }
    }

    /// Writes the rows that are waiting.
    pub fn flush(&mut self, shell: &Shell, output: &mut impl Write) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let terminal = plain(shell).width();
        let kept = self.kept.take().unwrap_or_else(|| self.keep(terminal));
        let parts = self.parts(&kept, terminal);
        if let [first, rest @ ..] = &parts[..]
            && !rest.is_empty()
        {
            // one below the other, each with the first column
            for part in std::iter::once(first).chain(rest) {
                writeln!(output, "{}", self.table(shell, part, true).trim_fmt())?;
            }
            self.waiting.clear();
            self.kept = Some(kept);
            return Ok(());
        }
        let mut table = self.table(shell, &kept, !self.headed);
        self.headed = true;
        self.waiting.clear();
        for (column, width) in table.column_iter_mut().zip(&self.widths) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(*width)));
        }
        self.widths = table.column_max_content_widths().iter().zip(&self.widths).map(|(now, before)| (*now + GAP).max(*before)).collect();
        self.kept = Some(kept);
        writeln!(output, "{}", table.trim_fmt())
    }

    /// Some columns of the rows that wait.
    fn table(&self, shell: &Shell, columns: &[usize], headed: bool) -> Table {
        let mut table = plain(shell);
        if headed {
            table.set_header(columns.iter().map(|&column| strong(shell, &self.headings[column])));
        }
        for row in &self.waiting {
            table.add_row(columns.iter().map(|&column| printable(&row[column])));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, GAP));
        }
        table
    }

    /// The columns in parts that have room in a terminal of this width. Long texts can be broken into lines, so there is one part
    /// as long as the columns have room for short ones.
    fn parts(&self, kept: &[usize], terminal: Option<u16>) -> Vec<Vec<usize>> {
        let narrow = |column: usize| self.width(column).min(BROKEN);
        let room = terminal.map_or(usize::MAX, usize::from);
        let Some((&first, rest)) = kept.split_first().filter(|_| kept.iter().map(|&column| narrow(column)).sum::<usize>() > room) else {
            return vec![kept.to_vec()];
        };
        let mut parts = vec![vec![first]];
        let mut left = room.saturating_sub(narrow(first));
        for &column in rest {
            let width = narrow(column);
            if width > left && parts.last().is_some_and(|part| part.len() > 1) {
                parts.push(vec![first]);
                left = room.saturating_sub(narrow(first));
            }
            left = left.saturating_sub(width);
            if let Some(part) = parts.last_mut() {
                part.push(column);
            }
        }
        parts
    }

    /// Whether the terminal has room for all columns of the rows that wait. A pipe has.
    pub fn fits(&self, shell: &Shell) -> bool {
        let Some(terminal) = plain(shell).width() else { return true };
        (0..self.headings.len()).map(|column| self.width(column)).sum::<usize>() <= usize::from(terminal)
    }

    /// What a column takes, with the space behind it.
    fn width(&self, column: usize) -> usize {
        let cells = self.waiting.iter().map(|row| row[column].width()).max().unwrap_or_default();
        cells.max(self.headings[column].width()) + usize::from(GAP)
    }

    /// The columns that have room in a terminal of this width.
    fn keep(&self, terminal: Option<u16>) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..self.headings.len()).collect();
        let Some(terminal) = terminal else { return kept };
        for spare in self.spare {
            if kept.iter().map(|&column| self.width(column)).sum::<usize>() <= usize::from(terminal) {
                break;
            }
            kept.retain(|&column| self.headings[column] != *spare);
        }
        kept
    }
}

/// The front of a text that is longer than `most` columns.
pub fn front(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut room = most.saturating_sub(1);
    let fits = |c: &char| room.checked_sub(c.width().unwrap_or_default()).map(|left| room = left).is_some();
    text.chars().take_while(fits).chain(['…']).collect()
}

/// The end of a text that is longer than `most` columns.
pub fn end(text: &str, most: usize) -> String {
    let reversed = |text: &str| text.chars().rev().collect::<String>();
    reversed(&front(&reversed(text), most))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_by_what_they_take_on_the_screen() {
        assert_eq!((front("abcdef", 6), front("abcdef", 5)), ("abcdef".into(), "abcd…".into()));
        assert_eq!((front("日本語", 5), front("日本語", 4)), ("日本…".into(), "日…".into()));
        assert_eq!(end("a/long/path.dm_68", 9), "…th.dm_68");
    }

    #[test]
    fn columns_that_have_no_room_come_below() {
        let mut rows = Rows::new(&["NAME", "A", "B", "C"]);
        rows.waiting.push(["somebody", "11111111", "22222222", "33333333"].map(String::from).to_vec());
        let all = [0, 1, 2, 3];
        for (terminal, parts) in [
            (None, vec![all.to_vec()]),
            (Some(40), vec![all.to_vec()]),
            (Some(30), vec![vec![0, 1, 2], vec![0, 3]]),
            (Some(5), vec![vec![0, 1], vec![0, 2], vec![0, 3]]),
        ] {
            assert_eq!(rows.parts(&all, terminal), parts, "{terminal:?}");
        }
        // a text is broken into lines instead
        rows.waiting.push(["somebody", "1", "2", &"long ".repeat(40)].map(String::from).to_vec());
        assert_eq!(rows.parts(&all, Some(60)), [all.to_vec()]);
    }

    #[test]
    fn spare_columns_go_first_to_last_until_it_fits() {
        let mut rows = Rows::new(&["A", "B", "C", "D"]).sparing(&["C", "B"]);
        rows.waiting.push(["aaaa", "bbbb", "cccc", "dddd"].map(String::from).to_vec());
        for (terminal, kept) in [(None, &[0, 1, 2, 3][..]), (Some(24), &[0, 1, 2, 3]), (Some(23), &[0, 1, 3]), (Some(17), &[0, 3]), (Some(3), &[0, 3])] {
            assert_eq!(rows.keep(terminal), kept, "{terminal:?}");
        }
    }
}
