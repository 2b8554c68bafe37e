//! A file of an unknown format: bytes.

use crate::Error;
use crate::coding::Coding;
use crate::file::Content;
use crate::stream::{Stream, kind};

/// Bytes of one piece.
const PIECE: usize = 1 << 14;

pub(crate) struct General<'a> {
    /// What is left to pack.
    pub bytes: &'a [u8],
}

impl<D: Coding> Content<D> for General<'_> {
    fn piece(&mut self, stream: &mut Stream<D>, left: usize, out: &mut Vec<u8>) -> Result<usize, Error> {
        if D::PACKING {
            let (now, later) = self.bytes.split_at(self.bytes.len().min(PIECE).min(left));
            for &byte in now {
                stream.byte(byte, kind::FILE);
            }
            self.bytes = later;
            return Ok(now.len());
        }
        for _ in 0..left.min(PIECE) {
            let byte = stream.byte(0, kind::FILE);
            out.push(byte);
        }
        Ok(0)
    }
}
