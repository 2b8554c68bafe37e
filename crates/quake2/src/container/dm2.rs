//! `.dm2` and `.rla`: blocks with a length of four bytes each, closed by −1 or by the file's end.

use super::{End, Window};

/// The length that closes a client's recording.
pub const END_MARK: u32 = u32::MAX;

/// The blocks of a file. After the last, [`end`](Blocks::end) says how the file ends.
///
/// ```
/// use quake2::container::{End, dm2::Blocks};
///
/// let mut blocks = Blocks::new(b"\x01\0\0\0\x06\xff\xff\xff\xff");
/// assert_eq!(blocks.next().map(|block| block.data), Some(&b"\x06"[..]));
/// assert!(blocks.next().is_none());
/// assert_eq!(blocks.end(), End::Mark { at: 5, after: 9 });
/// ```
#[derive(Debug, Clone)]
pub struct Blocks<'a> {
    bytes: &'a [u8],
    next: usize,
    end: Option<End>,
}

impl<'a> Blocks<'a> {
    /// The blocks of a whole file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Blocks { bytes, next: 0, end: None }
    }

    /// How the file ends. Only after the iterator did.
    pub fn end(&self) -> End {
        self.end.unwrap_or(End::File)
    }

    fn stop(&mut self, end: End) -> Option<Window<'a>> {
        self.end = Some(end);
        None
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Window<'a>;

    #[inline]
    fn next(&mut self) -> Option<Window<'a>> {
        if self.end.is_some() {
            return None;
        }
        let at = self.next as u64;
        let Some(rest) = self.bytes.get(self.next..).filter(|rest| !rest.is_empty()) else { return self.stop(End::File) };
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return self.stop(End::InLength(at)) };
        let length = u32::from_le_bytes(*length);
        if length == END_MARK {
            return self.stop(End::Mark { at, after: at + 4 });
        }
        let Some(data) = rest.get(..length as usize) else {
            return self.stop(End::InBlock { at, stated: length.into(), present: rest.len() as u64 });
        };
        self.next += 4 + data.len();
        Some(Window { offset: at, data_offset: at + 4, data })
    }
}

/// Writes a block.
pub fn write_block(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    out.extend_from_slice(data);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_end_in_five_ways() {
        let end = |bytes: &[u8]| {
            let mut blocks = Blocks::new(bytes);
            let count = blocks.by_ref().count();
            (count, blocks.end())
        };
        assert_eq!(end(b""), (0, End::File));
        assert_eq!(end(b"\0\0\0\0"), (1, End::File));
        assert_eq!(end(b"\0\0\0\0\xff\xff\xff\xffmore"), (1, End::Mark { at: 4, after: 8 }));
        assert_eq!(end(b"\x01\0"), (0, End::InLength(0)));
        assert_eq!(end(b"\x02\0\0\0x"), (0, End::InBlock { at: 0, stated: 2, present: 1 }));
    }
}
