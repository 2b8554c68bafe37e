//! What was learned from the recordings of a group before the next one.

use crate::arithmetic::{Direction, Packing};
use crate::fields::Memory;
use crate::file::Content;
use crate::mixed::Mixed;
use crate::preset_stream::PresetStream;
use crate::{Method, Preset};

/// How a recording is packed: alone, or after others.
pub(crate) struct How<'k> {
    pub preset: Preset,
    pub known: Option<&'k mut Known<Packing>>,
}

impl How<'_> {
    /// The same once more.
    pub(crate) fn again(&mut self) -> How<'_> {
        How { preset: self.preset, known: self.known.as_deref_mut() }
    }

    /// The same with the larger model of bytes, unless it must be quick or goes on from others without it.
    pub(crate) fn deep(self) -> Self {
        match self.known {
            _ if !matches!(self.preset, Preset::Small | Preset::FormerSmall) => self,
            None => How { preset: Preset::Deep, known: None },
            Some(known) if known.method.is_none() => {
                *known = Known::new(Preset::Deep, known.bits);
                How { preset: Preset::Deep, known: Some(known) }
            }
            known => How { known, ..self },
        }
    }
}

/// What recordings of one method share in an archive: the model, the bytes, and the fields so far (`docs/formats/pack.md`, "Archives").
#[derive(Debug)]
pub(crate) struct Known<D> {
    /// That of its recordings, once there is one.
    pub method: Option<Method>,
    pub preset: Preset,
    pub stream: PresetStream<D>,
    bits: u32,
    memory: Option<Memory>,
}

impl<D: Direction> Known<D> {
    /// Nothing yet, with 2^`bits` slots.
    pub(crate) fn new(preset: Preset, bits: u32) -> Self {
        Known { method: None, preset, stream: PresetStream::new(preset, bits), bits, memory: None }
    }

    /// Begins again, after a recording that could not be packed.
    pub(crate) fn forget(&mut self) {
        *self = Known::new(self.preset, self.bits);
    }

    /// Gives the next recording what is known. Its clock begins again.
    pub(crate) fn lend(&mut self, content: &mut impl Content<Mixed<D>>) {
        if let (Some(theirs), Some(mut mine)) = (Content::<Mixed<D>>::memory(content), self.memory.take()) {
            mine.time = 0;
            *theirs = mine;
        }
    }

    /// Takes it back, with what the recording added.
    pub(crate) fn take_back(&mut self, content: &mut impl Content<Mixed<D>>) {
        self.memory = Content::<Mixed<D>>::memory(content).map(|memory| std::mem::replace(memory, Memory::new()));
    }
}
