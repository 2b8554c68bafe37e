//! Blocks that stand in the file twice in a row.

use crate::container::Window;
use crate::detect::Framing;

use super::input::Input;

/// Most bytes that two blocks in a row may share by chance.
const SHORT: usize = 8;

/// Finds blocks that stand in the file twice in a row, byte for byte. No recorder writes them so: engines drop a packet that comes again.
#[derive(Debug)]
pub(crate) struct Repeats<'a> {
    bytes: &'a [u8],
    /// Records of an MVD2 have no numbers, so two of them may be alike.
    counts: bool,
    /// Where the block before has its data, and where it ends.
    before: (u64, u64),
}

impl<'a> Repeats<'a> {
    /// Before the first block of a recording.
    pub(crate) fn new(input: &Input<'a>) -> Self {
        Repeats { bytes: input.bytes, counts: input.container == Framing::Dm2, before: (0, 0) }
    }

    /// Takes the next block. Returns true if it repeats the one before it.
    pub(crate) fn take(&mut self, window: &Window<'_>) -> bool {
        let (from, to) = self.before;
        self.before = (window.data_offset, window.data_offset + window.data.len() as u64);
        let data = || self.bytes.get(from as usize..to as usize).unwrap_or_default();
        self.counts && to == window.offset && window.data.len() > SHORT && data() == window.data
    }
}
