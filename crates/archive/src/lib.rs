//! Reads archives in place: zip and pk3, PAK, 7z, tar, xz, bzip2, Zstandard, Dzip and our own, RAR with the feature `rar`, and
//! Qizmo's recordings with the feature `qwz`.
//!
//! [`kind()`] detects an archive from its content. [`list`] names its members, [`extract`] returns one. Nothing is written to disk, so names such
//! as `../x` do no harm. [`Limits`] bounds the output: an archive that unpacks to far more than its size is refused.
//!
//! ```
//! use std::io::Cursor;
//! use fragreel_archive::{Limits, extract, kind, list};
//!
//! let packed = &*std::fs::read("tests/files/two.tar.bz2").unwrap();
//! let kind = kind("two.tar.bz2", packed).unwrap();
//! let listed = list(kind, "two.tar.bz2", Cursor::new(packed), &Limits::default(), &mut |name| name.ends_with(".txt"))?;
//! assert_eq!((listed.names.len(), listed.passed_over), (1, 1));
//! let bytes = extract(kind, "two.tar.bz2", Cursor::new(packed), &listed.names[0], &Limits::default())?;
//! assert_eq!(bytes, b"one\n");
//! # Ok::<(), fragreel_archive::Error>(())
//! ```

#![warn(unreachable_pub)]

mod bound;
mod dzip;
mod kind;
mod members;
pub mod packed;
mod pak;
#[cfg(feature = "qwz")]
mod qizmo;
#[cfg(feature = "rar")]
mod rar;
mod seven;
mod single;
mod tarball;
mod visit;
mod zipped;

use std::io;

pub use kind::{Kind, kind};
pub use members::{Listed, Take, extract, extract_all, is_archive_name, list};
pub use zipped::Zip;

/// How much may come out of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of one member, in bytes.
    pub member: u64,
    /// Of the archive: this number of bytes,
    pub base: u64,
    /// and this multiple of its packed size.
    pub ratio: u64,
    /// How many members are looked at.
    pub members: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { member: 1 << 30, base: 64 << 20, ratio: 500, members: 1_000_000 }
    }
}

/// Why an archive could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is damaged, or cut off.
    #[error("{0}")]
    Damaged(String),
    /// It uses what is not handled.
    #[error("{0}")]
    Unsupported(String),
    /// What comes out is more than the limits allow.
    #[error("it unpacks to more than {0} bytes")]
    Bomb(u64),
    /// There is no such member.
    #[error("there is no `{0}` in it")]
    Missing(String),
    /// It could not be read at all.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if let Some(bound::Exceeded(most)) = error.get_ref().and_then(|inner| inner.downcast_ref::<bound::Exceeded>()) {
            return Error::Bomb(*most);
        }
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::Other => Error::Damaged(error.to_string()),
            _ => Error::Io(error),
        }
    }
}
