//! Ctrl-C and the signals that end a process: work stops where nothing is lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::atomic_file;

/// The exit code of a command that was interrupted, as shells have it.
pub const INTERRUPTED: u8 = 130;

static TIMES: AtomicUsize = AtomicUsize::new(0);
static HEEDED: AtomicUsize = AtomicUsize::new(0);
static UNFINISHED: AtomicUsize = AtomicUsize::new(0);
static IN_HASTE: AtomicBool = AtomicBool::new(false);

/// How long finishing a file may take when asked twice: it takes milliseconds where nothing blocks.
const GRACE: Duration = Duration::from_secs(5);

/// Listens from now on. A command that heeds the wish to end is given the time to; otherwise, or when asked again, the process ends at
/// once and leaves no draft behind. A file that lacks only its end is finished first, unless asked a third time.
pub fn listen() {
    // Without a handler the process just ends, and a later run clears its drafts.
    let _ = ctrlc::set_handler(|| match TIMES.fetch_add(1, Ordering::SeqCst) {
        0 if HEEDED.load(Ordering::SeqCst) > 0 => {}
        1 if UNFINISHED.load(Ordering::SeqCst) > 0 => {
            IN_HASTE.store(true, Ordering::SeqCst);
            // signals are taken one after the other: the third must not wait for this
            let ending = thread::Builder::new().spawn(|| {
                thread::sleep(GRACE);
                end();
            });
            if ending.is_err() {
                end();
            }
        }
        _ => end(),
    });
}

fn end() -> ! {
    atomic_file::abandon();
    std::process::exit(i32::from(INTERRUPTED))
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
pub struct SignalGuard(());

impl SignalGuard {
    /// Begins to look.
    pub fn new() -> Self {
        HEEDED.fetch_add(1, Ordering::SeqCst);
        SignalGuard(())
    }
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        HEEDED.fetch_sub(1, Ordering::SeqCst);
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
