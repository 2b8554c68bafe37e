//! Many files, several at a time, their results in the order of the input. However many files there are, only a
//! window of them is in memory.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use fragreel::Recording;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::{Failure, Stop, guarded};
use crate::input;
use crate::interrupt::{self, Heed, INTERRUPTED};
use crate::output::{self, Output};
use crate::shell::{Outcome, Shell};

/// Results that may be under way or waiting for their turn, for each thread.
const WINDOW_PER_THREAD: usize = 2;

/// How often somebody who waits looks whether the command is to end.
const GLANCE: Duration = Duration::from_millis(50);

/// How answers get to the reader. Everything here is called in the order of the input, on one thread.
pub trait Show<A> {
    /// Shows an answer.
    fn answer(&mut self, output: &mut Output, path: &str, answer: A) -> Result<Outcome, Stop>;

    /// Says in the output too that a file gave no answer, where the output is for machines. The person at the
    /// keyboard is told anyway.
    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop>;

    /// Shows what was held back.
    fn finish(&mut self, _output: &mut Output) -> Result<(), Stop> {
        Ok(())
    }
}

/// Puts the question `ask` to everything that `paths` mean and shows the answers.
pub fn run<A: Send>(shell: &Shell, paths: &[PathBuf], ask: impl Fn(&str, &Recording<'_>) -> A + Sync, show: &mut impl Show<A>) -> Result<Outcome, Stop> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(shell.jobs).build();
    let pool = pool.map_err(|error| Failure::new("cannot start that many threads").because(error).help("Ask for fewer with `--jobs`."))?;
    let progress = progress(shell, paths);
    let mut output = output::stdout();
    let mut outcome = Outcome::Fine;
    let _heed = Heed::new();
    let ask = &ask;
    pool.in_place_scope(|scope| {
        let mut files = input::files(paths).fuse();
        let mut window: VecDeque<(String, Receiver<Result<A, Failure>>)> = VecDeque::new();
        loop {
            while window.len() < shell.jobs * WINDOW_PER_THREAD {
                let Some(file) = files.next() else { break };
                let (sender, receiver) = sync_channel(1);
                let name = file.as_ref().map_or_else(|_| String::new(), |path| path.to_string_lossy().into_owned());
                // Nobody receives once the output has failed.
                scope.spawn(move |_| drop(sender.send(file.and_then(|path| one(&path, shell.lenient, ask)))));
                window.push_back((name, receiver));
            }
            let Some((path, receiver)) = window.pop_front() else { break };
            let answer = loop {
                match receiver.recv_timeout(GLANCE) {
                    Ok(answer) => break answer,
                    Err(RecvTimeoutError::Disconnected) => break Err(Failure::new(format!("the work on `{path}` came to no end"))),
                    Err(RecvTimeoutError::Timeout) if interrupt::asked() => break_off(&progress, show, &mut output)?,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            };
            progress.suspend(|| {
                outcome = outcome.max(shown(shell, &mut output, &path, answer, show)?);
                // Whatever happens next, this answer is out.
                output.flush().map_err(Stop::from)
            })?;
            progress.inc(1);
            if interrupt::asked() {
                break_off(&progress, show, &mut output)?;
            }
        }
        Ok::<(), Stop>(())
    })?;
    progress.finish_and_clear();
    show.finish(&mut output)?;
    output.flush()?;
    Ok(outcome)
}

/// Ends the command as it was asked to, after the last whole answer.
fn break_off<A>(progress: &ProgressBar, show: &mut impl Show<A>, output: &mut Output) -> Result<(), Stop> {
    progress.finish_and_clear();
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
fn one<A>(path: &Path, lenient: bool, ask: impl Fn(&str, &Recording<'_>) -> A) -> Result<A, Failure> {
    guarded(&path.to_string_lossy(), "", || {
        let demo = input::load(path)?;
        let recording = demo.open().map_err(|error| input::not_opened(path, error))?.lenient(lenient);
        Ok(ask(&path.to_string_lossy(), &recording))
    })
}

/// A bar where somebody watches and there is more than one file to wait for; otherwise nothing.
fn progress(shell: &Shell, paths: &[PathBuf]) -> ProgressBar {
    let several = paths.len() > 1 || paths.iter().any(|path| !path.is_file());
    if !shell.errors_are_terminal || !several {
        return ProgressBar::hidden();
    }
    // Only when every path is a file is the number of files known before they are found.
    let (bar, template) = if paths.iter().all(|path| path.is_file()) {
        (ProgressBar::new(paths.len() as u64), "{wide_bar} {pos} of {len} files, {eta} left")
    } else {
        (ProgressBar::new_spinner(), "{spinner} {pos} files, {elapsed}")
    };
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}
