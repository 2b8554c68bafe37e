//! The command's notation of places, for other programs: files, folders, patterns, archives, and their members.

use std::path::Path;

use fragreel::Limits;

use crate::failure::Failure;
use crate::input::{STDIN, name};
use crate::inside;
use crate::search::{self, PassedOver};

/// Why a place gives nothing.
#[derive(Debug)]
pub struct Refused {
    /// The kind of failure, as docs/json.md lists them.
    pub kind: &'static str,
    /// What went wrong, in one line.
    pub words: String,
    /// The file that it is about.
    pub path: String,
}

impl Refused {
    fn of(path: &Path, failure: &Failure) -> Self {
        let path = failure.file().map_or_else(|| name(path), str::to_owned);
        Refused { kind: failure.kind_of().name(), words: failure.one_line(), path }
    }
}

/// The recordings that a path means, as every command finds them, by their names.
///
/// # Errors
/// When there are none, or one of the places cannot be searched.
pub fn recordings(path: &Path) -> Result<Vec<String>, Refused> {
    let passed = PassedOver::default();
    let paths = [path.to_owned()];
    let found = search::files(&paths, &passed).map(|file| file.map(|file| name(&file)));
    found.collect::<Result<_, _>>().map_err(|failure| Refused::of(path, &failure))
}

/// The bytes of a member of an archive, and its name: `demos.zip!2004/final.dm_68` names one, and an archive with a single recording stands for that.
/// Gives nothing for a file that is not an archive.
///
/// # Errors
/// When the archive cannot be read, the member is larger than a recording may be, or an archive stands for several recordings.
pub fn member(path: &Path) -> Result<Option<(Vec<u8>, String)>, Refused> {
    let refused = |failure: Failure| Refused::of(path, &failure);
    // the package for Python has no standard input of its own
    if path == Path::new(STDIN) {
        return Ok(None);
    }
    let named = inside::only(path).map_err(refused)?;
    let Some((archive, member)) = inside::split(&named) else { return Ok(None) };
    let (bytes, ()) = inside::extract(&archive, &member, Limits::default().recording_bytes, |_| Ok(())).map_err(refused)?;
    Ok(Some((bytes, name(&named))))
}
