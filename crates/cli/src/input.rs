//! From the paths on the command line to recordings in memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use fragreel::{Demo, Fault, Limits};
use globset::{GlobBuilder, GlobMatcher};
use walkdir::WalkDir;

use crate::draft::is_draft;
use crate::failure::Failure;

/// The name for standard input.
pub const STDIN: &str = "-";

/// Enough of a file to know a recording by.
const HEAD: u64 = 1 << 16;

/// The files that `paths` mean, one after the other, found as they are asked for: a file as it is, a folder with all
/// recordings below it, a glob with all files that match it, `-` for standard input.
pub fn files(paths: &[PathBuf]) -> impl Iterator<Item = Result<PathBuf, Failure>> + '_ {
    paths.iter().flat_map(|path| expand(path))
}

type Files = Box<dyn Iterator<Item = Result<PathBuf, Failure>>>;

fn expand(path: &Path) -> Files {
    if path == Path::new(STDIN) || path.is_file() {
        return one(Ok(path.to_owned()));
    }
    if path.is_dir() {
        return needs_one(recordings_below(path), no_recordings(path));
    }
    match path.to_str() {
        Some(pattern) if !path.exists() && pattern.contains(['*', '?', '[', '{']) => glob(pattern),
        // Pipes and devices are read, and what does not exist fails when it is read.
        _ => one(Ok(path.to_owned())),
    }
}

fn one(file: Result<PathBuf, Failure>) -> Files {
    Box::new(std::iter::once(file))
}

/// All recordings in a folder and the folders in it, in the order of their names.
fn recordings_below(folder: &Path) -> Files {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    Box::new(entries.filter_map(|entry| match entry {
        Ok(entry) => (entry.file_type().is_file() && !is_draft(entry.path()) && is_recording(entry.path())).then(|| Ok(entry.into_path())),
        Err(error) => Some(Err(Failure::new("cannot look into a folder").because(error))),
    }))
}

/// Whether a file found in a folder is worth opening: by its name, or else by how it begins.
fn is_recording(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if fragreel::is_recording_name(&name) {
        return true;
    }
    let mut head = Vec::new();
    // A file that cannot be read and has no telling name was not asked for.
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && fragreel::detect(&head, &name).is_some()
}

/// All files that match, folders among them with all recordings below.
fn glob(pattern: &str) -> Files {
    let matcher = match GlobBuilder::new(pattern).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            return one(Err(Failure::new(format!("`{pattern}` is no pattern"))
                .because(error)
                .help("`*` stands for any part of a name, `**` for any folders, `?` for one character.")));
        }
    };
    let (base, wild_depth) = base_of(pattern);
    let deepest = if pattern.contains("**") { usize::MAX } else { wild_depth };
    needs_one(
        matching(base, deepest, matcher),
        Failure::new(format!("nothing matches `{pattern}`")).help("Name a folder to have everything below it looked at."),
    )
}

fn matching(base: PathBuf, deepest: usize, matcher: GlobMatcher) -> Files {
    let entries = WalkDir::new(&base).min_depth(1).max_depth(deepest).sort_by_file_name().into_iter();
    let here = base == Path::new(".");
    Box::new(entries.filter_map(Result::ok).flat_map(move |entry| {
        let path = if here { entry.path().strip_prefix(".").unwrap_or(entry.path()) } else { entry.path() };
        if !matcher.is_match(path) {
            Box::new(std::iter::empty())
        } else if entry.file_type().is_dir() {
            recordings_below(path)
        } else {
            one(Ok(path.to_owned()))
        }
    }))
}

/// The folder in front of the first wildcard, and how many steps the pattern goes on from there.
fn base_of(pattern: &str) -> (PathBuf, usize) {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{'])).count();
    let base = parts[..plain].join("/");
    let base = match (base.as_str(), plain) {
        ("", 0) => PathBuf::from("."),
        ("", _) => PathBuf::from("/"),
        (base, _) => PathBuf::from(base),
    };
    (base, parts.len() - plain)
}

/// The files, or the failure when there are none.
fn needs_one(files: Files, failure: Failure) -> Files {
    let mut files = files.peekable();
    if files.peek().is_some() { Box::new(files) } else { one(Err(failure)) }
}

fn no_recordings(folder: &Path) -> Failure {
    Failure::new(format!("there are no recordings in `{}`", folder.display()))
        .help("In a folder, only files that look like recordings are taken. Name a file itself to have it looked at whatever it is.")
}

/// Reads a file, or standard input for `-`, and unpacks it.
pub fn load(path: &Path) -> Result<Demo<'static>, Failure> {
    let limits = Limits::default();
    let bytes = read(path, limits.recording_bytes).map_err(|error| {
        let advice = match error.kind() {
            io::ErrorKind::NotFound => "Check the name; a pattern in quotes such as '*.dm_68' finds files, and a folder stands for all recordings in it.",
            io::ErrorKind::PermissionDenied => "You may not read it; ask its owner, or copy it to where you may.",
            io::ErrorKind::FileTooLarge => "Recordings are never that large; split it or unpack what is inside.",
            _ => "Try to copy the file: if that fails too, the disk or the network is at fault.",
        };
        Failure::new(format!("cannot read `{}`", path.display())).because(error).help(advice)
    })?;
    Demo::with_limits(bytes, &path.to_string_lossy(), limits).map_err(|error| not_opened(path, error))
}

fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if path == Path::new(STDIN) {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes)?
    } else {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        if length > most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{length} bytes, and {most} are the most that is read")));
        }
        bytes.reserve_exact(length as usize);
        file.take(most + 1).read_to_end(&mut bytes)?
    };
    if read as u64 > most { Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {most} bytes"))) } else { Ok(bytes) }
}

/// The failure for a file that is no recording, or none that can be opened.
pub fn not_opened(path: &Path, error: fragreel::Error) -> Failure {
    let advice = match error.fault() {
        Fault::Unsupported => "Recordings of Quake, QuakeWorld, Quake II, Quake III and Half-Life are known, alone or in gzip; unpack other archives first.",
        Fault::Limit => "The file may be made to fill your memory. If it is honest, unpack it yourself.",
        _ => "The file may be another format under a recording's name, or cut off right after it begins.",
    };
    Failure::new(format!("`{}` cannot be opened as a recording", path.display())).because(error).help(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_walked_from_its_plain_front() {
        for (pattern, base, depth) in [("*.dm2", ".", 1), ("a/b/*.dm2", "a/b", 1), ("/x/*/y.dem", "/x", 2), ("/*", "/", 1), ("a/**/b", "a", 2)] {
            assert_eq!(base_of(pattern), (PathBuf::from(base), depth), "{pattern}");
        }
    }
}
