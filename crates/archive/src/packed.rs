//! Archives of `fragreel pack`: recordings in groups, each packed with what those before it in its group taught the model.

use std::io::{self, Cursor, Read, Seek};

use fragreel_pack::archive::{Archive, Error as PackError};

use crate::bound::Exceeded;
use crate::visit::Visit;
use crate::{Error, Limits};

pub(crate) fn walk(source: impl Read + Seek, limits: &Limits, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let mut archive = open(source)?;
    if archive.entries().len() > limits.members {
        return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
    }
    for at in 0..archive.entries().len() {
        let Some(name) = archive.entries().get(at).map(|entry| entry.name.clone()) else { break };
        let flow = if names { visit(&name, &mut io::empty()) } else { visit(&name, &mut Unread { archive: &mut archive, at, limits, bytes: None }) };
        if flow?.is_break() {
            return Ok(());
        }
    }
    archive.damage().map_or(Ok(()), |damage| Err(Error::Damaged(damage.to_string())))
}

pub(crate) fn extract(source: impl Read + Seek, member: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
    let mut archive = open(source)?;
    let at = archive.find(member).ok_or_else(|| Error::Missing(member.to_owned()))?;
    read(&mut archive, at, limits)
}

/// The name under which a member's bytes are in the archive, and the members of the group that it is in: to read one, those before it are unpacked.
///
/// # Errors
/// When there is no such member, or the archive cannot be read.
pub fn group(source: impl Read + Seek, member: &str) -> Result<(String, Vec<String>), Error> {
    let archive = open(source)?;
    let at = archive.find(member).ok_or_else(|| Error::Missing(member.to_owned()))?;
    let at = archive.entries()[at].copy_of.unwrap_or(at);
    let names = archive.entries()[archive.group(at)].iter().map(|entry| entry.name.clone()).collect();
    Ok((archive.entries()[at].name.clone(), names))
}

fn open<R: Read + Seek>(source: R) -> Result<Archive<R>, Error> {
    Archive::open(source).map_err(|error| failed(error, u64::MAX))
}

fn read<R: Read + Seek>(archive: &mut Archive<R>, at: usize, limits: &Limits) -> Result<Vec<u8>, Error> {
    let most = fragreel_pack::Limits { bytes: limits.member, ..fragreel_pack::Limits::default() };
    archive.read(at, &most).map_err(|error| failed(error, limits.member))
}

fn failed(error: PackError, most: u64) -> Error {
    match error {
        PackError::Io(error) => error.into(),
        PackError::Packed(fragreel_pack::Error::TooLarge(stated)) => Error::Bomb(most.min(stated)),
        PackError::Packed(error @ (fragreel_pack::Error::Version(_) | fragreel_pack::Error::Method | fragreel_pack::Error::Family(_))) => {
            Error::Unsupported(error.to_string())
        }
        other => Error::Damaged(other.to_string()),
    }
}

/// A member that is unpacked when its first byte is asked for.
struct Unread<'a, R> {
    archive: &'a mut Archive<R>,
    at: usize,
    limits: &'a Limits,
    bytes: Option<Cursor<Vec<u8>>>,
}

impl<R: Read + Seek> Read for Unread<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(bytes) = &mut self.bytes {
            return bytes.read(buffer);
        }
        let bytes = read(self.archive, self.at, self.limits).map_err(|error| match error {
            Error::Bomb(most) => io::Error::other(Exceeded(most)),
            Error::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
        })?;
        self.bytes.insert(Cursor::new(bytes)).read(buffer)
    }
}
