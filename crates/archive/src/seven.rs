//! 7-Zip.

use std::io::{Read, Seek};
use std::ops::ControlFlow;

use sevenz_rust2::{ArchiveReader, Error as SevenZError, Password};

use crate::bound::Bounded;
use crate::visit::Visit;
use crate::{Error, Limits};

pub(crate) fn walk(source: impl Read + Seek, limits: &Limits, most: u64, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let mut archive = ArchiveReader::new(source, Password::empty()).map_err(failed)?;
    if archive.archive().files.len() > limits.members {
        return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
    }
    if names {
        // The list says it without unpacking.
        for entry in archive.archive().files.iter().filter(|entry| !entry.is_directory) {
            if visit(&entry.name, &mut std::io::empty())?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let sum: u64 = archive.archive().files.iter().fold(0, |sum, entry| sum.saturating_add(entry.size));
    if sum > most {
        return Err(Error::Bomb(most));
    }
    let mut stopped = Ok(());
    let walked = archive.for_each_entries(|entry, reader| {
        if entry.is_directory {
            return Ok(true);
        }
        let mut bounded = Bounded::new(reader, entry.size.min(limits.member));
        match visit(&entry.name, &mut bounded) {
            // What is not read must be passed over: members are packed together.
            Ok(ControlFlow::Continue(())) => std::io::copy(&mut bounded, &mut std::io::sink()).map(|_| true).map_err(SevenZError::from),
            Ok(ControlFlow::Break(())) => Ok(false),
            Err(error) => {
                stopped = Err(error);
                Ok(false)
            }
        }
    });
    stopped?;
    walked.map_err(failed)
}

fn failed(error: SevenZError) -> Error {
    match error {
        SevenZError::Io(error, _) => error.into(),
        SevenZError::PasswordRequired => Error::Unsupported(String::from("it is encrypted")),
        SevenZError::UnsupportedCompressionMethod(method) => Error::Unsupported(format!("its compression `{method}` is not supported")),
        other => Error::Damaged(other.to_string()),
    }
}
