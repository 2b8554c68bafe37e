//! Counts what an edit changed, and reports it as actions and losses.

use fragreel_model::{Action, DeltaBase, Edited, Loss};

use crate::dialect::Dialect;

/// The counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    pub opened: Option<Action>,
    pub reencoded: u64,
    pub unknown: u64,
    /// Frames whose entities are missing.
    pub unfinished: u64,
    /// Messages with numbers beyond the limits of engines.
    pub unplayable: u64,
    pub oversized: u64,
    pub split: u64,
    pub empty: u64,
    pub damage: Vec<Action>,
    pub changed: u64,
    /// MVD2: parcels that lost undecodable bytes.
    pub parcels: u64,
    /// MVD2: records that lost undecodable bytes.
    pub damaged: bool,
}

impl Report {
    pub(super) fn into_edited(self, bytes: Vec<u8>, dialect: Dialect) -> Edited {
        let mut edited = Edited { bytes, extension: extension(&dialect).to_owned(), ..Edited::default() };
        edited.actions.extend(self.opened);
        edited.actions.extend(self.damage);
        let counted = [
            (self.reencoded, Action::FramesReencoded { frames: self.reencoded, base: DeltaBase::Dropped }),
            (self.unknown, Action::FramesLeftOutBaseless { frames: self.unknown }),
            (self.unfinished, Action::FramesLeftOutUnfinished { frames: self.unfinished }),
            (self.unplayable, Action::NumbersCleared { messages: self.unplayable, removals: true }),
            (self.empty, Action::EmptyBlocksLeftOut { blocks: self.empty }),
            (self.split, Action::Split { count: self.split, of: "block" }),
            (self.changed, Action::MessagesChangedOrDropped { messages: self.changed }),
        ];
        edited.actions.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(_, action)| action));
        if self.oversized > 0 {
            let limit = format!("the {} bytes that every engine of this protocol plays, and cannot be split", dialect.safe_block());
            edited.lose(Loss::TooLong { count: self.oversized, of: "blocks", limit });
        }
        if self.unknown > 0 {
            edited.lose(Loss::BaselessFrames);
        }
        edited
    }

    /// The file of an MVD2.
    pub(super) fn into_edited_mvd(self, bytes: Vec<u8>) -> Edited {
        let mut edited = Edited { bytes, extension: String::from("mvd2"), ..Edited::default() };
        edited.actions.extend(self.opened);
        edited.actions.extend(self.damage);
        let counted = [
            (self.changed, Action::MessagesChangedOrDropped { messages: self.changed }),
            (self.parcels, Action::ParcelsLeftOut { parcels: self.parcels }),
            (self.unplayable, Action::NumbersCleared { messages: self.unplayable, removals: false }),
        ];
        edited.actions.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(_, action)| action));
        if self.oversized > 0 {
            edited.lose(Loss::TooLong { count: self.oversized, of: "records", limit: String::from("Q2PRO reads") });
        }
        if self.damaged {
            edited.lose(Loss::ChangesOfStates);
        }
        edited
    }
}

/// The file extension of recordings in this dialect.
pub(crate) fn extension(dialect: &Dialect) -> &'static str {
    if dialect.unicasts() { "rla" } else { "dm2" }
}
