//! Where a file may be written.

use std::fs::{self, File, FileType, Metadata, Permissions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Inputs;
use crate::failure::Failure;

/// A place for a file: its name as given, and where that leads, links followed.
#[derive(Debug, Clone)]
pub struct Target {
    shown: PathBuf,
    real: PathBuf,
    force: bool,
    /// Those of the file that is replaced, which its successor inherits.
    permissions: Option<Permissions>,
}

/// As many links as Linux follows.
const MOST_LINKS: u32 = 40;

impl Target {
    /// Looks at the place, and removes drafts beside it whose makers are gone. Refuses what is no regular file, one of `inputs`, and what is there already unless `force` allows to
    /// replace it.
    pub fn of(path: &Path, inputs: &Inputs, force: bool) -> Result<Self, Failure> {
        let (real, permissions) = match fs::metadata(path) {
            Ok(there) if !there.is_file() => return Err(irregular(path, &there)),
            Ok(there) => {
                let real = fs::canonicalize(path).map_err(|error| unreachable(path, error))?;
                if is_standard_output(&there) {
                    return Err(onto_standard_output(path));
                }
                if let Some(read) = inputs.read_from(&real) {
                    return Err(
                        Failure::new(format!("`{}` {read}", path.display())).help("Name another file with -o, and delete the old one later if you like.")
                    );
                }
                (real, Some(there.permissions()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (followed(path)?, None),
            Err(error) => return Err(unreachable(path, error)),
        };
        let target = Target { shown: path.to_owned(), real, force, permissions };
        // what a run left that was killed
        super::stale::clear(target.folder());
        if target.permissions.is_some() && !force {
            return Err(target.taken());
        }
        if !target.folder().is_dir() {
            let folder = target.folder().display();
            return Err(Failure::new(format!("cannot write `{}`: there is no folder `{folder}`", path.display()))
                .help("Create the folder first, or name another file."));
        }
        Ok(target)
    }

    /// The name as given.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// Where the file will be.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// The folder where the file will be.
    pub fn folder(&self) -> &Path {
        self.real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Whether a file may be replaced.
    pub fn may_replace(&self) -> bool {
        self.force
    }

    /// Gives the file that will be there the permissions of the one that is.
    pub fn adopt(&self, file: &File) {
        if let Some(permissions) = &self.permissions {
            // What the file holds is right even where its mode cannot be set.
            let _ = file.set_permissions(permissions.clone());
        }
    }

    /// The failure for a file that is there already.
    pub fn taken(&self) -> Failure {
        let path = self.shown.display();
        Failure::new(format!("`{path}` already exists")).help("Name another file, or allow it with --force.")
    }
}

/// Whether standard output goes into a file: under that name a draft would take its place, and what is said there be lost.
#[cfg(unix)]
fn is_standard_output(there: &Metadata) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let output = std::io::stdout().as_fd().try_clone_to_owned().and_then(|output| File::from(output).metadata());
    output.is_ok_and(|output| (output.dev(), output.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_standard_output(_: &Metadata) -> bool {
    false
}

fn onto_standard_output(path: &Path) -> Failure {
    Failure::new(format!("`{}` is the target of standard output, so it cannot be replaced", path.display()))
        .help("Name another file, or write the recording to standard output with `-o -`.")
}

/// Where a name leads that nothing is under: itself, or where a link points that points to nothing yet.
fn followed(path: &Path) -> Result<PathBuf, Failure> {
    let mut real = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&real) {
            Ok(next) => real = real.parent().map(|folder| folder.join(&next)).unwrap_or(next),
            Err(_) if real.file_name().is_none() => break,
            Err(_) => return Ok(real),
        }
    }
    Err(Failure::new(format!("`{}` is not a file name", path.display())).help("Name the output file."))
}

fn irregular(path: &Path, there: &Metadata) -> Failure {
    let shown = path.display();
    if there.is_dir() {
        return Failure::new(format!("`{shown}` is a folder")).help("Name the output file.");
    }
    let kind = kind(there.file_type());
    Failure::new(format!("`{shown}` is {kind}, not a file")).help("Name a file, or write to standard output with `-o -`.")
}

#[cfg(unix)]
fn kind(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "no file"
    }
}

#[cfg(not(unix))]
fn kind(_: FileType) -> &'static str {
    "no file"
}

fn unreachable(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).because(error).help("Nothing was changed. Check that you can write to that folder.")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn devices_and_folders_are_refused_with_their_kind() {
        for (path, word) in [("/dev/null", "a device"), ("/", "a folder"), ("/dev/fd", "a folder")] {
            for force in [false, true] {
                let refused = Target::of(Path::new(path), &Inputs::none(), force).expect_err(path).one_line();
                assert!(refused.contains(word), "{refused}");
            }
        }
    }
}
