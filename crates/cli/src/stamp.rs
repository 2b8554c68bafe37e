//! What shows that a file was replaced without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
        Some(Identity::of(path)?.stamp)
    }
}

/// A stamp, and which file has it: another one may have come to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Its size and time.
    pub stamp: Stamp,
    /// The device and the number that the system gives it, where it says that.
    file: Option<(u64, u64)>,
}

/// Time stamps are no finer than this, so that a change right after the last one may leave none.
const TICK: Duration = Duration::from_millis(20);
/// The same where they have no fractions of a second.
const COARSE_TICK: Duration = Duration::from_secs(2);

impl Identity {
    /// Of a file that is there.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = match inside::split(path) {
            Some((archive, _)) => archive.metadata(),
            None => path.metadata(),
        };
        let metadata = metadata.ok().filter(Metadata::is_file)?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        Some(Identity { stamp: Stamp { size: metadata.len(), modified }, file: number(&metadata) })
    }

    /// The same after a wait, if the file was changed so short a time ago that its time could not show another change.
    pub fn settled(self, path: &Path) -> Option<Self> {
        let modified = UNIX_EPOCH + Duration::from_nanos(u64::try_from(self.stamp.modified).unwrap_or_default());
        let tick = if self.stamp.modified % 1_000_000_000 == 0 { COARSE_TICK } else { TICK };
        match SystemTime::now().duration_since(modified) {
            Ok(age) if age < tick => {
                thread::sleep(tick - age);
                Identity::of(path)
            }
            _ => Some(self),
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have none")]
fn number(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<(u64, u64)> {
    None
}
