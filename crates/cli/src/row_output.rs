//! Options of commands whose answers are lines: objects or rows.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::resume::{self, Format, Resume, Shape};

/// Options of a command that answers with one object per line.
#[derive(clap::Args)]
pub struct JsonOutput {
    /// One JSON object per line, as docs/json.md describes
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    resume: resume::Options,
}

impl JsonOutput {
    /// Opens the file to go on with, if one was named.
    pub fn open(&self, shape: &Shape, paths: &[PathBuf]) -> Result<Option<Resume>, Failure> {
        self.resume.open(if self.json { Format::Json } else { Format::Table }, shape, paths)
    }
}

/// Options of a command that answers with objects or rows.
#[derive(clap::Args)]
pub struct RowOutput {
    /// One JSON object per line, as docs/json.md describes
    #[arg(long)]
    json: bool,

    /// Comma-separated values with a header line, as docs/json.md describes
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// CSV that is safe to open in a spreadsheet: formulas are escaped
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    spreadsheet: bool,

    #[command(flatten)]
    resume: resume::Options,
}

impl RowOutput {
    /// What the answers are written as.
    pub fn format(&self) -> Format {
        Format::of(self.json, self.csv || self.spreadsheet)
    }

    /// Whether a cell may begin like a formula.
    pub fn formulas(&self) -> bool {
        !self.spreadsheet
    }

    /// Opens the file to go on with, if one was named, and says whether it has the header line.
    pub fn open(&self, shape: &Shape, paths: &[PathBuf]) -> Result<(Option<Resume>, bool), Failure> {
        let resume = self.resume.open(self.format(), shape, paths)?;
        let headed = resume::is_headed(resume.as_ref());
        Ok((resume, headed))
    }
}
