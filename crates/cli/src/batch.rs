//! Many files, several at a time, their results in the order of the input. However many files there are, only a
//! window of them is in memory.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::Duration;

use fragreel::Recording;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::{Failure, FailureKind, Stop, guarded};
use crate::input;
use crate::interrupt::{self, SignalGuard};
use crate::output::{self, Output};
use crate::resume::Resume;
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::stamp::Stamp;

/// Results that may be under way or waiting for their turn, for each thread.
const WINDOW_PER_THREAD: usize = 2;
/// The same while their files are small, so that nobody waits for one large file before them.
const SMALL_PER_THREAD: usize = 32;
/// How many bytes small files may have together.
const SMALL_FILES: u64 = 16 << 20;
/// What a file counts whose size is not known.
const UNKNOWN_SIZE: u64 = 4 << 20;

/// How often somebody who waits looks whether the command is to end.
const GLANCE: Duration = Duration::from_millis(50);

/// A result whose turn has not come.
struct Waiting<A> {
    name: String,
    /// Of its file.
    size: u64,
    stamp: Option<Stamp>,
    receiver: Receiver<Result<A, Failure>>,
}

/// A recording that a question is put to.
pub struct Source<'a> {
    /// Its file.
    pub path: &'a Path,
    /// The file's name for machines.
    pub name: &'a str,
    /// The file's stamp, taken before it was read.
    pub stamp: Option<Stamp>,
    /// What it holds, unpacked.
    pub bytes: &'a [u8],
    /// The recording.
    pub recording: &'a Recording,
}

/// How answers get to the reader. Everything here is called in the order of the input, on one thread.
pub trait Renderer<A> {
    /// Shows an answer.
    fn answer(&mut self, output: &mut Output, path: &str, answer: A) -> Result<Outcome, Stop>;

    /// Puts into the output too that a file gave no answer, where the output is for machines. The person at the
    /// keyboard sees it anyway.
    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop>;

    /// Shows what was held back.
    fn finish(&mut self, _output: &mut Output) -> Result<(), Stop> {
        Ok(())
    }
}

/// Puts the question `ask` to everything that `paths` mean and shows the answers: on standard output, or where `resume` goes on.
pub fn run<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    resume: Option<Resume>,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    work(shell, paths, To::of(resume), ask, show)
}

/// The same on standard output, but for the recordings in `done`.
pub fn run_but<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    done: HashSet<String>,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    work(shell, paths, To::Stdout(output::stdout(), done), ask, show)
}

/// Where answers go.
enum To {
    /// Standard output, but for the recordings that are done.
    Stdout(Output, HashSet<String>),
    /// A file with those of an earlier run.
    Resumed(Resume),
}

impl To {
    fn of(resume: Option<Resume>) -> Self {
        resume.map_or_else(|| To::Stdout(output::stdout(), HashSet::new()), To::Resumed)
    }

    fn is_done(&self, name: &str) -> bool {
        match self {
            To::Stdout(_, done) => done.contains(name),
            To::Resumed(resume) => resume.is_done(name),
        }
    }

    fn output(&mut self) -> &mut Output {
        match self {
            To::Stdout(output, _) => output,
            To::Resumed(resume) => resume.output(),
        }
    }

    fn note(&mut self, name: &str, stamp: Option<Stamp>) -> Result<(), Failure> {
        match self {
            To::Stdout(..) => Ok(()),
            To::Resumed(resume) => resume.note(name, stamp),
        }
    }
}

fn work<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    mut to: To,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(shell.jobs).build();
    let pool = pool.map_err(|error| Failure::new("cannot start that many threads").because(error).help("Use a smaller number with `--jobs`."))?;
    let (passed, progress) = (&PassedOver::default(), &Watch::new(shell, paths));
    let _guard = SignalGuard::new();
    let mut outcome = Outcome::Fine;
    let mut skipped = 0;
    std::thread::scope(|threads| {
        let (sender, found) = channel();
        threads.spawn(move || find(paths, passed, progress, &sender));
        pool.in_place_scope(|scope| {
            let mut window: VecDeque<Waiting<A>> = VecDeque::new();
            let ask = &ask;
            let mut held = 0;
            loop {
                while window.len() < shell.jobs * WINDOW_PER_THREAD || (window.len() < shell.jobs * SMALL_PER_THREAD && held < SMALL_FILES) {
                    // What is done is not held up by what is still to be found.
                    let file = if window.is_empty() { found.recv().ok() } else { found.try_recv().ok() };
                    let Some(file) = file else { break };
                    let name = file.as_ref().map_or_else(|_| String::new(), |path| input::name(path));
                    if to.is_done(&name) {
                        skipped += 1;
                        progress.step();
                        continue;
                    }
                    // The stamp is taken before the file is read, so a file that changes meanwhile is not taken for unchanged.
                    let stamp = file.as_ref().ok().and_then(|path| Stamp::of(path));
                    let size = stamp.map_or(UNKNOWN_SIZE, |stamp| stamp.size);
                    let (sender, receiver) = sync_channel(1);
                    // Nobody receives once the output has failed.
                    scope.spawn(move |_| drop(sender.send(file.and_then(|path| one(shell, &path, stamp, ask)))));
                    window.push_back(Waiting { name, size, stamp, receiver });
                    held += size;
                }
                let Some(Waiting { name: path, size, stamp, receiver }) = window.pop_front() else { return Ok::<(), Stop>(()) };
                let Some(answer) = wait(&receiver, &path) else { break_off(progress, show, to.output())? };
                progress.hidden(|| {
                    to.note(&path, stamp)?;
                    outcome = outcome.max(shown(shell, to.output(), &path, answer, show)?);
                    // Whatever happens next, this answer is out.
                    to.output().flush().map_err(Stop::from)
                })?;
                held -= size;
                progress.step();
                if interrupt::asked() {
                    break_off(progress, show, to.output())?;
                }
            }
        })
    })?;
    progress.end();
    show.finish(to.output())?;
    to.output().flush()?;
    let resumed = (skipped > 0).then(|| format!("skipped {skipped} already done"));
    for remark in passed.remarks().into_iter().chain(resumed) {
        eprintln!("{remark}");
    }
    Ok(outcome)
}

/// Finds the files, as fast as they are found.
fn find(paths: &[PathBuf], passed: &PassedOver, progress: &Watch, sender: &Sender<Result<PathBuf, Failure>>) {
    for file in search::files(paths, passed) {
        progress.found();
        if sender.send(file).is_err() {
            return;
        }
    }
    progress.all_found();
}

/// An answer; `None` when the command is to end before it is there.
fn wait<A>(receiver: &Receiver<Result<A, Failure>>, path: &str) -> Option<Result<A, Failure>> {
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(answer) => return Some(answer),
            Err(RecvTimeoutError::Disconnected) => {
                return Some(Err(Failure::new(format!("internal error while processing `{path}`")).kind(FailureKind::Fault)));
            }
            Err(RecvTimeoutError::Timeout) if interrupt::asked() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Ends the command as it was asked to, after the last whole answer.
fn break_off<A, R>(progress: &Watch, show: &mut impl Renderer<A>, output: &mut Output) -> Result<R, Stop> {
    progress.end();
    show.finish(output)?;
    output.flush()?;
    // The work that is under way would be waited for.
    interrupt::exit()
}

fn shown<A>(shell: &Shell, output: &mut Output, path: &str, answer: Result<A, Failure>, show: &mut impl Renderer<A>) -> Result<Outcome, Stop> {
    match answer {
        Ok(answer) => show.answer(output, path, answer),
        Err(failure) => {
            show.failure(output, path, &failure)?;
            output.flush()?;
            shell.report(failure);
            Ok(Outcome::Misuse)
        }
    }
}

/// Reads, opens and asks.
fn one<A>(shell: &Shell, path: &Path, stamp: Option<Stamp>, ask: impl Fn(&Source<'_>) -> Result<A, Failure>) -> Result<A, Failure> {
    let name = input::name(path);
    guarded(&name, "", || {
        let loaded = input::load(shell, path, true)?;
        let recording = match &shell.phrases {
            Some(phrases) => &loaded.clone().with_phrases(phrases),
            None => &*loaded,
        };
        ask(&Source { path, name: &name, stamp, bytes: recording.bytes(), recording })
    })
}

/// A bar where somebody watches and there is more than one file to wait for; otherwise nothing.
struct Watch(ProgressBar);

impl Watch {
    fn new(shell: &Shell, paths: &[PathBuf]) -> Self {
        let several = paths.len() > 1 || paths.iter().any(|path| !path.is_file());
        let bar = if shell.errors_are_terminal && several { ProgressBar::new(0) } else { ProgressBar::hidden() };
        bar.enable_steady_tick(Duration::from_millis(200));
        let watch = Watch(bar);
        watch.style("{spinner} {pos} of {len} files found so far, {elapsed}");
        watch
    }

    fn style(&self, template: &str) {
        self.0.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    }

    fn found(&self) {
        self.0.inc_length(1);
    }

    /// From now on it is known how many there are.
    fn all_found(&self) {
        self.style("{wide_bar} {pos} of {len} files, {eta} left");
    }

    fn step(&self) {
        self.0.inc(1);
    }

    fn hidden<T>(&self, show: impl FnOnce() -> T) -> T {
        self.0.suspend(show)
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
