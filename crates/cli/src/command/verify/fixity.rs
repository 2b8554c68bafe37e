//! Whether files still hold what `index` read.

use serde::Serialize;

#[cfg(feature = "catalogue")]
pub use known::Fixity;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "catalogue"), expect(dead_code, reason = "only the catalogue needs it"))]
pub enum Held {
    /// What was indexed.
    Same,
    /// Something else, under the size and the time that the file had then.
    Changed,
    /// Something else, and the file was written since.
    Replaced,
    /// The catalogue does not have the file.
    Unknown,
}

impl Held {
    /// The same as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Held::Same => "as indexed",
            Held::Changed => "not the bytes that were indexed, though its size and time are the same: restore it from a copy",
            Held::Replaced => "not the bytes that were indexed: it was written since",
            Held::Unknown => "not in the catalogue",
        }
    }
}

#[cfg(feature = "catalogue")]
mod known {
    use std::collections::{HashMap, HashSet};
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};

    use fragreel_tables::catalogue::{Catalogue, File};

    use super::Held;
    use crate::batch::Source;
    use crate::command::index::{failed, must_be_there};
    use crate::failure::Stop;
    use crate::place::{self, Places, Roots};

    /// The files of a catalogue.
    pub struct Fixity {
        files: HashMap<String, File>,
        roots: Roots,
        met: Mutex<(Places, HashSet<String>)>,
    }

    impl Fixity {
        /// Reads what the catalogue has of these paths.
        pub fn open(db: &Path, paths: &[PathBuf]) -> Result<Self, Stop> {
            must_be_there(db)?;
            let files = Catalogue::read(db).and_then(|catalogue| catalogue.files()).map_err(|error| failed(db, error))?;
            let mut places = Places::default();
            let roots = Roots::of(paths, &mut places);
            Ok(Fixity { files, roots, met: Mutex::new((places, HashSet::new())) })
        }

        /// What a recording is to the catalogue.
        pub fn of(&self, source: &Source<'_>) -> Held {
            let name = {
                let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
                let name = met.0.name(source.path);
                met.1.insert(name.clone());
                name
            };
            let Some((file, recording)) = self.files.get(&name).and_then(|file| Some((file, file.recording.as_ref()?))) else { return Held::Unknown };
            let is_as_written = source.stamp.is_some_and(|stamp| (stamp.size, stamp.modified) == (file.stamp.size, file.stamp.modified));
            match (*recording == fragreel_tables::recording_id(source.bytes), is_as_written) {
                (true, _) => Held::Same,
                (false, true) => Held::Changed,
                (false, false) => Held::Replaced,
            }
        }

        /// The files that are not there.
        pub fn missing(&self) -> Vec<String> {
            let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            let missing = self.files.keys().filter(|name| self.roots.have(name) && !met.1.contains(*name) && !place::may_be_there(name));
            let mut missing: Vec<String> = missing.cloned().collect();
            missing.sort_unstable();
            missing
        }
    }
}

/// Without catalogues there is none.
#[cfg(not(feature = "catalogue"))]
pub enum Fixity {}

#[cfg(not(feature = "catalogue"))]
impl Fixity {
    pub fn of(&self, _: &crate::batch::Source<'_>) -> Held {
        match *self {}
    }

    pub fn missing(&self) -> Vec<String> {
        match *self {}
    }
}
