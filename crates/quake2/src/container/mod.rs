//! Files as windows: blocks of a `.dm2`, records of an MVD2. Realises *Containers* of `docs/formats/quake2.md`.

pub mod dm2;
pub mod mvd2;

/// A window over a block's or record's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window<'a> {
    /// Where its length stands in the file.
    pub offset: u64,
    /// Where its data starts.
    pub data_offset: u64,
    /// Its data.
    pub data: &'a [u8],
}

impl Window<'_> {
    /// Where its length stands in the file.
    pub(crate) fn length(self) -> std::ops::Range<usize> {
        self.offset as usize..self.data_offset as usize
    }
}

/// What the first bytes of a window are, where a block or record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A block, whose data are these bytes of the window.
    Block(usize, usize),
    /// An end mark of so many bytes.
    Mark(usize),
    /// A length that no engine writes.
    Wild,
    /// The window ends before the block does.
    Part,
}

/// How a file ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With its end mark, at this offset; what follows is not part of the recording.
    Mark {
        /// Where the mark starts.
        at: u64,
        /// The byte after it.
        after: u64,
    },
    /// After the last block, without a mark.
    File,
    /// Inside a length, which starts here.
    InLength(u64),
    /// Inside a block.
    InBlock {
        /// Where its length stands.
        at: u64,
        /// The length it states.
        stated: u64,
        /// The bytes of it that are there.
        present: u64,
    },
}

impl End {
    /// Of the file's bytes those behind the last block: its end mark, and what is not part of the recording.
    pub(crate) fn behind_blocks(self, bytes: &[u8]) -> (&[u8], &[u8]) {
        let from = |at: u64| bytes.get(at as usize..).unwrap_or_default();
        match self {
            End::File => (&[], &[]),
            End::Mark { at, after } => from(at).split_at((after - at) as usize),
            End::InLength(at) | End::InBlock { at, .. } => (&[], from(at)),
        }
    }
}
