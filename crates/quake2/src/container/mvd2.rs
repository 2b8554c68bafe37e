//! MVD2: a magic number, then records with two length bytes each, ended by a length of 0.

use super::{End, Found, Window};

/// The magic number.
pub const MAGIC: &[u8; 4] = b"MVD2";

/// The length that ends a recording.
pub const END_MARK: [u8; 2] = [0; 2];

/// What starts at a window.
pub fn first(window: &[u8]) -> Found {
    let Some((length, rest)) = window.split_first_chunk::<2>() else { return Found::Part };
    let length = usize::from(u16::from_le_bytes(*length));
    match rest.len() {
        _ if length == 0 => Found::Mark(END_MARK.len()),
        present if present < length => Found::Part,
        _ => Found::Block(2, 2 + length),
    }
}

/// The records of a file. After the last, [`end`](Records::end) says how the file ends.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    next: usize,
    end: Option<End>,
    /// Wait for more bytes if a record is incomplete.
    grows: bool,
}

impl<'a> Records<'a> {
    /// The records of a whole file, which must begin with [`MAGIC`].
    pub fn new(bytes: &'a [u8]) -> Self {
        Records { bytes, next: MAGIC.len(), end: None, grows: false }
    }

    /// Continues in more bytes of the same file, which must start with the bytes seen so far. Set `last` once no more bytes will arrive.
    pub fn over<'b>(&self, bytes: &'b [u8], last: bool) -> Records<'b> {
        Records { bytes, next: self.next, end: self.end.filter(|end| matches!(end, End::Mark { .. })), grows: !last }
    }

    /// How the file ends. Valid after the iterator ended.
    pub fn end(&self) -> End {
        self.end.unwrap_or(End::File)
    }

    fn stop(&mut self, end: End) -> Option<Window<'a>> {
        if !self.grows || matches!(end, End::Mark { .. }) {
            self.end = Some(end);
        }
        None
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Window<'a>;

    #[inline]
    fn next(&mut self) -> Option<Window<'a>> {
        if self.end.is_some() {
            return None;
        }
        let at = self.next as u64;
        let Some(rest) = self.bytes.get(self.next..).filter(|rest| !rest.is_empty()) else { return self.stop(End::File) };
        let Some((length, rest)) = rest.split_first_chunk::<2>() else { return self.stop(End::InLength(at)) };
        let length = u16::from_le_bytes(*length);
        if length == 0 {
            return self.stop(End::Mark { at, after: at + 2 });
        }
        let Some(data) = rest.get(..usize::from(length)) else {
            return self.stop(End::InBlock { at, stated: length.into(), present: rest.len() as u64 });
        };
        self.next += 2 + data.len();
        Some(Window { offset: at, data_offset: at + 2, data })
    }
}

/// Writes a record. `data` must not exceed 65,535 bytes.
pub fn write_record(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(&(data.len() as u16).to_le_bytes());
    out.extend_from_slice(data);
}
