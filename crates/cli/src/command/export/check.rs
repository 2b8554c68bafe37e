//! `fragreel export --check`: compares an export with what a run would write.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel_tables::recording_id;
use serde::Serialize;

use super::manifest::{self, Commit, Exported, Header, Listed};
use super::part::hash;
use crate::failure::{Failure, Stop};
use crate::output::{self, Output, printable};
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::stamp::Stamp;
use crate::{input, json};

/// How an export differs from what a run would write.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Difference {
    /// A file of the export.
    Missing,
    Changed,
    Unlisted,
    /// A recording.
    New,
    Replaced,
    Gone,
}

impl Difference {
    fn sentence(self) -> &'static str {
        match self {
            Difference::Missing => "a file of the export that is missing",
            Difference::Changed => "a file of the export that changed since it was written",
            Difference::Unlisted => "a file that does not belong to the export",
            Difference::New => "a recording that is not in the export",
            Difference::Replaced => "a recording that changed since the export",
            Difference::Gone => "a recording of the export that was not found",
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    path: &'a str,
    difference: Difference,
}

#[derive(Serialize)]
struct Sum {
    files: usize,
    recordings: usize,
    differences: usize,
}

struct Report {
    output: Output,
    json: bool,
    differences: usize,
}

impl Report {
    fn put(&mut self, path: &str, difference: Difference) -> Result<(), Stop> {
        self.differences += 1;
        if self.json {
            return Ok(json::line(&mut self.output, &Line { path, difference })?);
        }
        Ok(writeln!(self.output, "{}: {}", printable(path), difference.sentence())?)
    }
}

/// Compares an export with what a run would write, and lists the differences.
pub fn run(shell: &Shell, paths: &[PathBuf], folder: &Path, header: &Header, json: bool) -> Result<Outcome, Stop> {
    let commits = manifest::read(folder, header)?;
    let mut report = Report { output: output::stdout(), json, differences: 0 };
    let files: BTreeMap<&str, &Listed> = commits.iter().flat_map(|commit| &commit.files).map(|file| (&*file.file, file)).collect();
    for (name, file) in &files {
        match hash(&folder.join(name)) {
            Ok(found) if found == (file.bytes, file.sha256.clone()) => {}
            Ok(_) => report.put(name, Difference::Changed)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => report.put(name, Difference::Missing)?,
            Err(error) => return Err(Failure::new(format!("cannot read `{name}`")).because(error).help("Check permissions.").into()),
        }
    }
    for table in header.tables() {
        for name in below(folder, table) {
            if !files.contains_key(&*name) {
                report.put(&name, Difference::Unlisted)?;
            }
        }
    }
    let recordings = compare_recordings(shell, paths, &commits, &mut report)?;
    let sum = Sum { files: files.len(), recordings, differences: report.differences };
    if json {
        json::line(&mut report.output, &sum)?;
    } else {
        let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (differences, files) = (many(sum.differences, "difference"), many(sum.files, "file"));
        writeln!(report.output, "{differences}: {files} and {} compared", many(recordings, "recording"))?;
    }
    output::finish(report.output)?;
    Ok(Outcome::damaged(sum.differences > 0))
}

/// Compares the recordings that the search finds with those in the manifest. Returns the number of recordings in the manifest.
fn compare_recordings(shell: &Shell, paths: &[PathBuf], commits: &[Commit], report: &mut Report) -> Result<usize, Stop> {
    let listed: HashMap<&str, &Exported> = commits.iter().flat_map(|commit| &commit.recordings).map(|one| (&*one.path, one)).collect();
    let contents: HashSet<&str> = listed.values().map(|one| &*one.recording).collect();
    // a run reads these again, and fails again if they have not changed
    let unread: HashSet<&str> = commits.iter().rev().find_map(|commit| commit.failures.as_ref()).into_iter().flatten().map(|file| &*file.path).collect();
    let content = |path: &Path| input::load(shell, path, true).map(|loaded| recording_id(loaded.bytes()));
    let mut found = HashSet::new();
    for path in search::files(paths, &PassedOver::default()) {
        let Ok(path) = path else { continue };
        let name = input::name(&path);
        match listed.get(&*name) {
            Some(one) => {
                let stamp = Stamp::of(&path);
                let is_same = (stamp.is_some() && stamp == one.stamp) || content(&path).is_ok_and(|id| id == one.recording);
                if !is_same {
                    report.put(&name, Difference::Replaced)?;
                }
            }
            None => {
                let id = content(&path);
                let is_copy = shell.distinct && id.as_ref().is_ok_and(|id| contents.contains(&**id));
                if !is_copy && (id.is_ok() || !unread.contains(&*name)) {
                    report.put(&name, Difference::New)?;
                }
            }
        }
        found.insert(name);
    }
    let mut gone: Vec<&str> = listed.keys().copied().filter(|name| !found.contains(*name)).collect();
    gone.sort_unstable();
    gone.into_iter().try_for_each(|name| report.put(name, Difference::Gone))?;
    Ok(listed.len())
}

/// The files in a table's folder, as paths relative to the export's folder, with forward slashes.
fn below(folder: &Path, table: &str) -> Vec<String> {
    let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    let name = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let families = entries(folder.join(table));
    let files = families.flat_map(|family| entries(family.path()).map(move |file| format!("{table}/{}/{}", name(&family), name(&file))));
    let mut files: Vec<String> = files.collect();
    files.sort_unstable();
    files
}
