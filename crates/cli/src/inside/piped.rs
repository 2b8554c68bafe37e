//! Standard input. An archive is kept in memory, because its members are read in any order. A long recording is kept in a temporary file.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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

/// The bytes of standard input that were already read, and a reader for the rest.
pub fn reader() -> (Vec<u8>, impl Read) {
    (std::mem::take(&mut *ahead()), io::stdin().lock())
}

fn ahead() -> MutexGuard<'static, Vec<u8>> {
    AHEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies standard input to a temporary file, if it has more than `short` bytes and `is_wanted` accepts the first bytes. Returns `None` otherwise, or if the
/// file cannot be written. [`reader`] then gives all bytes.
pub fn spooled(short: u64, most: u64, is_wanted: impl FnOnce(&[u8]) -> bool) -> io::Result<Option<File>> {
    let (mut ahead, mut input) = (ahead(), io::stdin().lock());
    let missing = (short + 1).saturating_sub(ahead.len() as u64);
    input.by_ref().take(missing).read_to_end(&mut ahead)?;
    if ahead.len() as u64 <= short || !is_wanted(&ahead) {
        return Ok(None);
    }
    let Ok(mut file) = tempfile::tempfile() else { return Ok(None) };
    if file.write_all(&ahead).is_err() {
        return Ok(None);
    }
    let mut length = ahead.len() as u64;
    *ahead = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match input.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        if length + read as u64 > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        if read == 0 {
            file.rewind()?;
            return Ok(Some(file));
        }
        if file.write_all(&buffer[..read]).is_err() {
            file.rewind()?;
            file.take(length).read_to_end(&mut ahead)?;
            ahead.extend_from_slice(&buffer[..read]);
            return Ok(None);
        }
        length += read as u64;
    }
}

/// Takes back the file of [`spooled`], so that [`reader`] gives all bytes.
pub fn unspool(mut file: File) -> io::Result<()> {
    file.rewind()?;
    file.read_to_end(&mut ahead()).map(drop)
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
                    *ahead() = head;
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
