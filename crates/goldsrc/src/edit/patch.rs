//! Replaces ranges of a file. All other bytes are copied, and the directory is adjusted.

use std::ops::Range;

use fragreel_base::wire::Error;

use crate::container::{Container, Entry, Header, Source, directory};

/// The replacements, in any order. Ranges do not overlap and do not cross the border of a macro.
#[derive(Debug, Default)]
pub(super) struct Patches {
    list: Vec<(Range<usize>, Vec<u8>)>,
}

impl Patches {
    pub(super) fn replace(&mut self, range: Range<usize>, bytes: Vec<u8>) {
        self.list.push((range, bytes));
    }

    /// The new file, with this header.
    pub(super) fn apply(mut self, container: &Container, header: Header) -> Result<Vec<u8>, Error> {
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = Vec::with_capacity(container.bytes.len());
        let mut at = 0;
        // old and new offset of each copied range
        let mut moved = vec![(0, 0)];
        for (range, bytes) in &self.list {
            out.extend_from_slice(&container.bytes[at..range.start]);
            out.extend_from_slice(bytes);
            at = range.end;
            moved.push((at, out.len()));
        }
        out.extend_from_slice(&container.bytes[at..]);
        if i32::try_from(out.len()).is_err() {
            return Err(Error::limit("the file would be longer than 2 GiB, which its directory cannot encode"));
        }
        let place = |old: usize| {
            let (before, now) = moved[moved.partition_point(|&(from, _)| from <= old) - 1];
            now + (old - before)
        };
        let mut header = header;
        if container.source == Source::Directory {
            let directory_at = place(container.header.directory_offset as usize);
            header.directory_offset = directory_at as i32;
            let entries: Vec<Entry> = container.segments.iter().map(|segment| entry(&segment.entry, place(segment.from), place(segment.to))).collect();
            let written = directory::bytes(&entries);
            out[directory_at..directory_at + written.len()].copy_from_slice(&written);
        }
        let header = header.bytes(&container.dialect);
        out[..header.len()].copy_from_slice(&header);
        Ok(out)
    }
}

fn entry(old: &Entry, from: usize, to: usize) -> Entry {
    Entry { offset: from as i32, length: (to - from) as i32, ..old.clone() }
}
