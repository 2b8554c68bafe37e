//! A model of bytes against fields that are packed already: it gives up where they are far ahead.

use crate::Error;
use crate::coding::PackCoding;
use crate::file::{BEGINNING, Content, Sizes};
use crate::general::General;
use crate::stream::Stream;

/// Bytes to pack.
pub(crate) struct Rival<'a> {
    bytes: General<'a>,
    theirs: Sizes,
    taken: usize,
}

impl<'a> Rival<'a> {
    /// `theirs` is what the fields need for the beginning.
    pub(crate) fn new(bytes: &'a [u8], theirs: Sizes) -> Self {
        Rival { bytes: General { bytes }, theirs, taken: 0 }
    }
}

impl<D: PackCoding> Content<D> for Rival<'_> {
    fn piece(&mut self, stream: &mut Stream<D>, left: usize, out: &mut Vec<u8>) -> Result<usize, Error> {
        let before = self.taken;
        let taken = self.bytes.piece(stream, left, out)?;
        self.taken += taken;
        // the beginning is in the first block, and pieces of bytes are small enough for a fair comparison
        let ends = before < self.theirs.taken && self.taken >= self.theirs.taken;
        if ends && self.theirs.taken >= BEGINNING && stream.model.stored() / 5 > self.theirs.packed / 4 {
            return Err(Error::Damaged("the fields are far ahead"));
        }
        Ok(taken)
    }
}
