//! What an export lists that is out of date when it is gone on with.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use fragreel_tables::recording_id;

use super::manifest::Commit;
use crate::failure::Failure;
use crate::input;
use crate::output::printable;
use crate::search::{self, PassedOver};
use crate::shell::Shell;
use crate::stamp::Stamp;

/// The check of what an export lists against the files that are there.
pub struct Renewal<'a> {
    pub shell: &'a Shell,
    /// What was named on the command line.
    pub paths: &'a [PathBuf],
}

impl Renewal<'_> {
    /// Takes out the commits with recordings that were replaced, and notes the stamps of those that were only touched. Returns whether
    /// anything changed.
    ///
    /// A file of an export holds the rows of many recordings, so all recordings of a commit are exported again. That needs all of
    /// them among those named.
    pub fn apply(&self, commits: &mut Vec<Commit>) -> Result<bool, Failure> {
        let named: HashMap<String, PathBuf> = search::files(self.paths, &PassedOver::default()).flatten().map(|path| (input::name(&path), path)).collect();
        let mut changed = false;
        let mut replaced: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (at, commit) in commits.iter_mut().enumerate() {
            for recording in &mut commit.recordings {
                let Some(path) = named.get(&recording.path) else { continue };
                // Standard input is never the same twice.
                if path.as_os_str() == input::STDIN {
                    replaced.entry(at).or_default().push(recording.path.clone());
                    continue;
                }
                let stamp = Stamp::of(path);
                if stamp.is_some() && stamp == recording.stamp {
                    continue;
                }
                if self.is_content(path, &recording.recording) {
                    changed |= stamp != recording.stamp;
                    recording.stamp = stamp;
                } else {
                    replaced.entry(at).or_default().push(recording.path.clone());
                }
            }
        }
        for (at, names) in &replaced {
            let others: Vec<&str> = commits[*at].recordings.iter().map(|one| &*one.path).filter(|path| !names.iter().any(|name| name == path)).collect();
            if let Some(missing) = others.iter().find(|path| !named.contains_key(**path)) {
                let first = printable(&names[0]).to_string();
                return Err(Failure::new(format!(
                    "`{first}` changed since the export, and its rows are in the same files as those of `{}`",
                    printable(missing)
                ))
                .help("Nothing was changed. Name all recordings of the export, or export into a new folder."));
            }
            for name in names {
                eprintln!("{} changed since the export and is exported again", printable(name));
            }
            if !others.is_empty() {
                let many = if others.len() == 1 { "1 recording" } else { &format!("{} recordings", others.len()) };
                eprintln!("{many} in the same files: also exported again");
            }
        }
        let mut at = 0;
        commits.retain(|_| {
            at += 1;
            !replaced.contains_key(&(at - 1))
        });
        Ok(changed || !replaced.is_empty())
    }

    /// Whether a file still holds the recording of that name by content.
    fn is_content(&self, path: &Path, recording: &str) -> bool {
        input::load(self.shell, path, true).is_ok_and(|loaded| recording_id(loaded.bytes()) == recording)
    }
}
