//! The blocks of a recording in file order. Broken framing is reported and skipped.

use fragreel_base::wire::Error;

use crate::container::{Block, Blocks};

/// Reads the blocks of a recording. Reports broken framing and continues after it.
#[derive(Debug, Clone)]
pub(crate) struct BlockReader<'a> {
    blocks: Blocks<'a>,
    /// The file's length.
    end: u64,
    /// False while the file may grow. Then an incomplete block is not damage yet.
    last: bool,
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
    pub(crate) fn new(blocks: Blocks<'a>, length: usize) -> Self {
        BlockReader { blocks, end: length as u64, last: true }
    }

    /// The same reader over a file that has grown to `bytes`. Set `last` once no more bytes will arrive.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8], last: bool) -> BlockReader<'b> {
        BlockReader { blocks: self.blocks.over(bytes, last), end: bytes.len() as u64, last }
    }

    /// True if no more bytes will arrive.
    pub(crate) fn is_last(&self) -> bool {
        self.last
    }

    /// The next block, without advancing. `None` at the end and at broken framing.
    pub(crate) fn peek(&self) -> Option<Block<'a>> {
        self.blocks.clone().next()?.ok()
    }

    /// The byte at which the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.blocks.offset()
    }

    /// The file's length.
    pub(crate) fn length(&self) -> usize {
        self.end as usize
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
        let before = (!self.last).then(|| self.blocks.clone());
        match self.blocks.next()? {
            Ok(block) => Some(NextBlock::Block(block)),
            Err(error) => {
                if let Some(before) = before {
                    self.blocks = before;
                    return None;
                }
                let from = self.blocks.offset();
                let skipped = self.blocks.resume(reads).unwrap_or((from, self.end));
                Some(NextBlock::Broken(error, skipped))
            }
        }
    }
}
