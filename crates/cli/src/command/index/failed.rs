//! What is said of catalogues that cannot be used.

use std::path::Path;

use fragreel_tables::catalogue::Error;

use crate::failure::{Failure, FailureKind};

/// Refuses a catalogue that is not there, where one is asked.
pub fn must_be_there(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    Err(Failure::new(format!("there is no catalogue `{}`", path.display()))
        .kind(FailureKind::NotFound)
        .help("Check the name; `fragreel index FOLDER --db FILE` makes one."))
}

/// The failure of a catalogue.
pub fn failed(path: &Path, error: Error) -> Failure {
    let kind = match &error {
        Error::Foreign | Error::Earlier(_) | Error::Later(_) => FailureKind::Unsupported,
        Error::NotReading | Error::Sql(_) => FailureKind::Misuse,
        _ => FailureKind::Io,
    };
    let advice = match &error {
        Error::Locked => "Wait for it, or name another file with --db.",
        Error::Foreign => "Nothing was changed in it. Name a catalogue, or a new file for one.",
        Error::Earlier(_) => "Index the recordings again, into a new file.",
        Error::Later(_) => "Use a newer fragreel, or index into a new file.",
        _ => "Check that it exists, that the disk has space, and its permissions.",
    };
    Failure::new(format!("cannot use the catalogue `{}`", path.display())).because(error).kind(kind).help(advice)
}
