//! The input of every walk: one recording's bytes, taken apart into macros.

use fragreel_base::wire::{Chunk, Error, Limits};

use crate::container::Container;
use crate::dialect::Dialect;

/// A recording in memory. The container holds the bytes and the dialect.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a> {
    pub container: Container<'a>,
    pub limits: Limits,
}

impl<'a> Input<'a> {
    /// Reads the header and the directory.
    ///
    /// # Errors
    /// Fails only if `bytes` do not start with a GoldSrc header, or are longer than `limits` allow.
    pub(crate) fn open(bytes: &'a [u8], limits: Limits) -> Result<Self, Error> {
        Ok(Input { container: Container::open(bytes, &limits)?, limits })
    }

    /// The same recording by another chunk of it, or after it has grown to the bytes of the chunk.
    pub(crate) fn of_chunk<'b>(&self, chunk: Chunk<'b>) -> Input<'b> {
        if self.container.chunk.hides_more() || chunk.hides_more() {
            return self.over(chunk);
        }
        Input { container: self.container.grown(chunk.bytes(), chunk.is_last()), limits: self.limits }
    }

    /// The same recording by another chunk of it.
    pub(crate) fn over<'b>(&self, chunk: Chunk<'b>) -> Input<'b> {
        Input { container: self.container.over(chunk), limits: self.limits }
    }

    /// What the protocol numbers mean.
    pub(crate) fn dialect(&self) -> &Dialect {
        &self.container.dialect
    }

    /// True for segments that the game plays, false for the loading segment.
    pub(crate) fn is_played(&self, segment: usize) -> bool {
        self.container.segments[segment].is_playback()
    }
}
