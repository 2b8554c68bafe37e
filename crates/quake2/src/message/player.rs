//! Player state deltas.

use fragreel_base::wire::Wire;

use super::Context;
use crate::dialect::Stats;
use crate::fields::player::{CLIENTNUM, EPS_CLIENTNUM, EPS_STATS, EXTRA, NAMES, PS_MOREBITS, Row, SLOTS};

/// What a stream says of a player. Words that the mask does not announce are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerDelta {
    /// The mask as sent; the extra flags of R1Q2 and Q2PRO follow its 32 bits.
    pub mask: u64,
    /// The words sent, each as sent.
    pub row: Row,
    /// Which stats are sent.
    pub stats_mask: u64,
    /// Bytes of a mask of variable length, as sent.
    pub stats_mask_bytes: u8,
    /// The stats sent, by number.
    pub stats: [i16; 64],
    /// KMQuake2's stats from 32 on, in wire order.
    pub more_stats: Vec<i16>,
}

impl Default for PlayerDelta {
    fn default() -> Self {
        PlayerDelta { mask: 0, row: [0; SLOTS], stats_mask: 0, stats_mask_bytes: 0, stats: [0; 64], more_stats: Vec::new() }
    }
}

impl PlayerDelta {
    /// Forgets everything, keeping memory.
    pub(crate) fn clear(&mut self) {
        self.mask = 0;
        self.row = [0; SLOTS];
        self.stats_mask = 0;
        self.stats_mask_bytes = 0;
        self.stats = [0; 64];
        self.more_stats.clear();
    }

    /// `extra`: the extra flags from a packed frame's header.
    #[inline]
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, extra: u8) -> Result<(), W::Error> {
        let dialect = cx.dialect;
        if W::READING {
            self.clear();
        }
        w.enter("mask");
        let mut mask = if dialect.player_mask_long {
            u64::from(w.bits(self.mask as u32, 32)?)
        } else {
            let low = u64::from(w.bits(self.mask as u32 & 0xffff, 16)?);
            match dialect.player_more {
                0 => low,
                _ if low & PS_MOREBITS == 0 => low,
                bytes => low | u64::from(w.bits((self.mask >> 16) as u32 & 0xffff, 8 * u32::from(bytes))?) << 16,
            }
        };
        mask |= u64::from(extra) << EXTRA;
        self.mask = mask;
        self.code_fields(w, cx, true)?;
        if mask & EPS_CLIENTNUM != 0 && dialect.clientnum != 0 {
            self.row[CLIENTNUM] = w.field("clientnum", self.row[CLIENTNUM], 8 * u32::from(dialect.clientnum))?;
        }
        Ok(())
    }

    /// Fields and stats. `stats`: whether the stats follow where the dialect always sends them.
    #[inline]
    pub(crate) fn code_fields<W: Wire>(&mut self, w: &mut W, cx: &mut Context, stats: bool) -> Result<(), W::Error> {
        let dialect = &cx.dialect;
        cx.plans.code(dialect.player, NAMES, w, self.mask, &mut self.row, false)?;
        let flagged = self.mask & EPS_STATS != 0;
        match dialect.stats {
            Stats::Long if stats => self.stats_of(w, 0)?,
            Stats::LongIfFlagged if flagged => self.stats_of(w, 0)?,
            Stats::Variable if stats => self.variable_stats(w)?,
            Stats::VariableIfFlagged if flagged => self.variable_stats(w)?,
            Stats::TwoLongs => {
                self.stats_of(w, 0)?;
                self.stats_of(w, 32)?;
            }
            Stats::Repeated => {
                self.stats_of(w, 0)?;
                let repeated = 7 * (self.stats_mask as u32).count_ones() as usize;
                if W::READING {
                    self.more_stats.resize(repeated, 0);
                }
                for stat in &mut self.more_stats {
                    *stat = w.signed("repeated_stat", (*stat).into(), 16)? as i16;
                }
            }
            _ => {}
        }
        match dialect.player_end {
            Some(shape) => shape.code(w, self.mask, &mut self.row, false),
            None => Ok(()),
        }
    }

    fn stats_of<W: Wire>(&mut self, w: &mut W, from: u32) -> Result<(), W::Error> {
        let part = w.field("stats_mask", (self.stats_mask >> from) as u32, 32)?;
        self.stats_mask = self.stats_mask & !(0xffff_ffff << from) | u64::from(part) << from;
        self.code_stats(w, u64::from(part) << from)
    }

    fn variable_stats<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        w.enter("stats_mask");
        let (mut mask, mut bytes) = (0u64, 0u8);
        loop {
            let rest = self.stats_mask.checked_shr(7 * u32::from(bytes)).unwrap_or(0);
            let more = if bytes + 1 < self.stats_mask_bytes { 0x80 } else { 0 };
            let byte = w.bits(rest as u32 & 0x7f | more, 8)?;
            w.expect(bytes < 9 || byte < 2, "the stats mask has more than 64 bits")?;
            mask |= u64::from(byte & 0x7f) << (7 * u32::from(bytes));
            bytes += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        self.stats_mask = mask;
        self.stats_mask_bytes = bytes;
        self.code_stats(w, mask)
    }

    #[inline]
    fn code_stats<W: Wire>(&mut self, w: &mut W, mask: u64) -> Result<(), W::Error> {
        for at in fragreel_base::delta::masked::members(mask) {
            let stat = &mut self.stats[at];
            *stat = w.scope("stat", Some(at as u32), |w| w.signed("value", (*stat).into(), 16))? as i16;
        }
        Ok(())
    }

    /// The bytes that a mask of variable length needs.
    pub(crate) fn variable_bytes(mask: u64) -> u8 {
        (64 - mask.leading_zeros()).div_ceil(7).max(1) as u8
    }
}
