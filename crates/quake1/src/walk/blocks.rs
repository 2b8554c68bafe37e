//! The blocks of a recording in file order. Broken framing is reported and skipped.

use wire::Error;

use crate::container::{Block, Blocks};

/// The blocks of a recording, with damage reported and passed over.
#[derive(Debug, Clone)]
pub struct BlockReader<'a> {
    blocks: Blocks<'a>,
    /// The file's length.
    end: u64,
    /// Whether nothing follows the bytes; until then, what is no block may become one.
    last: bool,
}

/// What is next in a file.
#[derive(Debug)]
pub enum NextBlock<'a> {
    /// A block.
    Block(Block<'a>),
    /// Broken framing, and the bytes that were passed over because of it.
    Broken(Error, (u64, u64)),
}

impl<'a> BlockReader<'a> {
    /// From a file's start.
    pub fn new(blocks: Blocks<'a>, length: usize) -> Self {
        BlockReader { blocks, end: length as u64, last: true }
    }

    /// The same walk over more bytes, of which those it has seen are the first. `last` says that nothing follows them.
    pub fn over<'b>(&self, bytes: &'b [u8], last: bool) -> BlockReader<'b> {
        BlockReader { blocks: self.blocks.over(bytes), end: bytes.len() as u64, last }
    }

    /// Whether nothing follows the bytes.
    pub fn is_last(&self) -> bool {
        self.last
    }

    /// The next block, without going on to it; none where framing is broken, and what follows is not looked for.
    pub fn peek(&self) -> Option<Block<'a>> {
        self.blocks.clone().next()?.ok()
    }

    /// Where the next block starts.
    pub fn offset(&self) -> u64 {
        self.blocks.offset()
    }

    /// The file's length.
    pub fn length(&self) -> usize {
        self.end as usize
    }
}

impl<'a> Iterator for BlockReader<'a> {
    type Item = NextBlock<'a>;

    #[inline]
    fn next(&mut self) -> Option<NextBlock<'a>> {
        let before = (!self.last).then(|| self.blocks.clone());
        match self.blocks.next()? {
            Ok(block) => Some(NextBlock::Block(block)),
            Err(error) => {
                if let Some(before) = before {
                    self.blocks = before;
                    return None;
                }
                let from = self.blocks.offset();
                let skipped = self.blocks.resume().unwrap_or((from, self.end));
                Some(NextBlock::Broken(error, skipped))
            }
        }
    }
}
