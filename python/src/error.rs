//! Errors as exceptions, with the place that they name.

use fragreel::ErrorKind;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;

create_exception!(fragreel, Error, PyException, "What went wrong. `fault`, `offset`, `bit` and `path` say what kind and where, as far as known.");
create_exception!(fragreel, DamagedError, Error, "The recording is damaged.");
create_exception!(fragreel, UnsupportedError, Error, "It is not a recording that fragreel knows, or not one that can do this.");
create_exception!(fragreel, LimitError, Error, "It would take more memory than the limits allow.");
create_exception!(fragreel, MisuseError, Error, "The question makes no sense for this recording; the message says what does.");

/// The exception for an error of the library.
pub fn exception(py: Python<'_>, error: &fragreel::Error) -> PyErr {
    let words = error.to_string();
    let raised = match error.kind() {
        ErrorKind::Io => return PyOSError::new_err(words),
        ErrorKind::Malformed => DamagedError::new_err(words),
        ErrorKind::Unsupported => UnsupportedError::new_err(words),
        ErrorKind::Limit => LimitError::new_err(words),
        ErrorKind::Misuse => MisuseError::new_err(words),
        _ => Error::new_err(words),
    };
    let value = raised.value(py);
    let path = error.path_text();
    let path = (!path.is_empty()).then_some(path);
    let placed = value
        .setattr("fault", error.kind().name())
        .and_then(|()| value.setattr("offset", error.offset()))
        .and_then(|()| value.setattr("bit", error.bit()))
        .and_then(|()| value.setattr("path", path));
    placed.err().unwrap_or(raised)
}

/// The exception for something that was asked in the wrong way.
pub fn misuse(words: impl Into<String>) -> PyErr {
    MisuseError::new_err(words.into())
}
