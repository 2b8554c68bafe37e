//! Where files are: one file has one name, whatever it was called by.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::input::{self, STDIN};
use crate::inside;
use crate::pattern::VERBATIM;

/// Canonical names. The folders that were looked at are remembered.
#[derive(Default)]
pub struct Places {
    folders: HashMap<PathBuf, PathBuf>,
}

impl Places {
    /// The name for machines.
    pub fn name(&mut self, path: &Path) -> String {
        input::name(&self.canonical(path))
    }

    /// The path from the root without links and dots; of a member, that of its archive. What is not there is named below its folder.
    pub fn canonical(&mut self, path: &Path) -> PathBuf {
        if path == Path::new(STDIN) {
            return path.to_owned();
        }
        if let Some((archive, member)) = inside::split(path) {
            return inside::member(&self.canonical(&archive), &member);
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return whole(path) };
        if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
            return whole(path);
        }
        if let Some(folder) = self.folders.get(folder) {
            return folder.join(name);
        }
        let real = whole(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let place = real.join(name);
        self.folders.insert(folder.to_owned(), real);
        place
    }
}

fn whole(path: &Path) -> PathBuf {
    fs::canonicalize(path).map(plain).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Without what Windows puts before such paths.
fn plain(path: PathBuf) -> PathBuf {
    let short = path.to_str().filter(|_| cfg!(windows)).and_then(|text| text.strip_prefix(VERBATIM)).filter(|rest| rest.get(1..2) == Some(":"));
    short.map(PathBuf::from).unwrap_or(path)
}

/// The name as people read it: from the current folder, where it is below that.
pub fn shown(name: &str) -> String {
    let path = input::path_of(name);
    let here = std::env::current_dir().ok().map(|here| whole(&here));
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    below.filter(|below| !below.as_os_str().is_empty()).map_or_else(|| name.to_owned(), |below| input::name(&below))
}

/// Whether a file may be there: it is, or it cannot be looked at.
pub fn may_be_there(name: &str) -> bool {
    let there = fs::metadata(input::file_of(name));
    !there.is_err_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

/// Where files are looked for, so that those of the catalogue that are not found there are gone.
pub struct Roots {
    folders: Vec<PathBuf>,
    /// Files that were named, and archives.
    files: HashSet<PathBuf>,
}

impl Roots {
    /// Of what was named.
    pub fn of(paths: &[PathBuf], places: &mut Places) -> Self {
        let mut roots = Roots { folders: Vec::new(), files: HashSet::new() };
        for path in paths {
            let place = places.canonical(path);
            if path.is_dir() {
                roots.folders.push(place);
            } else {
                roots.files.insert(place);
            }
        }
        roots
    }

    /// Whether a file of the catalogue is looked for.
    pub fn have(&self, name: &str) -> bool {
        let path = input::path_of(name);
        let archive = inside::split(&path).map(|(archive, _)| archive);
        self.folders.iter().any(|folder| path.starts_with(folder)) || self.files.contains(&path) || archive.is_some_and(|archive| self.files.contains(&archive))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let real = whole(folder.path());
        fs::create_dir(real.join("a")).unwrap();
        fs::write(real.join("a/x.dm_71"), b"x").unwrap();
        fs::write(real.join("two.zip"), b"x").unwrap();
        let mut places = Places::default();
        let mut of = |path: &str| places.canonical(&real.join(path));
        let wanted = real.join("a/x.dm_71");
        for path in ["a/x.dm_71", "./a/./x.dm_71", "a/../a/x.dm_71"] {
            assert_eq!(of(path), wanted, "{path}");
        }
        assert_eq!(of("a/../two.zip!b/c.dem"), inside::member(&real.join("two.zip"), "b/c.dem"));
        assert_eq!(of("a/../gone.dem"), real.join("gone.dem"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(real.join("a"), real.join("b")).unwrap();
            std::os::unix::fs::symlink(real.join("a/x.dm_71"), real.join("y.dm_71")).unwrap();
            assert_eq!((of("b/x.dm_71"), of("y.dm_71")), (wanted.clone(), wanted));
        }
    }
}
