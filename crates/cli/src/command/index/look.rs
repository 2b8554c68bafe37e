//! One look at everything that is indexed: what is new, what changed, what is gone.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fragreel_tables::catalogue::{Catalogue, Entry, File, Stamp};

use super::failed::failed;
use super::keep::{Found, Keep};
use crate::batch::{self, Choice, Source};
use crate::failure::Stop;
use crate::place::{self, Places, Roots};
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::{input, stamp};

/// What is looked at again and again.
pub struct Look<'a> {
    paths: &'a [PathBuf],
    db: &'a Path,
    json: bool,
    places: Places,
    /// Whether a look that finds nothing new says nothing.
    is_quiet: bool,
}

impl<'a> Look<'a> {
    /// At everything that these paths mean.
    pub fn new(paths: &'a [PathBuf], db: &'a Path, json: bool) -> Self {
        Look { paths, db, json, places: Places::default(), is_quiet: false }
    }

    /// Looks once.
    pub fn once(&mut self, shell: &Shell, catalogue: &mut Catalogue) -> Result<Outcome, Stop> {
        let wrong = |error| failed(self.db, error);
        let known = catalogue.files().map_err(wrong)?;
        // links may lead elsewhere now
        self.places = Places::default();
        let roots = Roots::of(self.paths, &mut self.places);
        if std::mem::replace(&mut self.is_quiet, true) && !self.is_anything_new(&known, &roots) {
            return Ok(Outcome::Fine);
        }
        let recordings = catalogue.recordings().map_err(wrong)?;
        let claimed: Mutex<HashSet<String>> = Mutex::new(recordings.keys().cloned().collect());
        let ask = |source: &Source<'_>| {
            let id = fragreel_tables::recording_id(source.bytes);
            if !claimed.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone()) {
                return Ok(Found::Copy(id));
            }
            Ok(Found::Recording(Box::new(Entry::of(&fragreel_tables::Source::named(source.recording, id, source.name)))))
        };
        let seen = RefCell::new(Seen::default());
        let gone = || {
            let seen = seen.borrow();
            let gone: Vec<String> =
                known.iter().filter(|(path, file)| roots.have(path) && seen.lacks(path) && is_gone(path, file)).map(|(path, _)| path.clone()).collect();
            (seen.unchanged, gone)
        };
        let mut keep = Keep::new(catalogue, self.db, self.json, recordings, &gone);
        let places = &mut self.places;
        let mut choose = |path: &Path| {
            let name = places.name(path);
            let is_new = seen.borrow_mut().is_new(&name, &known);
            is_new.then_some(name)
        };
        batch::run_chosen(shell, self.paths, Choice { name: &mut choose, handles_copies: true }, ask, &mut keep)
    }

    fn is_anything_new(&mut self, known: &HashMap<String, File>, roots: &Roots) -> bool {
        let mut seen = Seen::default();
        let passed = PassedOver::default();
        search::files(self.paths, &passed).flatten().any(|path| seen.is_new(&self.places.name(&path), known))
            || known.iter().any(|(path, file)| roots.have(path) && seen.lacks(path) && is_gone(path, file))
    }
}

/// What this look has come across.
#[derive(Default)]
struct Seen {
    names: HashSet<String>,
    unchanged: usize,
}

impl Seen {
    /// Whether a file is to be read: it was not met before under another name, and the catalogue has no such file that is unchanged.
    fn is_new(&mut self, name: &str, known: &HashMap<String, File>) -> bool {
        let stamp = stamp(name);
        if stamp.is_none() && !place::may_be_there(name) {
            return true;
        }
        if !self.names.insert(name.to_owned()) {
            return false;
        }
        let is_unchanged = known.get(name).is_some_and(|file| stamp == Some(file.stamp));
        self.unchanged += usize::from(is_unchanged);
        !is_unchanged
    }

    fn lacks(&self, name: &str) -> bool {
        !self.names.contains(name)
    }
}

/// What a file is known by, where it is there.
fn stamp(name: &str) -> Option<Stamp> {
    let stamp::Stamp { size, modified } = stamp::Stamp::of(&input::path_of(name))?;
    Some(Stamp { size, modified })
}

/// Whether a file that was not found is there no more, or holds something else: it was replaced, or its archive was. What cannot be
/// looked at may still be there.
fn is_gone(name: &str, file: &File) -> bool {
    match stamp(name) {
        Some(stamp) => stamp != file.stamp,
        None => !place::may_be_there(name),
    }
}
