//! Files on their way to the client.

use fragreel_base::wire::{Bounded, Wire};

/// A piece of a file, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Download {
    /// The piece's number, from 0.
    pub block: u16,
    /// The file's size; only in piece 0. Negative: refused, and `error` says why.
    pub file_size: i32,
    /// Why the file is refused.
    pub error: Vec<u8>,
    /// The piece. Empty at the end of the file.
    pub data: Vec<u8>,
}

const LIMIT: Bounded = Bounded { bytes: Download::LONGEST_ERROR, rule: "the reason for a refused download is longer than any engine sends" };

impl Download {
    pub(crate) const LONGEST_ERROR: usize = 1023;
    /// Bytes of the longest message.
    const LONGEST_PIECE: usize = 16_384;

    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.block = w.field("block", u32::from(self.block), 16)? as u16;
        if self.block == 0 {
            self.file_size = w.signed("file size", self.file_size, 32)?;
            if self.file_size < 0 {
                w.enter("error");
                return w.text(&mut self.error, LIMIT);
            }
        }
        let length = w.field("length", self.data.len() as u32, 16)?;
        w.expect(length as usize <= Self::LONGEST_PIECE, "the piece of a download is longer than any message: engines stop here")?;
        w.enter("data");
        w.octets(&mut self.data, length as usize)
    }
}
