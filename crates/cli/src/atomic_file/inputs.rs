//! The recordings that a command reads, over which it never writes.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::search::{self, PassedOver};
use crate::{input, inside};

/// What was named to be read: found by the rule by which it is read, and only once somebody asks.
pub struct Inputs {
    named: Vec<PathBuf>,
    read: OnceLock<Read>,
}

/// Files by where they really are.
struct Read {
    files: HashMap<PathBuf, &'static str>,
    folders: Vec<PathBuf>,
}

const RECORDING: &str = "is an input, and inputs are never overwritten";
const ARCHIVE: &str = "is an archive that an input is read from, and inputs are never overwritten";

impl Inputs {
    /// Nothing is read.
    pub fn none() -> Self {
        Inputs { named: Vec::new(), read: OnceLock::new() }
    }

    /// What these paths mean: files, folders, patterns and members of archives.
    pub fn of<'a>(named: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        Inputs { named: named.into_iter().cloned().collect(), read: OnceLock::new() }
    }

    /// What the file that is there is to the recordings that are read, where it may not be replaced: one of them, or the archive that one lies in.
    pub fn read_from(&self, real: &Path) -> Option<&'static str> {
        let Read { files, folders } = self.read.get_or_init(|| self.find());
        let is_named_so = || real.to_str().is_some_and(fragreel::is_recording_name) || inside::kind(real).is_some();
        let is_below = || folders.iter().any(|folder| real.starts_with(folder)) && is_named_so();
        files.get(real).copied().or_else(|| is_below().then_some(RECORDING))
    }

    fn find(&self) -> Read {
        let mut read = Read { files: HashMap::new(), folders: Vec::new() };
        let named = self.named.iter().filter(|path| *path != Path::new(input::STDIN));
        for path in named.clone().filter(|path| !crate::pattern::is_pattern(path)) {
            if path.is_dir() {
                read.folders.extend(fs::canonicalize(path));
            }
            read.add(path);
        }
        let named: Vec<PathBuf> = named.cloned().collect();
        // what cannot be looked into is not read either
        search::files(&named, &PassedOver::default()).flatten().for_each(|path| read.add(&path));
        read
    }
}

impl Read {
    fn add(&mut self, path: &Path) {
        let (file, what) = inside::split(path).map_or((path.to_owned(), RECORDING), |(archive, _)| (archive, ARCHIVE));
        if let Ok(real) = fs::canonicalize(file) {
            self.files.entry(real).or_insert(what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_folders_and_files_are_read_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(folder.join("below")).unwrap();
        let [one, other, below] = ["one.dm_68", "other.txt", "below/two.dm_68"].map(|name| folder.join(name));
        [&one, &other, &below].iter().for_each(|path| fs::write(path, b"").unwrap());
        let read = |named: &str| {
            let inputs = Inputs::of(&[folder.join(named)]);
            [&one, &other, &below].map(|path| inputs.read_from(path).is_some())
        };
        assert_eq!(read("*.dm_68"), [true, false, false]);
        assert_eq!(read("**/*.dm_68"), [true, false, true]);
        assert_eq!(read("bel*"), [false, false, true]);
        assert_eq!(read("o*"), [true, true, false]);
        assert_eq!(read("."), [true, false, true]);
        assert_eq!(read("other.txt"), [false, true, false]);
        assert_eq!(Inputs::none().read_from(&one), None);
    }
}
