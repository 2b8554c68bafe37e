//! zip.

use std::io::{Read, Seek};

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use crate::bound::all;
use crate::members::Visit;
use crate::{Error, Limits};

pub fn walk<R: Read + Seek>(source: R, limits: &Limits, visit: &mut Visit<'_>) -> Result<(), Error> {
    let mut archive = ZipArchive::new(source).map_err(failed)?;
    if archive.len() > limits.members {
        return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
    }
    for at in 0..archive.len() {
        let mut raw = archive.by_index_raw(at).map_err(failed)?;
        if raw.is_dir() {
            continue;
        }
        let name = name(&raw);
        if visit(&name, &mut raw)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// One member: a zip lists where each is.
pub fn extract<R: Read + Seek>(source: R, member: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
    let mut archive = ZipArchive::new(source).map_err(failed)?;
    for at in 0..archive.len() {
        let is_it = name(&archive.by_index_raw(at).map_err(failed)?) == member;
        if !is_it {
            continue;
        }
        let mut file = archive.by_index(at).map_err(failed)?;
        let packed = file.compressed_size();
        let most = limits.member.min(limits.base.saturating_add(packed.saturating_mul(limits.ratio)));
        return Ok(all(&mut file, most)?);
    }
    Err(Error::Missing(member.to_owned()))
}

/// The name as people see it; zips of the time have backslashes and the letters of DOS.
fn name<R: Read>(file: &ZipFile<'_, R>) -> String {
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
