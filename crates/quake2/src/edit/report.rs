//! What was done to a recording, counted, and said in words.

use model::{Action, Edited, Loss};

use crate::dialect::Dialect;

/// What was done, counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    pub(super) opened: Option<Action>,
    pub(super) reencoded: u64,
    pub(super) unknown: u64,
    /// Frames whose entities did not come.
    pub(super) unfinished: u64,
    /// Messages with numbers that engines do not hold.
    pub(super) unplayable: u64,
    pub(super) oversized: u64,
    pub(super) split: u64,
    pub(super) empty: u64,
    pub(super) damage: Vec<Action>,
    pub(super) changed: u64,
}

impl Report {
    pub fn into_edited(self, bytes: Vec<u8>, dialect: Dialect) -> Edited {
        let mut edited = Edited { bytes, extension: extension(&dialect).to_owned(), ..Edited::default() };
        edited.actions.extend(self.opened);
        edited.actions.extend(self.damage);
        let counted = [
            (self.reencoded, Action::FramesReencodedAgainstAnother { frames: self.reencoded }),
            (self.unknown, Action::FramesLeftOutBaseless { frames: self.unknown }),
            (self.unfinished, Action::FramesLeftOutUnfinished { frames: self.unfinished }),
            (self.unplayable, Action::NumbersAndRemovalsCleared { messages: self.unplayable }),
            (self.empty, Action::DatalessBlocksLeftOut { blocks: self.empty }),
            (self.split, Action::BlocksSplit { blocks: self.split }),
            (self.changed, Action::MessagesChangedOrLeftOut { messages: self.changed }),
        ];
        edited.actions.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(_, action)| action));
        if self.oversized > 0 {
            edited.lose(Loss::LongBlocks { blocks: self.oversized, bytes: dialect.safe_block() as u64 });
        }
        if self.unknown > 0 {
            edited.lose(Loss::BaselessFrames);
        }
        edited
    }
}

/// The extension that recordings of this dialect have.
pub(crate) fn extension(dialect: &Dialect) -> &'static str {
    if dialect.unicasts() { "rla" } else { "dm2" }
}
