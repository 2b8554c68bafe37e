//! `fragreel index`

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fragreel_tables::catalogue::{Catalogue, Entry, Error, Stamp};

use super::Paths;
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, FailureKind, Stop};
use crate::interrupt;
use crate::output::Output;
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::stamp;

/// Build a catalogue of recordings for `find` and SQL
///
/// The catalogue is one SQLite file with recordings, players, chat, match results, damage, and
/// signs of edits. Unchanged files are skipped, so you can stop the command and run it again at any
/// time. Files that no longer exist are removed from the catalogue. docs/catalogue.md documents its
/// tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel index demos/ --db demos.sqlite           everything below a folder
  fragreel index uploads/ --db demos.sqlite --watch
      and everything that is added later, until Ctrl-C
  fragreel find --db demos.sqlite --player 'sar*'   where somebody played
  sqlite3 demos.sqlite 'SELECT map, count(*) FROM recordings GROUP BY 1'
      any tool for SQLite opens it")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// The catalogue; created if it does not exist
    #[arg(long, value_name = "FILE")]
    db: PathBuf,

    /// Check for changes every two seconds until Ctrl-C
    #[arg(long)]
    watch: bool,
}

/// How often a watched folder is looked at.
const INTERVAL: Duration = Duration::from_secs(2);

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let mut catalogue = Catalogue::open(&self.db).map_err(|error| failed(&self.db, error))?;
        let mut outcome = Outcome::Fine;
        let mut is_first = true;
        loop {
            outcome = outcome.max(self.look(shell, &mut catalogue, is_first)?);
            is_first = false;
            if !self.watch {
                return Ok(outcome);
            }
            let from = Instant::now();
            let _guard = interrupt::SignalGuard::new();
            while from.elapsed() < INTERVAL {
                if interrupt::asked() {
                    catalogue.settle();
                    interrupt::exit();
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// Looks at everything once.
    fn look(&self, shell: &Shell, catalogue: &mut Catalogue, speaks: bool) -> Result<Outcome, Stop> {
        let known = catalogue.files().map_err(|error| failed(&self.db, error))?;
        let mut done: HashSet<String> = known.iter().filter(|(path, known)| stamp(path) == Some(**known)).map(|(path, _)| path.clone()).collect();
        // What is gone was looked for below the folders named, and is not there any more.
        let roots: Vec<&PathBuf> = self.paths.all().iter().filter(|path| path.is_dir()).collect();
        let is_below = |path: &str| roots.iter().any(|root| Path::new(path).starts_with(root));
        let gone: Vec<String> = known.keys().filter(|path| is_below(path) && stamp(path).is_none()).cloned().collect();
        catalogue.forget_all(&gone).map_err(|error| failed(&self.db, error))?;
        let unchanged = done.len();
        if !speaks {
            // In silence where nothing is new.
            let passed = PassedOver::default();
            let is_new = search::files(self.paths.all(), &passed).any(|path| path.is_ok_and(|path| !done.contains(&crate::input::name(&path))));
            if !is_new && gone.is_empty() {
                return Ok(Outcome::Fine);
            }
        }
        done.shrink_to_fit();
        let ask = |source: &Source<'_>| {
            let tables = fragreel_tables::Source::new(source.recording, source.name);
            Ok(Entry::of(&tables))
        };
        let mut keep =
            Keep { catalogue, db: &self.db, waiting: Vec::new(), since: Instant::now(), counts: Counts { gone: gone.len(), unchanged, ..Counts::default() } };
        batch::run_but(shell, self.paths.all(), done, ask, &mut keep)
    }
}

/// What a file is known by, where it is there.
fn stamp(path: &str) -> Option<Stamp> {
    let stamp::Stamp { size, modified } = stamp::Stamp::of(&crate::input::path_of(path))?;
    Some(Stamp { size, modified })
}

/// Refuses a catalogue that is not there, where one is asked.
pub fn must_be_there(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    Err(Failure::new(format!("there is no catalogue `{}`", path.display()))
        .kind(FailureKind::NotFound)
        .help("Check the name; `fragreel index FOLDER --db FILE` makes one."))
}

/// The failure of a catalogue.
pub fn failed(path: &Path, error: Error) -> Failure {
    let kind = match &error {
        Error::Foreign | Error::Earlier(_) | Error::Later(_) => FailureKind::Unsupported,
        Error::NotReading | Error::Sql(_) => FailureKind::Misuse,
        _ => FailureKind::Io,
    };
    let advice = match &error {
        Error::Locked => "Wait for it, or name another file with --db.",
        Error::Foreign => "Nothing was changed in it. Name a catalogue, or a new file for one.",
        Error::Earlier(_) => "Index again, into a new file: it takes what the files say now.",
        Error::Later(_) => "Use a newer fragreel, or index into a new file.",
        _ => "Is it there, is there room, and may you read and write it?",
    };
    Failure::new(format!("cannot use the catalogue `{}`", path.display())).because(error).kind(kind).help(advice)
}

#[derive(Default)]
struct Counts {
    new: usize,
    unchanged: usize,
    gone: usize,
    refused: usize,
}

/// Puts entries into the catalogue, some at a time: what is killed loses only those.
struct Keep<'a> {
    catalogue: &'a mut Catalogue,
    db: &'a Path,
    waiting: Vec<(String, Stamp, Result<Entry, String>)>,
    since: Instant,
    counts: Counts,
}

/// A transaction has at most this number of files, and takes at most this time.
const FILES: usize = 200;
const TIME: Duration = Duration::from_secs(2);

impl Keep<'_> {
    fn put(&mut self, path: &str, looked: Result<Entry, String>) -> Result<(), Stop> {
        self.waiting.push((path.to_owned(), stamp(path).unwrap_or_default(), looked));
        if self.waiting.len() >= FILES || self.since.elapsed() >= TIME { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        let waiting = std::mem::take(&mut self.waiting);
        self.since = Instant::now();
        Ok(self.catalogue.put_all(&waiting).map_err(|error| failed(self.db, error))?)
    }
}

impl Renderer<Entry> for Keep<'_> {
    fn answer(&mut self, _: &mut Output, path: &str, entry: Entry) -> Result<Outcome, Stop> {
        self.counts.new += 1;
        let damaged = entry.is_damaged();
        self.put(path, Ok(entry))?;
        Ok(Outcome::damaged(damaged))
    }

    fn failure(&mut self, _: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        self.counts.refused += 1;
        // What is not even found has no place in it.
        if path.is_empty() { Ok(()) } else { self.put(path, Err(failure.one_line())) }
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        self.flush()?;
        if interrupt::asked() {
            // The command ends without another word.
            self.catalogue.settle();
        }
        let (files, recordings) = self.catalogue.counts().map_err(|error| failed(self.db, error))?;
        let Counts { new, unchanged, gone, refused } = self.counts;
        writeln!(
            output,
            "{}: {files} files, {recordings} recordings; {new} looked at, {unchanged} unchanged, {gone} gone, {refused} that cannot be read",
            self.db.display()
        )?;
        Ok(())
    }
}
