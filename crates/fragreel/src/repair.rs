//! A file that plays, made of what is whole in a damaged one.

use wire::Error;

use crate::Recording;
use crate::family::Inner;

/// A repaired recording and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The whole new file; the old bytes when nothing had to be done.
    pub bytes: Vec<u8>,
    /// What was done, in words and in file order; empty when nothing had to be done.
    pub actions: Vec<String>,
}

impl Recording<'_> {
    /// Makes a file that plays of what is whole in this one. Everything whole is copied as it is.
    ///
    /// # Errors
    /// [`Fault::Unsupported`](wire::Fault::Unsupported) for families that are not repaired, and
    /// [`Fault::Malformed`](wire::Fault::Malformed) when there is nothing whole to start from.
    pub fn repair(&self) -> Result<Repaired, Error> {
        match &self.inner {
            Inner::GoldSrc(recording) => recording.repair().map(|goldsrc::Repaired { bytes, actions }| Repaired { bytes, actions }),
            _ => Err(Error::unsupported(format!("{} recordings are not repaired", self.family))),
        }
    }
}
