//! The file being written: blocks with known seams, where a long one may be taken apart.

use crate::container::dm2::{END_MARK, write_block};
use crate::detect::identify;
use crate::dialect::Dialect;

/// Blocks as they are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockWriter {
    file: Vec<u8>,
    block: Vec<u8>,
    /// Where in the block messages start that may begin a block of their own.
    starts: Vec<usize>,
}

/// What became of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockOutcome {
    /// It is empty and was left out.
    Empty,
    /// One block.
    Single,
    /// It was taken apart into so many.
    Split(usize),
    /// It is longer than it should be, and nothing can be done about it.
    TooLong,
}

impl BlockWriter {
    /// A message.
    pub fn message(&mut self, bytes: &[u8]) {
        self.starts.push(self.block.len());
        self.block.extend_from_slice(bytes);
    }

    /// A message that must stand in the same block as the one before it.
    pub fn append(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    /// Bytes of the block so far.
    pub fn length(&self) -> usize {
        self.block.len()
    }

    /// Takes back what came after the block had this length.
    pub fn truncate(&mut self, length: usize) {
        self.block.truncate(length);
        self.starts.retain(|&seam| seam < length);
    }

    /// Takes back the whole block.
    pub fn discard_block(&mut self) {
        self.truncate(0);
    }

    /// Ends the block. One longer than `limit` is taken apart where it may be.
    pub fn end_block(&mut self, limit: usize) -> BlockOutcome {
        if self.block.is_empty() {
            return BlockOutcome::Empty;
        }
        let (mut start, mut pieces, mut too_long) = (0, 0, false);
        let ends: Vec<usize> = self.starts.iter().copied().skip(1).chain([self.block.len()]).collect();
        for (at, &end) in ends.iter().enumerate() {
            let next = ends.get(at + 1).copied();
            if next.is_none_or(|next| next - start > limit) {
                too_long |= end - start > limit;
                write_block(&mut self.file, &self.block[start..end]);
                start = end;
                pieces += 1;
            }
        }
        self.discard_block();
        match pieces {
            _ if too_long => BlockOutcome::TooLong,
            1 => BlockOutcome::Single,
            _ => BlockOutcome::Split(pieces),
        }
    }

    /// A block of size 0.
    pub fn empty_block(&mut self) {
        write_block(&mut self.file, &[]);
    }

    /// Bytes of the file so far.
    pub fn file_length(&self) -> usize {
        self.file.len()
    }

    /// Bytes that are no block: what follows the last one.
    pub fn append_raw(&mut self, bytes: &[u8]) {
        self.file.extend_from_slice(bytes);
    }

    /// The file, closed as engines close one that begins in its dialect, and that dialect: whoever opens it knows no other.
    pub fn close(&mut self) -> (Vec<u8>, Option<Dialect>) {
        let found = identify(&self.file, Some("dm2")).map(|found| found.dialect);
        (self.finish(found.is_some_and(|dialect| dialect.ends_with_mark())), found)
    }

    /// The file, with its end mark if it has one.
    pub fn finish(&mut self, mark: bool) -> Vec<u8> {
        if mark {
            self.file.extend_from_slice(&END_MARK.to_le_bytes());
        }
        std::mem::take(&mut self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_blocks_come_apart_at_their_seams() {
        let mut blocks = BlockWriter::default();
        for _ in 0..3 {
            blocks.message(b"abc");
            blocks.append(b"d");
        }
        assert_eq!(blocks.end_block(8), BlockOutcome::Split(2));
        assert_eq!(blocks.end_block(8), BlockOutcome::Empty);
        blocks.message(b"123456789");
        assert_eq!(blocks.end_block(8), BlockOutcome::TooLong);
        blocks.message(b"1");
        blocks.message(b"2");
        blocks.truncate(1);
        assert_eq!(blocks.end_block(8), BlockOutcome::Single);
        assert_eq!(blocks.finish(true), b"\x08\0\0\0abcdabcd\x04\0\0\0abcd\x09\0\0\x00123456789\x01\0\0\x001\xff\xff\xff\xff");
    }
}
