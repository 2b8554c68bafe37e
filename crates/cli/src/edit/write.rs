//! Putting results in place: all of a file or nothing, and never over the input.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Stop};
use crate::input::STDIN;

/// Refuses to touch an input, or anything else that is there already.
pub fn may_write(inputs: &[PathBuf], target: &Path, force: bool) -> Result<(), Failure> {
    if target == Path::new(STDIN) {
        return Ok(());
    }
    let same = |input: &PathBuf| matches!((fs::canonicalize(input), fs::canonicalize(target)), (Ok(input), Ok(target)) if input == target);
    if inputs.iter().any(same) {
        return Err(Failure::new("a recording that is edited is never overwritten")
            .help("Name another file with -o; delete the old one yourself once you are content."));
    }
    if target.exists() && !force {
        return Err(Failure::new(format!("`{}` is there already", target.display())).help("Name another file, or allow it with --force."));
    }
    Ok(())
}

/// Writes a result.
pub fn put(target: &Path, bytes: &[u8]) -> Result<(), Stop> {
    if target == Path::new(STDIN) {
        let mut output = io::stdout().lock();
        output.write_all(bytes)?;
        return Ok(output.flush()?);
    }
    replace(target, bytes).map_err(|error| {
        Failure::new(format!("cannot write `{}`", target.display()))
            .because(error)
            .help("Nothing was changed there. Is there room, and may you write to that folder?")
            .into()
    })
}

/// Writes a file so that under its name there is either nothing new or all of it.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft_name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "that is no file name"))?.to_owned();
    draft_name.push(format!(".{}.part", std::process::id()));
    let draft = target.with_file_name(draft_name);
    let written = File::create_new(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, target)).inspect_err(|_| drop(fs::remove_file(&draft)))
}
