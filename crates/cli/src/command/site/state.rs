//! What a run leaves for the next one, in a folder beside the site: facts by content, the files that were read, and the files that were written.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use fragreel_site::Output;
use fragreel_site::facts::Facts;

use super::kept::{Read, facts, file_name, files, first_files, folder, io, keys, place, put, written};
use super::part::Part;
use crate::failure::Failure;
use crate::search::{self, PassedOver};
use crate::stamp::Stamp;

/// The state of a site.
pub struct State {
    site: PathBuf,
    folder: PathBuf,
    files: BTreeMap<String, Read>,
    /// The first of these files with each recording, by hash.
    first_files: OnceLock<BTreeMap<String, String>>,
    parts: Vec<Part>,
    ledger: Mutex<Ledger>,
    _lock: File,
}

/// What is written.
#[derive(Default)]
struct Ledger {
    /// The keys of the files of the site.
    written: BTreeMap<String, String>,
    /// The files that were written since a run was complete.
    fresh: BTreeSet<String>,
    journal: Option<File>,
}

impl State {
    /// The state of the site in `site`, which may not be there yet. Refuses a folder with files of somebody else, and a second run.
    pub fn open(site: &Path) -> Result<Self, Failure> {
        let folder = folder(site)?;
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
        let (files, written) = (files(&folder)?, written(&folder)?);
        let fresh = keys(&folder.join("journal"))?.into_keys().collect();
        let ledger = Mutex::new(Ledger { written, fresh, journal: None });
        Ok(State { site: site.to_owned(), folder, files, first_files: OnceLock::new(), parts: Vec::new(), ledger, _lock: lock_file })
    }

    /// The state of a site that other runs read the recordings of.
    pub fn of_parts(site: &Path, parts: &[PathBuf]) -> Result<Self, Failure> {
        let mut state = State::open(site)?;
        state.files.clear();
        state.first_files.take();
        state.parts = parts.iter().map(|part| Part::open(part)).collect::<Result<_, _>>()?;
        Ok(state)
    }

    /// Whether others read the recordings.
    pub fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Where a file of the site is: in a part, if that made it.
    pub fn place(&self, output: &Output) -> PathBuf {
        self.part_copy(output).unwrap_or_else(|| place(&self.site, &output.path))
    }

    /// The copy that a part made.
    pub fn part_copy(&self, output: &Output) -> Option<PathBuf> {
        output.source()?;
        self.parts.iter().find_map(|part| part.copy(&output.path, &output.key))
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
        self.first_files.take();
    }

    /// Keeps only what these files hold, and forgets facts that nobody needs.
    pub fn keep(&mut self, there: &HashSet<String>) -> Result<(), Failure> {
        self.files.retain(|name, _| there.contains(name));
        self.first_files.take();
        self.save()
    }

    /// Writes the list of the files that were read.
    pub fn save(&self) -> Result<(), Failure> {
        let mut text = Vec::new();
        for read in self.files.values() {
            serde_json::to_writer(&mut text, read).map_err(|error| io("write", &self.folder, error.into()))?;
            text.push(b'\n');
        }
        put(&self.folder.join("files"), &text)
    }

    /// The hashes of the recordings, each once.
    pub fn hashes(&self) -> BTreeSet<&str> {
        let of_parts = self.parts.iter().flat_map(|part| part.first_files.keys().map(String::as_str));
        self.files.values().filter_map(|read| read.hash.as_deref()).chain(of_parts).collect()
    }

    /// The first file that holds the recording.
    pub fn file_with(&self, hash: &str) -> Option<&str> {
        self.first_files.get_or_init(|| first_files(&self.files)).get(hash).map(String::as_str)
    }

    fn path_of(&self, hash: &str) -> PathBuf {
        let part = self.parts.iter().find(|part| part.first_files.contains_key(hash));
        part.map_or_else(|| facts(&self.folder, hash), |part| part.facts(hash))
    }

    fn has_facts(&self, hash: &str) -> bool {
        self.path_of(hash).is_file()
    }

    /// The facts of a recording, as they were made, with the name of the file that has it now.
    pub fn facts(&self, hash: &str) -> Result<Facts, Failure> {
        let path = self.path_of(hash);
        let bytes = fs::read(&path).map_err(|error| io("read", &path, error))?;
        let mut facts: Facts = serde_json::from_slice(&bytes)
            .map_err(|error| Failure::new(format!("`{}` is damaged", path.display())).because(error).help("Delete the file, and run again."))?;
        let of_parts = || self.parts.iter().find_map(|part| part.first_files.get(hash)).map(String::as_str);
        if let Some(file) = self.file_with(hash).or_else(of_parts) {
            facts.file = file_name(&crate::input::path_of(file)).unwrap_or_else(|| file.to_owned());
        }
        Ok(facts)
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
            ledger.fresh.insert(path.to_owned());
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

    /// Writes the list of all files, with which a run is complete, and what to upload and to delete. `paths` are all files in the order in which they
    /// should be uploaded. Returns how many were written since a run was complete.
    pub fn complete<'p>(&self, paths: impl Iterator<Item = &'p str>, delete_list: &[String]) -> Result<usize, Failure> {
        let mut ledger = self.ledger();
        let manifest: String = ledger.written.iter().map(|(path, key)| format!("{key}\t{path}\n")).collect();
        put(&self.folder.join("manifest"), manifest.as_bytes())?;
        ledger.journal = None;
        let journal = self.folder.join("journal");
        if journal.exists() {
            fs::remove_file(&journal).map_err(|error| io("remove", &journal, error))?;
        }
        let fresh = std::mem::take(&mut ledger.fresh);
        let put_list: Vec<&str> = paths.filter(|path| fresh.contains(*path)).collect();
        put(&self.folder.join("put"), put_list.iter().map(|path| format!("{path}\n")).collect::<String>().as_bytes())?;
        put(&self.folder.join("delete"), delete_list.iter().map(|path| format!("{path}\n")).collect::<String>().as_bytes())?;
        Ok(put_list.len())
    }
}
