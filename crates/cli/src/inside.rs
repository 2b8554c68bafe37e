//! Recordings inside archives: `demos.zip!2004/final.dm_68` is the member `2004/final.dm_68` of `demos.zip`. An archive in an archive
//! is looked into as well, one in that is not: `all.zip!2004.7z!final.dm_68`.

mod piped;
mod stream;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use fragreel_archive::{Error, Kind, Limits, Listed, Zip};

use crate::failure::{Failure, FailureKind};
use crate::file_name::{self, STDIN};

pub use piped::{reader as standard_input, spooled, unspool};

/// Enough of a file to know an archive by: a tar says it in its first block.
const HEAD: u64 = 512;

/// What parts an archive from its member.
pub const MARK: char = '!';

/// The archive and the member that a name means; `None` for a file of its own.
pub fn split(path: &Path) -> Option<(PathBuf, String)> {
    if !path.as_os_str().as_encoded_bytes().contains(&(MARK as u8)) || path.exists() {
        return None;
    }
    let (text, is_text) = path.to_str().map_or_else(|| (file_name::name(path), false), |text| (text.to_owned(), true));
    let archive = |text: &str| if is_text { PathBuf::from(text) } else { file_name::path_of(text) };
    let places = text.char_indices().filter(|(_, c)| *c == MARK);
    let mut parts = places.map(|(at, _)| (archive(&text[..at]), &text[at + 1..]));
    let is_there = |file: &Path| file.is_file() || (file == Path::new(STDIN) && piped::kind().is_some());
    parts.find(|(file, member)| !member.is_empty() && is_there(file)).map(|(file, member)| (file, member_name(member, cfg!(windows))))
}

/// The name of a member.
pub fn member(archive: &Path, member: impl AsRef<OsStr>) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push(MARK.to_string());
    name.push(member.as_ref());
    name.into()
}

/// A path with the system's separators up to the archive, and the archive's in it.
pub fn native(path: &Path) -> PathBuf {
    let Some((file, member)) = split(path) else { return path.components().collect() };
    self::member(&file.components().collect::<PathBuf>(), &member)
}

/// The name in the archive. Archives have slashes; Windows shows backslashes, and takes either.
fn member_name(typed: &str, windows: bool) -> String {
    if windows { typed.replace('\\', "/") } else { typed.to_owned() }
}

/// What kind of archive a file is; `None` where it is none, or cannot be read.
pub fn kind(path: &Path) -> Option<Kind> {
    if path == Path::new(STDIN) {
        return piped::kind();
    }
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)).ok()?;
    fragreel_archive::kind(&path.to_string_lossy(), &head)
}

/// The recordings in an archive, as names of files, what else is in it, and what hides the rest.
pub fn recordings(path: &Path, kind: Kind) -> Result<(Vec<PathBuf>, Listed, Option<Failure>), Failure> {
    let file = Source::open(path).map_err(|error| failed(path, error))?;
    let listed = fragreel_archive::list(kind, &path.to_string_lossy(), file, &Limits::default(), &mut |name| is_recording(kind, name));
    let mut listed = listed.map_err(|error| failed(path, error))?;
    let damage = listed.damage.take().map(|error| failed(path, error));
    for inner in std::mem::take(&mut listed.archives) {
        let Ok(found) = inner_recordings(path, kind, &inner) else { continue };
        listed.passed_over += found.passed_over;
        listed.passed_over -= 1;
        listed.names.extend(found.names.into_iter().map(|member| format!("{inner}{MARK}{member}")));
    }
    Ok((listed.names.iter().map(|name| member(path, name)).collect(), listed, damage))
}

/// The recordings in an archive that is in another one.
fn inner_recordings(path: &Path, kind: Kind, inner: &str) -> Result<Listed, Error> {
    let bytes = inner_bytes(path, kind, inner)?;
    let kind = fragreel_archive::kind(inner, &bytes).ok_or_else(|| Error::Missing(inner.to_owned()))?;
    fragreel_archive::list(kind, inner, Cursor::new(&bytes[..]), &INNER_LIMITS, &mut |name| is_recording(kind, name))
}

/// Whether a member is looked at: `pack` takes nothing but recordings, and has opened each.
fn is_recording(kind: Kind, name: &str) -> bool {
    kind == Kind::Packed || fragreel::is_recording_name(name)
}

/// An archive in an archive is unpacked into memory.
const INNER_LIMITS: Limits = Limits { member: 256 << 20, base: 64 << 20, ratio: 500, members: 1_000_000 };

/// The archive in an archive that was read last.
static INNER: Mutex<Option<Inner>> = Mutex::new(None);

/// The archive, the member's name, and its bytes.
type Inner = (Identity, String, Arc<[u8]>);

fn inner_bytes(path: &Path, kind: Kind, inner: &str) -> Result<Arc<[u8]>, Error> {
    let file = Source::open(path)?;
    let identity = Identity::of(path, &file, INNER_LIMITS)?;
    let mut last = INNER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, bytes)) = last.as_ref().filter(|(of, name, _)| *of == identity && name == inner) {
        return Ok(Arc::clone(bytes));
    }
    let bytes: Arc<[u8]> = fragreel_archive::extract(kind, &path.to_string_lossy(), file, inner, &INNER_LIMITS)?.into();
    *last = Some((identity, inner.to_owned(), Arc::clone(&bytes)));
    Ok(bytes)
}

/// The archive and its member, where a member's name means one of an archive in the archive.
fn split_inner(member: &str) -> Option<(&str, &str)> {
    let places = member.char_indices().filter(|(_, c)| *c == MARK);
    places.map(|(at, _)| (&member[..at], &member[at + 1..])).find(|(inner, member)| fragreel_archive::is_archive_name(inner) && !member.is_empty())
}

/// The same for an archive that was named itself. What packs one file, and does not say that it is a recording, may hold one all
/// the same: the content decides.
pub fn recordings_of_named(path: &Path, kind: Kind) -> Result<(Vec<PathBuf>, Listed, Option<Failure>), Failure> {
    let (mut names, mut listed, damage) = recordings(path, kind)?;
    let is_single = matches!(kind, Kind::Xz | Kind::Bzip2 | Kind::Zstd) && listed.passed_over == 1;
    if names.is_empty() && damage.is_none() && is_single {
        let has_extension = path.extension().is_some_and(|extension| ["xz", "bz2", "zst"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
        let inner = if has_extension { path.file_stem() } else { path.file_name() };
        names.push(member(path, inner.unwrap_or_default()));
        listed.passed_over = 0;
    }
    Ok((names, listed, damage))
}

/// The recording that a name means: of an archive that holds only one, that one. Refuses an archive with none or several.
pub fn only(path: &Path) -> Result<PathBuf, Failure> {
    // other pipes are not looked at before they are read
    let may_be_read = path.is_file() || path == Path::new(STDIN);
    let Some(kind) = may_be_read.then(|| kind(path)).flatten() else { return Ok(path.to_owned()) };
    let (mut names, _, damage) = recordings_of_named(path, kind)?;
    if let Some(damage) = damage {
        return Err(damage);
    }
    match names.len() {
        0 => Err(Failure::new(format!("`{}` is an archive without recordings", path.display()))
            .kind(FailureKind::NotFound)
            .help("Recordings in it are found by their names.")),
        1 => Ok(names.remove(0)),
        many => Err(Failure::new(format!("`{}` is an archive with {many} recordings, and this command takes one", path.display()))
            .help(format!("Name one of them, such as '{}'; `fragreel info` on the archive lists them.", names[0].display()))),
    }
}

/// An archive's bytes.
enum Source {
    File(File),
    Piped(Cursor<Arc<[u8]>>),
}

impl Source {
    fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new(STDIN) {
            return piped::open().map(Source::Piped);
        }
        File::open(path).map(Source::File).map_err(Error::Io)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(buffer),
            Source::Piped(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Source::File(file) => file.seek(to),
            Source::Piped(bytes) => bytes.seek(to),
        }
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
    fn of(path: &Path, source: &Source, limits: Limits) -> io::Result<Self> {
        let file = match source {
            Source::File(file) => file,
            Source::Piped(bytes) => return Ok(Identity { path: path.to_owned(), length: bytes.get_ref().len() as u64, changed: None, limits }),
        };
        let metadata = file.metadata()?;
        Ok(Identity { path: path.to_owned(), length: metadata.len(), changed: metadata.modified().ok(), limits })
    }
}

thread_local! {
    /// The zip that this thread read last: the list of its members is read once.
    static ZIP: RefCell<Option<(Identity, Zip<Source>)>> = const { RefCell::new(None) };
}

/// A member's bytes. `hold` takes memory for them before they are unpacked: it gets their number where the archive's list has it.
pub fn extract<H>(path: &Path, member: &str, most: u64, hold: impl FnOnce(Option<u64>) -> Result<H, Failure>) -> Result<(Vec<u8>, H), Failure> {
    let kind =
        kind(path).ok_or_else(|| Failure::new(format!("`{}` is not an archive", path.display())).help("Only members of archives are named with `!`."))?;
    let limits = Limits { member: most, ..Limits::default() };
    let file = Source::open(path).map_err(|error| failed(path, error))?;
    let identity = Identity::of(path, &file, limits).map_err(|error| failed(path, Error::Io(error)))?;
    if let Some((inner, member)) = split_inner(member)
        && let Ok(packed) = inner_bytes(path, kind, inner)
        && let Some(kind) = fragreel_archive::kind(inner, &packed)
    {
        let held = hold(None)?;
        let bytes = fragreel_archive::extract(kind, inner, Cursor::new(&packed[..]), member, &limits).map_err(|error| failed(path, error))?;
        return Ok((bytes, held));
    }
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
    let extracted = if is_recording(kind, member) {
        stream::extract(kind, identity, file, member)
    } else {
        // only recordings are handed on by the walk over such an archive
        fragreel_archive::extract(kind, &path.to_string_lossy(), file, member, &limits)
    };
    Ok((extracted.map_err(|error| failed(path, error))?, held))
}

/// Asks the zip, which is opened unless it was the last.
fn zipped<T>(identity: Identity, file: Source, ask: impl FnOnce(&mut Zip<Source>) -> T) -> Result<T, Error> {
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
        Error::Missing(_) => "Name only the archive, to read every recording in it.",
        Error::Unsupported(_) => "Unpack it with the program that made it.",
        Error::Damaged(_) => "It may be damaged. The program that made it may still unpack a part of it.",
        _ => "Check the name and permissions.",
    };
    let kind = match &error {
        Error::Bomb(_) => Some(FailureKind::Limit),
        Error::Missing(_) => Some(FailureKind::NotFound),
        Error::Unsupported(_) => Some(FailureKind::Unsupported),
        Error::Damaged(_) => Some(FailureKind::Malformed),
        _ => None,
    };
    let failure = Failure::new(format!("cannot read the archive `{}`", path.display())).because(into_io(error)).help(advice);
    match kind {
        Some(kind) => failure.kind(kind),
        None => failure,
    }
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
        assert_eq!((native(&named), native(Path::new("a//b/"))), (named.clone(), "a/b".into()));
        assert_eq!((member_name(r"2004\a.dm_68", true), member_name(r"2004\a.dm_68", false)), ("2004/a.dm_68".into(), r"2004\a.dm_68".into()));
    }
}
