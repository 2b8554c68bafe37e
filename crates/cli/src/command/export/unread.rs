//! The table of files that could not be read.

use std::fs;
use std::path::Path;

use fragreel_tables::{Batch, Type, Value, Values};
use serde::{Deserialize, Serialize};

use super::failure::unwritable;
use super::part::{Part, Shape, Style};
use crate::failure::Failure;

/// The name of the table and of its folder.
pub const TABLE: &str = "failures";

const COLUMNS: [&str; 3] = ["path", "kind", "error"];

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unread {
    pub path: String,
    /// The kind of failure; docs/json.md lists the kinds.
    pub kind: String,
    /// The reason, in one line.
    pub error: String,
}

impl Unread {
    pub fn new(path: &str, failure: &Failure) -> Self {
        Unread { path: path.to_owned(), kind: failure.kind_of().name().to_owned(), error: failure.one_line() }
    }
}

/// Writes the table in place of an earlier one. If all files were read, removes the earlier one and writes nothing.
pub fn write(folder: &Path, style: Style, files: &[Unread]) -> Result<(), Failure> {
    let place = folder.join(TABLE);
    let path = place.join(format!("part-00000.{}", style.format.extension()));
    if files.is_empty() {
        if path.exists() {
            fs::remove_file(&path).and_then(|()| fs::remove_dir(&place)).map_err(|error| unwritable(&path, error))?;
        }
        return Ok(());
    }
    fs::create_dir_all(&place).map_err(|error| unwritable(&place, error))?;
    let mut columns: Vec<Values> = COLUMNS.iter().map(|_| Values::new(Type::Text)).collect();
    for file in files {
        for (values, text) in columns.iter_mut().zip([&file.path, &file.kind, &file.error]) {
            values.push(Value::Text(text));
        }
    }
    let mut part = Part::with(&path, style, &Shape::texts(&COLUMNS), true)?;
    part.write(Batch { columns, rows: files.len() })?;
    part.finish().map(drop)
}
