//! What a run leaves for the next one, in a folder beside the site: facts by content, the files that were read, and the files that were written.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fragreel_site::facts::{Facts, VERSION};
use serde::{Deserialize, Serialize};

use crate::atomic_file::{Draft, Inputs, Target};
use crate::failure::{Failure, FailureKind};
use crate::search::{self, PassedOver};
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

/// The state of a site.
pub struct State {
    site: PathBuf,
    folder: PathBuf,
    files: BTreeMap<String, Read>,
    ledger: Mutex<Ledger>,
    _lock: File,
}

/// What is written.
#[derive(Default)]
struct Ledger {
    /// The keys of the files of the site.
    written: BTreeMap<String, String>,
    journal: Option<File>,
}

fn io(what: &str, path: &Path, error: std::io::Error) -> Failure {
    Failure::new(format!("cannot {what} `{}`", path.display())).because(error).kind(FailureKind::Io).help("Is there room, and may you write there?")
}

impl State {
    /// The state of the site in `site`, which may not be there yet. Refuses a folder with files of somebody else, and a second run.
    pub fn open(site: &Path) -> Result<Self, Failure> {
        let name = site.file_name().ok_or_else(|| Failure::new(format!("`{}` is no folder for a site", site.display())).help("Name a folder with -o."))?;
        let mut name = name.to_owned();
        name.push(".state");
        let folder = site.with_file_name(name);
        let is_new = !folder.join("manifest").exists() && !folder.join("journal").exists();
        if is_new && fs::read_dir(site).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(Failure::new(format!("`{}` has files that no earlier run made", site.display()))
                .help("Name an empty folder, or one that does not exist, with -o."));
        }
        fs::create_dir_all(&folder).map_err(|error| io("make", &folder, error))?;
        let lock = folder.join("lock");
        let lock_file = File::create(&lock).map_err(|error| io("make", &lock, error))?;
        if matches!(lock_file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(Failure::new(format!("another run works on `{}`", site.display())).help("Wait for it, or stop it."));
        }
        let mut files: BTreeMap<String, Read> = BTreeMap::new();
        for line in lines(&folder.join("files"))? {
            if let Ok(read) = serde_json::from_str::<Read>(&line) {
                files.insert(read.path.clone(), read);
            }
        }
        let mut written = BTreeMap::new();
        for list in ["manifest", "journal"] {
            // the last line of a journal may be cut
            for line in lines(&folder.join(list))? {
                if let Some((key, path)) = line.split_once('\t').filter(|(key, _)| key.len() == 32) {
                    written.insert(path.to_owned(), key.to_owned());
                }
            }
        }
        Ok(State { site: site.to_owned(), folder, files, ledger: Mutex::new(Ledger { written, journal: None }), _lock: lock_file })
    }

    /// The folder of the site.
    pub fn site(&self) -> &Path {
        &self.site
    }

    /// The names of the files that need not be read again.
    pub fn done(&self) -> HashSet<String> {
        let is_done =
            |read: &&Read| Stamp::of(&crate::input::path_of(&read.path)) == Some(read.stamp) && read.hash.as_ref().is_none_or(|hash| self.has_facts(hash));
        self.files.values().filter(is_done).map(|read| read.path.clone()).collect()
    }

    /// Whether files came, changed, or went since they were read.
    pub fn has_changed(&self, paths: &[PathBuf]) -> bool {
        let done = self.done();
        let passed = PassedOver::default();
        let found: Vec<String> = search::files(paths, &passed).filter_map(Result::ok).map(|path| crate::input::name(&path)).collect();
        found.iter().any(|name| !done.contains(name)) || self.files.len() != found.iter().collect::<HashSet<_>>().len()
    }

    /// Notes what was read from a file.
    pub fn read(&mut self, read: Read) {
        self.files.insert(read.path.clone(), read);
    }

    /// Keeps only what these files hold, and forgets facts that nobody needs.
    pub fn keep(&mut self, names: &HashSet<String>) -> Result<(), Failure> {
        self.files.retain(|name, _| names.contains(name));
        let mut text = Vec::new();
        for read in self.files.values() {
            serde_json::to_writer(&mut text, read).map_err(|error| io("write", &self.folder, error.into()))?;
            text.push(b'\n');
        }
        put(&self.folder.join("files"), &text)
    }

    /// The hashes of the recordings, each once.
    pub fn hashes(&self) -> BTreeSet<&str> {
        self.files.values().filter_map(|read| read.hash.as_deref()).collect()
    }

    /// A file that holds the recording.
    pub fn file_with(&self, hash: &str) -> Option<&str> {
        self.files.values().find(|read| read.hash.as_deref() == Some(hash)).map(|read| read.path.as_str())
    }

    fn path_of(&self, hash: &str) -> PathBuf {
        self.folder.join("facts").join(VERSION.to_string()).join(&hash[..2.min(hash.len())]).join(format!("{hash}.json"))
    }

    fn has_facts(&self, hash: &str) -> bool {
        self.path_of(hash).is_file()
    }

    /// The facts of a recording, as they were made.
    pub fn facts(&self, hash: &str) -> Result<Facts, Failure> {
        let path = self.path_of(hash);
        let bytes = fs::read(&path).map_err(|error| io("read", &path, error))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Failure::new(format!("`{}` is damaged", path.display())).because(error).help("Delete the file, and run again."))
    }

    /// Keeps the facts of a recording.
    pub fn put_facts(&self, facts: &Facts) -> Result<(), Failure> {
        let path = self.path_of(&facts.hash);
        let bytes = serde_json::to_vec(facts).map_err(|error| io("write", &path, error.into()))?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| io("make", folder, error))?;
        }
        put(&path, &bytes)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys of the files that were written, by path.
    pub fn written(&self) -> BTreeMap<String, String> {
        self.ledger().written.clone()
    }

    /// Notes that files are there with what their keys stand for. A run that is killed after that does not make them again.
    pub fn wrote<'o>(&self, outputs: impl Iterator<Item = (&'o str, &'o str)>) -> Result<(), Failure> {
        let journal = self.folder.join("journal");
        let mut ledger = self.ledger();
        let mut text = String::new();
        for (path, key) in outputs {
            text += &format!("{key}\t{path}\n");
            ledger.written.insert(path.to_owned(), key.to_owned());
        }
        if ledger.journal.is_none() {
            ledger.journal = Some(File::options().append(true).create(true).open(&journal).map_err(|error| io("write", &journal, error))?);
        }
        if let Some(file) = &mut ledger.journal {
            file.write_all(text.as_bytes()).map_err(|error| io("write", &journal, error))?;
        }
        Ok(())
    }

    /// Notes that a file is gone.
    pub fn deleted(&self, path: &str) {
        self.ledger().written.remove(path);
    }

    /// Writes the list of all files, with which a run is complete, and what to upload and to delete.
    pub fn complete(&self, put_list: &[&str], delete_list: &[String]) -> Result<(), Failure> {
        let mut ledger = self.ledger();
        let manifest: String = ledger.written.iter().map(|(path, key)| format!("{key}\t{path}\n")).collect();
        put(&self.folder.join("manifest"), manifest.as_bytes())?;
        ledger.journal = None;
        let journal = self.folder.join("journal");
        if journal.exists() {
            fs::remove_file(&journal).map_err(|error| io("remove", &journal, error))?;
        }
        put(&self.folder.join("put"), put_list.iter().map(|path| format!("{path}\n")).collect::<String>().as_bytes())?;
        put(&self.folder.join("delete"), delete_list.iter().map(|path| format!("{path}\n")).collect::<String>().as_bytes())
    }
}

/// The lines of a file. A missing file has none.
fn lines(path: &Path) -> Result<Vec<String>, Failure> {
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
