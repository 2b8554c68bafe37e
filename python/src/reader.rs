//! Rows of many recordings, read on all cores and handed on in the order of the files.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use fragreel_tables::Query;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::{Failure, failed};
use crate::work::wait;

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

/// One recording's rows, as they are made: batches with the bytes that they take.
type Rows = Receiver<Result<(RecordBatch, usize), Failure>>;
type Sending = Sender<Result<(RecordBatch, usize), Failure>>;

/// How many batches a recording may be ahead of the reader.
const AHEAD: usize = 4;
/// Recordings that may be under way or waiting for their turn, for each thread.
const WINDOW: usize = 2;
/// The same while their rows are few, so that nobody waits for one large recording before them.
const WINDOW_OF_FEW: usize = 32;
/// How many bytes few rows may have together.
const FEW: usize = 16 << 20;

/// The rows of all recordings, in order.
pub struct Reader {
    schema: SchemaRef,
    queue: Receiver<(usize, Rows)>,
    current: Option<(usize, Rows)>,
    job: Arc<Job>,
    turns: Arc<Turns>,
    done: usize,
}

/// Which recording comes next, and whether it may.
#[derive(Default)]
struct Turns {
    ahead: Mutex<Ahead>,
    change: Condvar,
}

/// How far the threads that make rows are ahead of the reader.
#[derive(Default)]
struct Ahead {
    /// The next recording.
    next: usize,
    /// Recordings that were begun and not read to their end.
    recordings: usize,
    /// Bytes of batches that wait.
    bytes: usize,
    /// Nobody reads any more.
    stopped: bool,
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next recording when it may be begun, and announces its rows in its turn.
    fn take(&self, job: &Job, announce: &Sender<(usize, Rows)>) -> Option<(usize, Sending)> {
        let may = |ahead: &Ahead| ahead.recordings < job.jobs * WINDOW || (ahead.recordings < job.jobs * WINDOW_OF_FEW && ahead.bytes < FEW);
        let waits = |ahead: &mut Ahead| !ahead.stopped && ahead.next < job.paths.len() && !may(ahead);
        let mut ahead = self.change.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        if ahead.stopped || ahead.next == job.paths.len() {
            return None;
        }
        let (sender, rows) = bounded(AHEAD);
        announce.send((ahead.next, rows)).ok()?;
        ahead.next += 1;
        ahead.recordings += 1;
        Some((ahead.next - 1, sender))
    }

    /// The reader has come further, or goes away.
    fn moved(&self, by: impl FnOnce(&mut Ahead)) {
        by(&mut self.lock());
        self.change.notify_all();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.turns.moved(|ahead| ahead.stopped = true);
    }
}

impl Reader {
    /// Begins to read.
    pub fn start(job: Job) -> Self {
        let schema = fragreel_tables::arrow::schema(&job.query);
        let (job, turns) = (Arc::new(job), Arc::<Turns>::default());
        let (announce, queue) = unbounded();
        for _ in 0..job.jobs.min(job.paths.len()) {
            let (job, turns, announce, schema) = (job.clone(), turns.clone(), announce.clone(), schema.clone());
            thread::spawn(move || {
                while let Some((at, rows)) = turns.take(&job, &announce) {
                    if let Err(failure) = job.read(&job.paths[at], &schema, &turns, &rows) {
                        // Nobody listens any more when this fails.
                        let _ = rows.send(Err(failure));
                    }
                }
            });
        }
        Reader { schema, queue, current: None, job, turns, done: 0 }
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
                Some(Ok((batch, bytes))) => {
                    self.turns.moved(|ahead| ahead.bytes -= bytes);
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

    /// A recording is read to its end.
    fn report_progress(&mut self) -> PyResult<()> {
        self.turns.moved(|ahead| ahead.recordings -= 1);
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
                    let path = self.job.paths[at].clone();
                    self.job.failures.lock().unwrap_or_else(PoisonError::into_inner).push((path.clone(), failure.to_string()));
                    if self.job.strict {
                        let raised = Python::attach(|py| failed(py, failure, &path));
                        return Some(Err(ArrowError::ExternalError(Box::new(raised))));
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

impl Job {
    fn read(&self, path: &str, schema: &SchemaRef, turns: &Turns, rows: &Sending) -> Result<(), Failure> {
        let recording = fragreel::Recording::open(self.bytes(path)?, path)?;
        let source = fragreel_tables::Source::new(&recording, path);
        for batch in fragreel_tables::Batches::new(&source, &self.query) {
            let batch = fragreel_tables::arrow::record_batch(schema, batch)?;
            let bytes = batch.get_array_memory_size();
            turns.lock().bytes += bytes;
            if rows.send(Ok((batch, bytes))).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Failure> {
        match &self.open {
            None => crate::places::read(Path::new(path)).map(|(bytes, _)| bytes),
            Some(open) => Python::attach(|py| {
                let bytes = open.call1(py, (path,)).map_err(Failure::Raised)?;
                let bytes = bytes.bind(py).cast::<PyBytes>().map_err(|error| Failure::Other(error.to_string()))?;
                Ok(bytes.as_bytes().to_vec())
            }),
        }
    }
}
