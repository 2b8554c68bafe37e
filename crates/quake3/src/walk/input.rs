//! A recording's bytes and the rules to read them by.

use fragreel_base::wire::{Error, Limits};

use crate::container::{Frames, Piece};
use crate::dialect::Dialect;

/// What every question starts from.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a> {
    /// The whole recording.
    pub bytes: &'a [u8],
    /// The rules that it follows.
    pub dialect: &'static Dialect,
    /// The protocol that the file extension hints at.
    pub hinted: Option<u16>,
    /// The limits on damage lists and sizes.
    pub limits: Limits,
}

impl<'a> Input<'a> {
    /// Detects the dialect from the first messages. `extension` (`dm_68`) decides where the content states none.
    pub(crate) fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is larger than the limits allow"));
        }
        let hinted = extension.and_then(Dialect::hinted);
        Ok(Input { bytes, dialect: crate::detect::dialect(bytes, extension)?, hinted, limits })
    }

    /// The same recording with other bytes: more, which begin with those that it has, or those of a chunk.
    pub(crate) fn with_bytes<'b>(&self, bytes: &'b [u8]) -> Input<'b> {
        Input { bytes, dialect: self.dialect, hinted: self.hinted, limits: self.limits }
    }

    /// The file extension for a recording made of this one. CPMA servers state a protocol that their recordings do not follow, so the
    /// extension of the file goes first where it fits the content.
    pub(crate) fn extension(&self) -> String {
        if matches!(Frames::new(self.bytes).next(), Some(Piece::Prologue(_))) {
            return String::from("urtdemo");
        }
        let hinted = self.hinted.and_then(Dialect::of).filter(|hinted| hinted.layout == self.dialect.layout && hinted.line == self.dialect.line);
        hinted.unwrap_or(self.dialect).extension()
    }
}
