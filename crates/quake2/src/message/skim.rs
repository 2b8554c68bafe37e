//! Passing over states without taking them apart: their lengths follow from their masks.

use fragreel_base::wire::{Error, ReadBytes, Wire};

use super::MessageKind;
use crate::dialect::{Dialect, FrameHeader, Stats};
use crate::fields::{Shape, entity, player};

/// Bytes that each value of each mask byte announces, for layouts where the bytes of a mask add up.
type Lengths = Box<[[u8; 256]; 4]>;

/// Lengths by mask, made when first needed.
#[derive(Debug, Clone, Default)]
pub(super) struct Skimmer {
    entities: Option<Lengths>,
    players: Option<Lengths>,
    mvd_players: Option<Lengths>,
}

/// Fields of 8 or 16 bits that have 32 when both bits are set: one byte more than the two alone.
const PAIRS: [(u32, u32); 3] = [(16, 25), (14, 19), (12, 18)];

impl Skimmer {
    /// Passes over the message if the dialect allows it; says whether it did.
    #[inline]
    pub(super) fn pass(&mut self, r: &mut ReadBytes<'_>, op: MessageKind, dialect: &Dialect) -> Result<bool, Error> {
        if !plain(dialect) {
            return Ok(false);
        }
        match op {
            MessageKind::PacketEntities => self.entities(r, false)?,
            _ => self.player(r)?,
        }
        Ok(true)
    }

    /// Passes over the frame of an MVD2, if the dialect allows it; says whether it did.
    pub(super) fn pass_mvd(&mut self, r: &mut ReadBytes<'_>, dialect: &Dialect) -> Result<bool, Error> {
        if !std::ptr::eq(dialect.entity, &*entity::CLASSIC) || !std::ptr::eq(dialect.player, &*player::MVD) {
            return Ok(false);
        }
        let portals = r.bits(0, 8)? as usize;
        r.skip(portals)?;
        let lengths = self.mvd_players.get_or_insert_with(|| lengths(&player::MVD, player::SLOTS));
        while r.bits(0, 8)? != 255 {
            let mask = r.bits(0, 16)?;
            r.skip(sum(lengths, mask))?;
            if u64::from(mask) & player::PPS_STATS != 0 {
                let stats = r.bits(0, 32)?;
                r.skip(2 * stats.count_ones() as usize)?;
            }
        }
        self.entities(r, true)?;
        Ok(true)
    }

    /// `removed_fields`: whether fields follow a removal.
    #[inline]
    fn entities(&mut self, r: &mut ReadBytes<'_>, removed_fields: bool) -> Result<(), Error> {
        let lengths = self.entities.get_or_insert_with(|| lengths(&entity::CLASSIC, entity::SLOTS));
        loop {
            let mask = fragreel_base::delta::masked::code_mask(r, 0, entity::MORE)?;
            let number = r.bits(0, if mask & entity::U_NUMBER16 != 0 { 16 } else { 8 })?;
            if number == 0 {
                return Ok(());
            }
            if mask & entity::U_REMOVE != 0 && !removed_fields {
                continue;
            }
            let both: u64 = PAIRS.iter().map(|&(a, b)| mask >> a & mask >> b & 1).sum();
            r.skip(sum(lengths, mask as u32) + both as usize)?;
        }
    }

    #[inline]
    fn player(&mut self, r: &mut ReadBytes<'_>) -> Result<(), Error> {
        let lengths = self.players.get_or_insert_with(|| lengths(&player::CLASSIC, player::SLOTS));
        let mask = r.bits(0, 16)?;
        r.skip(sum(lengths, mask))?;
        let stats = r.bits(0, 32)?;
        r.skip(2 * stats.count_ones() as usize)
    }
}

/// True if lengths follow from masks by tables: the layout is id's own.
#[inline]
pub(super) fn plain(dialect: &Dialect) -> bool {
    std::ptr::eq(dialect.entity, &*entity::CLASSIC)
        && std::ptr::eq(dialect.player, &*player::CLASSIC)
        && dialect.stats == Stats::Long
        && dialect.frame != FrameHeader::Packed
}

#[inline]
fn sum(lengths: &[[u8; 256]; 4], mask: u32) -> usize {
    let bytes = mask.to_le_bytes();
    (0..4).map(|at| usize::from(lengths[at][usize::from(bytes[at])])).sum()
}

/// Asks the layout itself, by writing zeros under each bit alone.
fn lengths(shape: &Shape, slots: usize) -> Lengths {
    let mut bits = [0u8; 32];
    let mut row = vec![0; slots];
    for (bit, length) in bits.iter_mut().enumerate() {
        let mut w = fragreel_base::wire::WriteBytes::default();
        let Ok(()) = shape.code(&mut w, 1 << bit, &mut row, false);
        *length = w.written().len() as u8;
    }
    let mut table = Box::new([[0u8; 256]; 4]);
    for (at, byte) in table.iter_mut().enumerate() {
        for (value, length) in byte.iter_mut().enumerate() {
            *length = (0..8).filter(|bit| value >> bit & 1 != 0).map(|bit| bits[at * 8 + bit]).sum();
        }
    }
    table
}
