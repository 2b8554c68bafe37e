//! Lines: one value each, and where in them something is wrong.

use crate::textform::{Reader, Writer};

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1, in bytes.
    pub column: u64,
    /// The field, outermost first: `messages › element 2 › print › level`. Empty for the line as a whole.
    pub field: String,
    /// What was expected there.
    pub expected: String,
}

impl Error {
    /// Puts a reader's error into its line.
    pub fn in_line(line: u64, error: &crate::wire::Error) -> Self {
        Error { line, column: error.offset().unwrap_or(0) + 1, field: error.path_text(), expected: error.detail().to_owned() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)?;
        if !self.field.is_empty() {
            write!(f, " ({})", self.field)?;
        }
        write!(f, ": {}", self.expected)
    }
}

impl std::error::Error for Error {}

/// Appends one line.
pub fn write_line(out: &mut Vec<u8>, value: impl FnOnce(&mut Writer<'_>) -> Result<(), std::convert::Infallible>) {
    let Ok(()) = value(&mut Writer::new(out));
    out.push(b'\n');
}

/// Reads one line, which is the `number`th, from 1.
pub fn read_line<T>(line: &[u8], number: u64, value: impl FnOnce(&mut Reader<'_>) -> Result<T, crate::wire::Error>) -> Result<T, Error> {
    let mut reader = Reader::new(line);
    let result = value(&mut reader).and_then(|value| reader.finish().map(|()| value));
    result.map_err(|error| Error::in_line(number, &error))
}
