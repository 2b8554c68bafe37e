//! What all commands that edit have in common: the input is never touched, every result is checked before it is put in
//! place, and what was done, lost and found is reported.

mod destination;
mod doing;
mod many;
mod names;
mod played;
mod report;
mod write;

use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel::edit::{Action, Checked, Edited, Same};
use fragreel::{Error, ErrorKind, LongRecording, Recording};

use crate::asked::broken_off;
use crate::atomic_file::Inputs;
use crate::failure::{Failure, FailureKind, Stop, guarded};
use crate::input::{self, Loaded};
use crate::interrupt;
use crate::progress::Progress;
use crate::shell::{Outcome, Shell};

pub use destination::{EachOptions, ManyOptions, OneOptions, Options};
pub use doing::{Against, Doing};
pub use many::{Files, each, each_in_chunks, each_into_several, many};
pub use names::{Label, Made, Names, Pattern, TakenNames, permitted};
use report::{Finding, Report, Which};
use write::Place;

/// Recordings that are read, and their names.
pub struct Sources<'a> {
    paths: &'a [PathBuf],
    recordings: Vec<Recording>,
    _loaded: Vec<Loaded<'a>>,
}

impl<'a> Sources<'a> {
    /// Opens them all.
    pub fn load(shell: &'a Shell, paths: &'a [PathBuf]) -> Result<Self, Failure> {
        let loaded = paths.iter().map(|path| input::load(shell, path, false)).collect::<Result<Vec<_>, _>>()?;
        Ok(Sources { paths, recordings: loaded.iter().map(|loaded| Recording::clone(loaded)).collect(), _loaded: loaded })
    }

    /// How they are called, for messages.
    fn name(&self) -> String {
        match self.paths {
            [path] => path.display().to_string(),
            paths => paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join("`, `"),
        }
    }
}

/// Edits recordings, checks what comes out, puts it in place and reports it.
pub fn run<R: IntoIterator<Item: Into<Made>>>(
    shell: &Shell,
    paths: &[PathBuf],
    options: &Options,
    doing: &Doing,
    edit: impl FnOnce(&[Recording]) -> Result<R, Failure>,
) -> Result<Outcome, Stop> {
    let inputs = Inputs::of(paths);
    options.destination.refuse_early(&inputs, options)?;
    interrupt::keeps(String::from("nothing was written"));
    let sources = Sources::load(shell, paths)?;
    let recordings = &sources.recordings;
    let progress = Progress::new(shell, doing.now);
    let made = guarded(&sources.name(), NOT_WRITTEN, || edit(recordings))?.into_iter().map(Into::into).collect();
    progress.say("checking the result");
    let results = guarded(&sources.name(), NOT_WRITTEN, || ready(recordings, doing, options, &Names::of(&paths[0]), made))?;
    place(shell, paths, &inputs, options, doing, progress, results)
}

/// Edits a recording that is read in chunks, as [`run`] does.
fn run_in_chunks(shell: &Shell, path: &PathBuf, recording: &LongRecording, options: &Options, doing: &Doing, edit: InChunks<'_>) -> Result<Outcome, Stop> {
    let paths = std::slice::from_ref(path);
    let inputs = Inputs::of(paths);
    options.destination.refuse_early(&inputs, options)?;
    interrupt::keeps(String::from("nothing was written"));
    let progress = Progress::new(shell, doing.now);
    let result = ready_in_chunks(recording, path, doing, options, &Names::of(path), edit)?;
    place(shell, paths, &inputs, options, doing, progress, vec![result])
}

/// Puts results in place and reports them.
fn place(
    shell: &Shell,
    paths: &[PathBuf],
    inputs: &Inputs,
    options: &Options,
    doing: &Doing,
    progress: Progress,
    results: Vec<Ready>,
) -> Result<Outcome, Stop> {
    progress.say("writing");
    // they are put in place one after another
    interrupt::keeps(String::from("each result that was written is complete"));
    let written = put(inputs, options, &mut TakenNames::default(), false, results)?;
    interrupt::keeps(None);
    drop(progress);
    let mut output: Box<dyn Write> = if options.destination.is_stdout() { Box::new(std::io::stderr()) } else { Box::new(crate::output::stdout()) };
    let outcome = report(&Report::new(shell, options.json, doing), &mut output, paths, &written)?;
    output.flush()?;
    Ok(outcome)
}

/// A result that was checked and is to be put in place.
pub struct Ready {
    finding: Finding,
    /// Where it may go.
    target: Option<PathBuf>,
    /// Its bytes as gzip, where the target's name says so.
    packed: Option<Vec<u8>>,
}

/// A result that is where it belongs.
struct Written {
    finding: Finding,
    target: Option<PathBuf>,
    bytes: usize,
}

/// Checks results, and finds out where they may go.
fn ready(sources: &[Recording], doing: &Doing, options: &Options, names: &Names, made: Vec<Made>) -> Result<Vec<Ready>, Failure> {
    let targets = options.destination.targets(names, &made);
    let findings = check(sources, doing, options, made.into_iter().map(|made| made.edited).collect())?;
    let ready = |(finding, target): (Finding, Option<PathBuf>)| Ready { packed: finding.packed_for(target.as_deref()), finding, target };
    Ok(findings.into_iter().zip(targets).map(ready).collect())
}

/// Puts results in place, all or none of them where places can be refused. Where a run is `resumed`, what it left there before it
/// was interrupted may stay.
fn put(inputs: &Inputs, options: &Options, taken: &mut TakenNames, resumed: bool, results: Vec<Ready>) -> Result<Vec<Written>, Stop> {
    let mut places = Vec::new();
    let mut results = results;
    for result in &mut results {
        if options.destination.makes_names() {
            result.target = result.target.take().map(|target| taken.free(target));
            result.target.as_deref().map_or(Ok(()), make_folder)?;
        }
        let bytes = result.packed.as_deref().unwrap_or(&result.finding.edited.bytes);
        let kept = |path: &Path| resumed && std::fs::read(path).is_ok_and(|there| there == bytes);
        let place = |path: &Path| if kept(path) { Ok(Place::There) } else { Place::of(path, inputs, options.force) };
        places.push(result.target.as_deref().map(place).transpose()?);
    }
    let mut written = Vec::new();
    for (Ready { mut finding, target, packed }, place) in results.into_iter().zip(places) {
        let target = target.filter(|_| finding.may_stand);
        let bytes = packed.as_deref().unwrap_or(&finding.edited.bytes);
        if let (Some(_), Some(place)) = (&target, place) {
            place.put(bytes)?;
        }
        let bytes = bytes.len();
        finding.edited.bytes = Vec::new();
        written.push(Written { finding, target, bytes });
    }
    Ok(written)
}

/// Makes the folder that a file is to be written into.
pub fn make_folder(target: &Path) -> Result<(), Failure> {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(Ok(()), make_all)
}

/// Refuses a name that a file has, or one below it, where a folder is to be.
pub fn must_be_folder(folder: &Path) -> Result<(), Failure> {
    match folder.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir()) {
        Some(file) => Err(Failure::new(format!("`{}` is a file, but a folder is needed", file.display())).help("Name a new or an existing folder.")),
        None => Ok(()),
    }
}

/// Makes a folder, and those that it is in.
pub fn make_all(folder: &Path) -> Result<(), Failure> {
    must_be_folder(folder)?;
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot create the folder `{}`", folder.display())).because(error).help("Name one that you can write to."))
}

fn report(report: &Report<'_>, output: &mut dyn Write, paths: &[PathBuf], written: &[Written]) -> Result<Outcome, Stop> {
    let mut outcome = Outcome::Fine;
    for (number, Written { finding, target, bytes }) in (1..).zip(written) {
        outcome = outcome.max(finding.outcome());
        report.add(output, paths, Which { number, of: written.len() }, finding, target.as_deref(), *bytes)?;
    }
    Ok(outcome)
}

/// What became of the output when we broke down.
const NOT_WRITTEN: &str = "Nothing was written. ";

/// An edit of a recording that is read in chunks, and what its check found.
pub type InChunks<'e> = &'e (dyn Fn(&LongRecording, &Path) -> Result<(Edited, Checked), Failure> + Sync);

/// Edits a recording that is read in chunks, checks the result, and finds out where it may go.
fn ready_in_chunks(recording: &LongRecording, path: &Path, doing: &Doing, options: &Options, names: &Names, edit: InChunks<'_>) -> Result<Ready, Failure> {
    let name = input::name(path);
    guarded(&name, NOT_WRITTEN, || {
        let (edited, checked) = edit(recording, path)?;
        let broken_off = |error| broken_off(&name, &error);
        let unchanged = recording.has_bytes(&edited.bytes).map_err(broken_off)?;
        let made = Made::from(edited);
        let target = options.destination.targets(names, std::slice::from_ref(&made)).into_iter().next().flatten();
        let finding = judge(doing, options, made.edited, checked, unchanged, 0, || Ok(recording.verify().map_err(broken_off)?.is_whole()))?;
        Ok(Ready { packed: finding.packed_for(target.as_deref()), finding, target })
    })
}

/// Compares with the sources and verifies.
fn check(sources: &[Recording], doing: &Doing, options: &Options, edited: Vec<Edited>) -> Result<Vec<Finding>, Failure> {
    let (mut sources_are_whole, mut checker) = (None, None);
    let mut findings = Vec::new();
    for edited in edited {
        let checked = match doing.result {
            Against::Parts => Recording::check_joined(sources, &edited),
            Against::Source | Against::Frames | Against::Wishes => {
                let same = if doing.result == Against::Source { Same::Strings } else { Same::States };
                checker.get_or_insert_with(|| sources[0].checker()).check(&edited, same)
            }
        };
        let checked = checked.map_err(|error| {
            Failure::new("the result cannot be opened")
                .because(error)
                .kind(FailureKind::Fault)
                .help("Nothing was written. This is a bug in Fragreel. Please report it, with the file.")
        })?;
        // what cannot be counted was reported above
        let lacking = if doing.of_damaged { sources[0].frames_lacking(&edited).unwrap_or_default() } else { 0 };
        let unchanged = edited.bytes == *sources[0].bytes();
        let are_whole = || Ok(*sources_are_whole.get_or_insert_with(|| sources.iter().all(|source| source.verify().is_whole())));
        findings.push(judge(doing, options, edited, checked, unchanged, lacking, are_whole)?);
    }
    Ok(findings)
}

/// Judges a checked result. Asks whether the sources are whole only if that decides whether it may stand.
fn judge(
    doing: &Doing,
    options: &Options,
    edited: Edited,
    checked: Checked,
    unchanged: bool,
    lacking: u64,
    sources_are_whole: impl FnOnce() -> Result<bool, Failure>,
) -> Result<Finding, Failure> {
    let remains = edited.actions.iter().any(|action| matches!(action, Action::TextRemains { .. }));
    let whole = checked.is_whole() && !remains;
    let alike = checked.comparison.differing == 0 || doing.result == Against::Wishes;
    let may_stand = (whole && alike) || doing.of_damaged || options.unsound || !sources_are_whole()?;
    Ok(Finding { edited, checked, whole, lacking, alike, may_stand, against: doing.result, unchanged })
}

/// The failure of an edit.
pub fn failed(doing: &Doing, path: &Path, error: Error) -> Failure {
    let help = match error.kind() {
        ErrorKind::Malformed if !doing.of_damaged => "`fragreel verify --details` lists the damage, and `fragreel repair` repairs as much as possible.",
        _ => doing.help,
    };
    Failure::new(format!("`{}` cannot be {}", path.display(), doing.done)).because(error).help(help)
}
