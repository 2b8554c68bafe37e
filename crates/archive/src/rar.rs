//! RAR, of all versions.

use std::cell::RefCell;
use std::io::{self, Cursor, Read, Seek, Write};
use std::rc::Rc;

use rars::{Archive, ArchiveMember, ArchiveReadOptions, ArchiveReader, ErrorKind, ExtractionDecision};

use crate::visit::Visit;
use crate::{Error, Limits};

/// Headers take no more of memory than this.
const HEADERS: u64 = 64 << 20;
/// What unpacking takes besides what comes out.
const WORKSPACE: u64 = 512 << 20;

pub(crate) fn walk(source: impl Read + Seek, limits: &Limits, most: u64, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let archive = open(source, limits)?;
    if names {
        // the headers say it without unpacking
        for member in archive.members().filter(is_file) {
            if visit(&member.meta.name_lossy(), &mut io::empty())?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let sum = archive.members().fold(0u64, |sum, member| sum.saturating_add(member.meta.unpacked_size));
    if sum > most {
        return Err(Error::Bomb(most));
    }
    // A member is whole, and its checksum right, when the next one comes.
    let buffer = Buffer::default();
    let (mut held, mut stopped) = (None, Ok(()));
    let walked = archive.extract_with_control(options(limits, most), |member| {
        if let Some(name) = held.take() {
            match visit(&String::clone(&name), &mut Cursor::new(buffer.take())) {
                Ok(flow) if flow.is_continue() => {}
                other => {
                    stopped = other.map(drop);
                    return Ok(ExtractionDecision::Stop);
                }
            }
        }
        if !is_file(member) {
            return Ok(ExtractionDecision::Skip);
        }
        held = Some(member.meta.name_lossy());
        Ok(ExtractionDecision::Extract(Box::new(buffer.clone())))
    });
    stopped?;
    walked.map_err(|error| failed(&error, most))?;
    if let Some(name) = held {
        let _ = visit(&name, &mut Cursor::new(buffer.take()))?;
    }
    Ok(())
}

/// One member, unpacked alone where the archive allows it.
pub(crate) fn extract(source: impl Read + Seek, name: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
    let archive = open(source, limits)?;
    let missing = || Error::Missing(name.to_owned());
    let at = archive.members().position(|member| is_file(&member) && member.meta.name_lossy() == name).ok_or_else(missing)?;
    let members = archive.read_members_at_with_options(&[at], options(limits, u64::MAX)).map_err(|error| failed(&error, limits.member))?;
    members.into_iter().next().flatten().ok_or_else(missing)
}

fn open(mut source: impl Read + Seek, limits: &Limits) -> Result<Archive, Error> {
    source.rewind()?;
    let mut bytes = Vec::new();
    crate::bound::Bounded::new(source, limits.member).read_to_end(&mut bytes)?;
    let options = ArchiveReadOptions::new().with_max_header_count(limits.members as u64).with_max_header_bytes(HEADERS);
    let archive = ArchiveReader::read_owned_with_options(bytes, options).map_err(|error| failed(&error, limits.member))?;
    if archive.members().any(|member| member.meta.is_split_before || member.meta.is_split_after) {
        return Err(Error::Unsupported(String::from("it is one of several parts; unpack the parts first")));
    }
    Ok(archive)
}

fn options(limits: &Limits, most: u64) -> ArchiveReadOptions<'static> {
    let options = ArchiveReadOptions::new().with_max_member_output_bytes(limits.member).with_max_total_output_bytes(most);
    options.with_rar50_dictionary_size_limit(WORKSPACE / 2).with_max_reader_workspace_bytes(WORKSPACE)
}

/// A file, and no folder or link.
fn is_file(member: &ArchiveMember) -> bool {
    !member.meta.is_directory && !member.meta.is_redirection
}

fn failed(error: &rars::Error, most: u64) -> Error {
    match error.kind() {
        ErrorKind::PasswordRequired | ErrorKind::BadPassword => Error::Unsupported(String::from("it is encrypted")),
        // the reader is built without
        _ if error.to_string().ends_with("encryption is disabled") => Error::Unsupported(String::from("it is encrypted")),
        ErrorKind::UnsupportedFormat | ErrorKind::UnsupportedFeature => Error::Unsupported(error.to_string()),
        ErrorKind::ResourceLimit => Error::Bomb(most),
        _ => Error::Damaged(error.to_string()),
    }
}

/// What a member was unpacked to.
#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
