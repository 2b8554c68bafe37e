//! Those who write an export: each thread has files of its own, and a recording's rows are all in one of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fragreel::model::Damage;
use fragreel_tables::{Query, Source as Tables, read, recording_id};

use super::failure::unwritable;
use super::manifest::{Commit, Exported, Header, Listed, Manifest};
use super::part::{Format, Part, Style};
use super::renewal::Renewal;
use super::unread::{self, Unread};
use crate::batch::Source;
use crate::failure::Failure;

/// What became of a recording.
pub struct Answer {
    pub damage: Vec<Damage>,
}

/// A writer's files are put in place after this number of recordings,
const RECORDINGS: usize = 1000;
/// or of bytes.
const BYTES: u64 = 256 << 20;
/// What a writer holds in memory at most, over all its files.
const HELD: usize = 24 << 20;

/// All who write.
pub struct ExportWorkers {
    folder: PathBuf,
    style: Style,
    /// One file per table: one thread at a time writes to it, all rows of a recording.
    single: Option<Mutex<()>>,
    queries: Vec<Query>,
    manifest: Mutex<Manifest>,
    /// Writers that nobody uses at the moment.
    idle: Mutex<Vec<Writer>>,
    /// The number of the next file of a table and family.
    next: Mutex<HashMap<(&'static str, &'static str), u32>>,
    written: Mutex<BTreeMap<&'static str, Rows>>,
}

/// What was written of a table.
#[derive(Clone, Copy, Default, serde::Serialize)]
pub struct Rows {
    pub rows: u64,
    pub files: u64,
    pub bytes: u64,
}

/// Files that are not in place yet, and the recordings in them.
#[derive(Default)]
struct Writer {
    parts: HashMap<(usize, &'static str), Part>,
    recordings: Vec<Exported>,
}

impl ExportWorkers {
    /// Begins an export or goes on with one; with the names of the recordings that are done.
    pub fn new(
        folder: &Path,
        style: Style,
        is_single: bool,
        queries: Vec<Query>,
        header: Header,
        renew: Option<Renewal<'_>>,
    ) -> Result<(Self, HashSet<String>), Failure> {
        let resume = renew.is_some();
        let mut manifest = Manifest::open(folder, &header, resume, |commits| renew.map_or(Ok(false), |renew| renew.apply(commits)))?;
        let done = std::mem::take(&mut manifest.done);
        let mut next = HashMap::new();
        for query in &queries {
            for family in FAMILIES {
                let name = partition(query.table().name, family);
                let listed: HashSet<&str> = manifest.before.iter().filter_map(|file| file.file.strip_prefix(&*name)?.strip_prefix('/')).collect();
                clear(&folder.join(&name), style.format, &listed)?;
                next.insert((query.table().name, family), listed.iter().filter_map(|file| number(file)).max().map_or(0, |last| last + 1));
            }
        }
        let folder = folder.to_owned();
        let workers = ExportWorkers {
            folder,
            style,
            single: is_single.then(Mutex::default),
            queries,
            manifest: Mutex::new(manifest),
            idle: Mutex::default(),
            next: Mutex::new(next),
            written: Mutex::default(),
        };
        Ok((workers, done))
    }

    /// Writes the rows of a recording.
    pub fn export(&self, source: &Source<'_>) -> Result<Answer, Failure> {
        let _alone = self.single.as_ref().map(lock);
        let mut writer = lock(&self.idle).pop().unwrap_or_default();
        let id = recording_id(source.bytes);
        let tables = Tables::named(source.recording, id.clone(), source.name);
        let family = tables.family().name();
        let mut rows: BTreeMap<String, u64> = self.queries.iter().map(|query| (query.table().name.to_owned(), 0)).collect();
        let mut failed = None;
        let damage = read(&tables, &self.queries, &mut |query, batch| {
            if let Some(count) = rows.get_mut(self.queries[query].table().name) {
                *count += batch.rows as u64;
            }
            let written = self.part(&mut writer, query, family).and_then(|part| part.write(batch)).and_then(|()| writer.let_go());
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => {
                    failed = Some(failure);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(failure) = failed {
            return Err(failure);
        }
        writer.recordings.push(Exported { path: source.name.to_owned(), recording: id, family: family.to_owned(), stamp: source.stamp, rows });
        let is_full = writer.recordings.len() >= RECORDINGS || writer.parts.values_mut().map(Part::written).sum::<u64>() >= BYTES;
        if is_full && self.single.is_none() {
            self.commit(std::mem::take(&mut writer))?;
        }
        lock(&self.idle).push(writer);
        Ok(Answer { damage })
    }

    fn part<'w>(&self, writer: &'w mut Writer, query: usize, family: &'static str) -> Result<&'w mut Part, Failure> {
        use std::collections::hash_map::Entry;
        let family = if self.single.is_some() { ALL } else { family };
        match writer.parts.entry((query, family)) {
            Entry::Occupied(there) => Ok(there.into_mut()),
            Entry::Vacant(place) => {
                let table = self.queries[query].table().name;
                let extension = self.style.format.extension();
                if family == ALL {
                    // an interrupted run may have left it
                    let path = self.folder.join(format!("{table}.{extension}"));
                    return Ok(place.insert(Part::new(&path, self.style, &self.queries[query], true)?));
                }
                let number = {
                    let mut next = lock(&self.next);
                    let next = next.entry((table, family)).or_default();
                    *next += 1;
                    *next - 1
                };
                let folder = self.folder.join(partition(table, family));
                fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, error))?;
                let path = folder.join(format!("part-{number:05}.{extension}"));
                Ok(place.insert(Part::new(&path, self.style, &self.queries[query], false)?))
            }
        }
    }

    /// Puts a writer's files in place and lists them.
    fn commit(&self, writer: Writer) -> Result<(), Failure> {
        let mut commit = Commit { recordings: writer.recordings, ..Commit::default() };
        let mut parts: Vec<_> = writer.parts.into_iter().collect();
        parts.sort_by_key(|(place, _)| *place);
        for ((query, family), part) in parts {
            let table = self.queries[query].table().name;
            let name = part.name();
            let finished = part.finish()?;
            let mut written = lock(&self.written);
            let rows = written.entry(table).or_default();
            rows.rows += finished.rows;
            rows.files += 1;
            rows.bytes += finished.bytes;
            let file = if family == ALL { name } else { format!("{}/{name}", partition(table, family)) };
            commit.files.push(Listed { file, table: table.into(), family: family.into(), bytes: finished.bytes, sha256: finished.sha256, rows: finished.rows });
        }
        if commit.recordings.is_empty() { Ok(()) } else { lock(&self.manifest).add(&commit) }
    }

    /// Puts all files in place that nobody writes to.
    pub fn commit_all(&self) -> Result<(), Failure> {
        let idle = std::mem::take(&mut *lock(&self.idle));
        idle.into_iter().try_for_each(|writer| self.commit(writer))
    }

    /// Writes the table of files that could not be read. A run that continues the export reads them again.
    pub fn note_failures(&self, files: Vec<Unread>) -> Result<(), Failure> {
        unread::write(&self.folder, self.style, &files)?;
        lock(&self.manifest).add(&Commit { failures: Some(files), ..Commit::default() })
    }

    /// What this run has written, by table.
    pub fn written(&self) -> Vec<(&'static str, Rows)> {
        let written = lock(&self.written);
        self.queries.iter().map(|query| query.table().name).map(|name| (name, written.get(name).copied().unwrap_or_default())).collect()
    }
}

impl Writer {
    /// Keeps what is held in memory within bounds.
    fn let_go(&mut self) -> Result<(), Failure> {
        while self.parts.values().map(Part::held).sum::<usize>() > HELD {
            let Some(largest) = self.parts.values_mut().max_by_key(|part| part.held()) else { break };
            largest.flush()?;
        }
        Ok(())
    }
}

/// The family of a file with rows of all families.
const ALL: &str = "all";

const FAMILIES: [&str; 4] = ["goldsrc", "quake1", "quake2", "quake3"];

/// The folder of a table and family, named like a partition of Hive.
fn partition(table: &str, family: &str) -> String {
    format!("{table}/family={family}")
}

/// The number in `part-00012.csv`.
fn number(name: &str) -> Option<u32> {
    name.strip_prefix("part-")?.split('.').next()?.parse().ok()
}

/// Removes files that an interrupted run put in place and did not come to list.
fn clear(folder: &Path, format: Format, listed: &HashSet<&str>) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours = number(&name).is_some_and(|number| name == format!("part-{number:05}.{}", format.extension()));
        if ours && !listed.contains(&*name) {
            fs::remove_file(entry.path()).map_err(|error| unwritable(&entry.path(), error))?;
        }
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
