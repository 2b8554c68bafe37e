//! Recordings inside archives: `demos.zip!2004/final.dm_68` is the member `2004/final.dm_68` of `demos.zip`.

mod stream;

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use archive::{Error, Kind, Limits, Listed, Zip};

use crate::failure::Failure;

/// Enough of a file to know an archive by: a tar says it in its first block.
const HEAD: u64 = 512;

/// What parts an archive from its member.
const MARK: char = '!';

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

/// The recordings in an archive, as names of files, what else is in it, and what hides the rest.
pub fn recordings(path: &Path, kind: Kind) -> Result<(Vec<PathBuf>, Listed, Option<Failure>), Failure> {
    let file = File::open(path).map_err(|error| failed(path, Error::Io(error)))?;
    let listed = archive::list(kind, &path.to_string_lossy(), file, &Limits::default(), &mut fragreel::is_recording_name);
    let mut listed = listed.map_err(|error| failed(path, error))?;
    let damage = listed.damage.take().map(|error| failed(path, error));
    let name = |member: &String| {
        let mut name = path.as_os_str().to_owned();
        name.push(MARK.to_string());
        name.push(member);
        PathBuf::from(name)
    };
    Ok((listed.names.iter().map(name).collect(), listed, damage))
}

/// The same for an archive that was named itself. What packs one file, and does not say that it is a recording, may hold one all
/// the same: the content decides.
pub fn recordings_of_named(path: &Path, kind: Kind) -> Result<(Vec<PathBuf>, Listed, Option<Failure>), Failure> {
    let (mut names, mut listed, damage) = recordings(path, kind)?;
    let is_single = matches!(kind, Kind::Xz | Kind::Bzip2 | Kind::Zstd) && listed.passed_over == 1;
    if names.is_empty() && damage.is_none() && is_single {
        let has_extension = path.extension().is_some_and(|extension| ["xz", "bz2", "zst"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
        let inner = if has_extension { path.file_stem() } else { path.file_name() };
        let mut name = path.as_os_str().to_owned();
        name.push(MARK.to_string());
        name.push(inner.unwrap_or_default());
        names.push(name.into());
        listed.passed_over = 0;
    }
    Ok((names, listed, damage))
}

/// The recording that a name means: of an archive that holds only one, that one. Refuses an archive with none or several.
pub fn only(path: &Path) -> Result<PathBuf, Failure> {
    // what comes from a pipe is not looked at before it is read
    let Some(kind) = path.is_file().then(|| kind(path)).flatten() else { return Ok(path.to_owned()) };
    let (mut names, _, damage) = recordings_of_named(path, kind)?;
    if let Some(damage) = damage {
        return Err(damage);
    }
    match names.len() {
        0 => Err(Failure::new(format!("`{}` is an archive, and no recordings are in it", path.display())).help("Recordings in it are found by their names.")),
        1 => Ok(names.remove(0)),
        many => Err(Failure::new(format!("`{}` is an archive with {many} recordings, and this takes one", path.display()))
            .help(format!("Name one of them, such as '{}'; `fragreel info` on the archive lists them.", names[0].display()))),
    }
}

/// An archive as it is on the disk: another one may come to have its name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    path: PathBuf,
    length: u64,
    changed: Option<SystemTime>,
    limits: Limits,
}

impl Identity {
    fn of(path: &Path, file: &File, limits: Limits) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Identity { path: path.to_owned(), length: metadata.len(), changed: metadata.modified().ok(), limits })
    }
}

thread_local! {
    /// The zip that this thread read last: the list of its members is read once.
    static ZIP: RefCell<Option<(Identity, Zip<File>)>> = const { RefCell::new(None) };
}

/// A member's bytes. `hold` takes memory for them before they are unpacked: it gets their number where the archive's list has it.
pub fn extract<H>(path: &Path, member: &str, most: u64, hold: impl FnOnce(Option<u64>) -> Result<H, Failure>) -> Result<(Vec<u8>, H), Failure> {
    let kind = kind(path).ok_or_else(|| Failure::new(format!("`{}` is no archive", path.display())).help("Only members of archives are named with `!`."))?;
    let limits = Limits { member: most, ..Limits::default() };
    let file = File::open(path).map_err(|error| failed(path, Error::Io(error)))?;
    let identity = Identity::of(path, &file, limits).map_err(|error| failed(path, Error::Io(error)))?;
    if kind == Kind::Zip {
        return zipped(identity, file, |zip| {
            let length = zip.length(member).map_err(|error| failed(path, error))?;
            let held = hold(Some(length.min(most)))?;
            let bytes = zip.extract(member, &limits).map_err(|error| failed(path, error))?;
            Ok((bytes, held))
        })
        .map_err(|error| failed(path, error))?;
    }
    let held = hold(None)?;
    let extracted = if fragreel::is_recording_name(member) {
        stream::extract(kind, identity, file, member)
    } else {
        // only recordings are handed on by the walk over such an archive
        archive::extract(kind, &path.to_string_lossy(), file, member, &limits)
    };
    Ok((extracted.map_err(|error| failed(path, error))?, held))
}

/// Asks the zip, which is opened unless it was the last.
fn zipped<T>(identity: Identity, file: File, ask: impl FnOnce(&mut Zip<File>) -> T) -> Result<T, Error> {
    ZIP.with_borrow_mut(|last| {
        let zip = match last.take().filter(|(of, _)| *of == identity) {
            Some((_, zip)) => zip,
            None => Zip::open(file, &identity.limits)?,
        };
        let (_, zip) = last.insert((identity, zip));
        Ok(ask(zip))
    })
}

fn failed(path: &Path, error: Error) -> Failure {
    let advice = match &error {
        Error::Bomb(_) => {
            "This may be a decompression bomb. If you trust it, allow more with --max-size (one recording) or --max-memory (all), or unpack it yourself."
        }
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
