//! A walk with its visitor over a recording that comes in chunks.

use fragreel_base::wire::Chunk;
use fragreel_model::replay::Fed;

use super::input::Input;
use super::playback::{Playback, Visitor, WalkOptions};

/// A walk that takes a recording in chunks.
pub(crate) struct VisitorWalk<V> {
    pub playback: Playback<'static>,
    pub visitor: V,
    /// Bytes that were walked over.
    pub length: usize,
}

impl<V: Visitor> VisitorWalk<V> {
    /// A walk that starts before the first block.
    pub(crate) fn new(input: &Input<'_>, options: WalkOptions, visitor: V) -> Self {
        VisitorWalk { playback: input.playback(options).over_chunk(Chunk::none()), visitor, length: 0 }
    }
}

impl<V: Visitor> Fed for VisitorWalk<V> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let VisitorWalk { playback, mut visitor, .. } = self;
        let mut playback = playback.over_chunk(chunk);
        while playback.step(&mut visitor) {}
        VisitorWalk { playback: playback.over_chunk(Chunk::none()), visitor, length: chunk.end() }
    }

    fn needed(&self) -> usize {
        self.playback.needed()
    }
}
