//! Which files of a site are to be written and to be deleted, and that in an order in which no page refers to what is not there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fragreel_site::facts::Moment;
use fragreel_site::{Output, OutputKind, Site, Source};
use rayon::prelude::*;

use super::kept::{self, place};
use super::library::Recordings;
use super::not_made::NotMade;
use super::state::State;
use crate::failure::{Failure, FailureKind, Stop};
use crate::interrupt;
use crate::shell::Shell;

/// Files that are made before any of them is noted.
const BATCH: usize = 64;

/// What differs between a site and what is written of it.
pub struct Plan {
    outputs: Vec<Output>,
    /// The places of those that are to be written, by kind.
    new: Vec<usize>,
    gone: Vec<String>,
}

/// What is known of hosts: their name, the most files, and the most bytes.
const HOSTS: [(&str, u64, u64); 5] = [
    ("GitHub Pages", u64::MAX, 1_000_000_000),
    ("Cloudflare Pages (free)", 20_000, u64::MAX),
    ("Cloudflare Pages (paid)", 100_000, u64::MAX),
    ("GitLab Pages", 200_000, u64::MAX),
    ("any object store", u64::MAX, u64::MAX),
];

/// The hosts that accept this many files and bytes.
fn hosts(files: u64, bytes: u64) -> String {
    let fit = HOSTS.iter().filter(|(_, most_files, most_bytes)| files <= *most_files && bytes <= *most_bytes);
    fit.map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// What a kind of files is called.
fn name(kind: OutputKind) -> &'static str {
    match kind {
        OutputKind::Recording => "recordings",
        OutputKind::Clip => "clips",
        OutputKind::Asset => "assets",
        OutputKind::Plan => "plans",
        OutputKind::Match => "matches",
        OutputKind::List => "lists",
        OutputKind::Feed => "feeds",
        OutputKind::Data => "data",
    }
}

/// Files of a kind.
#[derive(Default)]
struct Count {
    files: u64,
    bytes: u64,
    /// Whether some of them may become smaller.
    at_most: bool,
    /// Files whose size is not known.
    unknown: u64,
}

/// A copy that could not be made.
pub struct Refused {
    /// The hash of the recording.
    pub hash: String,
    /// The moment of it; absent for all of it.
    pub moment: Option<Moment>,
    pub failure: Failure,
}

impl Plan {
    /// Compares the outputs with what earlier runs wrote.
    pub fn of(state: &State, outputs: Vec<Output>) -> Result<Self, Failure> {
        let paths: BTreeMap<&str, &str> = outputs.iter().map(|output| (output.path.as_str(), output.key.as_str())).collect();
        let written = state.written();
        let gone = written.keys().filter(|path| !paths.contains_key(path.as_str())).cloned().collect();
        let is_new = |output: &Output| {
            state.part_copy(output).is_none() && (written.get(&output.path) != Some(&output.key) || !place(state.site(), &output.path).is_file())
        };
        let mut new: Vec<usize> = (0..outputs.len()).filter(|at| is_new(&outputs[*at])).collect();
        new.sort_by_key(|at| outputs[*at].kind);
        Ok(Plan { outputs, new, gone })
    }

    /// What would be done: files and bytes of each kind, and which hosts they fit. Pages are made for it, and not written. Of a copy that is still to be
    /// made, only the bytes of the recording are known.
    pub fn counts(&self, site: &Site<'_>, library: &Recordings<'_>) -> Result<String, Failure> {
        let files = self.outputs.len() as u64;
        let mut kinds: BTreeMap<OutputKind, Count> = BTreeMap::new();
        let new: BTreeSet<usize> = self.new.iter().copied().collect();
        let size = |at: usize| {
            let output = &self.outputs[at];
            let there = if new.contains(&at) { None } else { library.state.place(output).metadata().ok() };
            let bytes = match (there, output.source()) {
                (Some(metadata), _) => Some(metadata.len()),
                (None, Some(Source::Recording(recording))) => Some(site.archive().recordings[recording].bytes),
                (None, Some(Source::Clip(..))) => None,
                (None, None) => Some(site.make(output, library).map_err(|NotMade(failure)| failure)?.len() as u64),
            };
            Ok((output.kind, bytes))
        };
        let pool = library.shell.pool()?;
        let sizes: Vec<(OutputKind, Option<u64>)> = pool.install(|| (0..self.outputs.len()).into_par_iter().map(size).collect::<Result<_, Failure>>())?;
        for (at, (kind, size)) in sizes.into_iter().enumerate() {
            let count = kinds.entry(kind).or_default();
            (count.files, count.bytes) = (count.files + 1, count.bytes + size.unwrap_or(0));
            count.at_most |= kind == OutputKind::Recording && new.contains(&at);
            count.unknown += u64::from(size.is_none());
        }
        let bytes = kinds.values().map(|count| count.bytes).sum();
        let mut text = format!("{files} files, {} to write, {} to delete\n", self.new.len(), self.gone.len());
        for (kind, count) in &kinds {
            let size = crate::output::size(count.bytes);
            let size = match (count.at_most, count.unknown) {
                (_, unknown) if unknown > 0 => format!("{size}, and {unknown} that are not cut yet"),
                (true, _) => format!("at most {size}"),
                _ => size,
            };
            text += &format!("{:<11} {:>8} files  {size}\n", name(*kind), count.files);
        }
        let clips = if kinds.values().all(|count| count.unknown == 0) { "" } else { ", without the clips" };
        text += &format!("fits{clips}: {}\n", hosts(files, bytes));
        Ok(text)
    }

    /// Writes and deletes. Returns the number of files that were written, or the recordings whose copies could not be made: then no page was written, and
    /// nothing was deleted.
    pub fn write(&self, shell: &Shell, site: &Site<'_>, library: &Recordings<'_>) -> Result<Result<usize, Vec<Refused>>, Stop> {
        let _guard = interrupt::SignalGuard::new();
        interrupt::keeps(String::from("every file of the website is complete; the next run writes the missing ones"));
        let pool = shell.pool()?;
        let mut refused = Vec::new();
        let is_copy = |at: &&usize| self.outputs[**at].source().is_some();
        let (copies, pages): (Vec<&usize>, Vec<&usize>) = self.new.iter().partition(is_copy);
        for batch in copies.chunks(BATCH).chain(pages.chunks(BATCH)) {
            if interrupt::asked() {
                interrupt::exit();
            }
            if !refused.is_empty() && !is_copy(&batch[0]) {
                break;
            }
            let made: Vec<(usize, Result<Vec<u8>, NotMade>)> =
                pool.install(|| batch.par_iter().map(|at| (**at, site.make(&self.outputs[**at], library))).collect());
            let mut wrote = Vec::with_capacity(made.len());
            for (at, made) in made {
                let output = &self.outputs[at];
                match (made, output.source()) {
                    (Ok(bytes), _) => {
                        put(library.state.site(), &output.path, &bytes)?;
                        wrote.push((output.path.as_str(), output.key.as_str()));
                    }
                    (Err(NotMade(failure)), Some(source)) => {
                        let (recording, moment) = match source {
                            Source::Recording(recording) => (recording, None),
                            Source::Clip(recording, moment) => (recording, Some(moment)),
                        };
                        let recording = &site.archive().recordings[recording];
                        let moment = moment.map(|moment| recording.moments[moment].clone());
                        refused.push(Refused { hash: recording.hash.clone(), moment, failure });
                    }
                    (Err(NotMade(failure)), None) => return Err(failure.into()),
                }
            }
            library.state.wrote(wrote.into_iter())?;
        }
        if !refused.is_empty() {
            return Ok(Err(refused));
        }
        for path in &self.gone {
            delete(library.state.site(), path)?;
            library.state.deleted(path);
        }
        let mut order: Vec<&Output> = self.outputs.iter().collect();
        order.sort_by_key(|output| output.kind);
        Ok(Ok(library.state.complete(order.into_iter().map(|output| output.path.as_str()), &self.gone)?))
    }

    /// What was done, and where the site fits.
    pub fn report(&self, state: &State, written: usize) -> String {
        let bytes: u64 = self.outputs.iter().filter_map(|output| state.place(output).metadata().ok()).map(|metadata| metadata.len()).sum();
        let files = self.outputs.len() as u64;
        format!(
            "{}: {files} files, {}; {written} written, {} deleted\nfits: {}",
            state.site().display(),
            crate::output::size(bytes),
            self.gone.len(),
            hosts(files, bytes)
        )
    }
}

/// Writes a file of the site, unless the same bytes are there: then its time of change stays.
fn put(site: &Path, path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let file = place(site, path);
    if fs::read(&file).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::new(format!("cannot make `{}`", folder.display())).because(error).kind(FailureKind::Io).help("Is there room, and may you write there?")
        })?;
    }
    kept::put(&file, bytes)
}

/// Deletes a file of the site, and the folders that it leaves empty.
fn delete(site: &Path, path: &str) -> Result<(), Failure> {
    let file = place(site, path);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::new(format!("cannot delete `{}`", file.display())).because(error).kind(FailureKind::Io));
        }
        _ => {}
    }
    let mut folder = file.parent();
    while let Some(empty) = folder.filter(|folder| *folder != site && folder.starts_with(site)) {
        // what is not empty stays
        if fs::remove_dir(empty).is_err() {
            break;
        }
        folder = empty.parent();
    }
    Ok(())
}
