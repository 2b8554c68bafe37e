//! Errors as exceptions, with the place that they name.

use fragreel::ErrorKind;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyType;

create_exception!(
    fragreel,
    Error,
    PyException,
    "What went wrong. `fault` is the kind, `file` the recording, and `offset`, `bit` and `path` the place in it, as far as known."
);
create_exception!(fragreel, DamagedError, Error, "The recording is damaged.");
create_exception!(fragreel, UnsupportedError, Error, "It is not a recording that fragreel knows, or not one that can do this.");
create_exception!(fragreel, LimitError, Error, "It would take more memory than the limits allow.");
create_exception!(fragreel, MisuseError, Error, "The question makes no sense for this recording; the message says what does.");

/// The exception for an error of the library.
pub fn exception(py: Python<'_>, error: &fragreel::Error) -> PyErr {
    about(py, error, &error.to_string(), None)
}

/// The same in other words, about a file.
pub fn about(py: Python<'_>, error: &fragreel::Error, words: &str, file: Option<&str>) -> PyErr {
    let raised = of_kind(py, error.kind().name(), words, file);
    if error.kind() == ErrorKind::Io {
        return raised;
    }
    let value = raised.value(py);
    let path = error.path_text();
    let path = (!path.is_empty()).then_some(path);
    let placed = value.setattr("offset", error.offset()).and_then(|()| value.setattr("bit", error.bit())).and_then(|()| value.setattr("path", path));
    placed.err().unwrap_or(raised)
}

/// The exception for a kind of failure, as docs/json.md lists them.
pub fn of_kind(py: Python<'_>, kind: &str, words: &str, file: Option<&str>) -> PyErr {
    // numbers of the system, which Python has classes for
    let system = |number: i32| PyOSError::new_err((number, words.to_owned(), file.map(str::to_owned)));
    let raised = match kind {
        "not_found" => return system(2),
        "io" => return system(5),
        "forbidden" => return system(13),
        "malformed" => DamagedError::new_err(words.to_owned()),
        "unsupported" => UnsupportedError::new_err(words.to_owned()),
        "limit" => LimitError::new_err(words.to_owned()),
        "misuse" => MisuseError::new_err(words.to_owned()),
        _ => Error::new_err(words.to_owned()),
    };
    let value = raised.value(py);
    let placed = value.setattr("fault", kind).and_then(|()| value.setattr("file", file));
    placed.err().unwrap_or(raised)
}

/// The exception for a failure that the command reports.
#[pyfunction]
#[pyo3(signature = (kind, words, file = None))]
pub fn failure(py: Python<'_>, kind: &str, words: &str, file: Option<&str>) -> PyErr {
    of_kind(py, kind, words, file)
}

/// The exception for a file that cannot be read.
pub fn io_exception(error: &std::io::Error, path: &str) -> PyErr {
    let number = error.raw_os_error().unwrap_or(if error.kind() == std::io::ErrorKind::NotFound { 2 } else { 5 });
    let words = error.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    PyOSError::new_err((number, words.to_owned(), path.to_owned()))
}

/// Gives the classes the fields that every exception has.
pub fn put_defaults(py: Python<'_>) -> PyResult<()> {
    let classes: [(Bound<'_, PyType>, &str); 5] = [
        (py.get_type::<Error>(), "fault"),
        (py.get_type::<DamagedError>(), "malformed"),
        (py.get_type::<UnsupportedError>(), "unsupported"),
        (py.get_type::<LimitError>(), "limit"),
        (py.get_type::<MisuseError>(), "misuse"),
    ];
    for (class, fault) in classes {
        class.setattr("fault", fault)?;
        for name in ["file", "offset", "bit", "path"] {
            class.setattr(name, py.None())?;
        }
    }
    Ok(())
}

/// The exception for something that was asked in the wrong way.
pub fn misuse(words: impl Into<String>) -> PyErr {
    MisuseError::new_err(words.into())
}
