//! Which files of a site are to be written and to be deleted, and that in an order in which no page refers to what is not there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fragreel_site::{Output, OutputKind, Site};
use rayon::prelude::*;

use super::library::{NotMade, Recordings};
use super::state::{self, State};
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
const HOSTS: [(&str, u64, u64); 4] = [
    ("GitHub Pages", u64::MAX, 1_000_000_000),
    ("Cloudflare Pages", 20_000, u64::MAX),
    ("GitLab Pages", 200_000, u64::MAX),
    ("any object store", u64::MAX, u64::MAX),
];

impl Plan {
    /// Compares the outputs with what earlier runs wrote.
    pub fn of(state: &State, outputs: Vec<Output>) -> Result<Self, Failure> {
        let paths: BTreeMap<&str, &str> = outputs.iter().map(|output| (output.path.as_str(), output.key.as_str())).collect();
        let written = state.written();
        let gone = written.keys().filter(|path| !paths.contains_key(path.as_str())).cloned().collect();
        let is_new = |output: &Output| written.get(&output.path) != Some(&output.key) || !place(state.site(), &output.path).is_file();
        let mut new: Vec<usize> = (0..outputs.len()).filter(|at| is_new(&outputs[*at])).collect();
        new.sort_by_key(|at| outputs[*at].kind);
        Ok(Plan { outputs, new, gone })
    }

    /// What would be done.
    pub fn counts(&self) -> String {
        format!("{} files, {} to write, {} to delete", self.outputs.len(), self.new.len(), self.gone.len())
    }

    /// Writes and deletes. Returns the recordings whose copies could not be made; then no page was written, and nothing was deleted.
    pub fn write(&self, shell: &Shell, site: &Site<'_>, library: &Recordings<'_>) -> Result<Vec<(String, Failure)>, Stop> {
        let _guard = interrupt::SignalGuard::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(shell.jobs).build();
        let pool = pool.map_err(|error| Failure::new("cannot start that many threads").because(error).help("Use a smaller number with `--jobs`."))?;
        let mut refused = Vec::new();
        let is_copy = |at: &&usize| self.outputs[**at].kind == OutputKind::Recording;
        let (copies, pages): (Vec<&usize>, Vec<&usize>) = self.new.iter().partition(is_copy);
        for batch in copies.chunks(BATCH).chain(pages.chunks(BATCH)) {
            if interrupt::asked() {
                interrupt::exit();
            }
            if !refused.is_empty() && !is_copy(&batch[0]) {
                return Ok(refused);
            }
            let made: Vec<(usize, Result<Vec<u8>, NotMade>)> =
                pool.install(|| batch.par_iter().map(|at| (**at, site.make(&self.outputs[**at], library))).collect());
            let mut wrote = Vec::with_capacity(made.len());
            for (at, made) in made {
                let output = &self.outputs[at];
                match (made, output.recording()) {
                    (Ok(bytes), _) => {
                        put(library.state.site(), &output.path, &bytes)?;
                        wrote.push((output.path.as_str(), output.key.as_str()));
                    }
                    (Err(NotMade(failure)), Some(recording)) => refused.push((site.archive().recordings[recording].hash.clone(), failure)),
                    (Err(NotMade(failure)), None) => return Err(failure.into()),
                }
            }
            library.state.wrote(wrote.into_iter())?;
        }
        if refused.is_empty() {
            for path in &self.gone {
                delete(library.state.site(), path)?;
                library.state.deleted(path);
            }
            let put_list: Vec<&str> = self.new.iter().map(|at| self.outputs[*at].path.as_str()).collect();
            library.state.complete(&put_list, &self.gone)?;
        }
        Ok(refused)
    }

    /// What was done, and where the site fits.
    pub fn report(&self, site: &Path) -> String {
        let bytes: u64 = self.outputs.iter().filter_map(|output| place(site, &output.path).metadata().ok()).map(|metadata| metadata.len()).sum();
        let files = self.outputs.len() as u64;
        let hosts: Vec<&str> =
            HOSTS.iter().filter(|(_, most_files, most_bytes)| files <= *most_files && bytes <= *most_bytes).map(|(name, ..)| *name).collect();
        format!(
            "{}: {files} files, {}; {} written, {} deleted\nfits {}",
            site.display(),
            crate::output::size(bytes),
            self.new.len(),
            self.gone.len(),
            hosts.join(", ")
        )
    }
}

/// Where a file of the site is.
fn place(site: &Path, path: &str) -> PathBuf {
    path.split('/').fold(site.to_owned(), |folder, name| folder.join(name))
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
    state::put(&file, bytes)
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
