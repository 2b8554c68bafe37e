//! What was found, on its way into the catalogue.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use fragreel_tables::catalogue::{Catalogue, Entry, Looked, Stamp};

use super::failed::failed;
use crate::batch::Renderer;
use crate::failure::{Failure, Stop};
use crate::interrupt;
use crate::json;
use crate::output::Output;
use crate::shell::Outcome;
use crate::stamp;

/// What a file holds.
pub enum Found {
    /// A recording.
    Recording(Box<Entry>),
    /// One that another file has, by its name by content.
    Copy(String),
}

/// How many files are unchanged, and which are gone. Asked at the end.
type Gone<'a> = dyn Fn() -> (usize, Vec<String>) + 'a;

/// Puts entries into the catalogue, some at a time: what is killed loses only those.
pub struct Keep<'a> {
    catalogue: &'a mut Catalogue,
    db: &'a Path,
    json: bool,
    gone: &'a Gone<'a>,
    stamp: Stamp,
    waiting: Vec<(String, Stamp, Looked)>,
    since: Instant,
    /// The recordings that are in or wait, and whether something in them is broken.
    recordings: HashMap<String, bool>,
    /// Copies of recordings that are still to come, for a copy must not be in without its recording.
    early: HashMap<String, Vec<(String, Stamp)>>,
    new: usize,
    refused: usize,
}

/// A transaction has at most this number of files, and takes at most this time.
const FILES: usize = 200;
const TIME: Duration = Duration::from_secs(2);

impl<'a> Keep<'a> {
    /// Into this catalogue, which has these recordings.
    pub fn new(catalogue: &'a mut Catalogue, db: &'a Path, json: bool, recordings: HashMap<String, bool>, gone: &'a Gone<'a>) -> Self {
        let (waiting, since, early) = (Vec::new(), Instant::now(), HashMap::new());
        Keep { catalogue, db, json, gone, stamp: Stamp::default(), waiting, since, recordings, early, new: 0, refused: 0 }
    }

    fn put(&mut self, path: String, stamp: Stamp, looked: Looked) -> Result<(), Stop> {
        self.waiting.push((path, stamp, looked));
        if self.waiting.len() >= FILES || self.since.elapsed() >= TIME { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        let waiting = std::mem::take(&mut self.waiting);
        self.since = Instant::now();
        Ok(self.catalogue.put_all(&waiting).map_err(|error| failed(self.db, error))?)
    }
}

impl Renderer<Found> for Keep<'_> {
    fn kept(&self) -> &'static str {
        "; everything read so far is kept; run the command again to continue"
    }

    fn read(&mut self, stamp: Option<stamp::Stamp>) {
        self.stamp = stamp.map(|stamp::Stamp { size, modified }| Stamp { size, modified }).unwrap_or_default();
    }

    fn answer(&mut self, _: &mut Output, path: &str, found: Found) -> Result<Outcome, Stop> {
        self.new += 1;
        match found {
            Found::Recording(entry) => {
                let (id, is_broken) = (entry.recording().to_owned(), entry.is_damaged());
                self.put(path.to_owned(), self.stamp, Looked::Recording(entry))?;
                self.recordings.insert(id.clone(), is_broken);
                for (path, stamp) in self.early.remove(&id).unwrap_or_default() {
                    self.put(path, stamp, Looked::Copy(id.clone()))?;
                }
                Ok(Outcome::damaged(is_broken))
            }
            Found::Copy(id) => match self.recordings.get(&id) {
                Some(&is_broken) => {
                    self.put(path.to_owned(), self.stamp, Looked::Copy(id))?;
                    Ok(Outcome::damaged(is_broken))
                }
                None => {
                    self.early.entry(id).or_default().push((path.to_owned(), self.stamp));
                    Ok(Outcome::Fine)
                }
            },
        }
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        self.refused += 1;
        if self.json {
            json::failure(output, path, failure)?;
        }
        // What is not even found has no place in it.
        if path.is_empty() || self.stamp == Stamp::default() { Ok(()) } else { self.put(path.to_owned(), self.stamp, Looked::Unreadable(failure.one_line())) }
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        let is_broken_off = interrupt::asked();
        if !is_broken_off {
            // the only one that was decoded gave nothing
            for (path, stamp) in std::mem::take(&mut self.early).into_values().flatten() {
                self.put(path, stamp, Looked::Unreadable(String::from("internal error while reading a copy of it")))?;
            }
        }
        self.flush()?;
        let (unchanged, mut gone) = (self.gone)();
        if is_broken_off {
            // what was not come to is not gone
            gone.clear();
        }
        let wrong = |error| failed(self.db, error);
        self.catalogue.forget_all(&gone).map_err(wrong)?;
        if is_broken_off {
            // the command ends below
            self.catalogue.settle();
        }
        let (files, recordings) = self.catalogue.counts().map_err(wrong)?;
        let (new, gone, refused) = (self.new, gone.len(), self.refused);
        if self.json {
            let db = crate::input::name(self.db);
            let unchanged = unchanged as u64;
            json::line(output, &Indexed { db: &db, files, recordings, read: new as u64, unchanged, removed: gone as u64, unreadable: refused as u64 })?;
        } else {
            writeln!(
                output,
                "{}: {files} files, {recordings} recordings; {new} read, {unchanged} unchanged, {gone} removed, {refused} unreadable",
                self.db.display()
            )?;
        }
        if is_broken_off {
            output.flush()?;
            interrupt::exit();
        }
        Ok(())
    }
}

/// What a look at everything found, for machines.
#[derive(serde::Serialize)]
struct Indexed<'a> {
    db: &'a str,
    /// In the catalogue.
    files: u64,
    recordings: u64,
    /// Files of this run.
    read: u64,
    unchanged: u64,
    removed: u64,
    unreadable: u64,
}
