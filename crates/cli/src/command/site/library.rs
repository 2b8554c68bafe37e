//! Where a site gets facts and copies of recordings from.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::{Compression, GzBuilder};
use fragreel::edit::{Chat, Scrub};
use fragreel_site::facts::Facts;
use fragreel_site::{Config, Failed, Library, People, Published, Summary};
use sha2::{Digest, Sha256};

use super::state::State;
use crate::failure::{Failure, FailureKind};
use crate::input;
use crate::shell::Shell;

/// The version of copies: what a change of their making adds one to.
const COPIES: u32 = 1;

/// Recordings in which somebody is who is not named on the site.
#[derive(Default)]
pub struct Hidden(Mutex<HashMap<String, bool>>);

impl Hidden {
    /// Notes whether names go from a recording.
    pub fn note(&self, hash: &str, hides: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(hash.to_owned(), hides);
    }

    fn is(&self, hash: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(hash).copied().unwrap_or(true)
    }
}

/// How recordings are published.
pub struct Copies {
    /// Recordings in which somebody is hidden.
    pub hidden: Hidden,
    none: bool,
    originals: bool,
    chat: bool,
    refused: HashSet<String>,
}

impl Copies {
    /// By the settings of the site.
    pub fn of(config: &Config, none: bool, originals: bool) -> Self {
        Copies { hidden: Hidden::default(), none, originals, chat: config.chat, refused: HashSet::new() }
    }

    /// No copy can be made of this recording.
    pub fn refuse(&mut self, hash: String) {
        self.refused.insert(hash);
    }

    /// The copy of a recording.
    pub fn published(&self, summary: &Summary) -> Option<Published> {
        if self.none || self.refused.contains(&summary.hash) {
            return None;
        }
        let hides = self.hidden.is(&summary.hash);
        let as_it_is = self.originals && !hides && self.chat;
        let rules = if as_it_is { String::from("original") } else { format!("{COPIES} {hides} {} {}", self.chat, self.originals) };
        let digits: String = Sha256::digest(format!("{} {rules}", summary.hash)).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let mut lacks = Vec::new();
        if !self.originals {
            lacks.extend(["network addresses", "identifiers", "voice"]);
        }
        if hides {
            lacks.push("names");
        }
        if !self.chat {
            lacks.push("chat");
        }
        let lacks = if lacks.is_empty() { String::new() } else { format!("without {}", lacks.join(", ")) };
        let extension = &summary.extension;
        Some(Published { path: format!("d/{}/{digits}.{extension}.gz", &digits[..2]), lacks })
    }
}

/// The recordings of a site.
pub struct Recordings<'a> {
    pub shell: &'a Shell,
    pub state: &'a State,
    pub people: &'a People,
    pub copies: &'a Copies,
}

/// What went wrong with one file of a site.
pub struct NotMade(pub Failure);

impl From<Failed> for NotMade {
    fn from(failed: Failed) -> Self {
        NotMade(Failure::new("cannot make a page").because(failed))
    }
}

impl Library for Recordings<'_> {
    type Error = NotMade;

    fn facts(&self, hash: &str) -> Result<Facts, NotMade> {
        let mut facts = self.state.facts(hash).map_err(NotMade)?;
        self.people.apply(&mut facts);
        Ok(facts)
    }

    fn published(&self, hash: &str) -> Result<Vec<u8>, NotMade> {
        let gone = || NotMade(Failure::new("the recording is not there any more").kind(FailureKind::NotFound));
        let path = input::path_of(self.state.file_with(hash).ok_or_else(gone)?);
        let recording = input::load(self.shell, &path, true).map_err(NotMade)?;
        let hides = self.copies.hidden.is(hash);
        if self.copies.originals && !hides && self.copies.chat {
            return zipped(recording.bytes());
        }
        let not_scrubbed = |error: fragreel::Error| NotMade(Failure::new("personal data could not be removed from it").because(error));
        let chat = if self.copies.chat && !hides { Chat::Keep } else { Chat::Remove };
        let mut scrub = Scrub::default().chat(chat).names(hides);
        if self.copies.originals {
            scrub = scrub.addresses(false).identifiers(false).voice(false);
        }
        let edited = recording.scrub(&scrub).map_err(not_scrubbed)?;
        zipped(&edited.bytes)
    }
}

/// Gzip without a name and a time, so that the same recording gives the same bytes.
fn zipped(bytes: &[u8]) -> Result<Vec<u8>, NotMade> {
    let failed = |error: std::io::Error| NotMade(Failure::new("cannot compress it").because(error));
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    gzip.write_all(bytes).map_err(failed)?;
    gzip.finish().map_err(failed)
}

/// The files of a viewer in a folder.
pub fn viewer(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let unreadable = |path: &Path, error: std::io::Error| Failure::new(format!("cannot read `{}`", path.display())).because(error).kind(FailureKind::Io);
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).map_err(|error| unreadable(&next, error))? {
            let path = entry.map_err(|error| unreadable(&next, error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                let name = name.to_string_lossy().replace('\\', "/");
                files.push((name, std::fs::read(&path).map_err(|error| unreadable(&path, error))?));
            }
        }
    }
    files.sort();
    if !files.iter().any(|(name, _)| name == "fragreel-viewer.js") {
        return Err(Failure::new(format!("`{}` has no viewer in it", folder.display())).help("Name the folder web/dist that `cargo xtask web` makes."));
    }
    Ok(files)
}
