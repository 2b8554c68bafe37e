//! What can go wrong for the person at the keyboard, and what to do next.

mod kind;

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use miette::Diagnostic;

use crate::output::{self, printable};

pub use kind::FailureKind;

/// A failure with its cause and an advice. What it shows is safe to show; names of files and what recordings say is in it.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    what: String,
    help: Option<String>,
    cause: Option<Cause>,
    file: Option<String>,
}

/// Why it happened, and why that did.
#[derive(Debug)]
struct Cause {
    what: String,
    cause: Option<Box<Cause>>,
}

impl Failure {
    /// A failure in one sentence.
    pub fn new(what: impl Into<String>) -> Self {
        Failure { kind: FailureKind::Misuse, what: what.into(), help: None, cause: None, file: None }
    }

    /// What to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same without its advice, if that is to go.
    #[must_use]
    pub fn without_help_if(mut self, goes: impl FnOnce(&str) -> bool) -> Self {
        self.help = self.help.filter(|help| !goes(help));
        self
    }

    /// The one file that it is about, as [`crate::input::name`] names it.
    #[must_use]
    pub fn about(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The file that it is about, where it is about one.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Sets what kind of failure it is. By default it is the kind of its cause, or misuse.
    #[must_use]
    pub fn kind(mut self, kind: FailureKind) -> Self {
        self.kind = kind;
        self
    }

    /// The kind that it has.
    pub fn kind_of(&self) -> FailureKind {
        self.kind
    }

    /// Why it happened.
    #[must_use]
    pub fn because(mut self, cause: impl std::error::Error + 'static) -> Self {
        self.kind = FailureKind::of(&cause).unwrap_or(self.kind);
        self.cause = Some(Cause::of(&cause));
        self
    }

    /// What went wrong and why, in one line, as it is.
    pub fn one_line(&self) -> String {
        match &self.cause {
            Some(cause) => format!("{}: {}", self.what, cause.what),
            None => self.what.clone(),
        }
    }
}

impl Cause {
    fn of(error: &dyn std::error::Error) -> Self {
        Cause { what: error.to_string(), cause: error.source().map(|source| Box::new(Cause::of(source))) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.what))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.what))
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}

impl Diagnostic for Failure {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(printable(help)) as _)
    }
}

/// Whether another program has a file open and shares it with nobody, as programs of Windows may.
pub fn is_open_elsewhere(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && matches!(error.raw_os_error(), Some(SHARING_VIOLATION | LOCK_VIOLATION))
}

/// Does work on a recording. A fault of ours must neither look like one of the user's nor cost the work on other files.
/// `advice`: a sentence on what became of the output, or nothing.
pub fn guarded<T>(name: &str, advice: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let ours = "This is a bug in Fragreel. Please report it, with the file and the message above.";
        Err(Failure::new(format!("internal error while reading `{name}`")).kind(FailureKind::Fault).help(format!("{advice}{ours}")))
    })
}

/// Lets nothing from a recording command the terminal when we break down either.
pub fn show_panics_safely() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.to_string();
        let lines: Vec<_> = text.lines().map(printable).collect();
        if lines.iter().all(|line| matches!(line, std::borrow::Cow::Borrowed(_))) {
            return before(info);
        }
        eprintln!("{}", lines.join("\n"));
    }));
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
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if output::is_closed(&error) {
            Stop::PipeClosed
        } else {
            Failure::new("cannot write the output").because(error).help("Check free space, and that the terminal is still open.").into()
        }
    }
}
