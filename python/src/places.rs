//! Files, folders, patterns, and archives, in the command's notation.

use std::path::{Path, PathBuf};

use fragreel_cli::places::{self, Refused};
use pyo3::prelude::*;

use crate::error::{io_exception, of_kind};
use crate::failure::Failure;
use crate::work::away;

/// The recordings that a path means: a file, a folder, a pattern, an archive, or a member of one.
#[pyfunction]
pub fn recordings_at(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    let shown = path.display().to_string();
    // what does not exist is a recording that cannot be read to the command, and a mistake here
    match away(py, move || (places::recordings(&path), path.exists()))? {
        (Ok(found), true) => Ok(found),
        (Ok(found), false) if found.len() != 1 || found[0] != shown => Ok(found),
        (Ok(_), false) => Err(io_exception(&std::io::ErrorKind::NotFound.into(), &shown)),
        (Err(refused), _) => Err(exception(py, &refused)),
    }
}

/// The bytes that a path means, and their name.
pub fn read(path: &Path) -> Result<(Vec<u8>, String), Failure> {
    match places::member(path).map_err(Failure::Place)? {
        Some(member) => Ok(member),
        None => std::fs::read(path).map(|bytes| (bytes, path.display().to_string())).map_err(Failure::File),
    }
}

/// The exception for a place that gives nothing.
pub fn exception(py: Python<'_>, refused: &Refused) -> PyErr {
    of_kind(py, refused.kind, &refused.words, Some(&refused.path))
}
