//! One JSON object per line. The shapes are those of `fragreel::model`, and docs/json.md describes them.

mod writer;

use std::io::{self, Write};
use std::sync::OnceLock;

use serde::Serialize;

use crate::failure::{Failure, FailureKind};

/// An answer with the file that it is about.
#[derive(Serialize)]
pub struct About<'a, T> {
    /// The file as named on the command line or found in a folder.
    pub path: &'a str,
    /// The answer.
    #[serde(flatten)]
    pub answer: &'a T,
}

/// Writes one line.
pub fn line(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut text = Vec::new();
    writer::append(&mut text, value)?;
    text.push(b'\n');
    output.write_all(&text)
}

/// Appends a value.
pub fn append(text: &mut Vec<u8>, value: &impl Serialize) -> io::Result<()> {
    Ok(writer::append(text, value)?)
}

/// Appends a line with an answer about a file, which is a struct or a map.
pub fn append_about(text: &mut Vec<u8>, path: &str, answer: &impl Serialize) -> io::Result<()> {
    writer::append_about(text, path, answer)?;
    text.push(b'\n');
    Ok(())
}

/// The command that is asked, by its name; set once.
pub static COMMAND: OnceLock<String> = OnceLock::new();

/// That there is no answer: which command gives none, so that no line is taken for another command's, and why.
#[derive(Serialize)]
pub struct NoAnswer<'a> {
    /// The file, if it is about one.
    pub path: Option<&'a str>,
    /// The command, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'a str>,
    /// What went wrong.
    pub error: &'a str,
    /// What kind of failure it is.
    pub kind: FailureKind,
}

impl<'a> NoAnswer<'a> {
    /// Of the command that is asked.
    pub fn new(path: Option<&'a str>, error: &'a str, kind: FailureKind) -> Self {
        NoAnswer { path, command: COMMAND.get().map(String::as_str), error, kind }
    }
}

/// Writes the line for a file that gave no answer.
pub fn failure(output: &mut impl Write, path: &str, failure: &Failure) -> io::Result<()> {
    line(output, &NoAnswer::new(Some(path), &failure.one_line(), failure.kind_of()))
}
