//! Archives of many recordings, which share what is learned from them (`docs/formats/pack.md`, "Archives").
//!
//! Members follow each other in groups: each is packed with what those before it in its group taught the model. So one recording is read
//! by unpacking no more than its group up to it. An index is at the end; without it, the members still say where the next one begins.
//!
//! ```
//! use std::io::Cursor;
//! use fragreel_pack::archive::{Archive, Member, Writer, pack_group};
//!
//! let text = b"two recordings that are much alike ".repeat(9);
//! let members = [Member { name: "a/one.dem", bytes: &text }, Member { name: "a/two.dem", bytes: &text }];
//! let mut writer = Writer::default();
//! let mut file = Writer::beginning();
//! file.extend(writer.group(pack_group(&members)));
//! file.extend(writer.end());
//!
//! let mut archive = Archive::open(Cursor::new(file))?;
//! assert_eq!(archive.find("a/two.dem"), Some(1));
//! assert_eq!(archive.read(1, &fragreel_pack::Limits::default())?, text);
//! # Ok::<(), fragreel_pack::archive::Error>(())
//! ```

mod reader;
mod writer;

use crate::Head;
use crate::file::{Cursor, write_number};
use crate::stream::{FEWEST_SLOTS, MOST_SLOTS};

pub use reader::{Archive, Error};
pub use writer::{Group, Member, Writer, pack_group, pack_group_with};

/// The first bytes of an archive, and the last ones.
const MAGIC: [u8; 4] = *b"FrgA";
const END: [u8; 4] = *b"FrgE";
/// The version of the archive; members have that of their model.
const VERSION: u8 = 1;
/// Check, length and mark of the index.
const FOOTER: u64 = 16;

/// What a member begins with: the index, a group, the next of a group, or a copy.
const INDEX: u8 = 0;
const BEGINS: u8 = 1;
const CONTINUES: u8 = 2;
/// Another name for a member that came before.
const COPY: u8 = 3;

/// The longest head of a member: kind, slots, two numbers, the name, a check.
const LONGEST_HEAD: usize = 2 + 9 + LONGEST_NAME + 9 + 4;
/// The longest name.
const LONGEST_NAME: usize = 4096;
/// Bytes of originals that may come before a member in its group. Writers keep far below it.
const MOST_BEFORE: u64 = 1 << 26;

/// A member, as the index has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, with folders parted by slashes.
    pub name: String,
    /// Whether it is the first of a group, or a copy.
    pub begins_group: bool,
    /// The number of the member whose bytes it has, where that is another.
    pub copy_of: Option<usize>,
    /// Where it begins in the archive.
    pub offset: u64,
    /// Bytes of it in the archive.
    pub packed: u64,
    /// Bytes of the original.
    pub length: u64,
    /// SHA-256 of the original.
    pub sha256: [u8; 32],
}

/// Whether these bytes begin as an archive does.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Writes the head of a member that is packed into `packed` bytes. `slots`: of a group that it begins.
fn write_head(slots: Option<u32>, name: &str, packed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    match slots {
        Some(bits) => out.extend([BEGINS, bits as u8]),
        None => out.push(CONTINUES),
    }
    write_number(name.len() as u64, &mut out);
    out.extend_from_slice(name.as_bytes());
    write_number(packed, &mut out);
    let check = crc32fast::hash(&out).to_le_bytes();
    out.extend(check);
    out
}

/// Writes a member that has the bytes of another.
fn write_copy(name: &str, of: usize) -> Vec<u8> {
    let mut out = vec![COPY];
    write_number(name.len() as u64, &mut out);
    out.extend_from_slice(name.as_bytes());
    write_number(of as u64, &mut out);
    let check = crc32fast::hash(&out).to_le_bytes();
    out.extend(check);
    out
}

/// The head of a member.
struct MemberHead {
    slots: Option<u32>,
    copy_of: Option<usize>,
    name: String,
    /// Bytes of the head, and behind it.
    length: u64,
    packed: u64,
}

impl MemberHead {
    /// Reads one; `None` where the index begins.
    fn read(bytes: &[u8]) -> Result<Option<Self>, crate::Error> {
        let mut from = Cursor::new(bytes);
        let (slots, is_copy) = match from.byte()? {
            INDEX => return Ok(None),
            BEGINS => (Some(u32::from(from.byte()?)), false),
            CONTINUES => (None, false),
            COPY => (None, true),
            _ => return Err(DAMAGED),
        };
        let name = read_name(&mut from)?;
        let number = from.number()?;
        let copy_of = is_copy.then(|| usize::try_from(number).map_err(|_| DAMAGED)).transpose()?;
        let packed = if is_copy { 0 } else { number };
        let length = bytes.len() - from.rest().len();
        let check = from.take(4)?;
        if crc32fast::hash(&bytes[..length]).to_le_bytes() != check || slots.is_some_and(|bits| !(FEWEST_SLOTS..=MOST_SLOTS).contains(&bits)) {
            return Err(DAMAGED);
        }
        Ok(Some(MemberHead { slots, copy_of, name, length: length as u64 + 4, packed }))
    }
}

const DAMAGED: crate::Error = crate::Error::Damaged("a member's head is none");

fn read_name(from: &mut Cursor<'_>) -> Result<String, crate::Error> {
    let length = from.number()?;
    let length = usize::try_from(length).ok().filter(|&length| length <= LONGEST_NAME).ok_or(DAMAGED)?;
    String::from_utf8(from.take(length)?.to_vec()).map_err(|_| DAMAGED)
}

/// What the index says of a member, given where the one before ends.
fn write_entry(entry: &Entry, out: &mut Vec<u8>) {
    out.push(match entry.copy_of {
        Some(_) => COPY,
        None if entry.begins_group => BEGINS,
        None => CONTINUES,
    });
    write_number(entry.packed, out);
    write_number(entry.length, out);
    out.extend(entry.sha256);
    write_number(entry.name.len() as u64, out);
    out.extend(entry.name.as_bytes());
    if let Some(of) = entry.copy_of {
        write_number(of as u64, out);
    }
}

/// The entries of an index, whose first byte is behind its mark.
fn read_index(from: &mut Cursor<'_>, end: u64) -> Result<Vec<Entry>, crate::Error> {
    let count = from.number()?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut offset = MAGIC.len() as u64 + 1;
    for _ in 0..count {
        let (begins_group, is_copy) = match from.byte()? {
            BEGINS => (true, false),
            CONTINUES if entries.last().is_some_and(|last| last.copy_of.is_none()) => (false, false),
            COPY => (true, true),
            _ => return Err(DAMAGED),
        };
        let (packed, length) = (from.number()?, from.number()?);
        let mut sha256 = [0; 32];
        sha256.copy_from_slice(from.take(32)?);
        let name = read_name(from)?;
        let copy_of = is_copy.then(|| from.number()).transpose()?;
        let copy_of = copy_of.map(|of| original(&entries, of)).transpose()?;
        if copy_of.is_some_and(|of| (entries[of].length, entries[of].sha256) != (length, sha256)) {
            return Err(DAMAGED);
        }
        entries.push(Entry { name, begins_group, copy_of, offset, packed, length, sha256 });
        offset = offset.checked_add(packed).filter(|&next| next <= end).ok_or(DAMAGED)?;
    }
    if from.rest().is_empty() && offset == end { Ok(entries) } else { Err(DAMAGED) }
}

/// The member of this number, which is no copy itself.
fn original(entries: &[Entry], of: u64) -> Result<usize, crate::Error> {
    let of = usize::try_from(of).ok();
    of.filter(|&of| entries.get(of).is_some_and(|entry| entry.copy_of.is_none())).ok_or(DAMAGED)
}

/// An entry of a member, from its own heads.
fn entry_of(head: &MemberHead, recording: &Head, offset: u64) -> Entry {
    Entry {
        name: head.name.clone(),
        begins_group: head.slots.is_some(),
        copy_of: None,
        offset,
        packed: head.length.saturating_add(head.packed),
        length: recording.length,
        sha256: recording.sha256,
    }
}
