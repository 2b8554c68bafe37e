//! Changes of entities (`docs/formats/quake3.md`, "Deltas" and "Deltas before 66").

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::{self, Row, Spelling};
use fragreel_base::wire::{Burst, Wire};

use crate::dialect::{Dialect, Layout};
use crate::fields::known_masks::KNOWN_MASKS;

/// The entity number that ends a list.
pub(crate) const LAST: u16 = 1023;

/// The kind of change of an entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change {
    /// It was removed.
    Removed,
    /// It is unchanged.
    #[default]
    Unchanged,
    /// Fields have changed.
    Changed,
}

/// The change of one entity.
#[derive(Clone)]
pub struct EntityDelta {
    /// Its number.
    pub number: u16,
    /// The kind of change.
    pub change: Change,
    /// How a change was spelled. Before protocol 66 `end` is the number of the known mask, 31 for one written out.
    pub spelling: Spelling,
    /// The new values of the sent fields; other words are leftovers and mean nothing.
    pub row: Row,
}

impl Default for EntityDelta {
    fn default() -> Self {
        EntityDelta { number: 0, change: Change::Unchanged, spelling: Spelling::default(), row: [0; 64] }
    }
}

/// Equal when they encode the same; leftovers in the row do not count.
impl PartialEq for EntityDelta {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
            && self.change == other.change
            && (self.change != Change::Changed || (self.spelling == other.spelling && self.spelling.sent.into_iter().all(|at| self.row[at] == other.row[at])))
    }
}

impl std::fmt::Debug for EntityDelta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = f.debug_struct("EntityDelta");
        out.field("number", &self.number).field("change", &self.change);
        if self.change == Change::Changed {
            let sent: Vec<(usize, u32)> = self.spelling.sent.into_iter().map(|at| (at, self.row[at])).collect();
            out.field("spelling", &self.spelling).field("sent", &sent);
        }
        out.finish()
    }
}

impl EntityDelta {
    /// The number of a mask that is written out instead of being one of the known.
    pub(crate) const EXPLICIT: u8 = 31;

    /// The number by which the stock engine announces a mask.
    pub(crate) fn known_mask(sent: FieldSet) -> u8 {
        KNOWN_MASKS.iter().position(|mask| *mask == sent).map_or(Self::EXPLICIT, |known| known as u8)
    }

    /// All but the number.
    #[inline]
    pub(super) fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        let head = Head { change: self.change, counted: dialect.layout == Layout::Coded, end: u32::from(self.spelling.end) };
        let Head { change, end, .. } = w.burst(head)?;
        self.change = change;
        match dialect.layout {
            _ if change != Change::Changed => Ok(()),
            Layout::Coded => interleaved::code_fields::<_, true>(w, dialect.entity, end as usize, &mut self.row, &mut self.spelling),
            Layout::Plain => self.code_masked(w, dialect),
        }
    }

    fn code_masked<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        let known = w.field("known mask", u32::from(self.spelling.end), 5)?;
        let sent = if known == u32::from(Self::EXPLICIT) {
            let mask = self.spelling.sent.0;
            let low = w.field("mask", mask as u32, 32)?;
            let high = w.bits((mask >> 32) as u32, dialect.entity.len() as u32 - 32)?;
            FieldSet(u64::from(low) | u64::from(high) << 32)
        } else {
            KNOWN_MASKS[known as usize]
        };
        if W::READING {
            self.spelling = Spelling { end: known as u8, ..Spelling::default() };
        }
        interleaved::code_announced(w, dialect.entity, sent, &mut self.row, &mut self.spelling)
    }

    /// The change from `from` to `to`, encoded as the stock engine does.
    pub fn canonical(number: u16, from: &Row, to: &Row, dialect: &Dialect) -> Self {
        Self::spelled(number, Self::canonical_spelling(from, to, dialect), to)
    }

    /// A change to `row`.
    pub(crate) fn spelled(number: u16, spelling: Spelling, row: &Row) -> Self {
        let change = if spelling.sent.is_empty() { Change::Unchanged } else { Change::Changed };
        EntityDelta { number, change, spelling, row: *row }
    }

    /// How stock servers spell the change from one row to another.
    pub(crate) fn canonical_spelling(from: &Row, to: &Row, dialect: &Dialect) -> Spelling {
        match dialect.layout {
            Layout::Coded => interleaved::canonical::<true>(dialect.entity, from, to),
            Layout::Plain => {
                let spelling = interleaved::canonical::<false>(dialect.entity, from, to);
                Spelling { end: Self::known_mask(spelling.sent), ..spelling }
            }
        }
    }

    /// Whether it encodes the same as this change to `row`.
    pub(crate) fn is_spelled(&self, spelling: &Spelling, row: &Row) -> bool {
        match self.change {
            Change::Changed => self.spelling == *spelling && spelling.sent.into_iter().all(|at| self.row[at] == row[at]),
            Change::Unchanged => spelling.sent.is_empty(),
            Change::Removed => false,
        }
    }
}

/// The head of an entity: 2 bits and a code.
struct Head {
    change: Change,
    /// Whether there is a field count.
    counted: bool,
    end: u32,
}

impl<W: Wire> Burst<W> for Head {
    type Out = Result<Self, W::Error>;

    #[inline(always)]
    fn run(self, w: &mut W) -> Result<Self, W::Error> {
        w.enter("remove");
        if w.flag(self.change == Change::Removed)? {
            return Ok(Head { change: Change::Removed, ..self });
        }
        w.enter("delta");
        if !w.flag(self.change == Change::Changed)? {
            return Ok(Head { change: Change::Unchanged, ..self });
        }
        let end = if self.counted { w.field("field count", self.end, 8)? } else { 0 };
        Ok(Head { change: Change::Changed, end, ..self })
    }
}

/// An entity at the level's start, as a change from zeros.
pub type Baseline = EntityDelta;
