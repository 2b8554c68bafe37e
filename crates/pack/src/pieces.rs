//! Kinds of pieces, and bytes between them.

use crate::Error;
use crate::coding::Coding;
use crate::model::context;
use crate::stream::{Stream, kind};

/// A piece whose data are read to their end, one whose data are not, and bytes outside of blocks.
pub(crate) const SOUND: u32 = 0;
pub(crate) const BROKEN: u32 = 1;
pub(crate) const RAW: u32 = 2;

/// Why a message cannot be unpacked.
pub(crate) const NO_MESSAGE: Error = Error::Damaged("a message holds what no message can hold");

/// The longest piece of raw bytes.
const LONGEST_RAW: usize = 1 << 14;

/// The last kinds of pieces.
#[derive(Debug, Default)]
pub(crate) struct Pieces([u32; 3]);

impl Pieces {
    /// Codes the kind of the next piece, below 16.
    pub(crate) fn code<D: Coding>(&mut self, stream: &mut Stream<D>, kind: u32) -> u32 {
        let [a, b, c] = self.0.map(u64::from);
        let kind = stream.model.symbol(kind, 4, &[context(&[40, a]), context(&[41, a, b]), context(&[42, a, b, c])], 2);
        self.0 = [kind, self.0[0], self.0[1]];
        kind
    }
}

/// Bytes that are left to pack as they are.
#[derive(Debug, Default)]
pub(crate) struct Raw<'a>(pub &'a [u8]);

impl Raw<'_> {
    /// Packs some of them, and returns how many.
    pub(crate) fn pack<D: Coding>(&mut self, stream: &mut Stream<D>) -> usize {
        let (now, later) = self.0.split_at(self.0.len().min(LONGEST_RAW));
        self.0 = later;
        stream.bytes(now, kind::DAMAGE, LONGEST_RAW, &mut Vec::new());
        now.len()
    }

    /// Unpacks what one call packed.
    pub(crate) fn unpack<D: Coding>(stream: &mut Stream<D>, out: &mut Vec<u8>) {
        stream.bytes(&[], kind::DAMAGE, LONGEST_RAW, out);
    }
}
