//! A recording's bytes, unpacked, and the way to a [`Recording`].

use std::borrow::Cow;

use fragreel_base::wire::{Error, Limits};
use fragreel_detect::{candidates, extension};
use fragreel_model::Damage;

use crate::Recording;
use crate::family::Inner;
use crate::foreign::unknown;

/// A recording's bytes, unpacked where they came compressed, and what its file's name hints at.
#[derive(Debug, Clone)]
pub struct Demo<'a> {
    bytes: Cow<'a, [u8]>,
    extension: Option<String>,
    compressed: bool,
    packing: Vec<Damage>,
    limits: Limits,
}

impl<'a> Demo<'a> {
    /// Takes the bytes of a recording, compressed with gzip, packed by Fragreel, or neither, and the name of its file (or nothing: `""`).
    /// The name is only a hint for content that does not say what it is.
    ///
    /// A compressed file that is cut off or corrupt gives what could be unpacked; the [`Recording`]'s answers report the damage.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) when what is packed does not begin as a recording does: then no more of it
    /// is unpacked. [`ErrorKind::Limit`](fragreel_base::wire::ErrorKind::Limit) when unpacking would exceed the default [`Limits`], or gives so much
    /// more than goes in that it can be no recording.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>, name: &str) -> Result<Self, Error> {
        Self::with_limits(bytes, name, Limits::default())
    }

    /// [`new`](Self::new) under other limits.
    pub fn with_limits(bytes: impl Into<Cow<'a, [u8]>>, name: &str, limits: Limits) -> Result<Self, Error> {
        let bytes = bytes.into();
        let plain = |bytes| Demo { bytes, extension: extension(name), compressed: false, packing: Vec::new(), limits };
        #[cfg(feature = "gzip")]
        if crate::gzip::is_gzip(&bytes) {
            let head = crate::gzip::head(&bytes);
            if !head.is_empty() && candidates(&head, extension(name).as_deref()).is_empty() {
                return Err(unknown(&head, extension(name).as_deref()));
            }
            let (unpacked, packing) = crate::gzip::unpack(&bytes, &limits)?;
            return Ok(Demo { compressed: true, packing, ..plain(Cow::Owned(unpacked)) });
        }
        #[cfg(feature = "pack")]
        if crate::packing::is_packed(&bytes) {
            let (unpacked, damage) = crate::packing::unpack_within(&bytes, &limits)?;
            let hint = extension(name).or_else(|| extension(&String::from_utf8_lossy(&unpacked.head.name)));
            return Ok(Demo { compressed: true, extension: hint, packing: damage.into_iter().collect(), ..plain(Cow::Owned(unpacked.bytes)) });
        }
        Ok(plain(bytes))
    }

    /// The recording's bytes, after decompression. Every offset in an answer counts from the first of them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends bytes to a recording that is still being written.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) when they came compressed, [`ErrorKind::Limit`](fragreel_base::wire::ErrorKind::Limit) when it would be larger than
    /// the [`Limits`] allow.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.compressed {
            return Err(Error::unsupported("a compressed recording cannot grow"));
        }
        if (self.bytes.len() as u64).saturating_add(bytes.len() as u64) > self.limits.recording_bytes {
            return Err(Error::limit("the recording has grown larger than is allowed"));
        }
        self.bytes.to_mut().extend_from_slice(bytes);
        Ok(())
    }

    /// The same, with bytes of its own.
    pub fn into_owned(self) -> Demo<'static> {
        Demo { bytes: Cow::Owned(self.bytes.into_owned()), ..self }
    }

    /// Whether they came compressed.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// Finds out what the recording is, from its content first, and opens it.
    ///
    /// # Errors
    /// When no family knows the bytes, or the one that does cannot make anything of them.
    pub fn open(&self) -> Result<Recording<'_>, Error> {
        let extension = self.extension.as_deref();
        let mut first_error = None;
        for (family, _) in candidates(&self.bytes, extension) {
            match Inner::open(family, &self.bytes, extension, self.limits) {
                Ok(inner) => return Ok(Recording { family, inner, packing: &self.packing, limits: self.limits }),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        // Another format under a recording's name is named, rather than what a family stumbled over.
        let is_foreign = crate::foreign::describe(&self.bytes, extension).is_some();
        match first_error {
            Some(error) if !is_foreign => Err(error),
            _ if self.bytes.is_empty() => Err(nothing()),
            _ => Err(unknown(&self.bytes, extension)),
        }
    }
}

#[cold]
fn nothing() -> Error {
    Error::malformed("not a recognized recording format: the file is empty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_base::wire::ErrorKind;

    #[test]
    fn what_is_no_recording_is_refused_with_the_reason() {
        let nothing = Demo::new(&b""[..], "").unwrap();
        assert_eq!(nothing.open().err().unwrap().kind(), ErrorKind::Malformed);
        let packed = Demo::new(crate::edit::packed(&[b'x'; 3 << 20]), "x.gz");
        assert_eq!(packed.err().unwrap().kind(), ErrorKind::Unsupported, "not more than its head is unpacked");
        let text = Demo::new(&b"just some words, and not few of them at that"[..], "").unwrap();
        assert_eq!(text.open().err().unwrap().kind(), ErrorKind::Unsupported);
    }
}
