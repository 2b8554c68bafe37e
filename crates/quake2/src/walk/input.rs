//! The input of every walk.

use fragreel_base::wire::{Error, Limits};

use crate::detect::{Framing, identify};
use crate::dialect::Dialect;

/// The bytes of a recording, and how to read them.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The whole file, decompressed.
    pub bytes: &'a [u8],
    /// How the file is framed.
    pub container: Framing,
    /// The dialect in force before the first message.
    pub dialect: Dialect,
    /// Limits on sizes and on the number of findings.
    pub limits: Limits,
}

impl<'a> Input<'a> {
    /// Detects container and dialect from the start of the file.
    ///
    /// Fails if `bytes` is longer than the limit, or not a recording of this family.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is longer than the limit"));
        }
        match identify(bytes, extension) {
            Some(found) => Ok(Input { bytes, container: found.framing, dialect: found.dialect, limits }),
            None => Err(Error::malformed("this is not a recording of the Quake II family").at_offset(0)),
        }
    }

    /// The same recording with other bytes, such as a longer prefix of a growing file.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Input<'b> {
        Input { bytes, container: self.container, dialect: self.dialect, limits: self.limits }
    }
}
