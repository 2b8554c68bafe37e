//! Going on where an interrupted batch stopped: the file with its answers says which recordings it came to.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::draft::Target;
use crate::failure::Failure;
use crate::output::{self, Output};

/// The option of commands that may work for a long time.
#[derive(clap::Args)]
pub struct Options {
    /// Write the answers into this file; where an earlier run has begun it, go
    /// on behind the last recording in it
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

/// What answers are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people. Nothing can go on from that.
    Table,
    /// JSON Lines.
    Json,
    /// Comma-separated values.
    Csv,
}

impl Format {
    /// What the options `--json` and `--csv` (or `--spreadsheet`) mean.
    pub fn of(json: bool, csv: bool) -> Self {
        match (json, csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Table,
        }
    }
}

/// Whether the headings are written: an earlier run did it.
pub fn is_headed(resume: Option<&Resume>) -> bool {
    resume.is_some_and(|resume| !resume.is_new)
}

/// A file with the answers of an earlier run.
pub struct Resume {
    done: HashSet<String>,
    output: Output,
    /// The files that it wrote for the recordings that are done.
    pub outputs: HashSet<String>,
    /// Whether nothing is in it yet.
    pub is_new: bool,
}

impl Options {
    /// Whether a file was named.
    pub fn is_wanted(&self) -> bool {
        self.resume.is_some()
    }

    /// Opens the file, where one was named. Drops what is not whole at its end.
    pub fn open(&self, format: Format) -> Result<Option<Resume>, Failure> {
        self.open_for(format, true)
    }

    /// The same; `several`: whether one recording may have several answers, so that the last one may lack some.
    pub fn open_for(&self, format: Format, several: bool) -> Result<Option<Resume>, Failure> {
        let Some(path) = &self.resume else { return Ok(None) };
        if format == Format::Table {
            return Err(Failure::new("a table for people cannot be gone on with").help("Use --resume with --json or --csv."));
        }
        let target = Target::of(path, &[], true)?;
        let failed =
            |error: std::io::Error| Failure::new(format!("cannot go on in `{}`", path.display())).because(error).help("Name a file that you may write to.");
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(target.real()).map_err(failed)?;
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(Failure::new(format!("another run is writing into `{}`", path.display())).help("Wait for it, or name another file."));
        }
        let said = match format {
            Format::Csv => of_csv(&file),
            _ => of_json(&file),
        };
        let Said { mut done, last, last_from, to, mut outputs, last_outputs } = said.map_err(failed)?.ok_or_else(|| foreign(path))?;
        // Of the last recording all may be there, or only a part.
        let end = if last.is_empty() || !several { to } else { last_from };
        if several {
            done.remove(&last);
        } else {
            outputs.extend(last_outputs);
        }
        file.set_len(end).map_err(failed)?;
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        Ok(Some(Resume { done, output: output::to(Box::new(file)), outputs, is_new: end == 0 }))
    }
}

impl Resume {
    /// The names of the recordings that are done, and where to go on.
    pub fn into_parts(self) -> (HashSet<String>, Output) {
        (self.done, self.output)
    }
}

fn foreign(path: &Path) -> Failure {
    Failure::new(format!("`{}` is not what an earlier run wrote", path.display()))
        .help("Nothing was changed in it. Name a file that this command began with the same options, or a new one.")
}

/// What a file with answers says.
#[derive(Default)]
struct Said {
    done: HashSet<String>,
    /// The last recording, and where its answers begin.
    last: String,
    last_from: u64,
    /// The end of the last whole line.
    to: u64,
    /// The files that were written for recordings before the last.
    outputs: HashSet<String>,
    /// And for the last.
    last_outputs: Vec<String>,
}

impl Said {
    fn line(&mut self, path: &str, from: u64, to: u64) {
        if path != self.last {
            path.clone_into(&mut self.last);
            self.last_from = from;
            self.outputs.extend(self.last_outputs.drain(..));
            self.done.insert(path.to_owned());
        }
        self.to = to;
    }
}

/// `None` when it is something else.
fn of_json(file: &File) -> std::io::Result<Option<Said>> {
    #[derive(Deserialize)]
    struct Line {
        path: String,
        output: Option<String>,
    }
    let (mut said, mut reader, mut line) = (Said::default(), BufReader::new(file), Vec::new());
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            // What is begun is ours when it begins so.
            let ours = line.is_empty() || b"{\"path\":".starts_with(&line[..line.len().min(8)]);
            return Ok(ours.then_some(said));
        }
        let Ok(Line { path, output }) = serde_json::from_slice(&line) else { return Ok(None) };
        let from = said.to;
        said.line(&path, from, from + length as u64);
        said.last_outputs.extend(output);
    }
}

/// `None` when it is something else.
fn of_csv(file: &File) -> std::io::Result<Option<Said>> {
    let (mut said, mut reader, mut line, mut is_first) = (Said::default(), BufReader::new(file), Vec::new(), true);
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if !line.ends_with(b"\n") {
            let ours = !is_first || b"path,".starts_with(&line[..line.len().min(5)]);
            return Ok(ours.then_some(said));
        }
        let from = said.to;
        if is_first {
            if !line.starts_with(b"path,") {
                return Ok(None);
            }
            said.to = from + length;
            is_first = false;
            continue;
        }
        let mut record = csv::ReaderBuilder::new().has_headers(false).from_reader(&line[..]).into_records();
        let Some(Ok(record)) = record.next() else { return Ok(None) };
        said.line(record.get(0).unwrap_or_default(), from, from + length);
    }
}
