//! Reads players of the classic layout by their plans, in whole words: half the instructions of the coder, which reads all others.

use fragreel_base::delta::masked::members;
use fragreel_base::wire::{ReadBytes, Wire};

use super::{Context, PlayerDelta, skim};

impl PlayerDelta {
    /// Reads a player. `None` if its layout is another, if its mask is new, or if something is wrong: [`code`](PlayerDelta::code) reads it then.
    #[inline]
    pub(super) fn read_classic(&mut self, r: &mut ReadBytes<'_>, cx: &Context) -> Option<()> {
        let dialect = &cx.dialect;
        let is_classic = skim::plain(dialect) && !dialect.player_mask_long && dialect.player_more == 0 && dialect.clientnum == 0;
        if !is_classic || dialect.player_end.is_some() {
            return None;
        }
        self.clear();
        self.mask = u64::from(r.bits(0, 16).ok()?);
        let length = cx.plans.read(dialect.player, self.mask, r.rest(), &mut self.row)?;
        r.skip(length).ok()?;
        self.stats_mask = u64::from(r.bits(0, 32).ok()?);
        for at in members(self.stats_mask) {
            self.stats[at] = r.bits(0, 16).ok()? as i16;
        }
        Some(())
    }
}
