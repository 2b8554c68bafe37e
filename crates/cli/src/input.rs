//! From a path on the command line to a recording in memory.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;
#[cfg(feature = "catalogue")]
use std::path::PathBuf;

use fragreel::{Bytes, ErrorKind, LongRecording, Recording};

use crate::budget::Held;
use crate::failure::{self, Failure, FailureKind};
pub use crate::file_name::{STDIN, name, path_of};
use crate::inside;
use crate::output::size;
use crate::pattern::is_pattern;
use crate::shell::Shell;

/// What is read without a look at its head first.
const SMALL: u64 = 16 << 20;

/// Standard input of up to this many bytes is kept in memory. Its length is unknown until then.
const PIPED: u64 = 8 << 20;

/// Enough of a file to know a recording by.
pub const HEAD: u64 = 1 << 16;

/// The file on disk that a name stands for: of a member, its archive.
#[cfg(feature = "catalogue")]
pub fn file_of(name: &str) -> PathBuf {
    let path = path_of(name);
    inside::split(&path).map_or(path, |(archive, _)| archive)
}

/// An open recording, and its part of the budget.
pub struct Loaded<'s> {
    recording: Recording,
    _held: Held<'s>,
}

impl Deref for Loaded<'_> {
    type Target = Recording;

    fn deref(&self) -> &Self::Target {
        &self.recording
    }
}

/// Reads a file, or standard input for `-`, or a member of an archive, unpacks and opens it. `alone`: the caller holds no other recording,
/// and can wait for memory.
pub fn load<'s>(shell: &'s Shell, path: &Path, alone: bool) -> Result<Loaded<'s>, Failure> {
    find(shell, path, alone).map_err(|failure| failure.about(name(path)))
}

/// Opens a file that is long enough to be read in chunks, or standard input. `None` if it is shorter, or cannot be read in chunks.
pub fn open_long(shell: &Shell, path: &Path) -> Result<Option<LongRecording>, Failure> {
    if inside::split(path).is_some() || inside::only(path)? != path {
        return Ok(None);
    }
    let opened = if path == Path::new(STDIN) { open_long_input(shell, path)? } else { open_long_file(shell, path)? };
    Ok(opened.map(|recording| match &shell.phrases {
        Some(phrases) => recording.with_phrases(phrases),
        None => recording,
    }))
}

fn open_long_file(shell: &Shell, path: &Path) -> Result<Option<LongRecording>, Failure> {
    // A named pipe must be opened only once: its writer would lose the reader.
    let is_long = path.metadata().is_ok_and(|metadata| metadata.is_file() && (SMALL + 1..=shell.limits.recording_bytes).contains(&metadata.len()));
    if !is_long {
        return Ok(None);
    }
    // reading the file into memory reports the error
    let Ok(file) = File::open(path) else { return Ok(None) };
    LongRecording::open(file, &path.to_string_lossy(), shell.limits).map_err(|error| not_opened(path, error))
}

/// Copies standard input to a temporary file and opens it, if it is too long to be kept in memory.
fn open_long_input(shell: &Shell, path: &Path) -> Result<Option<LongRecording>, Failure> {
    let (name, most) = (path.to_string_lossy(), shell.limits.recording_bytes);
    let failed = |error| unreadable(path, error).about(self::name(path));
    let is_plain = |head: &[u8]| !head.starts_with(&GZIP) && fragreel::packing::head(head).is_err() && fragreel::detect(head, &name).is_some();
    let spooled =
        inside::spooled(PIPED, most, is_plain).map_err(|error| if error.kind() == io::ErrorKind::FileTooLarge { too_long(more_than(most)) } else { error });
    let Some(file) = spooled.map_err(failed)? else { return Ok(None) };
    let recording = LongRecording::open(file.try_clone().map_err(failed)?, &name, shell.limits).map_err(|error| not_opened(path, error))?;
    if recording.is_none() {
        inside::unspool(file).map_err(failed)?;
    }
    Ok(recording)
}

fn find<'s>(shell: &'s Shell, path: &Path, alone: bool) -> Result<Loaded<'s>, Failure> {
    let take = |bytes: u64| take(shell, path, bytes, alone);
    if let Some((archive, member)) = inside::split(path) {
        let (bytes, held) = extract(shell, path, &archive, &member, alone)?;
        return unpacked(shell, path, &member, bytes, held, &take);
    }
    // an archive stands for what is in it, whatever it is called: what is stored in it may begin as a recording does
    let only = inside::only(path)?;
    if only != path {
        return find(shell, &only, alone);
    }
    let (bytes, held) = read(shell, path, &take)?;
    unpacked(shell, path, &path.to_string_lossy(), bytes, held, &take)
}

/// Takes memory for this number of bytes.
fn take<'s>(shell: &'s Shell, path: &Path, bytes: u64, alone: bool) -> Result<Held<'s>, Failure> {
    let held = if alone { shell.budget.wait_for(bytes) } else { shell.budget.take(bytes) };
    held.ok_or_else(|| too_large(path, bytes, shell.budget.total()))
}

/// A member's bytes as they are, and their part of the budget.
pub fn extract<'s>(shell: &'s Shell, path: &Path, archive: &Path, member: &str, alone: bool) -> Result<(Vec<u8>, Held<'s>), Failure> {
    let most = shell.limits.recording_bytes.min(shell.budget.total());
    // how long a member is that was packed together with others is known when it comes
    let hold = |length: Option<u64>| take(shell, path, length.unwrap_or(if alone { most } else { 0 }), alone);
    inside::extract(archive, member, most, hold)
}

/// A file's bytes as they are.
fn read<'s>(shell: &'s Shell, path: &Path, take: &dyn Fn(u64) -> Result<Held<'s>, Failure>) -> Result<(Vec<u8>, Held<'s>), Failure> {
    let most = shell.limits.recording_bytes;
    let mut file = Opened::of(path, most).map_err(|error| unreadable(path, error))?;
    let most = if file.length.is_none() { most.min(shell.budget.total()) } else { most };
    // What is no recording is not read to its end.
    let is_large = file.length.is_none_or(|length| length > SMALL);
    let head = file.head.get(..HEAD as usize);
    if let Some(head) = head.filter(|head| is_large && fragreel::detect(head, &path.to_string_lossy()).is_none()) {
        let error = Recording::open_with_limits(head.to_vec(), &path.to_string_lossy(), shell.limits).err();
        return Err(not_opened(path, error.unwrap_or_else(|| fragreel::Error::unsupported("not a recognized recording format"))));
    }
    let held = take(file.length.unwrap_or(most))?;
    let bytes = file.read(most).map_err(|error| unreadable(path, error))?;
    if bytes.is_empty() {
        return Err(empty(path));
    }
    Ok((bytes, held))
}

/// A recording out of what was read, which may be packed.
fn unpacked<'s>(
    shell: &'s Shell,
    path: &Path,
    name: &str,
    bytes: Vec<u8>,
    mut held: Held<'s>,
    take: &dyn Fn(u64) -> Result<Held<'s>, Failure>,
) -> Result<Loaded<'s>, Failure> {
    let length = bytes.len() as u64;
    if held.bytes() < length {
        drop(held);
        held = take(length)?;
    }
    held.shrink(length);
    let packed = fragreel::packing::head(&bytes).ok();
    if !bytes.starts_with(&GZIP) && packed.is_none() {
        let recording = Recording::open_with_limits(bytes, name, shell.limits).map_err(|error| not_opened(path, error))?;
        return Ok(Loaded { recording, _held: held });
    }
    let bytes = Bytes::from(bytes);
    let most = shell.limits.recording_bytes;
    // The packed file says how much comes out of its last member; where more does, room is made and all is done again.
    let mut room = packed.map_or_else(|| said_length(&bytes), |head| head.length).clamp(1, most);
    loop {
        drop(held);
        held = take(length + room)?;
        let mut limits = shell.limits;
        limits.recording_bytes = room;
        match Recording::open_with_limits(bytes.clone(), name, limits) {
            Err(error) if error.kind() == ErrorKind::Limit && room < most => room = room.saturating_mul(4).min(most),
            Err(error) => return Err(not_opened(path, error)),
            Ok(recording) => {
                held.shrink(recording.bytes().len() as u64);
                return Ok(Loaded { recording, _held: held });
            }
        }
    }
}

/// How gzip begins.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// The length at a gzip file's end.
fn said_length(packed: &[u8]) -> u64 {
    packed.last_chunk().map_or(0, |length| u64::from(u32::from_le_bytes(*length)))
}

/// A file whose head was read.
struct Opened {
    source: Box<dyn Read>,
    /// Enough bytes to recognize a recording. For standard input, also all other bytes that were already read.
    head: Vec<u8>,
    /// Of a file; what comes from a pipe has none yet.
    length: Option<u64>,
}

impl Opened {
    fn of(path: &Path, most: u64) -> io::Result<Self> {
        let (mut head, mut source, length): (_, Box<dyn Read>, _) = if path == Path::new(STDIN) {
            let (ahead, rest) = inside::standard_input();
            (ahead, Box::new(rest), None)
        } else {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            let length = metadata.is_file().then_some(metadata.len());
            if let Some(length) = length.filter(|&length| length > most) {
                return Err(too_long(format!("{}, and the limit is {}", size(length), size(most))));
            }
            (Vec::new(), Box::new(file), length)
        };
        let missing = HEAD.saturating_sub(head.len() as u64);
        source.by_ref().take(missing).read_to_end(&mut head)?;
        Ok(Opened { source, head, length })
    }

    /// All of it.
    fn read(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.head);
        bytes.reserve_exact(self.length.unwrap_or_default().saturating_sub(bytes.len() as u64) as usize);
        // A file may be growing.
        let rest = self.length.unwrap_or(most + 1).saturating_sub(bytes.len() as u64);
        self.source.by_ref().take(rest).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(too_long(more_than(most))) } else { Ok(bytes) }
    }
}

fn more_than(most: u64) -> String {
    format!("more than {}", size(most))
}

fn too_long(how: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, how)
}

fn unreadable(path: &Path, error: io::Error) -> Failure {
    let shown = path.display();
    let advice = match error.kind() {
        io::ErrorKind::IsADirectory => {
            return Failure::new(format!("`{shown}` is a folder, and this command takes one recording"))
                .help("Name a recording in it; `fragreel info` on the folder lists them.");
        }
        io::ErrorKind::NotFound if is_pattern(path) => "A pattern stands for several recordings, and this command takes one. Name it.",
        io::ErrorKind::NotFound => "Check the name; a pattern in quotes such as '*.dm_68' finds files, and a folder stands for all recordings in it.",
        io::ErrorKind::PermissionDenied => "You do not have permission to read it.",
        io::ErrorKind::FileTooLarge => "If it is a recording, raise the limit with --max-size.",
        _ if failure::is_open_elsewhere(&error) => "Another program has it open exclusively. Close that program, or wait for it.",
        _ => "Try to copy the file. If that also fails, the disk or the network has a fault.",
    };
    Failure::new(format!("cannot read `{shown}`")).because(error).help(advice)
}

fn empty(path: &Path) -> Failure {
    if path == Path::new(STDIN) {
        return Failure::new("standard input is empty").kind(FailureKind::Malformed).help("Send a recording there, or name a file.");
    }
    Failure::new(format!("`{}` is empty", path.display())).kind(FailureKind::Malformed).help("It is incomplete or lost. Look for another copy.")
}

fn too_large(path: &Path, bytes: u64, total: u64) -> Failure {
    let what = format!("`{}` needs {} of memory, and the limit for all recordings together is {}", path.display(), size(bytes), size(total));
    Failure::new(what).kind(FailureKind::Limit).help("Raise the limit with --max-memory.")
}

/// The failure for a file that is no recording, or none that can be opened.
pub fn not_opened(path: &Path, error: fragreel::Error) -> Failure {
    let advice = match error.kind() {
        ErrorKind::Unsupported => "Fragreel reads recordings of Quake, QuakeWorld, Quake II, Quake III and Half-Life, alone, in gzip, or in archives.",
        ErrorKind::Limit => "This may be a decompression bomb. Use --max-size if you trust it, or unpack it yourself.",
        _ => "The file may have another format than its name says, or be truncated near its start.",
    };
    Failure::new(format!("`{}` cannot be opened as a recording", path.display())).because(error).help(advice).about(name(path))
}
