//! What can go wrong for the person at the keyboard, and what to do next.

use std::panic::{AssertUnwindSafe, catch_unwind};

use miette::Diagnostic;
use thiserror::Error;

/// A failure with its cause and an advice.
#[derive(Debug, Error, Diagnostic)]
#[error("{what}")]
pub struct Failure {
    what: String,
    #[help]
    help: Option<String>,
    #[source]
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure in one sentence.
    pub fn new(what: impl Into<String>) -> Self {
        Failure { what: what.into(), help: None, cause: None }
    }

    /// What to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Why it happened.
    #[must_use]
    pub fn because(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }

    /// What went wrong and why, in one line.
    pub fn one_line(&self) -> String {
        match &self.cause {
            Some(cause) => format!("{}: {cause}", self.what),
            None => self.what.clone(),
        }
    }
}

/// Does work on a recording. A fault of ours must neither look like one of the user's nor cost the work on other files.
/// `advice`: a sentence on what became of the output, or nothing.
pub fn guarded<T>(name: &str, advice: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let ours = "That is a fault of Fragreel's, not yours: please report it, with the file and the message above.";
        Err(Failure::new(format!("Fragreel broke down over `{name}`")).help(format!("{advice}{ours}")))
    })
}

/// Why a command stopped before its end.
pub enum Stop {
    /// Nobody reads the output any more. That is no error.
    PipeClosed,
    /// It cannot go on.
    Failed(Box<Failure>),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(Box::new(failure))
    }
}

/// Only writing to standard output is turned into a stop this way; reading failures name their file.
impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Stop::PipeClosed
        } else {
            Failure::new("cannot write the output").because(error).help("Is the disk full, or the terminal gone?").into()
        }
    }
}
