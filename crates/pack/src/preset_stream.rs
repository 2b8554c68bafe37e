//! The stream of a preset, which decides how its model codes.

use crate::arithmetic::{Direction, Packing, Unpacking};
use crate::file::{Content, Cursor, Head, Sizes, pack_blocks, unpack_blocks};
use crate::mixed::Mixed;
use crate::quick::Quick;
use crate::stream::Stream;
use crate::{Error, Preset};

/// A stream for one of the two models.
#[derive(Debug)]
pub(crate) enum PresetStream<D> {
    Mixed(Stream<Mixed<D>>),
    Quick(Stream<Quick<D>>),
}

impl<D: Direction> PresetStream<D> {
    /// A model of 2^`bits` slots that knows nothing yet.
    pub(crate) fn new(preset: Preset, bits: u32) -> Self {
        if preset == Preset::Quick { PresetStream::Quick(Stream::new(preset, bits)) } else { PresetStream::Mixed(Stream::new(preset, bits)) }
    }
}

impl PresetStream<Packing> {
    /// Appends the blocks of `content` to `out`.
    pub(crate) fn pack(&mut self, content: &mut (impl Content<Mixed<Packing>> + Content<Quick<Packing>>), out: &mut Vec<u8>) -> Result<Sizes, Error> {
        match self {
            PresetStream::Mixed(stream) => pack_blocks(content, stream, out),
            PresetStream::Quick(stream) => pack_blocks(content, stream, out),
        }
    }
}

impl PresetStream<Unpacking> {
    /// Unpacks the blocks of `content` into `sink`.
    pub(crate) fn unpack(
        &mut self,
        content: &mut (impl Content<Mixed<Unpacking>> + Content<Quick<Unpacking>>),
        from: &mut Cursor<'_>,
        head: &Head,
        sink: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), Error> {
        match self {
            PresetStream::Mixed(stream) => unpack_blocks(content, stream, from, head, sink),
            PresetStream::Quick(stream) => unpack_blocks(content, stream, from, head, sink),
        }
    }
}
