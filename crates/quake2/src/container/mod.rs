//! Containers: blocks of a `.dm2`, records of an MVD2. Implements *Containers* of `docs/formats/quake2.md`.

pub mod dm2;
pub mod mvd2;

/// The data of a block or record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window<'a> {
    /// The offset of its length.
    pub offset: u64,
    /// The offset of its data.
    pub data_offset: u64,
    /// Its data.
    pub data: &'a [u8],
}

impl Window<'_> {
    /// The range of its length in the file.
    pub(crate) fn length(self) -> std::ops::Range<usize> {
        self.offset as usize..self.data_offset as usize
    }
}

/// What starts at an offset where a block or record should begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A block, with its range in the window.
    Block(usize, usize),
    /// An end mark, and its size in bytes.
    Mark(usize),
    /// A length that no engine writes.
    Wild,
    /// The window ends inside the block.
    Part,
}

/// Bytes between blocks or records that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The offset of the first byte.
    pub from: u64,
    /// The offset after the last byte.
    pub to: u64,
    /// What they are.
    pub cause: Cause,
}

/// What the bytes between blocks or records are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// They begin with a length that is none.
    Length,
    /// A run of zeros.
    Zeros,
    /// They begin with an end mark, though the recording goes on.
    Mark,
    /// An end mark, after which another recording begins.
    SecondRecording,
}

/// How a file ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With an end mark at this offset. What follows is not part of the recording.
    Mark {
        /// The offset of the mark.
        at: u64,
        /// The offset after it.
        after: u64,
    },
    /// After the last block, without a mark.
    File,
    /// Inside a length, at this offset.
    InLength(u64),
    /// Inside a block.
    InBlock {
        /// The offset of its length.
        at: u64,
        /// The stated length.
        stated: u64,
        /// The number of bytes present.
        present: u64,
    },
    /// With nothing but zeros from this offset on.
    Zeros(u64),
}

impl End {
    /// The bytes after the last block: the end mark, and what is not part of the recording.
    pub(crate) fn behind_blocks(self, bytes: &[u8]) -> (&[u8], &[u8]) {
        let from = |at: u64| bytes.get(at as usize..).unwrap_or_default();
        match self {
            End::File => (&[], &[]),
            End::Mark { at, after } => from(at).split_at((after - at) as usize),
            End::InLength(at) | End::InBlock { at, .. } | End::Zeros(at) => (&[], from(at)),
        }
    }
}
