//! What failed: counted, written as files, listed at the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::operation::Outcome;

/// Cases of one kind that are written; the rest are counted.
const MOST_OF_A_KIND: u64 = 3;

/// An operation that takes longer than that is a hang: the case is on disk, so a person may end the run.
const LONG: Duration = Duration::from_secs(30);

/// What failed so far.
pub struct Failures {
    folder: PathBuf,
    kinds: BTreeMap<String, u64>,
    runs: u64,
    begun: Instant,
    started: Instant,
}

impl Failures {
    /// Nothing yet; cases go into `folder`.
    pub fn new(folder: &Path) -> Self {
        Failures { folder: folder.to_owned(), kinds: BTreeMap::new(), runs: 0, begun: Instant::now(), started: Instant::now() }
    }

    /// Operations run so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Kinds of failure so far.
    pub fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// Says what the last run was doing when it was ended or ended itself (a stack overflow leaves no other trace).
    pub fn previous_crash(&mut self) {
        let current = self.folder.join("current.txt");
        if let Ok(text) = fs::read_to_string(&current) {
            println!("the last run ended in the middle of: {}", text.trim_end());
            println!("its file is {}", self.folder.join("current.bin").display());
            let _ = fs::rename(self.folder.join("current.bin"), self.folder.join("crashed.bin"));
            let _ = fs::remove_file(current);
        }
    }

    /// Notes what is about to be done, so that it is known when it never ends.
    pub fn begin(&mut self, case: &Case, operation: &str) {
        self.begun = Instant::now();
        let _ = fs::create_dir_all(&self.folder);
        if self.runs == 0 || operation == crate::operations::OPERATIONS[0].name {
            let _ = fs::write(self.folder.join("current.bin"), &case.bytes);
        }
        let _ = fs::write(self.folder.join("current.txt"), format!("{operation} of {} ({})\n", case.name, case.mutations.join(", ")));
    }

    /// Takes in how it went.
    pub fn end(&mut self, case: &Case, operation: &str, seed: u64, outcome: Outcome) {
        self.runs += 1;
        if self.begun.elapsed() > LONG {
            println!("slow: {operation} of {} took {:.0} s by the clock", case.name, self.begun.elapsed().as_secs_f64());
        }
        let Err(what) = outcome else { return };
        // Numbers differ from case to case of one kind.
        let family = case.name.split('/').next().unwrap_or_default();
        let general: String = what.chars().filter(|c| !c.is_ascii_digit()).take(110).collect();
        let kind = format!("{family} {operation}: {general}");
        let seen = self.kinds.entry(kind).or_default();
        *seen += 1;
        if *seen > MOST_OF_A_KIND {
            return;
        }
        let short: String = what.chars().take(600).collect();
        println!("FAILED {operation} of {} (case {}; {}): {short}", case.name, case.number, case.mutations.join(", "));
        let folder = self.folder.join(family);
        let name = case.name.strip_suffix(".gz").unwrap_or(&case.name);
        let file = folder.join(format!("{}-{operation}-{}", case.number, name.rsplit('/').next().unwrap_or_default()));
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &case.bytes));
        let text = format!(
            "{what}\n\nmade of {}: {}\n\ncargo xtask torture --operation {operation} --seed {seed} --file {}\n",
            case.name,
            case.mutations.join(", "),
            file.display()
        );
        let written = written.and_then(|()| fs::write(folder.join(format!("{}.txt", file.file_name().unwrap_or_default().to_string_lossy())), text));
        match written {
            Ok(()) => println!("       cargo xtask torture --operation {operation} --seed {seed} --file {}", file.display()),
            Err(error) => println!("       cannot write {}: {error}", file.display()),
        }
    }

    /// Lists all of it.
    pub fn summary(self) -> ExitCode {
        let _ = fs::remove_file(self.folder.join("current.txt"));
        let _ = fs::remove_file(self.folder.join("current.bin"));
        println!("\n{} runs in {:.0} s", self.runs, self.started.elapsed().as_secs_f64());
        for (kind, times) in &self.kinds {
            println!("{times:>6} times  {kind}");
        }
        if self.kinds.is_empty() {
            println!("nothing failed");
            return ExitCode::SUCCESS;
        }
        ExitCode::FAILURE
    }
}
