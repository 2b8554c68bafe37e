//! Reads archives.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::{END, Entry, FOOTER, INDEX, LONGEST_HEAD, MAGIC, MOST_BEFORE, MemberHead, VERSION, entry_of, read_index};
use crate::arithmetic::Unpacking;
use crate::file::Cursor;
use crate::known::Known;
use crate::{Limits, unpack_after};

/// What suffices for the head of a packed recording.
const RECORDING_HEAD: usize = 4 + 2 + 6 + 32 + 9 + 1 + 255;

/// Why an archive could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Its bytes could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What they are cannot be unpacked.
    #[error(transparent)]
    Packed(#[from] crate::Error),
    /// There is no member of this number.
    #[error("there is no such member in the archive")]
    Missing,
}

/// An archive that is open. What it learned of the group that it read last is kept, so that members in their order are unpacked once.
#[derive(Debug)]
pub struct Archive<R> {
    source: R,
    length: u64,
    entries: Vec<Entry>,
    damage: Option<crate::Error>,
    /// What is known before the member of this number.
    known: Option<(usize, Known<Unpacking>)>,
    /// Bytes of originals that this group had so far.
    before: u64,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the index, or where it is not whole, the head of each member as far as they go; [`damage`](Self::damage) says so.
    ///
    /// # Errors
    /// When it does not begin as an archive does, needs a newer version, or cannot be read.
    pub fn open(mut source: R) -> Result<Self, Error> {
        let length = source.seek(SeekFrom::End(0))?;
        let mut archive = Archive { source, length, entries: Vec::new(), damage: None, known: None, before: 0 };
        let start = archive.part(0, MAGIC.len() + 1)?;
        if !super::is_archive(&start) {
            return Err(crate::Error::NotPacked.into());
        }
        match start.get(MAGIC.len()) {
            None => return Err(crate::Error::Truncated.into()),
            Some(&VERSION) => {}
            Some(&other) => return Err(crate::Error::Version(other).into()),
        }
        if let Some(entries) = archive.index()? {
            archive.entries = entries;
        } else {
            archive.damage = Some(archive.scan()?);
        }
        Ok(archive)
    }

    /// The members.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Why there may be more members than those.
    pub fn damage(&self) -> Option<&crate::Error> {
        self.damage.as_ref()
    }

    /// The number of the first member of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    /// The members of the group that the member is in.
    pub fn group(&self, at: usize) -> Range<usize> {
        let start = self.entries[..self.entries.len().min(at + 1)].iter().rposition(|entry| entry.begins_group).unwrap_or(0);
        let rest = self.entries.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|entry| entry.begins_group).map_or(self.entries.len(), |more| at + 1 + more);
        start..end
    }

    /// Unpacks a member, and first what its group has before it.
    ///
    /// # Errors
    /// When there is none, its part of the archive cannot be read or is damaged, or states more than the limits allow.
    pub fn read(&mut self, at: usize, limits: &Limits) -> Result<Vec<u8>, Error> {
        let at = self.entries.get(at).map(|entry| entry.copy_of.unwrap_or(at)).ok_or(Error::Missing)?;
        let start = self.group(at).start;
        let (mut next, mut known) = match self.known.take() {
            Some((next, known)) if (start + 1..=at).contains(&next) => (next, Some(known)),
            _ => {
                self.before = 0;
                (start, None)
            }
        };
        loop {
            let mut bytes = Vec::new();
            known = self.next(next, known, limits, &mut |block| {
                if next == at {
                    bytes.extend_from_slice(block);
                }
                true
            })?;
            next += 1;
            if next > at {
                self.known = known.map(|known| (next, known));
                return Ok(bytes);
            }
        }
    }

    /// Whether the bytes of a member are as they were written, by their checks alone: nothing is unpacked.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn is_intact(&mut self, at: usize) -> Result<bool, Error> {
        let entry = self.entries.get(at).ok_or(Error::Missing)?;
        let (offset, packed, copy_of) = (entry.offset, entry.packed, entry.copy_of);
        let bytes = self.part(offset, usize::try_from(packed).unwrap_or(usize::MAX))?;
        let Ok(Some(head)) = MemberHead::read(&bytes) else { return Ok(false) };
        Ok(copy_of.is_some() || bytes.get(head.length as usize..).is_some_and(crate::is_intact))
    }

    /// Unpacks one member, given what is known before it. Returns what is known behind it.
    fn next(
        &mut self,
        at: usize,
        known: Option<Known<Unpacking>>,
        limits: &Limits,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<Known<Unpacking>>, Error> {
        let (offset, packed) = self.entries.get(at).map(|entry| (entry.offset, entry.packed)).ok_or(Error::Missing)?;
        let bytes = self.part(offset, usize::try_from(packed).unwrap_or(usize::MAX))?;
        let head = MemberHead::read(&bytes)?.ok_or(super::DAMAGED)?;
        let packed = bytes.get(head.length as usize..).filter(|packed| packed.len() as u64 == head.packed).ok_or(crate::Error::Truncated)?;
        let recording = Cursor::new(packed).head()?;
        let mut known = match (known, head.slots) {
            (Some(known), None) if (known.method, known.preset) == (Some(recording.method), recording.preset) => known,
            (None, Some(bits)) => Known::new(recording.preset, bits),
            _ => return Err(super::DAMAGED.into()),
        };
        if self.before > MOST_BEFORE {
            return Err(crate::Error::Damaged("a group is too long").into());
        }
        unpack_after(packed, limits, Some(&mut known), sink)?;
        known.method = Some(recording.method);
        self.before = self.before.saturating_add(recording.length);
        Ok(Some(known))
    }

    /// Bytes of the archive, as far as they are there.
    fn part(&mut self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let length = (length as u64).min(self.length.saturating_sub(offset));
        self.source.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        self.source.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The index at the end, where it is whole.
    fn index(&mut self) -> io::Result<Option<Vec<Entry>>> {
        let Some(behind) = self.length.checked_sub(FOOTER) else { return Ok(None) };
        let footer = self.part(behind, FOOTER as usize)?;
        let (Some(check), Some(length)) = (footer.first_chunk::<4>(), footer.get(4..12).and_then(|length| length.try_into().ok().map(u64::from_le_bytes)))
        else {
            return Ok(None);
        };
        let start = behind.checked_sub(length).filter(|&start| start > MAGIC.len() as u64);
        let Some(start) = start.filter(|_| footer[12..] == END) else { return Ok(None) };
        let index = self.part(start, length as usize)?;
        if crc32fast::hash(&index).to_le_bytes() != *check || index.first() != Some(&INDEX) {
            return Ok(None);
        }
        Ok(read_index(&mut Cursor::new(&index[1..]), start).ok())
    }

    /// The entry of a member that a scan came to.
    fn scanned(&self, head: &MemberHead, bytes: &[u8], offset: u64) -> Result<Entry, crate::Error> {
        if let Some(of) = head.copy_of {
            let of = super::original(&self.entries, of as u64)?;
            let Entry { length, sha256, .. } = self.entries[of];
            return Ok(Entry { name: head.name.clone(), begins_group: true, copy_of: Some(of), offset, packed: head.length, length, sha256 });
        }
        let recording = Cursor::new(bytes.get(head.length as usize..).unwrap_or_default()).head()?;
        Ok(entry_of(head, &recording, offset))
    }

    /// Goes from member to member, and says what ends it.
    fn scan(&mut self) -> io::Result<crate::Error> {
        let mut offset = MAGIC.len() as u64 + 1;
        loop {
            let bytes = self.part(offset, LONGEST_HEAD + RECORDING_HEAD)?;
            let head = match MemberHead::read(&bytes) {
                Ok(Some(head)) => head,
                Ok(None) => return Ok(crate::Error::Damaged("its index is not whole")),
                Err(error) => return Ok(error),
            };
            let entry = match self.scanned(&head, &bytes, offset) {
                Ok(entry) => entry,
                Err(error) => return Ok(error),
            };
            let Some(end) = offset.checked_add(entry.packed).filter(|&end| end <= self.length) else { return Ok(crate::Error::Truncated) };
            if self.entries.last().is_none_or(|last| last.copy_of.is_some()) && !entry.begins_group {
                return Ok(super::DAMAGED);
            }
            self.entries.push(entry);
            offset = end;
        }
    }
}
