//! zip.

use std::collections::HashMap;
use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::read::{ZipFile, ZipFileEntry};
use zip::result::ZipError;

use crate::bound::{Bounded, all};
use crate::visit::Visit;
use crate::{Error, Limits};

pub(crate) fn walk<R: Read + Seek>(source: R, limits: &Limits, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let mut archive = open(source, limits)?;
    for at in 0..archive.len() {
        let entry = archive.by_index_data(at).map_err(failed)?;
        if entry.is_dir() {
            continue;
        }
        let name = name(&entry);
        let flow = if names {
            visit(&name, &mut io::empty())
        } else {
            let file = archive.by_index(at).map_err(failed)?;
            let most = most(&file, limits);
            visit(&name, &mut Bounded::new(file, most))
        };
        if flow?.is_break() {
            break;
        }
    }
    Ok(())
}

/// A zip that stays open: it lists where each member is, and the list is read once.
///
/// ```
/// use std::io::Cursor;
/// use fragreel_archive::{Limits, Zip};
///
/// let mut zip = Zip::open(Cursor::new(std::fs::read("tests/files/two.zip").unwrap()), &Limits::default())?;
/// assert_eq!(zip.extract("d/one.txt", &Limits::default())?, b"one\n");
/// assert_eq!(zip.extract("d/two.dat", &Limits::default())?, b"two\n");
/// # Ok::<(), fragreel_archive::Error>(())
/// ```
pub struct Zip<R> {
    archive: ZipArchive<R>,
    places: HashMap<String, usize>,
}

impl<R: Read + Seek> Zip<R> {
    /// Reads the list.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(source: R, limits: &Limits) -> Result<Self, Error> {
        let archive = open(source, limits)?;
        let mut places = HashMap::new();
        for at in 0..archive.len() {
            let entry = archive.by_index_data(at).map_err(failed)?;
            // of several with one name, the first
            places.entry(name(&entry)).or_insert(at);
        }
        Ok(Zip { archive, places })
    }

    /// How many bytes the list says come out of a member: no more do.
    ///
    /// # Errors
    /// When there is none.
    pub fn length(&self, member: &str) -> Result<u64, Error> {
        let at = self.place(member)?;
        Ok(self.archive.by_index_data(at).map_err(failed)?.size())
    }

    fn place(&self, member: &str) -> Result<usize, Error> {
        self.places.get(member).copied().ok_or_else(|| Error::Missing(member.to_owned()))
    }

    /// One member by its name.
    ///
    /// # Errors
    /// When there is none, it is too large, or it cannot be read.
    pub fn extract(&mut self, member: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
        let at = self.place(member)?;
        let mut file = self.archive.by_index(at).map_err(failed)?;
        let most = most(&file, limits);
        Ok(all(&mut file, most)?)
    }
}

fn open<R: Read + Seek>(source: R, limits: &Limits) -> Result<ZipArchive<R>, Error> {
    let archive = ZipArchive::new(source).map_err(failed)?;
    if archive.len() > limits.members {
        return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
    }
    Ok(archive)
}

/// What may come out of a member: no more than the list says.
fn most<R: Read>(file: &ZipFile<'_, R>, limits: &Limits) -> u64 {
    limits.member.min(file.size()).min(limits.base.saturating_add(file.compressed_size().saturating_mul(limits.ratio)))
}

/// The name as people see it; zips of the time have backslashes and the letters of DOS.
fn name(file: &ZipFileEntry<'_>) -> String {
    let name = file.name().map_or_else(|_| String::from_utf8_lossy(file.name_raw()).into_owned(), std::borrow::Cow::into_owned);
    name.replace('\\', "/")
}

fn failed(error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::UnsupportedArchive(what) => Error::Unsupported(what.to_owned()),
        other => Error::Damaged(other.to_string()),
    }
}
