//! Dzip: archives of speed-run demos (`.dz`), versions 1 to 3.
//!
//! The directory is at the end. A member is stored, packed with zlib, or, where it is a NetQuake demo, rewritten as differences to what
//! the demo said before and then packed with zlib; [`demo`] takes that back. What version 1 packed is one zlib stream for all members.
//! `docs/formats/dzip.md` describes it.

mod client;
mod demo;
mod entity;
mod old;
mod packed;
mod state;

use std::io::{self, Read, Seek, SeekFrom};

use demo::Demo;
use packed::Packed;

use crate::visit::Visit;
use crate::{Error, Limits};

/// Where the directory is, and how much is in it.
const HEADER: usize = 12;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Demo,
    Stored,
    /// A PAK, whose members follow.
    Pak,
    Folder,
}

/// An entry of the directory.
struct Entry {
    name: String,
    form: Form,
    /// Where its data starts; in version 1, in the unpacked stream.
    start: u64,
    /// The size of its data: packed, and in version 1 as it is before that.
    size: u64,
    /// Its own size.
    real: u64,
    /// The size of what zlib gives.
    inner: u64,
    check: u32,
    /// Members of a PAK that follow, or the number in one.
    pak: usize,
}

pub(crate) fn walk(mut source: impl Read + Seek, length: u64, limits: &Limits, most: u64, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let (version, directory, entries) = directory(&mut source, length, limits)?;
    if names {
        for entry in entries.iter().filter(|entry| !matches!(entry.form, Form::Pak | Form::Folder)) {
            if visit(&entry.name, &mut io::empty())?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let members = entries.iter().filter(|entry| !matches!(entry.form, Form::Pak | Form::Folder));
    if members.clone().fold(0, |sum: u64, entry| sum.saturating_add(entry.real)) > most {
        return Err(Error::Bomb(most));
    }
    if version == 1 {
        source.seek(SeekFrom::Start(HEADER as u64))?;
        let mut packed = Packed::new(&mut source, HEADER as u64, directory - HEADER as u64);
        for entry in members {
            // The stream starts where the file's header ends, by its own count.
            let start = entry.start.checked_sub(HEADER as u64).filter(|start| *start >= packed.taken());
            let start = start.ok_or_else(|| Error::Damaged(format!("the directory says that `{}` starts before the one before it ends", entry.name)))?;
            packed.skip(start - packed.taken())?;
            packed.limit(entry.size);
            let mut member = Member::new(entry, version, &mut packed);
            if visit(&entry.name, &mut member)?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    for entry in members {
        if entry.start + entry.size > directory {
            return Err(Error::Damaged(format!(
                "the directory says that `{}` is at {}, and the data ends at {directory}",
                entry.name,
                entry.start + entry.size
            )));
        }
        source.seek(SeekFrom::Start(entry.start))?;
        let goes_on = if entry.form == Form::Stored {
            visit(&entry.name, &mut Checked::new(entry, (&mut source).take(entry.size)))?
        } else {
            let mut packed = Packed::new(&mut source, entry.start, entry.size);
            packed.limit(entry.inner);
            visit(&entry.name, &mut Member::new(entry, version, &mut packed))?
        };
        if goes_on.is_break() {
            break;
        }
    }
    Ok(())
}

/// The version, where the directory starts, and what is in it.
fn directory(source: &mut (impl Read + Seek), length: u64, limits: &Limits) -> Result<(u8, u64, Vec<Entry>), Error> {
    let mut header = [0; HEADER];
    source.read_exact(&mut header)?;
    let version = header[2];
    let [start, count] = [word(&header, 4), word(&header, 8)].map(u64::from);
    if !header.starts_with(b"DZ") || !(1..=3).contains(&version) {
        return Err(Error::Unsupported(format!("Dzip version {version} is not supported, only 1 to 3")));
    }
    let fixed = if version == 1 { 24 } else { 32 };
    if start < HEADER as u64 || start > length || count * (fixed + 1) > length - start {
        return Err(Error::Damaged(format!(
            "Dzip's directory should have {count} members at {start}, but the file has {length} bytes: it is truncated or damaged"
        )));
    }
    if count > limits.members as u64 {
        return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
    }
    source.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    // A name has at most 257 bytes.
    source.take(count * (fixed + 257)).read_to_end(&mut bytes)?;
    let mut entries: Vec<Entry> = Vec::new();
    let (mut rest, mut folder) = (&bytes[..], None);
    for number in 0..count {
        let damaged = |what: &str| Error::Damaged(format!("{what} in entry {number} of Dzip's directory, at {}", start as usize + bytes.len() - rest.len()));
        let Some((head, tail)) = rest.split_at_checked(fixed as usize) else { return Err(damaged("it ends")) };
        let [size_of_name, pak] = [12, 14].map(|at| usize::from(u16::from_le_bytes([head[at], head[at + 1]])));
        let Some((name, tail)) = tail.split_at_checked(size_of_name).filter(|_| (1..=257).contains(&size_of_name)) else {
            return Err(damaged("the length of a name is wrong"));
        };
        let form = match (word(head, 20), version) {
            (0 | 2 | 4, _) => Form::Plain,
            (1, 1) | (5 | 6, 2..) => Form::Demo,
            (3, _) => Form::Pak,
            (7, _) => Form::Folder,
            (8, 2..) => Form::Stored,
            _ => return Err(damaged("an unknown type")),
        };
        let name = String::from_utf8_lossy(name.split(|byte| *byte == 0).next().unwrap_or_default()).replace('\\', "/");
        if form == Form::Pak {
            folder = Some(name.clone());
        }
        // What is in a PAK is named after it.
        let name = match &folder {
            Some(folder) if pak > 0 && form != Form::Pak => format!("{folder}/{name}"),
            _ => name,
        };
        let [place, size, real] = [0, 4, 8].map(|at| u64::from(word(head, at)));
        let inner = if version == 1 { size } else { u64::from(word(head, 28)) };
        entries.push(Entry { name, form, start: place, size, real, inner, check: word(head, 16), pak });
        rest = tail;
    }
    debug_assert!(entries.iter().all(|entry| entry.pak < 1 << 16));
    Ok((version, start, entries))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// What comes out of a member, compared with its size and checksum at the end.
struct Checked<R> {
    inner: R,
    name: String,
    left: u64,
    check: u32,
    crc: flate2::Crc,
}

impl<R: Read> Checked<R> {
    fn new(entry: &Entry, inner: R) -> Self {
        Checked { inner, name: entry.name.clone(), left: entry.real, check: entry.check, crc: flate2::Crc::new() }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let damaged = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        if read as u64 > self.left {
            return damaged(format!("`{}` is longer than the directory says", self.name));
        }
        self.left -= read as u64;
        self.crc.update(&buffer[..read]);
        if read == 0 && !buffer.is_empty() {
            if self.left > 0 {
                return damaged(format!("`{}` is {} bytes shorter than the directory says", self.name, self.left));
            }
            // CRC-32 without its last inversion.
            if !self.crc.sum() != self.check {
                return damaged(format!("the checksum of `{}` is {:08x}, and the directory says {:08x}", self.name, !self.crc.sum(), self.check));
            }
        }
        Ok(read)
    }
}

/// What is packed.
struct Member<'p, R: Read> {
    checked: Checked<Unpacked<'p, R>>,
}

impl<'p, R: Read> Member<'p, R> {
    fn new(entry: &Entry, version: u8, packed: &'p mut Packed<R>) -> Self {
        let demo = (entry.form == Form::Demo).then(|| Box::new(Demo::new(version)));
        Member { checked: Checked::new(entry, Unpacked { packed, demo, made: Vec::new(), given: 0 }) }
    }
}

impl<R: Read> Read for Member<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.checked.read(buffer)
    }
}

struct Unpacked<'p, R: Read> {
    packed: &'p mut Packed<R>,
    demo: Option<Box<Demo>>,
    /// What the last block gave, and how much of it was read.
    made: Vec<u8>,
    given: usize,
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(demo) = &mut self.demo else { return self.packed.read(buffer) };
        while self.given == self.made.len() && self.packed.left() > 0 {
            self.made.clear();
            self.given = 0;
            demo.block(self.packed, &mut self.made)?;
        }
        let some = buffer.len().min(self.made.len() - self.given);
        buffer[..some].copy_from_slice(&self.made[self.given..self.given + some]);
        self.given += some;
        Ok(some)
    }
}
