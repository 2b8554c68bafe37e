//! Makes archives.

use std::collections::HashSet;

use super::{Entry, INDEX, LONGEST_NAME, MAGIC, MOST_BEFORE, VERSION, write_copy, write_entry, write_head};
use crate::arithmetic::Packing;
use crate::file::{Cursor, store, write_number};
use crate::general::General;
use crate::known::{How, Known};
use crate::stream::{FEWEST_SLOTS, slots};
use crate::{Method, Preset, families, pack_as};

/// A recording to be packed.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its name, with folders parted by slashes; at most 4096 bytes. Its extension is a hint.
    pub name: &'a str,
    /// All of it.
    pub bytes: &'a [u8],
}

/// Members that were packed, one or more groups.
#[derive(Debug, Clone, Default)]
pub struct Group {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Group {
    /// The members, with offsets in these bytes.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The members as they come in the archive.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How a member was packed.
    pub fn method(&self, entry: &Entry) -> Option<Method> {
        let member = self.bytes.get(usize::try_from(entry.offset).ok()?..)?;
        let head = super::MemberHead::read(member).ok()??;
        Cursor::new(member.get(head.length as usize..)?).head().ok().map(|head| head.method)
    }

    fn push(&mut self, slots: Option<u32>, member: &Member<'_>, packed: &[u8]) {
        let head = write_head(slots, member.name, packed.len() as u64);
        let recording = Cursor::new(packed).head();
        let (sha256, length) = recording.map_or(([0; 32], 0), |head| (head.sha256, head.length));
        self.entries.push(Entry {
            name: member.name.to_owned(),
            begins_group: slots.is_some(),
            copy_of: None,
            offset: self.bytes.len() as u64,
            packed: (head.len() + packed.len()) as u64,
            length,
            sha256,
        });
        self.bytes.extend(head);
        self.bytes.extend_from_slice(packed);
    }
}

/// Packs recordings that are likely alike into one group, or into several where they turn out not to be: a recording of another method begins a
/// new one. To read the last, all are unpacked, so give about eight megabytes at most. Names longer than the format has are cut.
pub fn pack_group(members: &[Member<'_>]) -> Group {
    pack_group_with(members, Preset::Small)
}

/// The same with a preset.
pub fn pack_group_with(members: &[Member<'_>], preset: Preset) -> Group {
    let mut group = Group::default();
    let members: Vec<Member<'_>> = members.iter().map(|member| Member { name: fitting(member.name), bytes: member.bytes }).collect();
    let mut left = &members[..];
    while let Some((first, rest)) = left.split_first() {
        left = rest;
        let all = left.iter().fold(first.bytes.len() as u64, |sum, member| sum + member.bytes.len() as u64);
        let Some((begun, mut known)) = begin(first, preset, slots(all)) else {
            let mut stored = crate::file::write_head(Method::Stored, Preset::FormerSmall, first.bytes, "");
            store(first.bytes, &mut stored);
            group.push(Some(FEWEST_SLOTS), first, &stored);
            continue;
        };
        group.push(Some(slots(all)), first, &begun);
        let mut before = first.bytes.len() as u64;
        while let Some((next, rest)) = left.split_first() {
            if before > MOST_BEFORE {
                break;
            }
            let Some(packed) = pack_next(next, &mut known).filter(|packed| packed.len() < next.bytes.len()) else { break };
            group.push(None, next, &packed);
            before += next.bytes.len() as u64;
            left = rest;
        }
    }
    group
}

/// A name that the format has room for.
fn fitting(name: &str) -> &str {
    let mut end = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// What the recordings of a group have taught.
type Taught = Known<Packing>;

/// Packs the first recording of a group by the model that suits it, and returns what that has learned. `None` where nothing makes it shorter.
fn begin(first: &Member<'_>, preset: Preset, bits: u32) -> Option<(Vec<u8>, Taught)> {
    let by = |preset, pack: fn(&Member<'_>, &mut Taught) -> Option<Vec<u8>>| {
        let mut known = Known::new(preset, bits);
        pack(first, &mut known).map(|packed| (packed, known))
    };
    let fields = by(preset, pack_fields_of);
    // where the fields say a lot, they say it of the whole group
    if fields.as_ref().is_some_and(|(packed, _)| packed.len() < first.bytes.len() / 3) {
        return fields;
    }
    // one model at a time, for its memory
    let by_fields = fields.map(|(packed, _)| packed.len());
    let bytewise = if matches!(preset, Preset::Small | Preset::FormerSmall) { Preset::Deep } else { preset };
    let bytes = by(bytewise, pack_bytes_of);
    let is_no_longer = |length: usize| bytes.as_ref().is_some_and(|(packed, _)| packed.len() <= length);
    let shortest = match by_fields {
        Some(length) if !is_no_longer(length) => {
            drop(bytes);
            by(preset, pack_fields_of)
        }
        _ => bytes,
    };
    shortest.filter(|(packed, _)| packed.len() < first.bytes.len())
}

fn pack_next(member: &Member<'_>, known: &mut Taught) -> Option<Vec<u8>> {
    if known.method == Some(Method::Bytes) { pack_bytes_of(member, known) } else { pack_fields_of(member, known) }
}

fn pack_fields_of(member: &Member<'_>, known: &mut Taught) -> Option<Vec<u8>> {
    families::pack(member.bytes, member.name, How { preset: known.preset, known: Some(known) }).map(|packed| packed.bytes)
}

fn pack_bytes_of(member: &Member<'_>, known: &mut Taught) -> Option<Vec<u8>> {
    pack_as(Method::Bytes, &mut General { bytes: member.bytes }, member.bytes, member.name, How { preset: known.preset, known: Some(known) })
        .map(|packed| packed.bytes)
}

/// Collects the index of what is written.
#[derive(Debug, Default)]
pub struct Writer {
    entries: Vec<Entry>,
    names: HashSet<String>,
}

impl Writer {
    /// The first bytes of an archive.
    pub fn beginning() -> Vec<u8> {
        [&MAGIC[..], &[VERSION]].concat()
    }

    /// Goes on behind these members of an archive, which are to be kept as they are.
    pub fn after(entries: Vec<Entry>) -> Self {
        let names = entries.iter().map(|entry| entry.name.clone()).collect();
        Writer { entries, names }
    }

    /// Whether a member has this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Where the next member begins.
    pub fn next_offset(&self) -> u64 {
        self.entries.last().map_or(MAGIC.len() as u64 + 1, |entry| entry.offset + entry.packed)
    }

    /// The bytes of a group, which come next.
    pub fn group(&mut self, group: Group) -> Vec<u8> {
        let offset = self.next_offset();
        for entry in group.entries {
            self.names.insert(entry.name.clone());
            self.entries.push(Entry { offset: offset + entry.offset, ..entry });
        }
        group.bytes
    }

    /// A member that has the bytes of another one in the archive; it comes next. `None` where none has this SHA-256 and length.
    pub fn copy(&mut self, name: &str, sha256: &[u8; 32], length: u64) -> Option<Vec<u8>> {
        let of = self.entries.iter().position(|entry| entry.copy_of.is_none() && entry.length == length && entry.sha256 == *sha256)?;
        let name = fitting(name);
        let bytes = write_copy(name, of);
        let offset = self.next_offset();
        self.names.insert(name.to_owned());
        let (name, packed) = (name.to_owned(), bytes.len() as u64);
        self.entries.push(Entry { name, begins_group: true, copy_of: Some(of), offset, packed, length, sha256: *sha256 });
        Some(bytes)
    }

    /// The last bytes: the index.
    pub fn end(&self) -> Vec<u8> {
        let mut out = vec![INDEX];
        write_number(self.entries.len() as u64, &mut out);
        for entry in &self.entries {
            write_entry(entry, &mut out);
        }
        let length = out.len() as u64;
        let check = crc32fast::hash(&out).to_le_bytes();
        out.extend(check);
        out.extend(length.to_le_bytes());
        out.extend(super::END);
        out
    }
}
