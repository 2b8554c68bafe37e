//! What was done to a recording, counted, and said in words.

use model::{Action, Edited, Loss};

use crate::dialect::Dialect;

/// What was done, counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    pub(super) opened: Option<Action>,
    pub(super) retold: u64,
    pub(super) unknown: u64,
    /// Frames whose entities did not come.
    pub(super) unfinished: u64,
    /// Messages with numbers that engines do not hold.
    pub(super) fatal: u64,
    pub(super) long: u64,
    pub(super) apart: u64,
    pub(super) empty: u64,
    pub(super) damage: Vec<Action>,
    pub(super) changed: u64,
}

impl Notes {
    pub fn report(self, bytes: Vec<u8>, dialect: Dialect) -> Edited {
        let mut edited = Edited { bytes, extension: extension(&dialect).to_owned(), ..Edited::default() };
        edited.actions.extend(self.opened);
        edited.actions.extend(self.damage);
        let counted = [
            (self.retold, Action::FramesReencodedAgainstAnother { frames: self.retold }),
            (self.unknown, Action::FramesLeftOutBaseless { frames: self.unknown }),
            (self.unfinished, Action::FramesLeftOutUnfinished { frames: self.unfinished }),
            (self.fatal, Action::NumbersAndRemovalsCleared { messages: self.fatal }),
            (self.empty, Action::DatalessBlocksLeftOut { blocks: self.empty }),
            (self.apart, Action::BlocksSplit { blocks: self.apart }),
            (self.changed, Action::MessagesChangedOrLeftOut { messages: self.changed }),
        ];
        edited.actions.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(_, action)| action));
        if self.long > 0 {
            edited.lose(Loss::LongBlocks { blocks: self.long, bytes: dialect.safe_block() as u64 });
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
