//! tar.

use std::io::{self, Read};

use crate::visit::Visit;
use crate::{Error, Limits};

pub(crate) fn walk(source: impl Read, limits: &Limits, visit: &mut Visit<'_>) -> Result<(), Error> {
    let mut archive = tar::Archive::new(source);
    for (count, entry) in archive.entries()?.enumerate() {
        if count >= limits.members {
            return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
        }
        let mut entry = entry?;
        // Links lead nowhere here.
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let left = entry.size();
        if visit(&name, &mut Whole { inner: &mut entry, left })?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Reads a member, and fails where less comes than its header says: the archive was cut off there.
struct Whole<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is truncated inside a member"));
        }
        self.left -= read as u64;
        Ok(read)
    }
}
