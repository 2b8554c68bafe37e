//! Files that commands write: under their name there is all of a result or nothing new, whatever interrupts the command.
//!
//! A result is written into a draft beside the place where it belongs and renamed when it is complete. A draft's name says
//! whose it is (`final.dm_68.fragreel-4711.part`: ours, by process 4711, for `final.dm_68`). Its maker holds a lock on it for as
//! long as it lives, so a later run knows which drafts belong to nobody any more, and removes those.

mod inputs;
mod stale;
mod target;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use inputs::Inputs;
pub use target::Target;

use crate::failure::Failure;

/// A file that is being written. Dropped before it is put in place, it leaves nothing behind.
pub struct Draft {
    target: Target,
    path: PathBuf,
    file: File,
    placed: bool,
}

/// Drafts of this process that are not in place.
static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How often a draft is begun again because another run took it for one without an owner.
const ATTEMPTS: u32 = 250;

/// Between two attempts. Another run holds a draft only as long as it takes to remove it.
const PAUSE: Duration = Duration::from_millis(2);

impl Draft {
    /// Begins a file.
    pub fn new(target: Target) -> Result<Self, Failure> {
        let path = target.folder().join(crate::draft_name::name(target.real()));
        open().insert(path.clone());
        let file = create(&path).map_err(|error| {
            open().remove(&path);
            unwritable(&target, error)
        })?;
        Ok(Draft { target, path, file, placed: false })
    }

    /// A whole file at once.
    pub fn put(target: Target, bytes: &[u8]) -> Result<(), Failure> {
        let mut draft = Draft::new(target)?;
        draft.file.write_all(bytes).map_err(|error| unwritable(&draft.target, error))?;
        draft.place()
    }

    /// The file, to be written to. Once it is in place, what is added is added there.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Where it is as long as it is not in place, for what writes files by their names.
    #[cfg(feature = "catalogue")]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file belongs.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Puts the file in place, over what is there only as the target allows. Does nothing when it is there already.
    pub fn place(&mut self) -> Result<(), Failure> {
        if self.placed {
            return Ok(());
        }
        self.target.adopt(&self.file);
        let placed = self.file.sync_all().and_then(|()| self.rename());
        placed.map_err(|error| if error.kind() == ErrorKind::AlreadyExists { self.target.taken() } else { unwritable(&self.target, error) })?;
        self.placed = true;
        open().remove(&self.path);
        // The name should outlast a power cut as the content does; not every file system can promise that.
        let _ = File::open(self.target.folder()).and_then(|folder| folder.sync_all());
        Ok(())
    }

    fn rename(&self) -> io::Result<()> {
        let real = self.target.real();
        if self.target.may_replace() {
            // Looked at again: what came there meanwhile may be something else than a file.
            return match fs::symlink_metadata(real) {
                Ok(there) if !there.is_file() => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file anymore")),
                _ => fs::rename(&self.path, real),
            };
        }
        // A link is made only where nothing is; a name would replace what came there meanwhile.
        match fs::hard_link(&self.path, real) {
            Ok(()) => fs::remove_file(&self.path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no such links.
            Err(_) if fs::symlink_metadata(real).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.path, real),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.placed {
            drop(fs::remove_file(&self.path));
            open().remove(&self.path);
        }
    }
}

/// Removes the drafts of this process: it is about to end.
pub fn abandon() {
    for draft in std::mem::take(&mut *open()) {
        drop(fs::remove_file(draft));
    }
}

fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new file that we hold the lock of.
fn create(path: &Path) -> io::Result<File> {
    for _ in 0..ATTEMPTS {
        match File::options().read(true).write(true).create_new(true).open(path) {
            Ok(file) => match file.try_lock() {
                Ok(()) if path.exists() => return Ok(file),
                // Another run found it between its making and its locking.
                Ok(()) | Err(fs::TryLockError::WouldBlock) => {}
                // No locks here: nobody clears drafts here either.
                Err(fs::TryLockError::Error(_)) => return Ok(file),
            },
            // A process of this number left it behind once, or another run is about to clear it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if stale::remove(path) {
                    continue;
                }
            }
            Err(error) => return Err(error),
        }
        std::thread::sleep(PAUSE);
    }
    Err(ErrorKind::ResourceBusy.into())
}

/// The failure of writing.
pub fn unwritable(target: &Target, error: io::Error) -> Failure {
    // Windows lets nobody replace a file that a program has open
    let advice = if cfg!(windows) { "Does another program have it open? Check free space and permissions." } else { "Check free space and permissions." };
    Failure::new(format!("cannot write `{}`", target.shown().display())).because(error).help(format!("The file was not changed. {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_that_another_run_is_clearing_is_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(crate::draft_name::name(Path::new("a.qwd")));
        let other = File::create(&path).unwrap();
        other.lock().unwrap();
        let cleared = path.clone();
        let clearing = std::thread::spawn(move || {
            std::thread::sleep(PAUSE * 3);
            fs::remove_file(cleared).unwrap();
            drop(other);
        });
        assert!(create(&path).is_ok());
        clearing.join().unwrap();
        let held = create(&folder.path().join("b.part")).unwrap();
        assert_eq!(create(&folder.path().join("b.part")).unwrap_err().kind(), ErrorKind::ResourceBusy);
        drop(held);
    }
}
