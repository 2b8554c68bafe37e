//! Which files answers were made from: a list beside the answers, a line for each recording.
//!
//! A recording is noted before its answers are out. So every recording that has answers has a line.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::stamp::Stamp;

/// The list, open for more.
pub struct Sources {
    file: File,
    stamps: HashMap<String, Option<Stamp>>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    path: String,
    #[serde(flatten)]
    stamp: Option<Stamp>,
}

impl Sources {
    /// Where the list of a file with answers is.
    pub fn beside(answers: &Path) -> PathBuf {
        let mut name = answers.as_os_str().to_owned();
        name.push(".sources");
        name.into()
    }

    /// Opens the list, or begins one. A line that is cut off is dropped.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let (mut stamps, mut end, mut line) = (HashMap::new(), 0, Vec::new());
        let mut reader = BufReader::new(&file);
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            let Line { path, stamp } = serde_json::from_slice(&line).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not a list of sources"))?;
            stamps.insert(path, stamp);
            end += line.len() as u64;
            line.clear();
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Sources { file, stamps })
    }

    /// Forgets everything: the answers are begun again.
    pub fn clear(&mut self) -> io::Result<()> {
        self.stamps.clear();
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0)).map(drop)
    }

    /// What was noted of a recording; `None` where nothing was.
    pub fn stamp(&self, name: &str) -> Option<Option<Stamp>> {
        self.stamps.get(name).copied()
    }

    /// Notes a recording.
    pub fn add(&mut self, name: &str, stamp: Option<Stamp>) -> io::Result<()> {
        let line = serde_json::to_string(&Line { path: name.to_owned(), stamp })? + "\n";
        self.file.write_all(line.as_bytes())
    }
}
