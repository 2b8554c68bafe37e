//! The list of what an export holds: `manifest.jsonl`.
//!
//! Its first line says what was asked for. Each further line is a commit: files that are in place, and the recordings in them. A line
//! without an end does not count, so an export is what its manifest says whatever interrupted it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fragreel_tables::Query;
use serde::{Deserialize, Serialize};

use super::failure::unwritable;
use super::part::{Codec, Format, Style};
use super::unread::Unread;
use crate::atomic_file::{Draft, Inputs, Target};
use crate::command::{Clock, Times};
use crate::failure::Failure;
use crate::stamp::Stamp;

/// The manifest's name.
pub const NAME: &str = "manifest.jsonl";

/// The version of the layout. Version 2 has folders such as `family=quake3`.
const VERSION: u32 = 2;

/// What was asked for. A run goes on only with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    fragreel_export: u32,
    format: Format,
    #[serde(default, skip_serializing_if = "is_default")]
    codec: Codec,
    #[serde(default, skip_serializing_if = "is_default")]
    spreadsheet: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    single_file: bool,
    tables: BTreeMap<String, Vec<String>>,
    #[serde(rename = "where")]
    conditions: Vec<String>,
    hz: Option<f64>,
    from: Option<i64>,
    to: Option<i64>,
    clock: String,
}

impl Header {
    pub fn new(style: Style, single_file: bool, queries: &[Query], conditions: &[String], hz: Option<f64>, times: Times, clock: Clock) -> Self {
        let columns = |query: &Query| query.names().iter().map(|name| (*name).to_owned()).collect();
        Header {
            fragreel_export: VERSION,
            format: style.format,
            codec: style.codec,
            spreadsheet: !style.formulas,
            single_file,
            tables: queries.iter().map(|query| (query.table().name.to_owned(), columns(query))).collect(),
            conditions: conditions.to_vec(),
            hz,
            from: times.from.map(|time| time.0),
            to: times.to.map(|time| time.0),
            clock: format!("{clock:?}").to_lowercase(),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Header {
    /// The names of the tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }
}

/// Files that came into place together, and the recordings in them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Commit {
    pub files: Vec<Listed>,
    pub recordings: Vec<Exported>,
    /// The files that a run could not read. A run writes this list at its end, and only the last list counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<Vec<Unread>>,
}

/// A file of the export.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Listed {
    /// Below the export's folder, with forward slashes.
    pub file: String,
    pub table: String,
    pub family: String,
    pub bytes: u64,
    pub sha256: String,
    pub rows: u64,
}

/// A recording of the export.
#[derive(Debug, Serialize, Deserialize)]
pub struct Exported {
    pub path: String,
    pub recording: String,
    pub family: String,
    /// Of its file; pipes have none.
    #[serde(flatten)]
    pub stamp: Option<Stamp>,
    /// By table.
    pub rows: BTreeMap<String, u64>,
}

/// The manifest, open for more.
pub struct Manifest {
    path: PathBuf,
    file: File,
    /// What was there before this run.
    pub before: Vec<Listed>,
    pub done: HashSet<String>,
}

impl Manifest {
    /// Begins one, or goes on in one that asked for the same. `renew` may change what it lists, and says whether it did: then the
    /// manifest is written again before anything else happens.
    pub fn open(folder: &Path, header: &Header, resume: bool, renew: impl FnOnce(&mut Vec<Commit>) -> Result<bool, Failure>) -> Result<Self, Failure> {
        crate::edit::must_be_folder(folder)?;
        let path = folder.join(NAME);
        let failed = |error: std::io::Error| unwritable(&path, error);
        if !resume && lists_anything(&path) {
            return Err(Failure::new(format!("`{}` already contains an export", folder.display())).help("Continue it with --resume, or name another folder."));
        }
        if !path.exists() && folder.exists() && fs::read_dir(folder).map_err(failed)?.next().is_some() {
            return Err(Failure::new(format!("`{}` is not empty, and contains no export to continue", folder.display())).help("Name a new folder."));
        }
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(Failure::new(format!("another run is writing into `{}`", folder.display())).help("Wait for it, or name another folder."));
        }
        let (mut commits, mut end) = commits(folder, &file, header)?;
        if renew(&mut commits)? {
            (file, end) = written(&path, header, &commits)?;
        } else {
            file.set_len(end).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        let (mut before, mut done) = (Vec::new(), HashSet::new());
        for commit in commits {
            before.extend(commit.files);
            done.extend(commit.recordings.into_iter().map(|one| one.path));
        }
        let mut manifest = Manifest { path, file, before, done };
        if end == 0 {
            manifest.add(header)?;
        }
        Ok(manifest)
    }

    /// Adds a line. It is there for good when this returns.
    pub fn add(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(|error| unwritable(&self.path, error.into()))? + "\n";
        let from = self.file.stream_position().map_err(|error| unwritable(&self.path, error))?;
        self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|error| {
            let _ = self.file.set_len(from);
            unwritable(&self.path, error)
        })
    }
}

/// Whether there is a manifest with a commit. A run that was interrupted early leaves one without.
fn lists_anything(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| BufReader::new(file).split(b'\n').nth(1).is_some())
}

/// The commits of the export in a folder. Another run may be adding commits to it.
pub fn read(folder: &Path, header: &Header) -> Result<Vec<Commit>, Failure> {
    let path = folder.join(NAME);
    let missing = |error: std::io::Error| Failure::new(format!("there is no export in `{}`", folder.display())).because(error).help("Name its folder with -o.");
    let file = File::open(&path).map_err(missing)?;
    Ok(commits(folder, &file, header)?.0)
}

/// The commits of a manifest, and the offset of their end. Fails if the manifest has another header.
fn commits(folder: &Path, file: &File, header: &Header) -> Result<(Vec<Commit>, u64), Failure> {
    let failed = |error: std::io::Error| unwritable(&folder.join(NAME), error);
    let foreign = |what: &str| {
        Failure::new(format!("cannot continue the export in `{}`: {what}", folder.display()))
            .help("Nothing was changed in it. Use the options that it was started with, or name another folder.")
    };
    let (mut commits, mut end) = (Vec::<Commit>::new(), 0);
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 && line.ends_with(b"\n") {
        if end == 0 {
            let there: Header = serde_json::from_slice(&line).map_err(|_| foreign("its manifest is not from Fragreel"))?;
            if there != *header {
                return Err(foreign("it was started with other options"));
            }
        } else {
            commits.push(serde_json::from_slice(&line).map_err(|_| foreign("its manifest is not from Fragreel"))?);
        }
        end += line.len() as u64;
        line.clear();
    }
    Ok((commits, end))
}

/// Writes a manifest in place of the one that is there. Gives the new file, which is locked, and its length.
fn written(path: &Path, header: &Header, commits: &[Commit]) -> Result<(File, u64), Failure> {
    let failed = |error: std::io::Error| unwritable(path, error);
    let mut text = serde_json::to_vec(header).map_err(|error| failed(error.into()))?;
    text.push(b'\n');
    for commit in commits {
        serde_json::to_writer(&mut text, commit).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
    }
    let mut draft = Draft::new(Target::of(path, &Inputs::none(), true)?)?;
    draft.file().write_all(&text).map_err(failed)?;
    // The draft's lock goes on to guard the manifest.
    let file = draft.file().try_clone().map_err(failed)?;
    draft.place()?;
    Ok((file, text.len() as u64))
}
