//! Kinds of failures, for machines.

use std::error::Error;
use std::io;

use fragreel::ErrorKind;
use serde::{Serialize, Serializer};

/// What kind of failure it is. docs/json.md describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    NotFound,
    Forbidden,
    Io,
    Malformed,
    Unsupported,
    Limit,
    Misuse,
    Fault,
}

impl FailureKind {
    /// Its name in answers for machines.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::NotFound => "not_found",
            FailureKind::Forbidden => "forbidden",
            FailureKind::Io => "io",
            FailureKind::Malformed => "malformed",
            FailureKind::Unsupported => "unsupported",
            FailureKind::Limit => "limit",
            FailureKind::Misuse => "misuse",
            FailureKind::Fault => "fault",
        }
    }

    /// The kind of an error, or of the first of its causes that has one.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| Error::source(*error)).find_map(|error| {
            let of_library = || error.downcast_ref::<fragreel::Error>().map(|error| error.kind().into());
            let of_system = || {
                let error = error.downcast_ref::<io::Error>()?;
                // what it wraps is not among its sources
                Some(error.get_ref().and_then(|inner| FailureKind::of(inner)).unwrap_or_else(|| error.kind().into()))
            };
            of_library().or_else(of_system)
        })
    }
}

impl Serialize for FailureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl From<ErrorKind> for FailureKind {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Io => FailureKind::Io,
            ErrorKind::Malformed => FailureKind::Malformed,
            ErrorKind::Unsupported => FailureKind::Unsupported,
            ErrorKind::Limit => FailureKind::Limit,
            ErrorKind::Misuse => FailureKind::Misuse,
            _ => FailureKind::Fault,
        }
    }
}

impl From<io::ErrorKind> for FailureKind {
    fn from(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::NotFound => FailureKind::NotFound,
            io::ErrorKind::PermissionDenied => FailureKind::Forbidden,
            io::ErrorKind::Unsupported => FailureKind::Unsupported,
            io::ErrorKind::FileTooLarge => FailureKind::Limit,
            // a decompressor's words for a broken file
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => FailureKind::Malformed,
            _ => FailureKind::Io,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FailureKind;

    #[test]
    fn a_kind_is_found_below_other_causes() {
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        assert_eq!(FailureKind::of(&denied), Some(FailureKind::Forbidden));
        let opened = fragreel::Recording::open(&b"no recording"[..], "x.txt");
        let wrapped = std::io::Error::other(opened.expect_err("it is none"));
        assert_eq!(FailureKind::of(&wrapped), Some(FailureKind::Unsupported));
        assert_eq!(FailureKind::of(&std::fmt::Error), None);
    }
}
