//! Which checks need not run again: those that passed on the same program with the same files.
//!
//! A stamp in the build folder holds what a check had when it passed. Continuous integration starts from a clean checkout, has no stamps, and runs
//! everything.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use serde_json::Value;

use crate::compiler::selected;
use crate::step::{Failed, checkout, target};

/// What a check reads when it runs.
#[derive(Debug, Clone)]
pub struct Inputs(u64);

impl Inputs {
    /// Every tracked file whose path begins with one of `paths` and that is not compiled into a program, the corpus, and the variables that tests read.
    pub fn of(paths: &[&str]) -> Result<Self, Failed> {
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(checkout()).output();
        let listed = listed.map_err(|error| Failed(format!("git ls-files: {error}")))?;
        let names = String::from_utf8_lossy(&listed.stdout).into_owned();
        let files = names.split('\0').filter(|name| !name.ends_with(".rs") && !name.starts_with("web/src/"));
        let files = files.filter(|name| !name.is_empty() && paths.iter().any(|path| name.starts_with(path)));
        let mut hasher = DefaultHasher::new();
        for file in files {
            state(&checkout().join(file)).hash(&mut hasher);
        }
        let corpus = std::env::var_os("FRAGREEL_CORPUS").map_or_else(|| checkout().join("../shared/corpus"), PathBuf::from);
        (&corpus, state(&corpus.join("MANIFEST.tsv"))).hash(&mut hasher);
        let mut variables: Vec<_> = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FRAGREEL_")).collect();
        variables.sort();
        variables.hash(&mut hasher);
        Ok(Inputs(hasher.finish()))
    }

    /// These, and other files.
    pub fn and(&self, files: &[&Path]) -> Self {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        files.iter().for_each(|file| state(file).hash(&mut hasher));
        Inputs(hasher.finish())
    }

    /// These, and the contents of files that are often written without a change.
    pub fn and_contents(&self, files: &[PathBuf]) -> Self {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        files.iter().for_each(|file| (file, fs::read(file).ok()).hash(&mut hasher));
        Inputs(hasher.finish())
    }
}

/// A file as it is now, without its contents.
fn state(file: &Path) -> (PathBuf, Option<(u64, SystemTime)>) {
    let metadata = fs::metadata(file).ok();
    (file.to_owned(), metadata.and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?))))
}

fn stamp(check: &str) -> PathBuf {
    target().join("passed").join(check.replace(|c: char| !c.is_alphanumeric(), "-"))
}

/// What the check skipped when it passed on these inputs; `None` if it has to run.
pub fn passed(check: &str, inputs: &Inputs) -> Option<Vec<String>> {
    let last = fs::read_to_string(stamp(check)).ok()?;
    let mut lines = last.lines().map(str::to_owned);
    (lines.next()? == inputs.0.to_string()).then(|| lines.collect())
}

/// Remembers that the check passed on these inputs, and what it skipped.
pub fn remember<'s>(check: &str, inputs: &Inputs, skipped: impl IntoIterator<Item = &'s String>) -> Result<(), Failed> {
    let path = stamp(check);
    let failed = |error: std::io::Error| Failed(format!("{}: {error}", path.display()));
    fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(failed)?;
    let skipped: String = skipped.into_iter().map(|what| format!("{what}\n")).collect();
    fs::write(&path, format!("{}\n{skipped}", inputs.0)).map_err(failed)
}

/// The test programs that nextest knows by name, each with its file.
pub fn test_programs() -> Result<BTreeMap<String, PathBuf>, Failed> {
    let failed = || Failed(String::from("the list of test programs; to see it: cargo nextest list --list-type binaries-only"));
    let list = ["nextest", "list", "--list-type", "binaries-only", "--message-format", "json"];
    let output = selected(&list)?.output().map_err(|_| failed())?;
    let list: Value = serde_json::from_slice(&output.stdout).map_err(|_| failed())?;
    let programs = list["rust-binaries"].as_object().ok_or_else(failed)?;
    programs.iter().map(|(name, program)| Ok((name.clone(), PathBuf::from(program["binary-path"].as_str().ok_or_else(failed)?)))).collect()
}
