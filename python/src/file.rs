//! Files that are complete or not there.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes a draft beside `path` and gives it that name when it is complete.
pub fn put(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(ErrorKind::InvalidInput, format!("{} is no name for a file", path.display())));
    };
    let mut draft = name.to_owned();
    draft.push(format!(".fragreel-{}.part", std::process::id()));
    let draft = path.with_file_name(draft);
    let written = OpenOptions::new().write(true).create_new(true).open(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let placed = written.and_then(|()| {
        if overwrite {
            return fs::rename(&draft, path);
        }
        // A link fails where the name is taken, so that nothing is overwritten between a look and a rename.
        fs::hard_link(&draft, path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                io::Error::new(ErrorKind::AlreadyExists, format!("{} is there already; say overwrite=True to replace it", path.display()))
            }
            _ => error,
        })
    });
    let _ = fs::remove_file(&draft);
    placed
}
