//! Writes blocks, and splits oversized ones between messages.

use crate::container::dm2::{END_MARK, write_block};
use crate::detect::identify;
use crate::dialect::Dialect;

/// The file so far, and the current block.
#[derive(Debug, Clone, Default)]
pub struct BlockWriter {
    file: Vec<u8>,
    block: Vec<u8>,
    /// Offsets in the block at which it may be split.
    starts: Vec<usize>,
}

/// The result of ending a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockOutcome {
    /// The block was empty and was not written.
    Empty,
    /// One block was written.
    Single,
    /// The block was split into this many.
    Split(usize),
    /// The block is longer than the limit and cannot be split.
    TooLong,
}

impl BlockWriter {
    /// Adds a message.
    pub fn message(&mut self, bytes: &[u8]) {
        self.starts.push(self.block.len());
        self.block.extend_from_slice(bytes);
    }

    /// Adds a message that must stay in the same block as the one before.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    /// The size of the current block in bytes.
    pub fn length(&self) -> usize {
        self.block.len()
    }

    /// Truncates the current block.
    pub fn truncate(&mut self, length: usize) {
        self.block.truncate(length);
        self.starts.retain(|&seam| seam < length);
    }

    /// Discards the current block.
    pub(crate) fn discard_block(&mut self) {
        self.truncate(0);
    }

    /// Ends the block. Splits it if it is longer than `limit`.
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

    /// Writes a block of size 0.
    pub(crate) fn empty_block(&mut self) {
        write_block(&mut self.file, &[]);
    }

    /// The size of the file in bytes.
    pub(crate) fn file_length(&self) -> usize {
        self.file.len()
    }

    /// Appends bytes that are not a block, such as trailing data.
    pub(crate) fn append_raw(&mut self, bytes: &[u8]) {
        self.file.extend_from_slice(bytes);
    }

    /// Closes the file with the end mark of its first dialect, if that has one. Also returns the dialect.
    pub fn close(&mut self) -> (Vec<u8>, Option<Dialect>) {
        let found = identify(&self.file, Some("dm2")).map(|found| found.dialect);
        (self.finish(found.is_some_and(|dialect| dialect.ends_with_mark())), found)
    }

    /// Returns the file, with an end mark if `mark` is set.
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
