//! Verification by two threads.

use std::sync::Arc;

use fragreel_base::wire::Error;
use fragreel_model::Verification;
use fragreel_model::replay::{Share, Split};

use crate::{LongRecording, Recording};

/// Work for one thread.
pub type Task<'a, T> = Box<dyn FnOnce() -> T + Send + 'a>;

impl Recording {
    /// The same as [`verify`](Self::verify), but two threads share the encoding.
    ///
    /// `join` must run both tasks and return their results, as `rayon::join` does. If the second task starts late or after the first, the first does all
    /// the work. For long recordings, two threads are 1.3 to 1.6 times as fast as one (docs/performance.md).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let report = recording.verify_by_two(|first, second| {
    ///     std::thread::scope(|threads| {
    ///         let second = threads.spawn(second);
    ///         (first(), second.join().expect("no task panics"))
    ///     })
    /// });
    /// assert_eq!(report, recording.verify());
    /// # Ok(())
    /// # }
    /// ```
    pub fn verify_by_two<J>(&self, join: J) -> Verification
    where
        J: FnOnce(Task<'_, Verification>, Task<'_, Option<Verification>>) -> (Verification, Option<Verification>),
    {
        let (inner, split) = (self.inner(), Split::new(self.bytes().len() as u64));
        let (first, second) = shared(&split, join, |share| inner.verify(share));
        self.verified(both(first, second))
    }
}

impl LongRecording {
    /// The same as [`Recording::verify_by_two`].
    ///
    /// # Errors
    /// If reading fails.
    pub fn verify_by_two<J>(&self, join: J) -> Result<Verification, Error>
    where
        J: FnOnce(Task<'_, Report>, Task<'_, Option<Report>>) -> (Report, Option<Report>),
    {
        let split = Split::new(self.length() as u64);
        let (first, second) = shared(&split, join, |share| self.verify_share(share));
        Ok(both(first?, second.transpose()?))
    }
}

/// The result of a walk over a file.
type Report = Result<Verification, Error>;

/// Verifies both shares.
fn shared<T>(split: &Arc<Split>, join: impl FnOnce(Task<'_, T>, Task<'_, Option<T>>) -> (T, Option<T>), verify: impl Fn(Share) -> T + Sync) -> (T, Option<T>) {
    let first = || {
        let report = verify(split.first());
        split.close();
        report
    };
    join(Box::new(first), Box::new(|| split.second().map(&verify)))
}

/// Combines the reports of both walks. Without a second walk, the first walk went to the end.
fn both(first: Verification, second: Option<Verification>) -> Verification {
    match second {
        Some(second) => second.behind(first),
        None => first,
    }
}
