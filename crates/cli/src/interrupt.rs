//! Ctrl-C, the signals that end a process, and `--timeout`: work stops where nothing is lost.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::atomic_file;

/// The exit code of a command that was interrupted, as shells have it.
const INTERRUPTED: u8 = 130;

static TIMES: AtomicUsize = AtomicUsize::new(0);
static HEEDED: AtomicUsize = AtomicUsize::new(0);
static PATIENT: AtomicUsize = AtomicUsize::new(0);
static UNFINISHED: AtomicUsize = AtomicUsize::new(0);
static KEPT: Mutex<Option<String>> = Mutex::new(None);
static IN_HASTE: AtomicBool = AtomicBool::new(false);

/// How long finishing a file may take when asked twice: it takes milliseconds where nothing blocks.
const GRACE: Duration = Duration::from_secs(5);

/// Listens from now on. A command that heeds the wish to end is given [`LAST_WORDS`], or the time that it needs if it is [patient](SignalGuard::patient);
/// otherwise, or when asked again, the process ends at once and leaves no draft behind. A file that lacks only its end is finished first, unless asked a
/// third time.
pub fn listen() {
    // Without a handler the process just ends, and a later run clears its drafts.
    let _ = ctrlc::set_handler(|| match TIMES.fetch_add(1, Ordering::SeqCst) {
        0 if PATIENT.load(Ordering::SeqCst) > 0 => {}
        0 if HEEDED.load(Ordering::SeqCst) > 0 => aside(end_soon),
        1 if UNFINISHED.load(Ordering::SeqCst) > 0 => {
            IN_HASTE.store(true, Ordering::SeqCst);
            aside(|| {
                thread::sleep(GRACE);
                end();
            });
        }
        _ => end(),
    });
}

/// Ends the command in a thread of its own: signals are taken one after the other, and the next must not wait.
fn aside(ending: impl FnOnce() + Send + 'static) {
    if thread::Builder::new().spawn(ending).is_err() {
        end();
    }
}

fn end() -> ! {
    atomic_file::abandon();
    say_kept();
    std::process::exit(i32::from(code()))
}

/// Ends a command that did not end in time. What lacks only its end is waited for.
fn end_soon() {
    thread::sleep(LAST_WORDS);
    let from = Instant::now();
    while UNFINISHED.load(Ordering::SeqCst) > 0 && from.elapsed() < GRACE {
        thread::sleep(GLANCE);
    }
    // patience may have begun meanwhile
    if PATIENT.load(Ordering::SeqCst) == 0 {
        end();
    }
}

/// Says from now on what is kept when the command is interrupted, or nothing. Files are whole or absent whatever it says.
pub fn keeps(what: impl Into<Option<String>>) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
}

/// Says it, once.
fn say_kept() {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(kept) = kept.filter(|_| !is_late()) {
        eprintln!("interrupted: {kept}");
    }
}

/// The exit code of a command whose time is up, as `timeout` has it.
const TIME_IS_UP: u8 = 124;

static IS_LATE: AtomicBool = AtomicBool::new(false);

/// How long a command may take to end when it is asked to, or when its time is up. Those that heed it look ten times a second.
const LAST_WORDS: Duration = Duration::from_millis(900);
/// How often to check whether something has ended.
const GLANCE: Duration = Duration::from_millis(50);

/// Asks the command to end after this time, and soon ends it if it does not.
pub fn end_after(time: Duration) -> io::Result<()> {
    let ending = thread::Builder::new().spawn(move || {
        thread::sleep(time);
        IS_LATE.store(true, Ordering::SeqCst);
        let heeded = HEEDED.load(Ordering::SeqCst) > 0;
        TIMES.fetch_add(1, Ordering::SeqCst);
        if heeded {
            thread::sleep(LAST_WORDS);
        }
        if UNFINISHED.load(Ordering::SeqCst) > 0 {
            IN_HASTE.store(true, Ordering::SeqCst);
            thread::sleep(GRACE);
        }
        note();
        end();
    });
    ending.map(drop)
}

/// Whether the time of `--timeout` is up.
pub fn is_late() -> bool {
    IS_LATE.load(Ordering::SeqCst)
}

/// Says that the time is up, if it is.
pub fn note() {
    if is_late() {
        eprintln!("--timeout expired");
    }
}

/// Ends the command as it was asked to, without waiting for other threads.
pub fn exit() -> ! {
    note();
    say_kept();
    std::process::exit(i32::from(code()))
}

/// The exit code of a command that was asked to end.
pub fn code() -> u8 {
    if is_late() { TIME_IS_UP } else { INTERRUPTED }
}

/// Whether the command was asked to end.
pub fn asked() -> bool {
    TIMES.load(Ordering::SeqCst) > 0
}

/// Whether it was asked again: nothing is done any more but finishing what is [`Unfinished`].
pub fn in_haste() -> bool {
    IN_HASTE.load(Ordering::SeqCst)
}

/// As long as it lives, somebody looks at [`asked`] and ends in time.
pub struct SignalGuard {
    patient: bool,
}

impl SignalGuard {
    /// Begins to look. The process ends if it has not ended within a second.
    pub fn new() -> Self {
        HEEDED.fetch_add(1, Ordering::SeqCst);
        SignalGuard { patient: false }
    }

    /// Begins to look, for what may need longer: a recorder leaves its server properly.
    pub fn patient() -> Self {
        HEEDED.fetch_add(1, Ordering::SeqCst);
        PATIENT.fetch_add(1, Ordering::SeqCst);
        SignalGuard { patient: true }
    }
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        HEEDED.fetch_sub(1, Ordering::SeqCst);
        PATIENT.fetch_sub(usize::from(self.patient), Ordering::SeqCst);
    }
}

/// As long as it lives, a file stands in its place that lacks its end, and somebody who heeds is about to write that when asked.
pub struct Unfinished(());

impl Unfinished {
    /// The file is there from now on.
    pub fn new() -> Self {
        UNFINISHED.fetch_add(1, Ordering::SeqCst);
        Unfinished(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits this long, or until the command is asked to end. Returns whether it is.
pub fn wait(time: Duration) -> bool {
    let from = Instant::now();
    let _guard = SignalGuard::new();
    while from.elapsed() < time {
        if asked() {
            return true;
        }
        thread::sleep(GLANCE);
    }
    false
}
