//! Where a site gets facts and copies of recordings from.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::{Compression, GzBuilder};
use fragreel::Recording;
use fragreel::edit::{Chat, Clock, Range, Scrub};
use fragreel::model::Milliseconds;
use fragreel::packing::{self, Preset};
use fragreel_site::data::{Column, Value};
use fragreel_site::facts::{Facts, Moment};
use fragreel_site::{Config, Library, People, Published, Summary};
use sha2::{Digest, Sha256};

use super::not_made::NotMade;
use super::state::State;
use crate::failure::{Failure, FailureKind};
use crate::input::{self, Loaded};
use crate::output::hex;
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
    /// Moments that cannot be cut out: hash and start.
    uncut: HashSet<(String, i64)>,
}

impl Copies {
    /// By the settings of the site.
    pub fn of(config: &Config, none: bool, originals: bool) -> Self {
        Copies { hidden: Hidden::default(), none, originals, chat: config.chat, refused: HashSet::new(), uncut: HashSet::new() }
    }

    /// No copy can be made of this recording.
    pub fn refuse(&mut self, hash: String) {
        self.refused.insert(hash);
    }

    /// No clip can be made of this moment.
    pub fn refuse_clip(&mut self, hash: String, moment: &Moment) {
        self.uncut.insert((hash, moment.from));
    }

    /// Whether copies of a recording have all of it.
    fn keeps_all(&self, hides: bool) -> bool {
        self.originals && !hides && self.chat
    }

    /// What stands for the rules by which the recording is copied.
    fn rules(&self, hides: bool) -> String {
        if self.keeps_all(hides) { String::from("original") } else { format!("{COPIES} {hides} {} {}", self.chat, self.originals) }
    }

    /// The path of the clip of a moment.
    pub fn clip(&self, summary: &Summary, moment: &Moment) -> Option<String> {
        if self.none || self.refused.contains(&summary.hash) || self.uncut.contains(&(summary.hash.clone(), moment.from)) {
            return None;
        }
        let rules = self.rules(self.hidden.is(&summary.hash));
        let digits = digits(&format!("clip {COPIES} {} {rules} {} {}", summary.hash, moment.from, moment.to));
        Some(format!("clip/{}/{digits}.{}", &digits[..2], packing::EXTENSION))
    }

    /// Takes out what is not published.
    fn scrubbed<'r>(&self, recording: &'r Recording, hides: bool) -> Result<Cow<'r, [u8]>, NotMade> {
        if self.keeps_all(hides) {
            return Ok(Cow::Borrowed(recording.bytes()));
        }
        let chat = if self.chat && !hides { Chat::Keep } else { Chat::Remove };
        let mut scrub = Scrub::default().chat(chat).names(hides);
        if self.originals {
            scrub = scrub.addresses(false).identifiers(false).voice(false);
        }
        let not_scrubbed = |error: fragreel::Error| NotMade(Failure::new("personal data could not be removed from it").because(error));
        Ok(Cow::Owned(recording.scrub(&scrub).map_err(not_scrubbed)?.bytes))
    }

    /// The copy of a recording.
    pub fn published(&self, summary: &Summary) -> Option<Published> {
        if self.none || self.refused.contains(&summary.hash) {
            return None;
        }
        let hides = self.hidden.is(&summary.hash);
        let digits = digits(&format!("{} {}", summary.hash, self.rules(hides)));
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

/// The name of a file that stays as it is.
fn digits(of: &str) -> String {
    hex(&Sha256::digest(of)[..16])
}

/// The recordings of a site.
pub struct Recordings<'a> {
    pub shell: &'a Shell,
    pub state: &'a State,
    pub people: &'a People,
    pub copies: &'a Copies,
}

impl Library for Recordings<'_> {
    type Error = NotMade;

    fn facts(&self, hash: &str) -> Result<Facts, NotMade> {
        let mut facts = self.state.facts(hash).map_err(NotMade)?;
        self.people.apply(&mut facts);
        Ok(facts)
    }

    fn published(&self, hash: &str) -> Result<Vec<u8>, NotMade> {
        let recording = self.open(hash)?;
        zipped(&self.copies.scrubbed(&recording, self.copies.hidden.is(hash))?)
    }

    fn clip(&self, hash: &str, moment: &Moment) -> Result<Vec<u8>, NotMade> {
        let not_cut = |error: fragreel::Error| NotMade(Failure::new("a moment could not be cut out of it").because(error));
        let range = Range { clock: Clock::Demo, from: Milliseconds(moment.from), to: Milliseconds(moment.to) };
        let cut = self.open(hash)?.cut(range).map_err(not_cut)?;
        let name = format!("moment.{}", cut.extension);
        let clip = Recording::open(cut.bytes, &name).map_err(not_cut)?;
        let bytes = self.copies.scrubbed(&clip, self.copies.hidden.is(hash))?;
        Ok(packing::pack_with(&bytes, &name, Preset::Quick))
    }

    fn table(&self, columns: &[Column], rows: &mut dyn Iterator<Item = Result<Vec<Value>, NotMade>>) -> Result<Vec<u8>, NotMade> {
        super::data::parquet(columns, rows)
    }
}

impl Recordings<'_> {
    fn open(&self, hash: &str) -> Result<Loaded<'_>, NotMade> {
        let gone = || {
            let failure = if self.state.has_parts() { Failure::new("no part has the copy") } else { Failure::new("the recording is not there any more") };
            NotMade(failure.kind(FailureKind::NotFound))
        };
        let path = input::path_of(self.state.file_with(hash).ok_or_else(gone)?);
        input::load(self.shell, &path, true).map_err(NotMade)
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
