//! One JSON object per line. The shapes are those of `fragreel::model`, and docs/json.md describes them.

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
    serde_json::to_writer(&mut *output, value)?;
    output.write_all(b"\n")
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
