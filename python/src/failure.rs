//! Why a recording gives nothing more, and the exception for it.

use arrow_schema::ArrowError;
use pyo3::prelude::*;

use crate::error::{about, io_exception, of_kind};

/// Why a recording gave no more rows.
pub enum Failure {
    /// The library says so.
    Library(Box<fragreel::Error>),
    /// The file could not be read.
    File(std::io::Error),
    /// The archive could not be read.
    Place(fragreel_cli::places::Refused),
    /// What opens addresses raised it.
    Raised(PyErr),
    /// Anything else.
    Other(String),
}

impl From<fragreel::Error> for Failure {
    fn from(error: fragreel::Error) -> Self {
        Failure::Library(Box::new(error))
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        Failure::Other(error.to_string())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Library(error) => error.fmt(f),
            Failure::File(error) => error.fmt(f),
            Failure::Place(refused) => f.pad(&refused.words),
            Failure::Raised(error) => error.fmt(f),
            Failure::Other(words) => f.pad(words),
        }
    }
}

/// The exception for a failure about a file, if it has a name.
pub fn failed(py: Python<'_>, failure: Failure, file: &str) -> PyErr {
    let words = match &failure {
        Failure::Place(_) => failure.to_string(),
        _ if file.is_empty() => failure.to_string(),
        _ => format!("{file}: {failure}"),
    };
    let named = (!file.is_empty()).then_some(file);
    match failure {
        Failure::Library(error) => about(py, &error, &words, named),
        Failure::File(error) => io_exception(&error, file),
        Failure::Place(refused) => of_kind(py, refused.kind, &words, named),
        Failure::Raised(error) => error,
        Failure::Other(_) => of_kind(py, "fault", &words, named),
    }
}
