//! A recording that Python asks questions of.

use std::path::PathBuf;

use fragreel::model::{Event, Kind, Kinds};
use fragreel::{Error, Recording};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PyString, PyType};

use crate::error::{exception, misuse};
use crate::failure::failed;
use crate::json::object;
use crate::time::{Time, when};
use crate::work::away;

/// A recording: `Demo("duel.mvd.gz")`, `Demo("demos.zip!2004/duel.mvd")` for a member of an archive, `Demo("https://host/duel.mvd")`, `Demo(file)` for a file
/// object that is open for reading bytes, or `Demo(data, name="duel.mvd")` for bytes at hand. The name is only a hint.
///
/// Opening looks at the head. What is asked for is decoded when it is asked for the first time, and kept.
///
/// Times go in as seconds or as `"m:ss"`, and come out in milliseconds. The shapes of the answers are those of the command's
/// `--json`.
#[pyclass(frozen, module = "fragreel")]
pub struct Demo {
    pub(crate) recording: Recording,
    /// The file, or how the caller calls the bytes.
    pub(crate) path: String,
    info: PyOnceLock<Py<PyAny>>,
    scores: PyOnceLock<Py<PyAny>>,
    tables: PyOnceLock<Py<PyDict>>,
}

impl Demo {
    /// Opens bytes, to know at once whether they are a recording.
    pub(crate) fn of_bytes(py: Python<'_>, bytes: Vec<u8>, path: String) -> PyResult<Self> {
        let recording = Recording::open(bytes, &path).map_err(|error| exception(py, &error))?;
        Ok(Demo { recording, path, info: PyOnceLock::new(), scores: PyOnceLock::new(), tables: PyOnceLock::new() })
    }

    /// Tables that were made, by name.
    pub(crate) fn tables<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.tables.get_or_init(py, || PyDict::new(py).unbind()).bind(py).clone()
    }

    /// Asks a question beside the interpreter.
    pub(crate) fn ask<T: Send + 'static>(&self, py: Python<'_>, question: impl FnOnce(&Recording) -> Result<T, Error> + Send + 'static) -> PyResult<T> {
        let recording = self.recording.clone();
        away(py, move || question(&recording))?.map_err(|error| exception(py, &error))
    }
}

#[pymethods]
impl Demo {
    #[new]
    #[pyo3(signature = (source, name = None))]
    fn new(py: Python<'_>, source: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<Self> {
        let (bytes, path) = bytes_of(py, source)?;
        let path = name.or(path).unwrap_or_default();
        Self::of_bytes(py, bytes, path)
    }

    /// The file, or the name given with the bytes.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// `"quake3"`, `"quake2"`, `"goldsrc"` or `"quake1"`.
    #[getter]
    fn family(&self) -> &'static str {
        self.recording.family().name()
    }

    /// What it is, who played, where and for how long.
    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let make = || {
            let info = self.ask(py, |recording| Ok(recording.info()))?;
            Ok::<_, PyErr>(object(py, &info)?.unbind())
        };
        Ok(self.info.get_or_try_init(py, make)?.clone_ref(py))
    }

    /// A scoreboard for each match: teams, players, their figures with where each comes from.
    #[getter]
    fn scores(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let make = || {
            let matches = self.ask(py, |recording| Ok(recording.scores().value))?;
            Ok::<_, PyErr>(object(py, &matches)?.unbind())
        };
        Ok(self.scores.get_or_try_init(py, make)?.clone_ref(py))
    }

    /// Why `scores` is empty, in a sentence: no level, a warm-up without a start, or nobody who plays. `None` where there are scores.
    #[getter]
    fn no_match(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.ask(py, |recording| Ok(recording.scores().value.is_empty().then(|| recording.no_match().sentence())))
    }

    /// What happened, in the order of the recording: a list of dictionaries, each with its `sentence`. `kinds` are names such as `"kill"` and `"chat"`;
    /// all by default.
    #[pyo3(signature = (kinds = None))]
    fn events<'py>(&self, py: Python<'py>, kinds: Option<Vec<String>>) -> PyResult<Bound<'py, PyAny>> {
        let wanted = match kinds {
            None => Kinds::ALL,
            Some(names) => names.iter().map(|name| kind(name)).collect::<PyResult<_>>()?,
        };
        let events: Vec<Event> = self.ask(py, move |recording| Ok(recording.events(wanted).collect()))?;
        object(py, &events)
    }

    /// Everything known at the last frame at or before a time.
    #[pyo3(signature = (time, clock = "demo"))]
    fn at<'py>(&self, py: Python<'py>, time: Time, clock: &str) -> PyResult<Bound<'py, PyAny>> {
        let when = when(&time, clock)?;
        object(py, &self.ask(py, move |recording| recording.state_at(when))?)
    }

    /// Decodes everything, encodes it again, compares the bytes, and says what is broken and where.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.ask(py, |recording| Ok(recording.verify()))?)
    }

    /// Whether it is one unbroken recording, with what speaks against it.
    fn audit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.ask(py, |recording| Ok(recording.audit()))?)
    }

    /// The recording's bytes, unpacked.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.recording.bytes())
    }

    /// A recording travels to other processes as its bytes.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>, String)) {
        let demo = slf.get();
        (slf.get_type(), (demo.__bytes__(slf.py()), demo.path.clone()))
    }

    fn __repr__(&self) -> String {
        format!("Demo({:?})", self.path)
    }
}

/// The bytes of a source, and its name if it has one.
fn bytes_of(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<(Vec<u8>, Option<String>)> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Ok((bytes.as_bytes().to_vec(), None));
    }
    if source.cast::<PyString>().is_ok_and(|text| text.to_string_lossy().contains("://")) {
        let bytes = py.import("fragreel._places")?.call_method1("fetch", (source,))?;
        return Ok((bytes.extract()?, Some(source.extract()?)));
    }
    if let Ok(path) = source.extract::<PathBuf>() {
        let shown = path.display().to_string();
        let read = away(py, move || crate::places::read(&path))?;
        return read.map(|(bytes, name)| (bytes, Some(name))).map_err(|failure| failed(py, failure, &shown));
    }
    if source.hasattr("read")? {
        let read = source.call_method0("read")?;
        let bytes = read.cast::<PyBytes>().map_err(|_| PyTypeError::new_err("the file does not give bytes: open it with mode \"rb\""))?;
        // the number of a file without a name is an integer
        let name = source.getattr("name").ok().and_then(|name| name.extract().ok());
        return Ok((bytes.as_bytes().to_vec(), name));
    }
    match PyMemoryView::from(source) {
        Ok(view) => Ok((view.call_method0("tobytes")?.extract()?, None)),
        Err(_) => Err(PyTypeError::new_err("give a path, an address, bytes, or a file that is open for reading bytes")),
    }
}

fn kind(name: &str) -> PyResult<Kind> {
    let all = || Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    Kind::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| misuse(format!("there are no events {name:?}: there are {}", all())))
}
