//! Rows of many recordings, read on all cores and handed on in the order of the files.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use crossbeam_channel::{Receiver, Sender, bounded};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tables::Query;

use crate::error::{Error, exception};
use crate::work::wait;

/// Why a recording gave no more rows.
pub enum Failure {
    /// The library says so.
    Library(Box<fragreel::Error>),
    /// The file could not be read.
    File(std::io::Error),
    /// Anything else.
    Other(String),
}

impl From<fragreel::Error> for Failure {
    fn from(error: fragreel::Error) -> Self {
        Failure::Library(Box::new(error))
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        Failure::Other(error.to_string())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Library(error) => error.fmt(f),
            Failure::File(error) => error.fmt(f),
            Failure::Other(words) => f.pad(words),
        }
    }
}

/// The exception for a failure.
pub fn failed(py: Python<'_>, failure: Failure) -> PyErr {
    match failure {
        Failure::Library(error) => exception(py, &error),
        Failure::File(error) => PyOSError::new_err(error.to_string()),
        Failure::Other(words) => Error::new_err(words),
    }
}

/// What is to be read, and how.
pub struct Job {
    /// The files, or what `open` takes.
    pub paths: Vec<String>,
    /// Which rows of them.
    pub query: Query,
    /// How many at a time.
    pub jobs: usize,
    /// A Python function from a path to bytes, for what is no file here.
    pub open: Option<Py<PyAny>>,
    /// Whether a recording that cannot be read ends it all.
    pub strict: bool,
    /// Called with the number of recordings done and of all.
    pub progress: Option<Py<PyAny>>,
    /// Where failures are noted.
    pub failures: Arc<Mutex<Vec<(String, String)>>>,
}

/// One recording's rows, as they are made.
type Rows = Receiver<Result<RecordBatch, Failure>>;

/// How many batches a recording may be ahead of whoever reads.
const AHEAD: usize = 4;

/// The rows of all recordings, in order.
pub struct Reader {
    schema: SchemaRef,
    queue: Receiver<(usize, Rows)>,
    current: Option<(usize, Rows)>,
    job: Arc<Job>,
    done: usize,
}

impl Reader {
    /// Begins to read.
    pub fn start(job: Job) -> Self {
        let schema = tables::arrow::schema(&job.query);
        let job = Arc::new(job);
        let (announce, queue) = bounded(2 * job.jobs);
        let next = Arc::new(Mutex::new((0, announce)));
        for _ in 0..job.jobs.min(job.paths.len()) {
            let (job, next, schema) = (job.clone(), next.clone(), schema.clone());
            thread::spawn(move || {
                while let Some((at, rows)) = take(&next, job.paths.len()) {
                    if let Err(failure) = job.read(&job.paths[at], &schema, &rows) {
                        // Nobody listens any more when this fails.
                        let _ = rows.send(Err(failure));
                    }
                }
            });
        }
        Reader { schema, queue, current: None, job, done: 0 }
    }

    /// The next batch, or the recording that failed and why.
    fn pull(&mut self) -> PyResult<Option<Result<RecordBatch, (usize, Failure)>>> {
        loop {
            let (at, rows) = match self.current.take() {
                Some(current) => current,
                None => match Python::attach(|py| wait(py, &self.queue))? {
                    Some(next) => next,
                    None => return Ok(None),
                },
            };
            match Python::attach(|py| wait(py, &rows))? {
                Some(Ok(batch)) => {
                    self.current = Some((at, rows));
                    return Ok(Some(Ok(batch)));
                }
                Some(Err(failure)) => {
                    self.report_progress()?;
                    return Ok(Some(Err((at, failure))));
                }
                None => self.report_progress()?,
            }
        }
    }

    fn report_progress(&mut self) -> PyResult<()> {
        self.done += 1;
        match &self.job.progress {
            Some(progress) => Python::attach(|py| progress.call1(py, (self.done, self.job.paths.len())).map(drop)),
            None => Ok(()),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.pull().transpose()? {
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
                Ok(Ok(batch)) => return Some(Ok(batch)),
                Ok(Err((at, failure))) => {
                    let (path, words) = (self.job.paths[at].clone(), failure.to_string());
                    let all = format!("{path}: {words}");
                    self.job.failures.lock().unwrap_or_else(PoisonError::into_inner).push((path, words));
                    if self.job.strict {
                        return Some(Err(ArrowError::ExternalError(all.into())));
                    }
                }
            }
        }
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Takes the next recording, and announces its rows in its turn.
fn take(next: &Mutex<(usize, Sender<(usize, Rows)>)>, count: usize) -> Option<(usize, Sender<Result<RecordBatch, Failure>>)> {
    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
    if next.0 == count {
        return None;
    }
    let (sender, rows) = bounded(AHEAD);
    next.1.send((next.0, rows)).ok()?;
    next.0 += 1;
    Some((next.0 - 1, sender))
}

impl Job {
    fn read(&self, path: &str, schema: &SchemaRef, rows: &Sender<Result<RecordBatch, Failure>>) -> Result<(), Failure> {
        let demo = fragreel::Demo::new(self.bytes(path)?, path)?;
        let recording = demo.open()?;
        let source = tables::Source::new(&demo, &recording, path);
        for batch in tables::Batches::new(&source, &self.query) {
            if rows.send(Ok(tables::arrow::record_batch(schema, batch)?)).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Failure> {
        match &self.open {
            None => std::fs::read(PathBuf::from(path)).map_err(Failure::File),
            Some(open) => Python::attach(|py| {
                let bytes = open.call1(py, (path,)).map_err(|error| Failure::Other(error.to_string()))?;
                let bytes = bytes.bind(py).cast::<PyBytes>().map_err(|error| Failure::Other(error.to_string()))?;
                Ok(bytes.as_bytes().to_vec())
            }),
        }
    }
}
