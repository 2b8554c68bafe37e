//! The models of all presets but the quick one (`docs/formats/pack.md`, "The model" and "The small model").

use crate::Preset;
use crate::arithmetic::{Direction, Packing, Unpacking};
use crate::bytes::{History, code_byte};
use crate::coding::{Coding, PackCoding, UnpackCoding};
use crate::deep::Deep;
use crate::model::{Context, Model};
use crate::numbers::{Bits, Guess};
use crate::small::Small;
use crate::stream::MOST_SLOTS;

/// The model, with one of its own for bytes in the deep preset.
#[derive(Debug)]
pub(crate) enum Mixed<D> {
    Small(Small<D>),
    Former(Model<D>),
    Deep(Model<D>, Box<Deep>),
}

/// Uses the model of a preset. A branch for each value costs less than the code of all families once more.
macro_rules! by_model {
    ($self:expr, $small:ident => $by_small:expr, $former:ident => $by_former:expr) => {
        match $self {
            Mixed::Small($small) => $by_small,
            Mixed::Former($former) | Mixed::Deep($former, _) => $by_former,
        }
    };
}

impl<D: Direction> Coding for Mixed<D> {
    const PACKING: bool = D::PACKING;

    fn new(preset: Preset, bits: u32) -> Self {
        match preset {
            Preset::Small => Mixed::Small(Small::new(bits)),
            // both models together keep within the memory of one
            Preset::Deep => Mixed::Deep(Model::new(D::default(), bits.min(MOST_SLOTS - 1), false), Box::new(Deep::new(bits))),
            _ => Mixed::Former(Model::new(D::default(), bits, preset == Preset::FormerQuick)),
        }
    }

    #[inline]
    fn symbol<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize) -> u32 {
        by_model!(self, small => small.symbol_of::<N, false>(value, width, contexts, set, None), former => former.symbol_of::<N, false>(value, width, contexts, set, None))
    }

    #[inline]
    fn symbol_guessed<const N: usize>(&mut self, value: u32, width: u32, contexts: &[Context; N], set: usize, guess: Option<Guess<u32>>) -> u32 {
        by_model!(self, small => small.symbol_guessed(value, width, contexts, set, guess),
            former => former.symbol_of::<N, true>(value, width, contexts, set, guess))
    }

    #[inline]
    fn number<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize) -> i64 {
        by_model!(self, small => small.number_of::<N, false>(value, contexts, set, None), former => former.number_of::<N, false>(value, contexts, set, None))
    }

    #[inline]
    fn number_guessed<const N: usize>(&mut self, value: i64, contexts: &[Context; N], set: usize, guess: Option<Guess<i64>>) -> i64 {
        by_model!(self, small => small.number_guessed(value, contexts, set, guess), former => former.number_of::<N, true>(value, contexts, set, guess))
    }

    #[inline]
    fn flag<const N: usize>(&mut self, bit: bool, contexts: [Context; N], broad: usize, fine: usize) -> bool {
        let slots = contexts.map(|context| context as u32);
        by_model!(self, small => small.bit(bit, &slots, broad, fine), former => former.bit(bit, &slots, broad, fine))
    }

    fn byte(&mut self, value: u8, kind: u64, history: &mut History) -> u8 {
        match self {
            Mixed::Small(small) => code_byte(value, kind, history, |bit, slots, broad, fine| small.bit(bit, slots, broad, fine)),
            Mixed::Former(former) => code_byte(value, kind, history, |bit, slots, broad, fine| former.bit(bit, slots, broad, fine)),
            Mixed::Deep(former, deep) => deep.byte(&mut former.direction, value, kind),
        }
    }

    fn overran(&self) -> bool {
        self.direction().overran()
    }
}

impl<D> Mixed<D> {
    fn direction(&self) -> &D {
        by_model!(self, small => &small.direction, former => &former.direction)
    }

    fn direction_mut(&mut self) -> &mut D {
        by_model!(self, small => &mut small.direction, former => &mut former.direction)
    }
}

impl PackCoding for Mixed<Packing> {
    fn finish(&mut self) -> Vec<u8> {
        self.direction_mut().finish()
    }

    fn stored(&self) -> usize {
        self.direction().stored()
    }
}

impl UnpackCoding for Mixed<Unpacking> {
    fn start(&mut self, block: &[u8]) {
        self.direction_mut().start(block);
    }

    fn is_certain(&self) -> bool {
        self.direction().is_certain()
    }
}
