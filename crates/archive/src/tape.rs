//! tar.

use std::io::Read;

use crate::members::Visit;
use crate::{Error, Limits};

pub fn walk(source: impl Read, limits: &Limits, visit: &mut Visit<'_>) -> Result<(), Error> {
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
        if visit(&name, &mut entry)?.is_break() {
            break;
        }
    }
    Ok(())
}
