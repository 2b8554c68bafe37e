//! Rows of comma-separated values.

use std::borrow::Cow;

use crate::numbers;
use crate::plain::Escaped;

/// What makes a cell stand in quotes.
const QUOTED: Escaped<4> = Escaped::new(0, *b",\"\n\r");

/// Writes a row into memory. Without `formulas`, what a spreadsheet would take for one begins with an apostrophe.
pub fn write(text: &mut Vec<u8>, row: &[&str], formulas: bool) {
    let mut cells = Row::new(text, formulas);
    match row {
        // A line without anything is no row.
        [""] => cells.text.extend(b"\"\""),
        row => row.iter().for_each(|cell| cells.text(cell)),
    }
    cells.end();
}

/// A row on its way into memory, cell by cell: nothing is kept in between.
pub struct Row<'t> {
    text: &'t mut Vec<u8>,
    formulas: bool,
    /// Whether a cell stands before the next one.
    goes_on: bool,
}

impl<'t> Row<'t> {
    /// A row behind what is in `text`.
    pub fn new(text: &'t mut Vec<u8>, formulas: bool) -> Self {
        Row { text, formulas, goes_on: false }
    }

    /// A row that begins with cells that an earlier row wrote.
    pub fn behind(text: &'t mut Vec<u8>, cells: &[u8], formulas: bool) -> Self {
        text.extend(cells);
        Row { text, formulas, goes_on: true }
    }

    fn part(&mut self) {
        if std::mem::replace(&mut self.goes_on, true) {
            self.text.push(b',');
        }
    }

    /// A cell of text.
    pub fn text(&mut self, cell: &str) {
        self.part();
        let cell = if self.formulas { Cow::Borrowed(cell) } else { harmless(cell) };
        if QUOTED.are_absent(cell.as_bytes()) || !cell.contains([',', '"', '\n', '\r']) {
            self.text.extend_from_slice(cell.as_bytes());
            return;
        }
        self.text.push(b'"');
        for (at, part) in cell.split('"').enumerate() {
            if at > 0 {
                self.text.extend(b"\"\"");
            }
            self.text.extend(part.as_bytes());
        }
        self.text.push(b'"');
    }

    /// A whole number, or nothing.
    pub fn integer(&mut self, value: Option<impl itoa::Integer>) {
        self.part();
        if let Some(value) = value {
            numbers::push_integer(self.text, value);
        }
    }

    /// `true`, `false`, or nothing.
    pub fn flag(&mut self, value: Option<bool>) {
        self.part();
        match value {
            Some(true) => self.text.extend_from_slice(b"true"),
            Some(false) => self.text.extend_from_slice(b"false"),
            None => {}
        }
    }

    /// Three numbers, or three times nothing.
    pub fn three(&mut self, values: Option<[f32; 3]>) {
        let Some(values) = values else { return self.empty(3) };
        for value in values {
            self.part();
            numbers::push_shown(self.text, value);
        }
    }

    /// Cells with nothing in them.
    pub fn empty(&mut self, count: usize) {
        (0..count).for_each(|_| self.part());
    }

    /// The row has all its cells.
    pub fn end(self) {
        self.text.push(b'\n');
    }
}

/// A cell that no spreadsheet takes for a formula.
fn harmless(cell: &str) -> Cow<'_, str> {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if is_formula { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_only_written_where_they_may_be() {
        let row = |formulas| {
            let mut text = Vec::new();
            write(&mut text, &["=1+2", "-5", "-x", "a,b", "@x"], formulas);
            String::from_utf8(text).unwrap()
        };
        assert_eq!((row(true).as_str(), row(false).as_str()), ("=1+2,-5,-x,\"a,b\",@x\n", "'=1+2,-5,'-x,\"a,b\",'@x\n"));
    }

    #[test]
    fn rows_are_those_of_other_writers() {
        let rows: [&[&str]; 6] = [&["a", "", "b"], &[""], &["", ""], &["say \"gg\", all", "\"", ","], &["two\nlines", "\r", " spaced "], &["ä;\t'"]];
        for row in rows {
            let (mut ours, mut wanted) = (Vec::new(), csv::Writer::from_writer(Vec::new()));
            write(&mut ours, row, true);
            wanted.write_record(row).unwrap();
            assert_eq!(ours, wanted.into_inner().unwrap(), "{row:?}");
        }
    }
}
