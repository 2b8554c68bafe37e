//! A piece of text in an array. A vector checks its room in a call of its own for each part, which is most of the instructions of short parts.

use crate::numbers::{Recent, SHORT};

/// Bytes that a piece has room for.
const ROOM: usize = 256;

/// A text that is put together from short parts, and appended as a whole. It is kept for the next one, so that it is not cleared for each.
pub struct Piece {
    bytes: [u8; ROOM],
    length: usize,
}

impl Piece {
    /// An empty piece.
    pub fn new() -> Self {
        Piece { bytes: [0; ROOM], length: 0 }
    }

    /// Appends bytes that are known when the program is compiled.
    #[inline(always)]
    pub fn bytes<const N: usize>(&mut self, text: &mut Vec<u8>, bytes: &[u8; N]) {
        // an array is copied by a few moves, and a slice by a call
        if let Some(place) = self.place(text) {
            *place = *bytes;
        }
        self.length += N;
    }

    /// Appends a whole number.
    #[inline]
    pub fn integer(&mut self, text: &mut Vec<u8>, value: impl itoa::Integer) {
        let mut buffer = itoa::Buffer::new();
        for &digit in buffer.format(value).as_bytes() {
            self.bytes(text, &[digit]);
        }
    }

    /// Appends a number.
    #[inline]
    pub fn number(&mut self, text: &mut Vec<u8>, numbers: &mut Recent, value: f32) {
        match numbers.text(value) {
            Ok((short, length)) => self.short(text, short, length),
            Err(long) => {
                self.end(text);
                text.extend_from_slice(long);
            }
        }
    }

    /// Appends the first bytes of a short text. All are copied at once, and the next part overwrites the rest.
    #[inline(always)]
    fn short(&mut self, text: &mut Vec<u8>, short: &[u8; SHORT], length: usize) {
        if let Some(place) = self.place(text) {
            *place = *short;
        }
        self.length += length;
    }

    /// Appends the piece to the text, and begins another.
    #[inline]
    pub fn end(&mut self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.bytes.get(..self.length).unwrap_or_default());
        self.length = 0;
    }

    /// The next bytes. There always are some, because the piece is appended before it is full.
    #[inline(always)]
    fn place<const N: usize>(&mut self, text: &mut Vec<u8>) -> Option<&mut [u8; N]> {
        if self.length + N > ROOM {
            self.end(text);
        }
        self.bytes.get_mut(self.length..)?.first_chunk_mut()
    }
}
