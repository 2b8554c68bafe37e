//! NetQuake's fast updates and client data (`docs/formats/quake1.md`, "Fast updates", "Client data").

use fragreel_base::delta::masked::code_mask;
use fragreel_base::wire::Wire;

use crate::dialect::Dialect;
use crate::fields::netquake::{bits, client_bits, client_slot, slot};
use crate::fields::{ALWAYS, meaning};
use crate::message::body::Body;
use crate::message::primitive::{Entity, Float, Value, plain_entity};
use crate::message::rerelease::{Uleb, UpdateExtras};
use crate::replacement::Coordinates;

/// How far an entity is from its baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FastUpdate {
    /// What follows; see [`bits`]. The low byte is the message's number.
    pub mask: u32,
    /// The entity.
    pub entity: Entity,
    /// The values sent; see [`slot`].
    pub row: [u32; slot::COUNT],
    /// Nehahra's transparency: a count, the alpha, and with a count of 2 whether it is fully bright.
    pub transparency: [Float; 3],
    /// What the re-release adds.
    pub extras: UpdateExtras,
}

impl Default for FastUpdate {
    fn default() -> Self {
        FastUpdate { mask: bits::SIGNAL as u32, entity: Entity::default(), row: [0; slot::COUNT], transparency: [Float(0); 3], extras: UpdateExtras::default() }
    }
}

impl FastUpdate {
    /// Reads or writes what follows the first byte, which is `self.mask`'s low one.
    #[inline]
    pub(crate) fn after_first<W: Wire>(&mut self, w: &mut W, d: &Dialect, first: u32) -> Result<(), W::Error> {
        let nehahra = d.is_nehahra();
        let sent = self.mask;
        let mut mask = first & 255;
        if u64::from(mask) & bits::MOREBITS != 0 {
            mask |= w.field("more_bits", sent >> 8 & 255, 8)? << 8;
        }
        if u64::from(mask) & bits::EXTEND1 != 0 && !nehahra {
            mask |= w.field("extend1", sent >> 16 & 255, 8)? << 16;
            if u64::from(mask) & bits::EXTEND2 != 0 {
                mask |= w.field("extend2", sent >> 24, 8)? << 24;
            }
        }
        self.mask = mask;
        let mask = u64::from(mask);
        if mask & bits::LONGENTITY != 0 {
            self.entity.code(w, "entity", d)?;
        } else {
            self.entity = plain_entity(w.field("entity", self.entity.number, 8)?);
        }
        if W::READING {
            self.row = [0; slot::COUNT];
        }
        let coord = || if d.is_rerelease() && mask & bits::FLOATCOORDS != 0 { Coordinates::Float } else { d.coord };
        d.update.code_noting(w, mask, &mut self.row, |at, word| meaning(&d.update, coord(), d.is_netquake(), at, word))?;
        if nehahra && mask & bits::EXTEND1 != 0 {
            self.transparency[0].code(w, "count", d)?;
            self.transparency[1].code(w, "alpha", d)?;
            if self.transparency[0].value() == 2.0 {
                self.transparency[2].code(w, "full_bright", d)?;
            }
        }
        if d.is_rerelease() {
            if W::READING {
                self.extras = UpdateExtras::default();
            }
            self.extras.code(w, d, mask as u32)?;
        }
        Ok(())
    }
}

impl Body for FastUpdate {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.after_first(w, d, self.mask & 255)
    }
}

/// What the client's own player has and does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientData {
    /// What follows; see [`client_bits`].
    pub mask: u32,
    /// The values sent; see [`client_slot`].
    pub row: [u32; client_slot::COUNT],
    /// The player's flags, which the re-release adds.
    pub flags: Uleb,
}

impl Default for ClientData {
    fn default() -> Self {
        ClientData { mask: 0, row: [0; client_slot::COUNT], flags: Uleb::default() }
    }
}

impl Body for ClientData {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let low = w.field("bits", self.mask & 0xffff, 16)?;
        let mut mask = u64::from(low);
        if mask & client_bits::EXTEND1 != 0 {
            w.enter("extend");
            mask |= code_mask(w, u64::from(self.mask) >> 16, &[client_bits::EXTEND2 >> 16])? << 16;
        }
        self.mask = mask as u32;
        if W::READING {
            self.row = [0; client_slot::COUNT];
        }
        d.clientdata.code_noting(w, mask | ALWAYS, &mut self.row, |at, word| meaning(&d.clientdata, d.coord, d.is_netquake(), at, word))?;
        if d.is_rerelease() && mask & client_bits::FLAGS != 0 { self.flags.code(w, "flags", d) } else { Ok(()) }
    }
}

/// NetQuake's server time, which starts a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NqTime {
    /// Seconds.
    pub time: Float,
    /// Which input the server has seen (`PREDINFO`).
    pub input: u16,
}

impl Body for NqTime {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.time.code(w, "time", d)?;
        if d.predinfo() { self.input.code(w, "input", d) } else { Ok(()) }
    }
}
