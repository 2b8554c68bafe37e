//! Changes of the player state (`docs/formats/quake3.md`, "The player state").

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::{self, Row, Spelling};
use fragreel_base::wire::{Wire, sign_extend};

use crate::dialect::{Dialect, Layout};
use crate::fields::{Element, SLOTS, array};

/// The change of the player of the view.
#[derive(Clone)]
pub struct PlayerDelta {
    /// How the fields were spelled.
    pub spelling: Spelling,
    /// The new values of the sent fields; other words are leftovers and mean nothing.
    pub row: Row,
    /// Whether the flag before the arrays was set. Before protocol 66 there is none.
    pub arrays_sent: bool,
    /// The arrays, as [`array`](mod@array) numbers them.
    pub arrays: [ArrayDelta; array::COUNT],
}

/// The change of one array.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArrayDelta {
    /// Whether its flag was set.
    pub sent: bool,
    /// Which elements were sent.
    pub mask: u16,
    /// The new values of the sent elements; the others are leftovers.
    pub values: [u32; SLOTS],
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
        PlayerDelta { spelling: Spelling::default(), row: [0; 64], arrays_sent: false, arrays: [ArrayDelta::default(); array::COUNT] }
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
    pub(super) fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        match dialect.layout {
            Layout::Coded => {
                let end = w.field("field count", u32::from(self.spelling.end), 8)?;
                interleaved::code_fields::<_, false>(w, dialect.player, end as usize, &mut self.row, &mut self.spelling)?;
                self.code_arrays(w, dialect)
            }
            Layout::Plain => {
                let all = dialect.player.len();
                interleaved::code_fields::<_, false>(w, dialect.player, all, &mut self.row, &mut self.spelling)?;
                self.arrays_sent = true;
                self.code_sent_arrays(w, dialect)
            }
        }
    }

    /// Codes the flag of the arrays, and those that it announces.
    #[inline]
    pub(super) fn code_arrays<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        w.enter("arrays");
        self.arrays_sent = w.flag(self.arrays_sent)?;
        if self.arrays_sent { self.code_sent_arrays(w, dialect) } else { Ok(()) }
    }

    fn code_sent_arrays<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        for array in dialect.arrays {
            self.arrays[array.at].code(w, array.name, array.element)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::PlayerArray;
    use fragreel_base::wire::{ReadBits, WriteBits};

    #[test]
    fn arrays_are_sent_as_the_dialect_lists_them() {
        const ARRAYS: [PlayerArray; 2] = [
            PlayerArray { name: "holdable", element: Element::Unsigned, at: array::POWERUPS },
            PlayerArray { name: "stats", element: Element::Long, at: array::STATS },
        ];
        let dialect = Dialect { arrays: &ARRAYS, ..*Dialect::of(68).unwrap() };
        let mut delta = PlayerDelta { arrays_sent: true, ..PlayerDelta::default() };
        delta.arrays[array::POWERUPS] = ArrayDelta { sent: true, mask: 1 << 2, values: [0x1234; SLOTS] };
        delta.arrays[array::STATS] = ArrayDelta { sent: true, mask: 1, values: [0x0102_0304; SLOTS] };
        let mut writer = WriteBits::default();
        let Ok(()) = delta.code(&mut writer, &dialect);
        let bytes = writer.finish();
        // the count of fields and the flag of all arrays; for each a flag, a mask, and an element
        assert_eq!(bytes.len(), (8 + 1 + (1 + 16 + 16) + (1 + 16 + 32_usize)).div_ceil(8));
        let mut read = PlayerDelta::default();
        read.code(&mut ReadBits::new(&bytes), &dialect).unwrap();
        assert_eq!(read, delta);
        assert!(!dialect.is_like(Dialect::of(68).unwrap()));
    }
}
