//! Changes of the player state (`docs/formats/quake3.md`, "The player state").

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::{self, Row, SPELLED, Spelling};
use fragreel_base::wire::{Wire, sign_extend};

use crate::dialect::{Dialect, Layout};

/// The change of the player of the view.
#[derive(Clone)]
pub struct PlayerDelta {
    /// How the fields were spelled.
    pub spelling: Spelling,
    /// The new values of the sent fields; other words are leftovers and mean nothing.
    pub row: Row,
    /// Whether the flag before the arrays was set. Before protocol 66 there is none.
    pub arrays_sent: bool,
    /// The four arrays in the order of [`ARRAYS`].
    pub arrays: [ArrayDelta; 4],
}

/// The arrays of a player state and how their elements are sent.
pub const ARRAYS: [(&str, Element); 4] =
    [("stats", Element::Signed), ("persistant", Element::Signed), ("ammo", Element::Unsigned), ("powerups", Element::Long)];

/// How an array's elements are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Sixteen bits, two's complement.
    Signed,
    /// Sixteen bits.
    Unsigned,
    /// Thirty-two bits.
    Long,
}

/// The change of one array.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArrayDelta {
    /// Whether its flag was set.
    pub sent: bool,
    /// Which elements were sent.
    pub mask: u16,
    /// The new values of the sent elements; the others are leftovers.
    pub values: [u32; 16],
}

/// Equal when they encode the same; leftovers do not count.
impl PartialEq for ArrayDelta {
    fn eq(&self, other: &Self) -> bool {
        self.sent == other.sent && (!self.sent || self.mask == other.mask && self.changes().eq(other.changes()))
    }
}

impl ArrayDelta {
    /// The sent elements with their values.
    pub fn changes(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let mask = if self.sent { u64::from(self.mask) } else { 0 };
        FieldSet(mask).into_iter().map(|at| (at, self.values[at & 15]))
    }

    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, element: Element) -> Result<(), W::Error> {
        w.enter(name);
        self.sent = w.flag(self.sent)?;
        if !self.sent {
            return Ok(());
        }
        w.scope(name, None, |w| {
            self.mask = w.field("mask", u32::from(self.mask), 16)? as u16;
            for at in FieldSet(u64::from(self.mask)) {
                w.enter("element");
                let value = &mut self.values[at & 15];
                *value = match element {
                    Element::Signed => sign_extend(w.bits(*value, 16)?, 16),
                    Element::Unsigned => w.bits(*value, 16)?,
                    Element::Long => w.bits(*value, 32)?,
                };
                w.note(|| format!("[{at}] = {}", *value as i32));
            }
            Ok(())
        })
    }
}

impl Default for PlayerDelta {
    fn default() -> Self {
        PlayerDelta { spelling: Spelling::default(), row: [0; 64], arrays_sent: false, arrays: [ArrayDelta::default(); 4] }
    }
}

/// Equal when they encode the same; leftovers do not count.
impl PartialEq for PlayerDelta {
    fn eq(&self, other: &Self) -> bool {
        self.spelling == other.spelling
            && self.spelling.sent.into_iter().all(|at| self.row[at] == other.row[at])
            && self.arrays_sent == other.arrays_sent
            && (!self.arrays_sent || self.arrays == other.arrays)
    }
}

impl std::fmt::Debug for PlayerDelta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sent: Vec<(usize, u32)> = self.spelling.sent.into_iter().map(|at| (at, self.row[at])).collect();
        f.debug_struct("PlayerDelta").field("spelling", &self.spelling).field("sent", &sent).field("arrays_sent", &self.arrays_sent).finish_non_exhaustive()
    }
}

impl PlayerDelta {
    #[inline]
    pub(super) fn code<W: Wire, const KEEP: u8>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        match dialect.layout {
            Layout::Coded => {
                let end = w.field("field count", u32::from(self.spelling.end), 8)?;
                interleaved::code_fields::<_, false, KEEP>(w, dialect.player, end as usize, &mut self.row, &mut self.spelling)?;
                w.enter("arrays");
                self.arrays_sent = w.flag(self.arrays_sent)?;
            }
            Layout::Plain => {
                let all = dialect.player.len();
                interleaved::code_fields::<_, false, SPELLED>(w, dialect.player, all, &mut self.row, &mut self.spelling)?;
                self.arrays_sent = true;
            }
        }
        if self.arrays_sent {
            for (array, (name, element)) in self.arrays.iter_mut().zip(ARRAYS) {
                array.code(w, name, element)?;
            }
        }
        Ok(())
    }
}
