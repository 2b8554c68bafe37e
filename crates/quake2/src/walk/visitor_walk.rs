//! Walks with their visitors over a recording that comes in chunks.

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

/// A walk that stops where its visitor is done, and before a block.
pub(crate) struct StoppingWalk<V> {
    pub walk: VisitorWalk<V>,
    before: u32,
}

impl<V: Visitor> StoppingWalk<V> {
    /// A walk that starts before the first block.
    pub(crate) fn new(input: &Input<'_>, options: WalkOptions, visitor: V) -> Self {
        StoppingWalk { walk: VisitorWalk::new(input, options, visitor), before: u32::MAX }
    }

    /// Stops before this block.
    pub(crate) fn before(self, block: u32) -> Self {
        StoppingWalk { before: block, ..self }
    }

    /// Goes on to where its visitor is done.
    pub(crate) fn on(self) -> Self {
        self.before(u32::MAX)
    }
}

impl<V: Visitor> Fed for StoppingWalk<V> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let StoppingWalk { walk: VisitorWalk { playback, mut visitor, .. }, before } = self;
        let mut playback = playback.over_chunk(chunk);
        while playback.number() < before && playback.step(&mut visitor) {}
        StoppingWalk { walk: VisitorWalk { playback: playback.over_chunk(Chunk::none()), visitor, length: chunk.end() }, before }
    }

    fn needed(&self) -> usize {
        self.walk.needed()
    }

    fn is_over(&self) -> bool {
        self.walk.playback.number() >= self.before || self.walk.visitor.done()
    }
}
