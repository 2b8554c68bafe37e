//! What went wrong, by whose fault, and exactly where.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::{self, Write as _};

/// Whose fault an [`Error`] is. Match on this, never on the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The reader or writer underneath failed.
    Io,
    /// The recording breaks a rule of its format.
    Malformed,
    /// The format is known, but this part of it is not handled.
    Unsupported,
    /// A [`Limits`](crate::wire::Limits) policy was exceeded.
    Limit,
    /// The caller asked for something that makes no sense.
    Misuse,
}

impl ErrorKind {
    /// The stable lower-case name used in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Io => "io",
            ErrorKind::Malformed => "malformed",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Limit => "limit",
            ErrorKind::Misuse => "misuse",
        }
    }
}

/// One step of the path to a field: `entity 43`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Crumb {
    /// What is being read, in the terms of the format document.
    pub name: &'static str,
    /// Which one, where there are several.
    pub index: Option<u32>,
}

/// An error with its position: file offset, bit and breadcrumb. One word wide.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Body>);

#[derive(Clone, PartialEq, Eq)]
struct Body {
    kind: ErrorKind,
    detail: Cow<'static, str>,
    offset: Option<u64>,
    bit: Option<u64>,
    /// Innermost first; turned round when shown.
    path: Vec<Crumb>,
}

impl Error {
    /// An error without a position yet.
    #[cold]
    pub fn new(kind: ErrorKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Body { kind, detail: detail.into(), offset: None, bit: None, path: Vec::new() }))
    }

    /// The recording breaks a rule.
    #[cold]
    pub fn malformed(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Malformed, detail)
    }

    /// The format is known, this part of it is not handled.
    #[cold]
    pub fn unsupported(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unsupported, detail)
    }

    /// A limit of the caller's was exceeded.
    #[cold]
    pub fn limit(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Limit, detail)
    }

    /// The caller asked for something that makes no sense.
    #[cold]
    pub fn misuse(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Misuse, detail)
    }

    /// Sets the bit position inside the message, unless a deeper layer already did.
    #[cold]
    #[must_use]
    pub fn at_bit(mut self, bit: u64) -> Self {
        self.0.bit.get_or_insert(bit);
        self
    }

    /// Sets the file offset, unless a deeper layer already did.
    #[cold]
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Says where the message that failed starts in the file: its first byte plus the faulty bit's byte
    /// becomes the offset.
    #[cold]
    #[must_use]
    pub fn in_message_at(self, start: u64) -> Self {
        let bit = self.0.bit.unwrap_or(0);
        self.at_offset(start + bit / 8)
    }

    /// Adds an outer step to the breadcrumb.
    #[cold]
    #[must_use]
    pub fn inside(mut self, name: &'static str, index: Option<u32>) -> Self {
        self.0.path.push(Crumb { name, index });
        self
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The rule that was broken, without the position.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// File offset of the faulty byte.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Bit inside the message (bit 0 is the message's first).
    pub fn bit(&self) -> Option<u64> {
        self.0.bit
    }

    /// The breadcrumb, outermost step first.
    pub fn path(&self) -> impl Iterator<Item = Crumb> + Clone + '_ {
        self.0.path.iter().rev().copied()
    }

    /// The breadcrumb as shown to people: `message 812 › snapshot › entity 43`.
    pub fn path_text(&self) -> String {
        path_text(self.path())
    }
}

/// A path to a field as shown to people, outermost part first.
pub fn path_text(path: impl Iterator<Item = Crumb> + Clone) -> String {
    const SEPARATOR: &str = " › ";
    const INDEX: usize = 11;
    let most = path.clone().map(|crumb| crumb.name.len() + if crumb.index.is_some() { INDEX } else { 0 } + SEPARATOR.len()).sum();
    let mut text = String::with_capacity(most);
    for crumb in path {
        if !text.is_empty() {
            text.push_str(SEPARATOR);
        }
        text.push_str(crumb.name);
        if let Some(index) = crumb.index {
            let _ = write!(text, " {index}");
        }
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)?;
        if !self.0.path.is_empty() {
            write!(f, " ({})", self.path_text())?;
        }
        match (self.0.offset, self.0.bit) {
            (Some(offset), Some(bit)) => write!(f, " at offset {offset}, bit {bit} of the message"),
            (Some(offset), None) => write!(f, " at offset {offset}"),
            (None, Some(bit)) => write!(f, " at bit {bit}"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// What a wire's error must offer so that the breadcrumb is added on the way out and success pays nothing.
pub trait WireError {
    /// Adds an outer step to the breadcrumb.
    #[must_use]
    fn inside(self, name: &'static str, index: Option<u32>) -> Self;

    /// What a cursor answers where `rule` does not hold at this bit: a reader fails, a writer asserts it in debug builds.
    fn broken(rule: &'static str, bit: u64) -> Result<(), Self>
    where
        Self: Sized;
}

impl WireError for Error {
    fn inside(self, name: &'static str, index: Option<u32>) -> Self {
        Error::inside(self, name, index)
    }

    #[inline(always)]
    fn broken(rule: &'static str, bit: u64) -> Result<(), Self> {
        Err(Error::malformed(rule).at_bit(bit))
    }
}

impl WireError for Infallible {
    fn inside(self, _: &'static str, _: Option<u32>) -> Self {
        self
    }

    fn broken(rule: &'static str, _: u64) -> Result<(), Self> {
        debug_assert!(false, "{rule}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_one_word_and_reads_as_a_path() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        let error = Error::malformed("field count exceeds the table").at_bit(91).inside("entity", Some(43)).inside("snapshot", None).in_message_at(1000);
        assert_eq!(error.to_string(), "field count exceeds the table (snapshot › entity 43) at offset 1011, bit 91 of the message");
    }
}
