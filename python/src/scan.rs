//! Many recordings as one table.

use std::sync::{Arc, Mutex, PoisonError};

use fragreel_tables::Query;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::Error;
use crate::reader::{Job, Reader};
use crate::table::{Table, capsule_of_schema, query, stream};

/// A table over many recordings: read when it is taken, on all cores, a few batches ahead of the caller. Take it as Arrow
/// (`polars.DataFrame(scan)`, `pyarrow.table(scan)`), or batch by batch in a `for` loop.
#[pyclass(frozen, module = "fragreel")]
pub struct Scan {
    paths: Vec<String>,
    query: Query,
    jobs: usize,
    open: Option<Py<PyAny>>,
    strict: bool,
    progress: Option<Py<PyAny>>,
    failures: Arc<Mutex<Vec<(String, String)>>>,
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (paths, table, columns = None, *, r#where = None, hz = None, jobs = None, strict = true, open = None, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        paths: Vec<String>,
        table: &str,
        columns: Option<Vec<String>>,
        r#where: Option<Vec<String>>,
        hz: Option<f64>,
        jobs: Option<usize>,
        strict: bool,
        open: Option<Py<PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let jobs = jobs.filter(|&jobs| jobs > 0).unwrap_or_else(cores);
        Ok(Scan { paths, query: query(table, columns, r#where, hz)?, jobs, open, strict, progress, failures: Arc::default() })
    }

    /// Recordings that could not be read, and why, as far as the scan has come.
    #[getter]
    fn failures(&self) -> Vec<(String, String)> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The schema, for libraries that use the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule_of_schema(py, &fragreel_tables::arrow::schema(&self.query))
    }

    /// The rows, for libraries that use the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(&self, py: Python<'py>, requested_schema: Option<Bound<'py, PyCapsule>>) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, Box::new(self.start(py)), requested_schema.as_ref())
    }

    fn __iter__(&self, py: Python<'_>) -> Batches {
        Batches(Mutex::new(self.start(py)))
    }

    /// All rows.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let mut reader = self.start(py);
        let mut batches = Vec::new();
        for batch in reader.by_ref() {
            batches.push(batch.map_err(raised)?);
        }
        Ok(Table::new(fragreel_tables::arrow::schema(&self.query), batches))
    }

    fn __repr__(&self) -> String {
        format!("Scan({} recordings, {})", self.paths.len(), self.query.table().name)
    }
}

impl Scan {
    fn start(&self, py: Python<'_>) -> Reader {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let refer = |object: &Option<Py<PyAny>>| object.as_ref().map(|object| object.clone_ref(py));
        Reader::start(Job {
            paths: self.paths.clone(),
            query: self.query.clone(),
            jobs: self.jobs,
            open: refer(&self.open),
            strict: self.strict,
            progress: refer(&self.progress),
            failures: self.failures.clone(),
        })
    }
}

/// The batches of a scan.
#[pyclass(frozen, module = "fragreel")]
pub struct Batches(Mutex<Reader>);

#[pymethods]
impl Batches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<Table>> {
        // Two threads that pull from one loop take turns.
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(batch) = reader.next() else { return Ok(None) };
        let batch = batch.map_err(raised)?;
        Ok(Some(Table::new(batch.schema(), vec![batch])))
    }
}

/// The exception inside an error of Arrow.
fn raised(error: arrow_schema::ArrowError) -> PyErr {
    match error {
        arrow_schema::ArrowError::ExternalError(inner) => match inner.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => Error::new_err(other.to_string()),
        },
        other => Error::new_err(other.to_string()),
    }
}
