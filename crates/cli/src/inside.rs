//! Recordings inside archives: `demos.zip!2004/final.dm_68` is the member `2004/final.dm_68` of `demos.zip`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use archive::{Error, Kind, Limits, Listed};

use crate::failure::Failure;

/// Enough of a file to know an archive by: a tar says it in its first block.
const HEAD: u64 = 512;

/// What parts an archive from its member.
const MARK: char = '!';

/// Of archives that are packed as a whole so much is kept unpacked, so that each member does not begin from the start.
const KEPT: u64 = 256 << 20;

/// The archive and the member that a name means; `None` for a file of its own.
pub fn split(path: &Path) -> Option<(PathBuf, String)> {
    let text = path.to_str().filter(|text| text.contains(MARK))?;
    if path.exists() {
        return None;
    }
    let places = text.char_indices().filter(|(_, c)| *c == MARK);
    let mut parts = places.map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
    parts.find(|(file, member)| !member.is_empty() && file.is_file()).map(|(file, member)| (file.to_owned(), member.to_owned()))
}

/// What kind of archive a file is; `None` where it is none, or cannot be read.
pub fn kind(path: &Path) -> Option<Kind> {
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)).ok()?;
    archive::kind(&path.to_string_lossy(), &head)
}

/// The recordings in an archive, as names of files, and what else is in it.
pub fn recordings(path: &Path, kind: Kind) -> Result<(Vec<PathBuf>, Listed), Failure> {
    let file = File::open(path).map_err(|error| failed(path, Error::Io(error)))?;
    let listed = archive::list(kind, &path.to_string_lossy(), file, &Limits::default(), &mut fragreel::is_recording_name);
    let listed = listed.map_err(|error| failed(path, error))?;
    let name = |member: &String| {
        let mut name = path.as_os_str().to_owned();
        name.push(MARK.to_string());
        name.push(member);
        PathBuf::from(name)
    };
    Ok((listed.names.iter().map(name).collect(), listed))
}

type Members = HashMap<String, Arc<[u8]>>;

/// The last archive that was unpacked as a whole.
static LAST: Mutex<Option<(PathBuf, Members)>> = Mutex::new(None);

/// A member's bytes.
pub fn extract(path: &Path, member: &str, most: u64) -> Result<Vec<u8>, Failure> {
    let kind = kind(path).ok_or_else(|| Failure::new(format!("`{}` is no archive", path.display())).help("Only members of archives are named with `!`."))?;
    let limits = Limits { member: most, ..Limits::default() };
    let name = path.to_string_lossy();
    let open = || File::open(path).map_err(Error::Io);
    let extracted = if kind == Kind::Zip {
        open().and_then(|file| archive::extract(kind, &name, file, member, &limits))
    } else {
        whole(path, member, || archive::extract_all(kind, &name, open()?, &limits, KEPT, &mut fragreel::is_recording_name))
            .and_then(|found| found.map_or_else(|| archive::extract(kind, &name, open()?, member, &limits), Ok))
    };
    extracted.map_err(|error| failed(path, error))
}

/// The member of an archive that is unpacked as a whole; `None` where it is not among what is kept.
fn whole(path: &Path, member: &str, unpack: impl FnOnce() -> Result<Option<Vec<(String, Vec<u8>)>>, Error>) -> Result<Option<Vec<u8>>, Error> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.as_ref().is_none_or(|(of, _)| of != path) {
        let members = unpack()?.unwrap_or_default();
        // Of several with one name, the first.
        let members: Members = members.into_iter().rev().map(|(name, bytes)| (name, bytes.into())).collect();
        *last = Some((path.to_owned(), members));
    }
    Ok(last.as_ref().and_then(|(_, members)| members.get(member)).map(|bytes| bytes.to_vec()))
}

fn failed(path: &Path, error: Error) -> Failure {
    let advice = match &error {
        Error::Bomb(_) => "The archive may be made to fill your memory. If it is honest, unpack it yourself, or allow more with --max-size.",
        Error::Missing(_) => "Name the archive alone: every recording in it is looked at.",
        Error::Unsupported(_) => "Unpack it with the program that made it.",
        Error::Damaged(_) => "Is it whole? The program that made it may still get some of it out.",
        _ => "Check the name, and whether you may read it.",
    };
    Failure::new(format!("cannot read the archive `{}`", path.display())).because(into_io(error)).help(advice)
}

fn into_io(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_the_archive_is() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("a!b.zip");
        std::fs::write(&archive, "x").unwrap();
        let named = PathBuf::from(format!("{}!c/d!e.dm_68", archive.display()));
        assert_eq!(split(&named), Some((archive.clone(), String::from("c/d!e.dm_68"))));
        assert_eq!(split(&archive), None);
        assert_eq!(split(Path::new("nothing.zip!x")), None);
    }
}
