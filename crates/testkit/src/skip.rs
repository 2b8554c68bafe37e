//! Saying what was not tested, where a person sees it.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;

/// The environment variable that names the file in which skipped tests are collected. `cargo xtask ci` sets it, and prints
/// the file at its end.
pub const SKIPPED: &str = "FRAGREEL_SKIPPED";

static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says that something was not tested, once in each test program: on standard error, past the test runner's capture (which
/// swallows what `eprintln!` writes in a test that passes), and in the file that [`SKIPPED`] names.
pub fn skipped(what: &str) {
    let mut said = SAID.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !said.insert(what.to_owned()) {
        return;
    }
    // Neither may fail a test: the terminal may be gone, and the summary is only a summary.
    let _ = writeln!(std::io::stderr(), "\n*** SKIPPED: {what} ***");
    if let Some(path) = std::env::var_os(SKIPPED) {
        // One write of a whole line: test programs that run at the same time do not mix theirs.
        let _ = OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| file.write_all(format!("{what}\n").as_bytes()));
    }
}
