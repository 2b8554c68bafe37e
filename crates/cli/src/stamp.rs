//! What shows that a file was replaced without reading it.

use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::inside;

/// A file's size and the time of its last change. Of a member of an archive, those of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// In nanoseconds since 1970.
    pub modified: i64,
}

impl Stamp {
    /// The stamp of a file; `None` where there is no regular file, as for standard input.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = match inside::split(path) {
            Some((archive, _)) => archive.metadata(),
            None => path.metadata(),
        };
        let metadata = metadata.ok().filter(std::fs::Metadata::is_file)?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        Some(Stamp { size: metadata.len(), modified })
    }
}
