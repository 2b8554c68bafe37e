//! The command, in a process of its own.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these words and gives its exit code. It takes the process over: it handles Ctrl-C, and may end the process.
#[pyfunction]
pub fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| fragreel_cli::run([OsString::from("fragreel")].into_iter().chain(words).collect()))
}
