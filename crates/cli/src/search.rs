//! Which files the paths on the command line mean.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use globset::{GlobBuilder, GlobMatcher};
use walkdir::{DirEntry, WalkDir};

use crate::draft_name::is_draft;
use crate::failure::{Failure, FailureKind};
use crate::input::{HEAD, STDIN};
use crate::inside;
use crate::output::printable;
use crate::pattern::{VERBATIM, WILD, is_pattern};

/// What was found in folders and not looked into.
#[derive(Default)]
pub struct PassedOver(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    archives: usize,
    first_archive: PathBuf,
    members: usize,
    links: usize,
    first_link: PathBuf,
    again: usize,
    /// Files of other kinds, by what their names end in.
    others: BTreeMap<String, usize>,
}

/// This number of other kinds is named.
const KINDS: usize = 6;

impl PassedOver {
    fn archive(&self, path: &Path) {
        let mut counts = self.counts();
        if counts.archives == 0 {
            path.clone_into(&mut counts.first_archive);
        }
        counts.archives += 1;
    }

    /// Files in an archive that are no recordings.
    fn members(&self, count: usize) {
        self.counts().members += count;
    }

    fn link(&self, path: &Path) {
        let mut counts = self.counts();
        if counts.links == 0 {
            path.clone_into(&mut counts.first_link);
        }
        counts.links += 1;
    }

    fn again(&self) {
        self.counts().again += 1;
    }

    /// A file in a folder that is nothing of all that is read.
    fn other(&self, path: &Path) {
        let kind = path.extension().map(|end| format!(".{}", end.to_string_lossy().to_lowercase())).unwrap_or_default();
        *self.counts().others.entry(kind).or_default() += 1;
    }

    /// What to say of it, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let counts = self.counts();
        let first = |count, path: &Path| {
            let path = path.display().to_string();
            if count == 1 { format!(": {}", printable(&path)) } else { format!(", the first is {}", printable(&path)) }
        };
        let mut remarks = Vec::new();
        if counts.archives > 0 {
            let many = if counts.archives == 1 { "1 archive" } else { &format!("{} archives", counts.archives) };
            remarks.push(format!("skipped {many}{}; unpack them first", first(counts.archives, &counts.first_archive)));
        }
        if counts.members > 0 {
            let many = if counts.members == 1 { "1 file" } else { &format!("{} files", counts.members) };
            remarks.push(format!("skipped {many} in archives without a recording extension"));
        }
        if counts.links > 0 {
            let many = if counts.links == 1 { "1 link" } else { &format!("{} links", counts.links) };
            remarks.push(format!("skipped {many} to folders that are searched anyway{}", first(counts.links, &counts.first_link)));
        }
        if counts.again > 0 {
            let many = if counts.again == 1 { "1 file is" } else { &format!("{} files are", counts.again) };
            remarks.push(format!("{many} named by more than one path, and read once"));
        }
        remarks
    }

    /// How many other files there were in folders, by kind.
    pub fn others(&self) -> Option<String> {
        let counts = self.counts();
        let count: usize = counts.others.values().sum();
        let mut kinds: Vec<_> = counts.others.iter().collect();
        kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), *kind));
        let name =
            |(kind, count): &(&String, &usize)| if kind.is_empty() { format!("{count} without extension") } else { format!("{count} {}", printable(kind)) };
        let mut named: Vec<String> = kinds.iter().take(KINDS).map(name).collect();
        let rest: usize = kinds.iter().skip(KINDS).map(|(_, count)| **count).sum();
        named.extend((rest > 0).then(|| format!("{rest} of other kinds")));
        let many = if count == 1 { "1 file that is not a recording" } else { &format!("{count} files that are not recordings") };
        (count > 0).then(|| format!("{many}: {}", named.join(", ")))
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files that `paths` mean, one after the other, found as they are asked for: a file as it is, a folder with all
/// recordings below it, a glob with all files that match it, `-` for standard input. What several of them mean is given once: nothing is counted twice.
pub fn files<'a>(paths: &'a [PathBuf], passed: &'a PassedOver) -> impl Iterator<Item = Result<PathBuf, Failure>> + 'a {
    let mut given = HashSet::new();
    let mut is_new = move |path: &Path| {
        paths.len() < 2 || path == Path::new(STDIN) || given.insert(path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>())
    };
    paths.iter().flat_map(|path| expand(path, passed)).filter(move |found| {
        let is_first = found.as_ref().map_or(true, |path| is_new(path));
        if !is_first {
            passed.again();
        }
        is_first
    })
}

type Files<'a> = Box<dyn Iterator<Item = Result<PathBuf, Failure>> + 'a>;

fn expand<'a>(path: &Path, passed: &'a PassedOver) -> Files<'a> {
    // one separator in what is shown, whichever was typed
    let native: PathBuf;
    let path = if cfg!(windows) && path != Path::new(STDIN) {
        native = inside::native(path);
        &native
    } else {
        path
    };
    if path == Path::new(STDIN) || path.is_file() {
        return file(path, passed);
    }
    if inside::split(path).is_some() {
        return one(Ok(path.to_owned()));
    }
    if path.is_dir() {
        let folder = path.to_owned();
        return needs_one(recordings_below(path, passed), move || no_recordings(&folder, passed));
    }
    match path.to_str() {
        Some(pattern) if is_pattern(path) => glob(pattern, passed),
        // Pipes and devices are read, and what does not exist fails when it is read.
        _ => one(Ok(path.to_owned())),
    }
}

/// A file that was named: itself, or what is in it.
fn file<'a>(path: &Path, passed: &PassedOver) -> Files<'a> {
    match inside::kind(path) {
        Some(kind) => needs_one(listed(inside::recordings_of_named(path, kind), passed), || nothing_inside(path)),
        None => one(Ok(path.to_owned())),
    }
}

/// The recordings in an archive.
fn inside_of<'a>(path: &Path, kind: fragreel_archive::Kind, passed: &PassedOver) -> Files<'a> {
    listed(inside::recordings(path, kind), passed)
}

fn listed<'a>(recordings: Result<(Vec<PathBuf>, fragreel_archive::Listed, Option<Failure>), Failure>, passed: &PassedOver) -> Files<'a> {
    match recordings {
        Ok((recordings, listed, damage)) => {
            passed.members(listed.passed_over);
            Box::new(recordings.into_iter().map(Ok).chain(damage.map(Err)))
        }
        Err(failure) => one(Err(failure)),
    }
}

fn nothing_inside(path: &Path) -> Failure {
    Failure::new(format!("no recordings are in the archive `{}`", path.display()))
        .kind(FailureKind::NotFound)
        .help("Recordings in it are found by their names. Archives in it are searched, but not archives in those.")
}

fn one<'a>(file: Result<PathBuf, Failure>) -> Files<'a> {
    Box::new(std::iter::once(file))
}

/// All recordings in a folder and the folders in it, in the order of their names. Links are followed, each folder once.
fn recordings_below<'a>(folder: &Path, passed: &'a PassedOver) -> Files<'a> {
    let root = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut linked = HashSet::new();
    let mut is_searched = move |entry: &DirEntry| {
        if entry.depth() == 0 || !entry.file_type().is_dir() {
            return true;
        }
        // Where version control keeps its own copies, every file would be found twice.
        if entry.file_name() == ".git" {
            return false;
        }
        let again = entry.path_is_symlink()
            && fs::canonicalize(entry.path()).is_ok_and(|real| real.starts_with(&root) || root.starts_with(&real) || !linked.insert(real));
        if again {
            passed.link(entry.path());
        }
        !again
    };
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter().filter_entry(move |entry| is_searched(entry));
    Box::new(entries.flat_map(move |entry| found(entry, passed)))
}

fn nothing<'a>() -> Files<'a> {
    Box::new(std::iter::empty())
}

/// What an entry of a folder means.
fn found<'a>(entry: walkdir::Result<DirEntry>, passed: &PassedOver) -> Files<'a> {
    match entry {
        Ok(entry) if !entry.file_type().is_file() || is_draft(entry.path()) => nothing(),
        // an archive first: what is stored in it may begin as a recording does
        Ok(entry) => match inside::kind(entry.path()).filter(|kind| kind.is_read()) {
            Some(kind) => inside_of(entry.path(), kind, passed),
            None if is_recording(entry.path()) => one(Ok(entry.into_path())),
            None => {
                if is_archive(entry.path()) {
                    passed.archive(entry.path());
                } else {
                    passed.other(entry.path());
                }
                nothing()
            }
        },
        Err(error) if error.loop_ancestor().is_some() => {
            passed.link(error.path().unwrap_or(Path::new("")));
            nothing()
        }
        Err(error) => Box::new(unfound(error).map(Err).into_iter()),
    }
}

/// What cannot be looked at: a failure, unless it is a link to nothing that was not asked for.
fn unfound(error: walkdir::Error) -> Option<Failure> {
    let Some(link) = error.path().filter(|path| fs::read_link(path).is_ok()) else {
        let shown = error.path().unwrap_or(Path::new("a folder")).display().to_string();
        let cause = error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into());
        return Some(Failure::new(format!("cannot read `{shown}`")).because(cause).help("Check permissions; the other files were processed."));
    };
    let advice = "Restore the target (for annexed files, `git annex get`), or remove the link.";
    fragreel::is_recording_name(&link.to_string_lossy())
        .then(|| Failure::new(format!("the target of the link `{}` does not exist", link.display())).kind(FailureKind::NotFound).help(advice))
}

/// Whether a file found in a folder is worth opening: by its name, or else by how it begins.
fn is_recording(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if fragreel::is_recording_name(&name) {
        return true;
    }
    let mut head = Vec::new();
    // A file that cannot be read and has no recording's name was not asked for.
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && fragreel::detect(&head, &name).is_some()
}

/// What recordings are collected in.
const ARCHIVES: [&str; 19] =
    ["qwz", "zip", "pk3", "pak", "7z", "rar", "tar", "tgz", "tbz", "tbz2", "txz", "xz", "bz2", "zst", "lz4", "lzh", "arj", "dz", "frpa"];

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, extension)| ARCHIVES.contains(&extension))
}

/// All files that match, folders among them with all recordings below.
fn glob<'a>(typed: &str, passed: &'a PassedOver) -> Files<'a> {
    let pattern = &*slashed(typed, cfg!(windows));
    let matcher = match GlobBuilder::new(pattern).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            return one(Err(Failure::new(format!("`{typed}` is not a valid pattern"))
                .because(error)
                .help("`*` stands for any part of a name, `**` for any folders, `?` for one character.")));
        }
    };
    let (base, wild_depth) = base_of(pattern);
    let deepest = if pattern.contains("**") { usize::MAX } else { wild_depth };
    let nothing = Failure::new(format!("no files match `{typed}`")).kind(FailureKind::NotFound).help("Pass a folder to search it recursively.");
    needs_one(matching(base, deepest, matcher, passed), || nothing)
}

fn matching<'a>(base: PathBuf, deepest: usize, matcher: GlobMatcher, passed: &'a PassedOver) -> Files<'a> {
    let entries = WalkDir::new(&base).follow_links(true).min_depth(1).max_depth(deepest).sort_by_file_name().into_iter();
    let here = base == Path::new(".");
    Box::new(entries.filter_map(Result::ok).flat_map(move |entry| {
        let path = if here { entry.path().strip_prefix(".").unwrap_or(entry.path()) } else { entry.path() };
        if !matcher.is_match(path) {
            Box::new(std::iter::empty())
        } else if entry.file_type().is_dir() {
            recordings_below(path, passed)
        } else {
            file(path, passed)
        }
    }))
}

/// A pattern with slashes between its parts. Windows takes either separator, and no backslash there protects a character.
fn slashed(pattern: &str, windows: bool) -> Cow<'_, str> {
    if windows { Cow::Owned(pattern.strip_prefix(VERBATIM).unwrap_or(pattern).replace('\\', "/")) } else { Cow::Borrowed(pattern) }
}

/// The folder in front of the first wildcard, and how many steps the pattern goes on from there.
fn base_of(pattern: &str) -> (PathBuf, usize) {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(WILD)).count();
    let base = parts[..plain].join("/");
    let base = match (base.as_str(), plain) {
        ("", 0) => PathBuf::from("."),
        ("", _) => PathBuf::from("/"),
        // a drive alone is the folder that it is in
        (drive, 1) if cfg!(windows) && drive.ends_with(':') => PathBuf::from(format!("{drive}/")),
        (base, _) if cfg!(windows) => Path::new(base).components().collect(),
        (base, _) => PathBuf::from(base),
    };
    (base, parts.len() - plain)
}

/// The folders between a file and what was named to find it.
pub fn below(file: &Path, paths: &[PathBuf]) -> PathBuf {
    let base = |path: &PathBuf| {
        if path.is_dir() {
            return Some(path.clone());
        }
        path.to_str().filter(|_| is_pattern(path)).map(|pattern| base_of(&slashed(pattern, cfg!(windows))).0)
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let inside = |base: PathBuf| {
        if base == Path::new(".") && folder.is_relative() { Some(folder.to_owned()) } else { folder.strip_prefix(base).ok().map(Path::to_owned) }
    };
    let below = paths.iter().filter_map(base).filter_map(inside).max_by_key(|below| below.as_os_str().len()).unwrap_or_default();
    // Nothing is written above the folder that was named.
    below.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// The files, or the failure when there are none.
fn needs_one<'a>(files: Files<'a>, failure: impl FnOnce() -> Failure) -> Files<'a> {
    let mut files = files.peekable();
    if files.peek().is_some() { Box::new(files) } else { one(Err(failure())) }
}

fn no_recordings(folder: &Path, passed: &PassedOver) -> Failure {
    let advice = if passed.counts().archives > 0 {
        "There are archives in it: unpack them first."
    } else {
        "In a folder, only files with the names of recordings are read. To read another file, name it."
    };
    let others = passed.others().map(|others| format!(", but {others}")).unwrap_or_default();
    Failure::new(format!("there are no recordings in `{}`{others}", folder.display())).kind(FailureKind::NotFound).help(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_paths_mean_is_found_once() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/quake3");
        let passed = PassedOver::default();
        let found = files(&[samples.clone(), samples.join("./dm_bots.dm_71"), samples.join("*.dm_68")], &passed).count();
        assert_eq!(found, files(&[samples], &PassedOver::default()).count());
        assert_eq!(passed.remarks().last().unwrap(), "2 files are named by more than one path, and read once");
    }

    #[test]
    fn a_tree_begins_at_what_was_named() {
        let paths = ["/x/y".into(), "*/*.dm_68".into()];
        assert_eq!(below(Path::new("a/b/c.dm_68"), &paths), PathBuf::from("a/b"));
        assert_eq!(below(Path::new("/etc/passwd"), &["/etc".into()]), PathBuf::new());
        assert_eq!(below(Path::new("../up.dm_68"), &["../*".into()]), PathBuf::new());
    }

    #[test]
    fn windows_takes_either_separator() {
        let base = |pattern: &str| base_of(&slashed(pattern, true)).1;
        for (typed, pattern, depth) in [
            (r"samples\quake2\*.dm2", "samples/quake2/*.dm2", 1),
            (r"C:\demos\*\x?.dem", "C:/demos/*/x?.dem", 2),
            (r"\\server\share\*.dm2", "//server/share/*.dm2", 1),
            (r"\\?\C:\demos\*.dm2", "C:/demos/*.dm2", 1),
            ("a/b\\**", "a/b/**", 1),
        ] {
            assert_eq!((&*slashed(typed, true), base(typed)), (pattern, depth));
        }
        assert_eq!(slashed(r"a\*.dm2", false), r"a\*.dm2", "elsewhere it protects a character");
        assert!(is_pattern(Path::new(r"\\?\C:\demos\*.dm2")) && !is_pattern(Path::new(r"\\?\C:\demos\x.dm2")));
    }

    #[test]
    fn a_pattern_is_walked_from_its_plain_front() {
        for (pattern, base, depth) in [("*.dm2", ".", 1), ("a/b/*.dm2", "a/b", 1), ("/x/*/y.dem", "/x", 2), ("/*", "/", 1), ("a/**/b", "a", 2)] {
            assert_eq!(base_of(pattern), (PathBuf::from(base), depth), "{pattern}");
        }
    }
}
