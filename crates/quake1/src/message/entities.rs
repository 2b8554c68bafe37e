//! QuakeWorld's packet entities (`docs/formats/quake1.md`, "Entity deltas").

use fragreel_base::wire::Wire;

use crate::dialect::{Dialect, pext1};
use crate::fields::meaning;
use crate::fields::quakeworld::{bits, slot};
use crate::message::body::Body;

/// Which extensions make the `EVENMORE` byte appear.
pub(crate) const EVENMORE_EXTENSIONS: u32 =
    pext1::SCALE | pext1::TRANS | pext1::FATNESS | pext1::HEXEN2 | pext1::COLORMOD | pext1::DPFLAGS | pext1::MODELDBL | pext1::ENTITYDBL | pext1::ENTITYDBL2;

/// An entity's delta, or its removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityDelta {
    /// The low nine bits of its number.
    pub low_number: u16,
    /// The mask of the values that follow, and the `REMOVE` bit; see [`bits`].
    pub mask: u32,
    /// The values sent; see [`slot`].
    pub row: [u32; slot::COUNT],
}

impl Default for EntityDelta {
    fn default() -> Self {
        EntityDelta { low_number: 0, mask: 0, row: [0; slot::COUNT] }
    }
}

impl EntityDelta {
    /// The entity's number.
    #[inline]
    pub fn number(&self, d: &Dialect) -> u32 {
        let mask = u64::from(self.mask);
        let mut number = u32::from(self.low_number);
        if mask & bits::ENTITYDBL != 0 && d.has1(pext1::ENTITYDBL) {
            number += 512;
        }
        if mask & bits::ENTITYDBL2 != 0 && d.has1(pext1::ENTITYDBL2) {
            number += 1024;
        }
        number
    }

    /// True if it removes the entity.
    #[inline]
    pub fn removes(&self) -> bool {
        u64::from(self.mask) & bits::REMOVE != 0
    }

    /// The first word: it ends a list when it is 0.
    #[inline]
    pub(crate) fn word(&self) -> u32 {
        u32::from(self.low_number) | self.mask & 0xfe00
    }

    /// Reads or writes what follows the first word.
    #[inline]
    fn after_word<W: Wire>(&mut self, w: &mut W, d: &Dialect, word: u32) -> Result<(), W::Error> {
        let sent = u64::from(self.mask);
        self.low_number = (word & 511) as u16;
        let mut mask = u64::from(word & !511);
        if mask & bits::MOREBITS != 0 {
            mask |= u64::from(w.field("more_bits", sent as u32 & 255, 8)?);
        }
        let removed = mask & bits::REMOVE != 0;
        // the bits of a removal say what follows, whatever was negotiated
        if mask & bits::EVENMORE != 0 && (removed || d.has1(EVENMORE_EXTENSIONS)) {
            mask |= u64::from(w.field("even_more", sent as u32 >> 16 & 255, 8)?) << 16;
            if mask & bits::YETMORE != 0 && !removed {
                mask |= u64::from(w.field("yet_more", sent as u32 >> 24, 8)?) << 24;
            }
        }
        self.mask = mask as u32;
        if W::READING {
            self.row = [0; slot::COUNT];
        }
        if removed {
            return Ok(());
        }
        d.entity.code_noting(w, mask, &mut self.row, |at, word| meaning(&d.entity, d.entity_coord, d.is_netquake(), at, word))
    }
}

/// Reads or writes entities up to the word 0.
#[inline]
fn code_list<W: Wire>(w: &mut W, d: &Dialect, entities: &mut Vec<EntityDelta>) -> Result<(), W::Error> {
    let mut at = 0;
    if W::READING {
        loop {
            let word = w.field("entity", 0, 16)?;
            if word == 0 {
                entities.truncate(at);
                return Ok(());
            }
            w.note(|| format!("{}", word & 511));
            if at == entities.len() {
                entities.push(EntityDelta::default());
            }
            let entity = &mut entities[at];
            w.scope("entity", Some(word & 511), |w| entity.after_word(w, d, word))?;
            at += 1;
        }
    }
    for entity in entities {
        let word = w.field("entity", entity.word(), 16)?;
        entity.after_word(w, d, word)?;
    }
    w.bits(0, 16).map(|_| ())
}

/// A full frame of entities, against their baselines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PacketEntities {
    /// In rising order of numbers.
    pub entities: Vec<EntityDelta>,
}

impl Body for PacketEntities {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        code_list(w, d, &mut self.entities)
    }
}

/// A delta of the visible entities against an earlier packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeltaPacketEntities {
    /// Low 8 bits of the earlier packet's sequence.
    pub from: u8,
    /// In rising order of numbers.
    pub entities: Vec<EntityDelta>,
}

impl Body for DeltaPacketEntities {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.from = w.field("from", u32::from(self.from), 8)? as u8;
        code_list(w, d, &mut self.entities)
    }
}

/// A static entity as a delta from nothing, before replacement deltas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassicDelta {
    /// The entity.
    pub entity: EntityDelta,
}

impl Body for ClassicDelta {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let word = w.field("entity", self.entity.word(), 16)?;
        self.entity.after_word(w, d, word)
    }
}
