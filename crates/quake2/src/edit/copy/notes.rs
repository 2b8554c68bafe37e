//! What was done to a recording, counted, and said in words.

use model::Edited;

use crate::dialect::Dialect;

/// What was done, counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    pub(super) opened: Option<String>,
    pub(super) retold: u64,
    pub(super) unknown: u64,
    /// Frames whose entities did not come.
    pub(super) unfinished: u64,
    /// Messages with numbers that engines do not hold.
    pub(super) fatal: u64,
    pub(super) long: u64,
    pub(super) apart: u64,
    pub(super) empty: u64,
    pub(super) damage: Vec<String>,
    pub(super) changed: u64,
}

impl Notes {
    pub fn report(self, bytes: Vec<u8>, dialect: Dialect) -> Edited {
        let mut edited = Edited { bytes, extension: extension(&dialect).to_owned(), ..Edited::default() };
        edited.actions.extend(self.opened);
        edited.actions.extend(self.damage);
        let mut count = |number: u64, what: &str| {
            if number > 0 {
                edited.actions.push(format!("{number} {what}"));
            }
        };
        count(self.retold, "frames re-encoded against another frame: their delta base was left out");
        count(self.unknown, "frames left out: their delta bases are missing");
        count(self.unfinished, "frames left out: their entities are missing");
        count(self.fatal, "messages cleared of numbers and removals that engines do not play");
        count(self.empty, "blocks without data left out");
        count(self.apart, "blocks split: they were longer than engines play");
        count(self.changed, "messages changed or left out");
        if self.long > 0 {
            edited.lose(format!(
                "{} blocks are longer than every engine of this protocol plays ({} bytes), and cannot be split",
                self.long,
                dialect.safe_block()
            ));
        }
        if self.unknown > 0 {
            edited.lose("frames whose delta bases are missing");
        }
        edited
    }
}

/// The extension that recordings of this dialect have.
pub(crate) fn extension(dialect: &Dialect) -> &'static str {
    if dialect.unicasts() { "rla" } else { "dm2" }
}
