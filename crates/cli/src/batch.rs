//! Many files, several at a time, their results in the order of the input. However many files there are, only a
//! window of them is in memory.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fragreel::Recording;
use indicatif::{ProgressBar, ProgressStyle};

use crate::asked::{Asked, Held};
use crate::failure::{Failure, FailureKind, Stop, guarded};
use crate::input;
use crate::interrupt::{self, SignalGuard, Unfinished};
use crate::output::{self, Output};
use crate::resume::Resume;
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::stamp::{Identity, Stamp};
use crate::stream::{self, Next, Stream};

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

/// How often a file that changes while it is read is read: what grows for a long time is taken as it is.
const READINGS: usize = 3;

/// A result whose turn has not come.
struct Waiting<A> {
    name: String,
    /// Its place in the input.
    at: usize,
    /// Of its file.
    size: u64,
    stream: stream::Reader,
    receiver: Receiver<Done<A>>,
}

/// What became of a file, and its stamp before it was read.
type Done<A> = (Option<Stamp>, Result<Met<A>, Failure>);

/// An answer, or none where another file has the same content.
enum Met<A> {
    Answer(A),
    /// The answer of a file with this content, where copies are passed over.
    First(String, A),
    Copy,
}

/// The contents that were met, each with the place in the input of its first file.
type Contents = Mutex<HashMap<String, usize>>;

/// Whether a file of this content comes before this place. Otherwise it is the first, for all that is known.
fn is_copy(contents: &Contents, id: &str, at: usize) -> bool {
    let mut contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
    let first = contents.entry(id.to_owned()).or_insert(at);
    *first = at.min(*first);
    *first < at
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
    /// Takes output that comes before the answer, in pieces.
    pub stream: &'a Stream,
}

/// How answers get to the reader. Everything here is called in the order of the input, on one thread.
pub trait Renderer<A> {
    /// Takes the stamp that a file had before it was read; its answer or failure follows.
    fn read(&mut self, _stamp: Option<Stamp>) {}

    /// Shows a piece of output that the work for a file gave to its stream. More pieces may follow, then the answer or a failure.
    fn piece(&mut self, output: &mut Output, _path: &str, piece: &[u8]) -> Result<(), Stop> {
        Ok(output.write_all(piece)?)
    }

    /// Shows an answer.
    fn answer(&mut self, output: &mut Output, path: &str, answer: A) -> Result<Outcome, Stop>;

    /// Puts into the output too that a file gave no answer, where the output is for machines. The person at the
    /// keyboard sees it anyway.
    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop>;

    /// What an interrupted command says it kept, after the number of finished recordings.
    fn kept(&self) -> &'static str {
        ""
    }

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
    work(shell, paths, To::of(resume), ask, None, show)
}

/// The same for a question that one walk from start to end answers. Long files are read in chunks if `in_chunks` is set.
pub fn run_in_chunks<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    resume: Option<Resume>,
    in_chunks: bool,
    ask: impl Fn(&Asked<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    let whole = |source: &Source<'_>| ask(&Asked { path: source.path, name: source.name, recording: Held::Whole(source.recording), stream: source.stream });
    work(shell, paths, To::of(resume), whole, Some(&ask).filter(|_| in_chunks).map(|ask| ask as Long<'_, A>), show)
}

/// What asks about a file that is read in chunks.
type Long<'l, A> = &'l (dyn Fn(&Asked<'_>) -> Result<A, Failure> + Sync);

/// The same on standard output, but for the recordings in `done`.
pub fn run_but<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    done: HashSet<String>,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    work(shell, paths, To::Stdout(output::stdout(), done), ask, None, show)
}

/// Which of the files that are found are asked about.
pub struct Choice<'c> {
    /// Gives a file that was found its name, or passes over it.
    pub name: &'c mut (dyn FnMut(&Path) -> Option<String> + 'c),
    /// Whether the command itself handles copies and says what it passed over.
    pub handles_copies: bool,
}

/// The same on standard output, of the files that are chosen.
pub fn run_chosen<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    choice: Choice<'_>,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    work(shell, paths, To::Chosen(output::stdout(), choice), ask, None, show)
}

/// Where answers go.
enum To<'c> {
    /// Standard output, but for the recordings that are done.
    Stdout(Output, HashSet<String>),
    /// Standard output, for what is chosen.
    Chosen(Output, Choice<'c>),
    /// A file with those of an earlier run.
    Resumed(Resume),
}

impl To<'_> {
    fn of(resume: Option<Resume>) -> Self {
        resume.map_or_else(|| To::Stdout(output::stdout(), HashSet::new()), To::Resumed)
    }

    /// The name of a file that is looked at.
    fn name(&mut self, path: &Path) -> Option<String> {
        let name = || input::name(path);
        match self {
            To::Stdout(_, done) => Some(name()).filter(|name| !done.contains(name)),
            To::Chosen(_, choice) => (choice.name)(path),
            To::Resumed(resume) => Some(name()).filter(|name| !resume.is_done(name)),
        }
    }

    fn output(&mut self) -> &mut Output {
        match self {
            To::Stdout(output, _) | To::Chosen(output, _) => output,
            To::Resumed(resume) => resume.output(),
        }
    }

    fn note(&mut self, name: &str, stamp: Option<Stamp>) -> Result<(), Failure> {
        match self {
            To::Stdout(..) | To::Chosen(..) => Ok(()),
            To::Resumed(resume) => resume.note(name, stamp),
        }
    }

    /// Whether the command itself handles copies and says what it passed over.
    fn handles_copies(&self) -> bool {
        matches!(self, To::Chosen(_, Choice { handles_copies: true, .. }))
    }
}

fn work<A: Send>(
    shell: &Shell,
    paths: &[PathBuf],
    mut to: To<'_>,
    ask: impl Fn(&Source<'_>) -> Result<A, Failure> + Sync,
    long: Option<Long<'_, A>>,
    show: &mut impl Renderer<A>,
) -> Result<Outcome, Stop> {
    let pool = shell.pool()?;
    let (passed, progress) = (&PassedOver::default(), &Watch::new(shell, paths));
    let _guard = SignalGuard::new();
    let mut outcome = Outcome::Fine;
    let (mut skipped, mut copies, mut next) = (0, 0, 0);
    let mut answered = 0;
    keep(answered, show.kept());
    if shell.distinct && matches!(to, To::Resumed(_)) {
        return Err(Failure::new("--distinct cannot be resumed").help("Leave out one of --distinct and --resume.").into());
    }
    let contents = (shell.distinct && !to.handles_copies()).then(Contents::default);
    let contents = contents.as_ref();
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
                    let Some(name) = file.as_ref().map_or_else(|_| Some(String::new()), |path| to.name(path)) else {
                        skipped += 1;
                        progress.step();
                        continue;
                    };
                    // The stamp is taken before the file is read, so a file that changes meanwhile is not taken for unchanged.
                    let identity = file.as_ref().ok().and_then(|path| Identity::of(path));
                    let size = identity.map_or(UNKNOWN_SIZE, |identity| identity.stamp.size);
                    let (sender, receiver) = sync_channel(1);
                    let called = name.clone();
                    let stream = Arc::new(Stream::default());
                    let reader = stream::Reader(Arc::clone(&stream));
                    let at = next;
                    next += 1;
                    // Nobody receives once the output has failed.
                    scope.spawn(move |_| {
                        let writer = stream::Writer(stream);
                        let done = match file {
                            Ok(path) => one(shell, &path, &called, identity, contents.map(|contents| (contents, at)), &writer.0, (ask, long)),
                            Err(failure) => (None, Err(failure)),
                        };
                        drop(sender.send(done));
                    });
                    window.push_back(Waiting { name, at, size, stream: reader, receiver });
                    held += size;
                }
                let Some(Waiting { name: path, at, size, stream, receiver }) = window.pop_front() else { return Ok::<(), Stop>(()) };
                let is_copy_of_another = |id: &str| contents.is_some_and(|contents| is_copy(contents, id, at));
                let shown_whole = show_pieces(&stream, |piece| {
                    // an earlier file may have come later
                    if stream.content().is_some_and(|id| is_copy_of_another(&id)) {
                        return Ok(());
                    }
                    progress.hidden(|| show.piece(to.output(), &path, &piece))
                })?;
                if !shown_whole {
                    break_off(progress, show, to.output())?;
                }
                let (stamp, answer) =
                    receiver.recv().unwrap_or_else(|_| (None, Err(Failure::new(format!("internal error while processing `{path}`")).kind(FailureKind::Fault))));
                let answer = match answer {
                    Ok(Met::First(id, _)) if is_copy_of_another(&id) => None,
                    Ok(Met::Copy) => None,
                    Ok(Met::Answer(answer) | Met::First(_, answer)) => Some(Ok(answer)),
                    Err(failure) => Some(Err(failure)),
                };
                let Some(answer) = answer else {
                    copies += 1;
                    held -= size;
                    progress.step();
                    continue;
                };
                progress.hidden(|| {
                    to.note(&path, stamp)?;
                    show.read(stamp);
                    outcome = outcome.max(shown(shell, to.output(), &path, answer, show)?);
                    // Whatever happens next, this answer is out.
                    to.output().flush().map_err(Stop::from)
                })?;
                held -= size;
                progress.step();
                answered += 1;
                keep(answered, show.kept());
                if interrupt::asked() {
                    break_off(progress, show, to.output())?;
                }
            }
        })
    })?;
    if interrupt::asked() {
        break_off(progress, show, to.output())?;
    }
    progress.end();
    show.finish(to.output())?;
    to.output().flush()?;
    interrupt::keeps(None);
    let last = if to.handles_copies() {
        passed.others().map(|others| format!("passed over {others}"))
    } else {
        (skipped > 0).then(|| format!("skipped {skipped} already done"))
    };
    let doubles = (copies > 0).then(|| if copies == 1 { String::from("passed over 1 copy") } else { format!("passed over {copies} copies") });
    for remark in passed.remarks().into_iter().chain(last).chain(doubles) {
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

/// Shows the output for a file while it is made. Returns whether the work is over; it is not if the command is to end before.
fn show_pieces(stream: &stream::Reader, mut show: impl FnMut(Vec<u8>) -> Result<(), Stop>) -> Result<bool, Stop> {
    loop {
        match stream.next(GLANCE)? {
            Next::Piece(piece) => show(piece)?,
            Next::Done => return Ok(true),
            Next::Nothing => {}
        }
        if interrupt::asked() {
            return Ok(false);
        }
    }
}

/// Notes how far the command came.
fn keep(answered: usize, kept: &str) {
    let recordings = if answered == 1 { "recording" } else { "recordings" };
    interrupt::keeps(format!("{answered} {recordings} done{kept}"));
}

/// Ends the command as it was asked to, after the last whole answer.
fn break_off<A, R>(progress: &Watch, show: &mut impl Renderer<A>, output: &mut Output) -> Result<R, Stop> {
    progress.end();
    {
        let _unfinished = Unfinished::new();
        show.finish(output)?;
        output.flush()?;
    }
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

/// Reads, opens and asks. A file that changed meanwhile is read again.
fn one<A>(
    shell: &Shell,
    path: &Path,
    name: &str,
    before: Option<Identity>,
    contents: Option<(&Contents, usize)>,
    stream: &Stream,
    (ask, long): (impl Fn(&Source<'_>) -> Result<A, Failure>, Option<Long<'_, A>>),
) -> Done<A> {
    let mut before = before.and_then(|identity| identity.settled(path));
    let answer = guarded(name, "", || {
        // copies are known by all of their bytes
        if let Some(ask) = long.filter(|_| contents.is_none())
            && let Some(recording) = input::open_long(shell, path)?
        {
            return Ok(Met::Answer(ask(&Asked { path, name, recording: Held::Long(&recording), stream })?));
        }
        let mut loaded = input::load(shell, path, true);
        for _ in 1..READINGS {
            let now = Identity::of(path);
            if now == before {
                break;
            }
            before = now;
            drop(loaded);
            loaded = input::load(shell, path, true);
        }
        let loaded = loaded?;
        let id = contents.map(|_| fragreel_tables::recording_id(loaded.bytes()));
        if contents.zip(id.as_deref()).is_some_and(|((contents, at), id)| is_copy(contents, id, at)) {
            return Ok(Met::Copy);
        }
        if let Some(id) = &id {
            stream.is_about(id);
        }
        let recording = match &shell.phrases {
            Some(phrases) => &loaded.clone().with_phrases(phrases),
            None => &*loaded,
        };
        let stamp = before.map(|identity| identity.stamp);
        let answer = ask(&Source { path, name, stamp, bytes: recording.bytes(), recording, stream })?;
        Ok(match id {
            Some(id) => Met::First(id, answer),
            None => Met::Answer(answer),
        })
    });
    (before.map(|identity| identity.stamp), answer)
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
