//! A recording that tables are made of.

use std::cell::OnceCell;
use std::fmt::Write;

use fragreel::Recording;
use fragreel::model::{Family, Info};
use sha2::{Digest, Sha256};

/// How many hex digits of the hash name a recording.
const DIGITS: usize = 32;

/// A recording's name by its content: the first 32 hex digits of the SHA-256 of its bytes, unpacked. A compressed copy has the same.
///
/// ```
/// assert_eq!(fragreel_tables::recording_id(b""), "e3b0c44298fc1c149afbf4c8996fb924");
/// ```
pub fn recording_id(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().take(DIGITS / 2).fold(String::with_capacity(DIGITS), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A recording, what it is called by its content, and where it was found.
pub struct Source<'a> {
    recording: &'a Recording,
    id: OnceCell<String>,
    path: String,
    info: OnceCell<Info>,
}

impl<'a> Source<'a> {
    /// A recording; `path` is what the table of recordings says of its file.
    pub fn new(recording: &'a Recording, path: impl Into<String>) -> Self {
        Source { recording, id: OnceCell::new(), path: path.into(), info: OnceCell::new() }
    }

    /// The same, where the [name by content](recording_id) is known already.
    pub fn named(recording: &'a Recording, id: impl Into<String>, path: impl Into<String>) -> Self {
        Source { recording, id: OnceCell::from(id.into()), path: path.into(), info: OnceCell::new() }
    }

    /// The name by content. Where it was not [given](Self::named), the bytes are hashed at the first call.
    pub fn id(&self) -> &str {
        self.id.get_or_init(|| recording_id(self.recording.bytes()))
    }

    /// Where it was found.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The recording.
    pub fn recording(&self) -> &'a Recording {
        self.recording
    }

    /// Its family.
    pub fn family(&self) -> Family {
        self.recording.family()
    }

    /// What `info` answers, asked once.
    pub fn info(&self) -> &Info {
        self.info.get_or_init(|| self.recording.info())
    }
}
