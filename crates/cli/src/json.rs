//! One JSON object per line. The shapes are those of `fragreel::model`, and docs/json.md describes them.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

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

/// Writes the line for a file that gave no answer.
pub fn failure(output: &mut impl Write, path: &str, failure: &Failure) -> io::Result<()> {
    #[derive(Serialize)]
    struct NoAnswer {
        error: String,
    }
    line(output, &About { path, answer: &NoAnswer { error: failure.one_line() } })
}
