//! Blocks that stand in the file twice in a row.

use crate::container::Window;
use crate::detect::Framing;

use super::input::Input;

/// Most bytes that two blocks in a row may share by chance.
const SHORT: usize = 8;

/// Finds blocks that stand in the file twice in a row, byte for byte. No recorder writes them so: engines drop a packet that comes again.
#[derive(Debug)]
pub(crate) struct Repeats {
    /// Records of an MVD2 have no numbers, so two of them may be alike.
    counts: bool,
    /// The data of the block before, and where it ends.
    before: Vec<u8>,
    end: u64,
}

impl Repeats {
    /// Before the first block of a recording.
    pub(crate) fn new(input: &Input<'_>) -> Self {
        Repeats { counts: input.container == Framing::Dm2, before: Vec::new(), end: 0 }
    }

    /// Takes the next block. Returns true if it repeats the one before it.
    pub(crate) fn take(&mut self, window: &Window<'_>) -> bool {
        if !self.counts {
            return false;
        }
        let is_repeated = self.end == window.offset && window.data.len() > SHORT && self.before == window.data;
        self.end = window.data_offset + window.data.len() as u64;
        if !is_repeated {
            self.before.clear();
            self.before.extend_from_slice(window.data);
        }
        is_repeated
    }
}
