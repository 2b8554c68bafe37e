//! Where macros stand, and the directory that a recorder would make of them.

use crate::container::{Entry, Macro, MacroKind, Stretch, directory};

/// The stretches of macros so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// Bytes so far.
    pub offset: u64,
    /// Where a directory stands.
    pub directory: Option<u64>,
    closed: Vec<Entry>,
    open: Option<Stretch>,
}

impl Layout {
    /// Whether the next data block is one that is played.
    pub(super) fn playing(&self) -> bool {
        self.open.as_ref().is_some_and(|stretch| stretch.playback && !stretch.ended)
    }

    /// Adds the next macro.
    pub(super) fn push(&mut self, found: &Macro) {
        // no file of more bytes has a directory that could say so
        let at = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let found = Macro { offset: at, ..*found };
        if self.open.as_ref().is_none_or(|stretch| stretch.is_left_by(found.kind))
            && let Some(done) = self.open.replace(Stretch::beginning(at, found.kind == MacroKind::Start))
            && self.closed.len() < directory::MAX_ENTRIES
        {
            self.closed.push(done.entry());
        }
        if let Some(stretch) = &mut self.open {
            stretch.extend(&found);
        }
        self.skip(crate::container::HEAD_BYTES + found.body.len());
    }

    /// Adds bytes that are no macro.
    pub(super) fn skip(&mut self, length: usize) {
        self.offset += length as u64;
    }

    /// The directory's entry for the stretch of this number.
    pub(super) fn entry(&self, at: usize) -> Entry {
        let open = (at == self.closed.len()).then(|| self.open.as_ref().map(Stretch::entry)).flatten();
        self.closed.get(at).cloned().or(open).unwrap_or_else(|| Entry::new(directory::PLAYBACK, "Playback"))
    }

    /// The directory's place as the header says it; 0 when there is none.
    pub(super) fn directory_offset(&self) -> i32 {
        self.directory.unwrap_or(0) as i32
    }
}
