//! Many files, several at a time, their results in the order of the input. However many files there are, only a
//! window of them is in memory.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::Duration;

use fragreel::Recording;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::{Failure, Stop, guarded};
use crate::input;
use crate::interrupt::{self, Heed, INTERRUPTED};
use crate::output::{self, Output};
use crate::resume::Resume;
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};

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
    receiver: Receiver<Result<A, Failure>>,
}

/// A recording that a question is put to.
pub struct Source<'a> {
    /// Its file.
    pub path: &'a Path,
    /// The file's name for machines.
    pub name: &'a str,
    /// What it holds, unpacked.
    pub bytes: &'a [u8],
    /// The recording.
    pub recording: &'a Recording<'a>,
}

/// How answers get to the reader. Everything here is called in the order of the input, on one thread.
pub trait Show<A> {
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
    show: &mut impl Show<A>,
) -> Result<Outcome, Stop> {
    let (done, output) = resume.map_or_else(|| (Default::default(), output::stdout()), Resume::into_parts);
    work(shell, paths, done, output, ask, show)
}

/// The same on standard output, but for the recordings in `done`.
pub fn run_but<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    done: HashSet<String>,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Show<A>,
) -> Result<Outcome, Stop> {
    work(shell, paths, done, output::stdout(), ask, show)
}

fn work<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    done: HashSet<String>,
    mut output: Output,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Show<A>,
) -> Result<Outcome, Stop> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(shell.jobs).build();
    let pool = pool.map_err(|error| Failure::new("cannot start that many threads").because(error).help("Ask for fewer with `--jobs`."))?;
    let (passed, progress) = (&PassedOver::default(), &Watch::new(shell, paths));
    let _heed = Heed::new();
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
                    if done.contains(&name) {
                        skipped += 1;
                        progress.step();
                        continue;
                    }
                    let size = file.as_ref().ok().and_then(|path| path.metadata().ok()).map_or(UNKNOWN_SIZE, |metadata| metadata.len());
                    let (sender, receiver) = sync_channel(1);
                    // Nobody receives once the output has failed.
                    scope.spawn(move |_| drop(sender.send(file.and_then(|path| one(shell, &path, ask)))));
                    window.push_back(Waiting { name, size, receiver });
                    held += size;
                }
                let Some(Waiting { name: path, size, receiver }) = window.pop_front() else { return Ok::<(), Stop>(()) };
                let Some(answer) = wait(&receiver, &path) else { break_off(progress, show, &mut output)? };
                progress.hidden(|| {
                    outcome = outcome.max(shown(shell, &mut output, &path, answer, show)?);
                    // Whatever happens next, this answer is out.
                    output.flush().map_err(Stop::from)
                })?;
                held -= size;
                progress.step();
                if interrupt::asked() {
                    break_off(progress, show, &mut output)?;
                }
            }
        })
    })?;
    progress.end();
    show.finish(&mut output)?;
    output.flush()?;
    let resumed = (skipped > 0).then(|| format!("passed over {skipped} that an earlier run looked at"));
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
            Err(RecvTimeoutError::Disconnected) => return Some(Err(Failure::new(format!("the work on `{path}` came to no end")))),
            Err(RecvTimeoutError::Timeout) if interrupt::asked() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Ends the command as it was asked to, after the last whole answer.
fn break_off<A, R>(progress: &Watch, show: &mut impl Show<A>, output: &mut Output) -> Result<R, Stop> {
    progress.end();
    show.finish(output)?;
    output.flush()?;
    // The work that is under way would be waited for.
    std::process::exit(i32::from(INTERRUPTED))
}

fn shown<A>(shell: &Shell, output: &mut Output, path: &str, answer: Result<A, Failure>, show: &mut impl Show<A>) -> Result<Outcome, Stop> {
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
fn one<A>(shell: &Shell, path: &Path, ask: impl Fn(&Source<'_>) -> Result<A, Failure>) -> Result<A, Failure> {
    let name = input::name(path);
    guarded(&name, "", || {
        let demo = input::load(shell, path, true)?;
        let recording = demo.open().map_err(|error| input::not_opened(path, error))?.lenient(shell.lenient);
        ask(&Source { path, name: &name, bytes: demo.bytes(), recording: &recording })
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
