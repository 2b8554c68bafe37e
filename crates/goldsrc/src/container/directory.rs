//! The directory at the end of the file (`docs/formats/goldsrc.md`, "Directory").

use fragreel_base::wire::{Error, ReadBits, Wire, WriteBits};

use crate::scalars::{Padded, Plain, plain};

/// Most entries that the engine accepts.
pub(crate) const MAX_ENTRIES: usize = 1024;
/// Bytes of an entry.
pub(crate) const ENTRY_BYTES: usize = 92;
/// No directory is longer.
pub(crate) const LONGEST: usize = 4 + MAX_ENTRIES * ENTRY_BYTES;
/// The type of an entry that holds what was sent before the recording began.
pub const LOADING: i32 = 0;
/// The type of an entry that is played.
pub(crate) const PLAYBACK: i32 = 1;

plain! {
    /// One stretch of macros.
    pub struct Entry {
        kind: i32,
        title: Padded<64>,
        flags: i32,
        cd_track: i32,
        time: f32,
        frames: i32,
        offset: i32,
        length: i32,
    }
}

impl Entry {
    /// An entry as the engine writes it.
    pub fn new(kind: i32, title: &str) -> Self {
        let mut entry = Entry { kind, cd_track: -1, ..Entry::default() };
        let length = title.len().min(63);
        entry.title.0[..length].copy_from_slice(&title.as_bytes()[..length]);
        entry
    }

    /// The first byte and the one after the last, when the numbers make sense.
    pub fn range(&self) -> Option<(usize, usize)> {
        let (from, length) = (usize::try_from(self.offset).ok()?, usize::try_from(self.length).ok()?);
        Some((from, from.checked_add(length)?))
    }
}

/// Reads the directory at `offset`. Entries that the file does not hold are an error.
pub fn read(bytes: &[u8], offset: i32) -> Result<Vec<Entry>, Error> {
    if offset == 0 {
        return Err(Error::malformed("the header names no directory: the recording was not ended properly").at_offset(0));
    }
    let from = usize::try_from(offset).ok().filter(|&from| from < bytes.len());
    let Some(from) = from else {
        return Err(Error::malformed(format!("the header puts the directory at {offset}, outside the file")).at_offset(0));
    };
    read_here(&bytes[from..]).map_err(|error| error.inside("directory", None).in_message_at(from as u64))
}

/// Reads the directory that `bytes` start with.
pub(crate) fn read_here(bytes: &[u8]) -> Result<Vec<Entry>, Error> {
    let reader = &mut ReadBits::new(bytes);
    let count = reader.signed("count", 0, 32)?;
    reader.expect((1..=MAX_ENTRIES as i32).contains(&count), "a directory has 1 to 1024 entries")?;
    let mut entries = Vec::new();
    for at in 0..count {
        let mut entry = Entry::default();
        reader.scope("entry", Some(at as u32), |reader| entry.code(reader))?;
        entries.push(entry);
    }
    Ok(entries)
}

/// The directory's bytes.
pub fn bytes(entries: &[Entry]) -> Vec<u8> {
    let mut writer = WriteBits::default();
    let Ok(_) = writer.bits(entries.len() as u32, 32);
    for entry in entries {
        let Ok(()) = entry.clone().code(&mut writer);
    }
    writer.finish()
}

/// Reads or writes the directory for a trace.
pub(crate) fn explain<W: Wire>(w: &mut W) -> Result<(), W::Error> {
    let count = w.field("count", 0, 32)?;
    w.expect((1..=MAX_ENTRIES as u32).contains(&count), "a directory has 1 to 1024 entries")?;
    for at in 0..count {
        w.scope("entry", Some(at), |w| Entry::default().code(w))?;
    }
    Ok(())
}
