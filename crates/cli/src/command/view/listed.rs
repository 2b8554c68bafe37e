//! What can be chosen from: the recordings that were named, and what a catalogue knows of them.

use std::path::PathBuf;

/// A recording to choose.
#[derive(Debug, PartialEq)]
pub struct Listed {
    pub path: PathBuf,
    /// Map, date, length, result and players, where a catalogue says them.
    pub about: Option<String>,
}

impl From<PathBuf> for Listed {
    fn from(path: PathBuf) -> Self {
        Listed { path, about: None }
    }
}

#[cfg(feature = "catalogue")]
pub use known::Known;

#[cfg(feature = "catalogue")]
mod known {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    use fragreel::model::Milliseconds;
    use fragreel_tables::catalogue::{Catalogue, Found, Search};

    use super::Listed;
    use crate::command::index::failed;
    use crate::failure::Failure;
    use crate::input;
    use crate::place::Places;

    /// What a catalogue knows.
    pub struct Known(Vec<Found>);

    impl Known {
        /// Everything in it.
        pub fn read(db: &Path) -> Result<Self, Failure> {
            let found = Catalogue::read(db).and_then(|catalogue| catalogue.find(&Search::default()));
            found.map(|hits| Known(hits.recordings)).map_err(|error| failed(db, error))
        }

        /// All recordings whose files are still there, and how many are gone.
        pub fn all(self) -> (Vec<Listed>, usize) {
            let count = self.0.len();
            let is_there = |found: &&Found| input::file_of(&found.path).is_file();
            let listed: Vec<_> = self.0.iter().filter(is_there).map(|found| Listed { path: input::path_of(&found.path), about: Some(about(found)) }).collect();
            let gone = count - listed.len();
            (listed, gone)
        }

        /// The named files, with what is known of them.
        pub fn of(self, files: Vec<PathBuf>) -> Vec<Listed> {
            let known: HashMap<&str, &Found> = self.0.iter().map(|found| (&*found.path, found)).collect();
            let mut places = Places::default();
            files.into_iter().map(|path| Listed { about: known.get(&*places.name(&path)).map(|found| about(found)), path }).collect()
        }
    }

    /// A recording in one line.
    fn about(found: &Found) -> String {
        const MOST_PLAYERS: usize = 8;
        let mut parts: Vec<String> = [&found.map, &found.date, &found.game_mod, &found.game_type].into_iter().flatten().cloned().collect();
        parts.extend(found.duration.map(|time| Milliseconds(time).to_string()));
        parts.extend(found.result.clone());
        match &found.players[..] {
            [] => {}
            players if players.len() > MOST_PLAYERS => parts.push(format!("{} and {} more", players[..MOST_PLAYERS].join(", "), players.len() - MOST_PLAYERS)),
            players => parts.push(players.join(", ")),
        }
        parts.extend(found.grade.clone());
        parts.join(" · ")
    }
}
