//! The blocks of a recording in file order. Broken framing is reported and skipped.

use fragreel_base::wire::{Chunk, Error};

use crate::container::{Block, Blocks, Target};

/// Reads the blocks of a recording. Reports broken framing and continues after it.
#[derive(Debug, Clone)]
pub(crate) struct BlockReader<'a> {
    blocks: Blocks<'a>,
}

/// The next part of a file.
#[derive(Debug)]
pub enum NextBlock<'a> {
    /// A block.
    Block(Block<'a>),
    /// Broken framing: the error, and the range of bytes skipped because of it.
    Broken(Error, (u64, u64)),
}

impl<'a> BlockReader<'a> {
    /// A reader at the first block.
    pub(crate) fn new(blocks: Blocks<'a>) -> Self {
        BlockReader { blocks }
    }

    /// The same reader over another chunk of the file. Unless it is the last, an incomplete block is not damage.
    pub(crate) fn over<'b>(&self, chunk: Chunk<'b>) -> BlockReader<'b> {
        BlockReader { blocks: self.blocks.over(chunk) }
    }

    /// The bytes that it reads.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.blocks.chunk()
    }

    /// The next block, without advancing. `None` at the end and at broken framing.
    pub(crate) fn peek(&self) -> Option<Block<'a>> {
        self.blocks.clone().next()?.ok()
    }

    /// True if the next block is known, or known not to exist.
    pub(crate) fn has_lookahead(&self) -> bool {
        self.chunk().is_last() || self.blocks.clone().next().is_some_and(|next| next.is_ok() || self.chunk().hides_more())
    }

    /// See [`Blocks::pass_while`].
    #[inline(always)]
    pub(crate) fn pass_while(&mut self, passes: impl FnMut(u8, Target, &[u8], usize) -> bool) {
        self.blocks.pass_while(passes);
    }

    /// The byte at which the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.blocks.offset()
    }

    /// The number of the next block.
    pub(crate) fn next_number(&self) -> u32 {
        self.blocks.next_number()
    }
}

impl<'a> Iterator for BlockReader<'a> {
    type Item = NextBlock<'a>;

    #[inline]
    fn next(&mut self) -> Option<NextBlock<'a>> {
        self.next_read(|_| true)
    }
}

impl<'a> BlockReader<'a> {
    /// The next block. Behind broken framing, it is one that `reads` reads, if there is one.
    #[inline]
    pub(crate) fn next_read(&mut self, reads: impl Fn(&Block<'_>) -> bool) -> Option<NextBlock<'a>> {
        let chunk = self.chunk();
        let before = (!chunk.is_last()).then(|| self.blocks.clone());
        match self.blocks.next()? {
            Ok(block) => Some(NextBlock::Block(block)),
            Err(error) => {
                let from = self.blocks.offset();
                let found = if chunk.is_last() || chunk.hides_more() { self.blocks.resume(reads) } else { None };
                match (found, before) {
                    (Some(skipped), _) => Some(NextBlock::Broken(error, skipped)),
                    (None, None) => Some(NextBlock::Broken(error, (from, chunk.end() as u64))),
                    (None, Some(before)) => {
                        self.blocks = before;
                        None
                    }
                }
            }
        }
    }
}
