//! The files of a state: which there are, and how they are read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use fragreel_site::facts::VERSION;
use serde::{Deserialize, Serialize};

use crate::atomic_file::{Draft, Inputs, Target};
use crate::failure::{Failure, FailureKind};
use crate::stamp::Stamp;

/// What was read from a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// The file's name for machines.
    pub path: String,
    /// Its stamp before it was read.
    pub stamp: Stamp,
    /// The hash of the recording in it; absent where it could not be read.
    pub hash: Option<String>,
}

/// A file of the state or the site cannot be used.
pub fn io(what: &str, path: &Path, error: std::io::Error) -> Failure {
    Failure::new(format!("cannot {what} `{}`", path.display())).because(error).kind(FailureKind::Io).help("Is there room, and may you write there?")
}

/// The folder with the state of a site.
pub fn folder(site: &Path) -> Result<PathBuf, Failure> {
    let name = site.file_name().ok_or_else(|| Failure::new(format!("`{}` is no folder for a site", site.display())).help("Name a folder with -o."))?;
    let mut name = name.to_owned();
    name.push(".state");
    Ok(site.with_file_name(name))
}

/// The files that were read, by name.
pub fn files(folder: &Path) -> Result<BTreeMap<String, Read>, Failure> {
    let read = lines(&folder.join("files"))?.into_iter().filter_map(|line| serde_json::from_str::<Read>(&line).ok());
    Ok(read.map(|read| (read.path.clone(), read)).collect())
}

/// The first file with each recording, by hash. The file that it was read from may be gone, and another one may have it.
pub fn first_files(files: &BTreeMap<String, Read>) -> BTreeMap<String, String> {
    let mut first = BTreeMap::new();
    for (path, read) in files {
        if let Some(hash) = &read.hash {
            first.entry(hash.clone()).or_insert_with(|| path.clone());
        }
    }
    first
}

/// The name of a file without its folders.
pub fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// The keys of the files that were written, by path.
pub fn written(folder: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let mut written = keys(&folder.join("manifest"))?;
    written.extend(keys(&folder.join("journal"))?);
    Ok(written)
}

/// The keys in a list of files, by path. The last line of a journal may be cut.
pub fn keys(list: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let lines = lines(list)?;
    let keys = lines.iter().filter_map(|line| line.split_once('\t')).filter(|(key, _)| key.len() == 32);
    Ok(keys.map(|(key, path)| (path.to_owned(), key.to_owned())).collect())
}

/// Where the facts of a recording are kept.
pub fn facts(folder: &Path, hash: &str) -> PathBuf {
    folder.join("facts").join(VERSION.to_string()).join(&hash[..2.min(hash.len())]).join(format!("{hash}.json"))
}

/// Where a file of a site is.
pub fn place(site: &Path, path: &str) -> PathBuf {
    path.split('/').fold(site.to_owned(), |folder, name| folder.join(name))
}

/// The lines of a file. A missing file has none.
pub fn lines(path: &Path) -> Result<Vec<String>, Failure> {
    match File::open(path) {
        // a line that is no text was not written by us
        Ok(file) => Ok(BufReader::new(file).split(b'\n').map_while(Result::ok).filter_map(|line| String::from_utf8(line).ok()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io("read", path, error)),
    }
}

/// Writes a file, all of it or nothing.
pub fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Draft::put(Target::of(path, &Inputs::of(&[]), true)?, bytes)
}
