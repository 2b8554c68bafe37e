//! An archive that comes on standard input. Its members are read in any order, so it is kept in memory.

use std::io::{self, Cursor, Read};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fragreel_archive::{Error, Kind};

use super::HEAD;

/// The largest archive that is kept.
const LARGEST: u64 = 1 << 30;

/// What came, if it is an archive.
static ARCHIVE: OnceLock<Option<Piped>> = OnceLock::new();

/// The kind of an archive, and its bytes or why they could not be read.
type Piped = (Kind, Result<Arc<[u8]>, String>);

/// What was looked at of standard input and is still to be read.
static AHEAD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The kind of archive that comes on standard input. Waits for its first bytes.
pub fn kind() -> Option<Kind> {
    archive().map(|(kind, _)| *kind)
}

/// The archive's bytes.
pub fn open() -> Result<Cursor<Arc<[u8]>>, Error> {
    match archive() {
        Some((_, Ok(bytes))) => Ok(Cursor::new(Arc::clone(bytes))),
        Some((_, Err(why))) => Err(Error::Unsupported(why.clone())),
        None => Err(Error::Unsupported(String::from("no archive came on standard input"))),
    }
}

/// Standard input from its first byte.
pub fn reader() -> impl Read {
    let ahead = std::mem::take(&mut *AHEAD.lock().unwrap_or_else(PoisonError::into_inner));
    Cursor::new(ahead).chain(io::stdin().lock())
}

fn archive() -> Option<&'static Piped> {
    ARCHIVE
        .get_or_init(|| {
            let mut head = Vec::new();
            // what cannot be read fails when it is read
            let _ = io::stdin().lock().take(HEAD).read_to_end(&mut head);
            match fragreel_archive::kind(crate::file_name::STDIN, &head).filter(|kind| kind.is_read()) {
                Some(kind) => Some((kind, rest(head))),
                None => {
                    *AHEAD.lock().unwrap_or_else(PoisonError::into_inner) = head;
                    None
                }
            }
        })
        .as_ref()
}

fn rest(mut bytes: Vec<u8>) -> Result<Arc<[u8]>, String> {
    io::stdin().lock().take(LARGEST + 1 - bytes.len() as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST { Err(format!("more than {LARGEST} bytes come on standard input: name a file")) } else { Ok(bytes.into()) }
}
