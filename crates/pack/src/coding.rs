//! What codes the values of a recording: the model of all contexts, and the quick one.

use crate::Preset;
use crate::bytes::History;
use crate::model::Context;
use crate::numbers::Guess;

/// Codes values in one direction. Packing stores the value that it is given; unpacking ignores it. Both return the value.
pub(crate) trait Coding {
    /// Whether values are stored.
    const PACKING: bool;

    /// A model of this preset that knows nothing yet. `bits` is that of its slots.
    fn new(preset: Preset, bits: u32) -> Self;

    /// A number of `width` (0 to 32) bits. `set` chooses weights.
    fn symbol<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize) -> u32;

    /// The same with a guess, which takes the place of the last context.
    fn symbol_guessed<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize, guess: Option<Guess<u32>>) -> u32;

    /// A number of either sign.
    fn number<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize) -> i64;

    /// The same with a guess, which takes the place of the last context.
    fn number_guessed<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64;

    /// A decision. `broad` and `fine` choose weights.
    fn flag<const N: usize>(&mut self, bit: bool, contexts: [Context; N], broad: usize, fine: usize) -> bool;

    /// A byte of a kind.
    fn byte(&mut self, value: u8, kind: u64, history: &mut History) -> u8;

    /// Whether more was asked for than the block stores.
    fn overran(&self) -> bool;
}

/// Codes values into blocks.
pub(crate) trait PackCoding: Coding {
    /// The bytes of the block so far. The next value begins a new block.
    fn finish(&mut self) -> Vec<u8>;

    /// How many bytes the block has so far.
    fn stored(&self) -> usize;
}

/// Codes values out of blocks.
pub(crate) trait UnpackCoding: Coding {
    /// Begins a block.
    fn start(&mut self, block: &[u8]);

    /// Whether the present bytes decide every value so far, regardless of the bytes that follow.
    fn is_certain(&self) -> bool;
}
