//! A part of a large archive: a site without pages, whose facts and copies another run made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::kept;
use crate::failure::{Failure, FailureKind};

/// What a run with `--no-pages` left.
pub struct Part {
    site: PathBuf,
    folder: PathBuf,
    /// The first file with each of its recordings, by hash.
    pub first_files: BTreeMap<String, String>,
    /// The keys of its copies and clips, by path.
    written: BTreeMap<String, String>,
}

impl Part {
    /// The part whose state is in this folder. The copies themselves may be elsewhere.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        if folder.extension().is_none_or(|extension| extension != "state") || !folder.join("manifest").is_file() {
            return Err(Failure::new(format!("`{}` is no state of a part of a site", folder.display()))
                .kind(FailureKind::NotFound)
                .help("Name the folders FOLDER.state that runs with `--no-pages -o FOLDER` leave."));
        }
        let first_files = kept::first_files(&kept::files(folder)?);
        let part = Part { site: folder.with_extension(""), folder: folder.to_owned(), first_files, written: kept::written(folder)? };
        if let Some(hash) = part.first_files.keys().find(|hash| !part.facts(hash).is_file()) {
            return Err(Failure::new(format!("`{}` has no facts of the recording {hash} that this version can use", part.folder.display()))
                .help("Run it again with the version that makes the pages."));
        }
        Ok(part)
    }

    /// Where the facts of a recording are.
    pub fn facts(&self, hash: &str) -> PathBuf {
        kept::facts(&self.folder, hash)
    }

    /// Where a copy is, or was when it was made; absent if the part did not make it.
    pub fn copy(&self, path: &str, key: &str) -> Option<PathBuf> {
        self.written.get(path).filter(|written| *written == key).map(|_| kept::place(&self.site, path))
    }
}
