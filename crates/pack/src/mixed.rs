//! The model of all presets but the quick one (`docs/formats/pack.md`, "The model").

use crate::Preset;
use crate::arithmetic::{Direction, Packing, Unpacking};
use crate::bytes::History;
use crate::coding::{Coding, PackCoding, UnpackCoding};
use crate::deep::Deep;
use crate::model::{Context, Model};
use crate::numbers::Guess;
use crate::stream::MOST_SLOTS;

/// The model, with one of its own for bytes in the deep preset.
#[derive(Debug)]
pub(crate) struct Mixed<D> {
    model: Model<D>,
    deep: Option<Box<Deep>>,
}

impl<D: Direction> Coding for Mixed<D> {
    const PACKING: bool = D::PACKING;

    fn new(preset: Preset, bits: u32) -> Self {
        let deep = (preset == Preset::Deep).then(|| Box::new(Deep::new(bits)));
        // both models together keep within the memory of one
        let bits = if deep.is_some() { bits.min(MOST_SLOTS - 1) } else { bits };
        Mixed { model: Model::new(D::default(), bits, preset == Preset::FormerQuick), deep }
    }

    #[inline]
    fn symbol<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize) -> u32 {
        self.model.symbol_of::<N, false>(value, width, contexts, set, None)
    }

    #[inline]
    fn symbol_guessed<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize, guess: Option<Guess<u32>>) -> u32 {
        self.model.symbol_of::<N, true>(value, width, contexts, set, guess)
    }

    #[inline]
    fn number<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize) -> i64 {
        self.model.number_of::<N, false>(value, contexts, set, None)
    }

    #[inline]
    fn number_guessed<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
        self.model.number_of::<N, true>(value, contexts, set, guess)
    }

    #[inline]
    fn flag<const N: usize>(&mut self, bit: bool, contexts: [Context; N], broad: usize, fine: usize) -> bool {
        self.model.bit(bit, contexts.map(|context| context as u32), broad, fine)
    }

    fn byte(&mut self, value: u8, kind: u64, history: &mut History) -> u8 {
        match &mut self.deep {
            Some(deep) => deep.byte(&mut self.model.direction, value, kind),
            None => self.model.mixed_byte(value, kind, history),
        }
    }

    fn overran(&self) -> bool {
        self.model.direction.overran()
    }
}

impl PackCoding for Mixed<Packing> {
    fn finish(&mut self) -> Vec<u8> {
        self.model.direction.finish()
    }

    fn stored(&self) -> usize {
        self.model.direction.stored()
    }
}

impl UnpackCoding for Mixed<Unpacking> {
    fn start(&mut self, block: &[u8]) {
        self.model.direction.start(block);
    }

    fn is_certain(&self) -> bool {
        self.model.direction.is_certain()
    }
}
