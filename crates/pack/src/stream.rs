//! The model with the history of bytes: what every part of a recording is coded through.

use crate::Preset;
use crate::bytes::History;
use crate::coding::Coding;
use crate::model::context;

/// The most slots of a model, as a power of two: 32 MB.
pub(crate) const MOST_SLOTS: u32 = 23;
/// The fewest.
pub(crate) const FEWEST_SLOTS: u32 = 18;

/// The slots for an original of this length: eight to sixteen for each byte, within these bounds.
pub(crate) fn slots(length: u64) -> u32 {
    (64 - length.leading_zeros() + 3).clamp(FEWEST_SLOTS, MOST_SLOTS)
}

/// What every part of a recording is coded through.
#[derive(Debug)]
pub(crate) struct Stream<D> {
    pub model: D,
    pub history: History,
}

/// What bytes are, so far as it decides how often each comes.
pub(crate) mod kind {
    pub(crate) const FILE: u64 = 0;
    pub(crate) const DAMAGE: u64 = 1;
    pub(crate) const COMMAND: u64 = 2;
    pub(crate) const TEXT: u64 = 3;
    pub(crate) const DATA: u64 = 4;
}

impl<D: Coding> Stream<D> {
    /// A model of 2^`bits` slots that knows nothing yet.
    pub(crate) fn new(preset: Preset, bits: u32) -> Self {
        Stream { model: D::new(preset, bits), history: History::new() }
    }

    /// One byte.
    pub(crate) fn byte(&mut self, value: u8, kind: u64) -> u8 {
        self.model.byte(value, kind, &mut self.history)
    }

    /// Bytes and their number: `bytes` when packing, else they are appended to `out`. At most `most`, and none behind the end of a block.
    pub(crate) fn bytes(&mut self, bytes: &[u8], kind: u64, most: usize, out: &mut Vec<u8>) {
        let length = self.model.number(bytes.len() as i64, &[context(&[30, kind]), context(&[31])], 0);
        if D::PACKING {
            for &byte in bytes {
                self.byte(byte, kind);
            }
            return;
        }
        for _ in 0..length.clamp(0, most as i64) {
            if self.model.overran() {
                return;
            }
            let byte = self.byte(0, kind);
            out.push(byte);
        }
    }
}
