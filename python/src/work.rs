//! Long work, beside the interpreter: other Python threads go on, and Ctrl-C is heard.

use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does something on another thread and waits for what comes out.
pub fn away<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (sender, answer) = bounded(1);
    std::thread::Builder::new()
        .name(String::from("fragreel"))
        .spawn(move || {
            // Nobody waits any more after Ctrl-C.
            let _ = sender.send(work());
        })
        .map_err(|error| PyRuntimeError::new_err(format!("no thread could be started: {error}")))?;
    wait(py, &answer)?.ok_or_else(|| PyRuntimeError::new_err("fragreel failed; please report it with the recording"))
}

/// Waits for the next of what another thread makes; nothing when that has ended.
pub fn wait<T: Send>(py: Python<'_>, receiver: &Receiver<T>) -> PyResult<Option<T>> {
    loop {
        match py.detach(|| receiver.recv_timeout(PATIENCE)) {
            Ok(made) => return Ok(Some(made)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}
