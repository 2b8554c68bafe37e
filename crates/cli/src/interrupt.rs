//! Ctrl-C and the signals that end a process: work stops where nothing is lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::draft;

/// The exit code of a command that was interrupted, as shells have it.
pub const INTERRUPTED: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static HEEDED: AtomicUsize = AtomicUsize::new(0);

/// Listens from now on. Whoever heeds the wish to end is given the time to; otherwise, or when asked again, the process ends at
/// once and leaves no draft behind.
pub fn listen() {
    // Without a handler the process just ends, and a later run clears its drafts.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) || HEEDED.load(Ordering::SeqCst) == 0 {
            draft::abandon();
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// Whether the command was asked to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// As long as it lives, somebody looks at [`asked`] and ends in time.
pub struct Heed(());

impl Heed {
    /// Begins to look.
    pub fn new() -> Self {
        HEEDED.fetch_add(1, Ordering::SeqCst);
        Heed(())
    }
}

impl Drop for Heed {
    fn drop(&mut self) {
        HEEDED.fetch_sub(1, Ordering::SeqCst);
    }
}
