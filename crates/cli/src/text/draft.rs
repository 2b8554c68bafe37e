//! A result that is there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use fragreel::text_form::Patch;
use tempfile::NamedTempFile;

use crate::failure::{Failure, Stop};
use crate::input::STDIN;

/// Where a result is written until it is complete.
pub struct Draft {
    /// The name that it gets; none for standard output.
    target: Option<PathBuf>,
    file: BufWriter<NamedTempFile>,
}

impl Draft {
    /// A draft for `target`, or for standard output. `input` is never overwritten, and no other file without `force`.
    pub fn new(target: Option<&Path>, input: &Path, force: bool) -> Result<Self, Stop> {
        let target = target.filter(|target| *target != Path::new(STDIN));
        let file = match target {
            Some(target) => {
                crate::edit::may_write(&[input.to_owned()], target, force)?;
                let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                NamedTempFile::new_in(folder).map_err(|error| unwritable(target, error))?
            }
            None => NamedTempFile::new()?,
        };
        Ok(Draft { target: target.map(Path::to_owned), file: BufWriter::with_capacity(1 << 18, file) })
    }

    /// Whether the result would go to a terminal.
    pub fn is_for_terminal(&self) -> bool {
        self.target.is_none() && io::stdout().is_terminal()
    }

    /// Adds to the draft.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        Ok(self.file.write_all(bytes)?)
    }

    /// Puts bytes over earlier ones, and the whole in place, packed when the name ends in `.gz`.
    pub fn put(self, patches: &[Patch]) -> Result<(), Stop> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        for patch in patches {
            file.seek(SeekFrom::Start(patch.offset))?;
            file.write_all(&patch.bytes)?;
        }
        file.flush()?;
        let Some(target) = self.target else {
            file.seek(SeekFrom::Start(0))?;
            io::copy(&mut file, &mut io::stdout().lock())?;
            return Ok(());
        };
        let packed = target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let file = if packed { pack(file, &target)? } else { file };
        file.as_file().sync_all()?;
        // a temporary file is its maker's alone, a result is as any other new file
        share(file.as_file());
        file.persist(&target).map_err(|error| unwritable(&target, error.error))?;
        Ok(())
    }
}

/// The same content packed.
fn pack(mut file: NamedTempFile, target: &Path) -> Result<NamedTempFile, Stop> {
    let folder = file.path().parent().unwrap_or(Path::new(".")).to_owned();
    let packed = NamedTempFile::new_in(folder).map_err(|error| unwritable(target, error))?;
    let mut encoder = GzEncoder::new(packed, Compression::best());
    file.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(encoder.finish()?),
            length => encoder.write_all(&buffer[..length])?,
        }
    }
}

#[cfg(unix)]
fn share(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    // What the file holds is right even where its mode cannot be set.
    let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn share(_: &File) {}

fn unwritable(target: &Path, error: io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", target.display()))
        .because(error)
        .help("Nothing was changed there. Is there room, and may you write to that folder?")
}
