//! PAK, in which Quake, Quake II and Half-Life keep their files: a list of names, places and lengths, nothing compressed.

use std::io::{Read, Seek, SeekFrom};

use crate::visit::Visit;
use crate::{Error, Limits};

/// An entry of the list: a name of 56 bytes, the place and the length.
const ENTRY: usize = 64;

/// A file in it.
struct Entry {
    name: String,
    at: u64,
    length: u64,
}

/// Goes through its files. `most`: what may come out of it together, as files of a forged list overlap.
pub(crate) fn walk(mut source: impl Read + Seek, length: u64, limits: &Limits, most: u64, names: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
    let mut given = 0_u64;
    for entry in entries(&mut source, length, limits)? {
        let flow = if names {
            visit(&entry.name, &mut std::io::empty())?
        } else {
            source.seek(SeekFrom::Start(entry.at))?;
            let mut member = Read::by_ref(&mut source).take(entry.length);
            let flow = visit(&entry.name, &mut member)?;
            given += entry.length - member.limit();
            if given > most {
                return Err(Error::Bomb(most));
            }
            flow
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

fn entries(source: &mut (impl Read + Seek), length: u64, limits: &Limits) -> Result<Vec<Entry>, Error> {
    let damaged = |what: &str| Error::Damaged(String::from(what));
    let mut head = [0; 12];
    source.read_exact(&mut head)?;
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).map(u64::from).unwrap_or_default();
    let (at, size) = (number(&head[4..8]), number(&head[8..12]));
    if at + size > length {
        return Err(damaged("its list of files is truncated"));
    }
    let count = size as usize / ENTRY;
    if count > limits.members {
        return Err(Error::Unsupported(format!("it has more than {} members", limits.members)));
    }
    source.seek(SeekFrom::Start(at))?;
    let mut list = vec![0; count * ENTRY];
    source.read_exact(&mut list)?;
    let entry = |bytes: &[u8]| {
        let name = bytes[..56].split(|byte| *byte == 0).next().unwrap_or_default();
        Entry { name: String::from_utf8_lossy(name).into_owned(), at: number(&bytes[56..60]), length: number(&bytes[60..64]) }
    };
    let entries: Vec<Entry> = list.chunks_exact(ENTRY).map(entry).collect();
    match entries.iter().find(|entry| entry.at + entry.length > length) {
        Some(entry) => Err(damaged(&format!("`{}` goes beyond its end", entry.name))),
        None => Ok(entries),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::ops::ControlFlow;

    use super::*;
    use crate::{Kind, extract, extract_all, kind, list};

    fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut list) = (vec![0; 12], Vec::new());
        for (name, content) in files {
            let mut entry = [0; ENTRY];
            entry[..name.len()].copy_from_slice(name.as_bytes());
            entry[56..60].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            entry[60..].copy_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend(*content);
            list.extend(entry);
        }
        let at = bytes.len() as u32;
        bytes.extend(&list);
        bytes[..4].copy_from_slice(b"PACK");
        bytes[4..8].copy_from_slice(&at.to_le_bytes());
        bytes[8..12].copy_from_slice(&(list.len() as u32).to_le_bytes());
        bytes
    }

    #[test]
    fn files_are_listed_and_given_out() {
        let packed = pak(&[("demo1.dem", b"one"), ("maps/a.bsp", b"two"), ("demos/b.dem", b"")]);
        assert_eq!(kind("x", &packed), Some(Kind::Pak));
        let listed = list(Kind::Pak, "x", Cursor::new(&packed), &Limits::default(), &mut |name| name.ends_with(".dem")).unwrap();
        assert_eq!((listed.names, listed.passed_over), (vec![String::from("demo1.dem"), String::from("demos/b.dem")], 1));
        assert_eq!(extract(Kind::Pak, "x", Cursor::new(&packed), "maps/a.bsp", &Limits::default()).unwrap(), b"two");
    }

    #[test]
    fn broken_lists_are_errors() {
        let packed = pak(&[("demo1.dem", b"one")]);
        let read =
            |bytes: &[u8], limits: Limits| extract_all(Kind::Pak, "x", Cursor::new(bytes), &limits, &mut |_| true, &mut |_, _| ControlFlow::Continue(()));
        for length in 4..packed.len() {
            assert!(read(&packed[..length], Limits::default()).is_err(), "{length}");
        }
        let mut beyond = packed.clone();
        let last = beyond.len() - 1;
        beyond[last] = 0xff;
        assert!(matches!(read(&beyond, Limits::default()), Err(Error::Damaged(_))));
        let long = pak(&[("a.dem", &[7; 900]), ("b.dem", &[7; 900])]);
        assert!(matches!(read(&long, Limits { base: 1000, ratio: 0, ..Limits::default() }), Err(Error::Bomb(1000))));
        assert!(matches!(read(&long, Limits { members: 1, ..Limits::default() }), Err(Error::Unsupported(_))));
    }
}
