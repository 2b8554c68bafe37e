//! Reads only what a frame says of players, for walks that show nothing else. Of other entities, only the length is needed.

use fragreel_base::wire::{ReadBytes, Wire};

use super::{Context, EntityDelta, PacketEntities};
use crate::fields::entity::{NAMES, SLOTS, U_NUMBER16, U_REMOVE};

impl PacketEntities {
    /// Reads the entities up to the number of the last player. `None` if one of the others must be read to know its length, or if something is wrong:
    /// [`code`](PacketEntities::code) reads the message then.
    pub(super) fn read_players(&mut self, r: &mut ReadBytes<'_>, cx: &mut Context) -> Option<()> {
        // the rerelease's other entities announce how later ones are read
        if cx.dialect.floats {
            return None;
        }
        self.deltas.clear();
        loop {
            let (mask, number) = r.mask_and_number(0, cx.dialect.more, 0, U_NUMBER16).ok()?;
            let number = number as u16;
            if number == 0 {
                self.end_mask = mask;
                return Some(());
            }
            let has_fields = mask & U_REMOVE == 0;
            if number > cx.players {
                if has_fields {
                    r.skip(cx.plans.bytes(cx.dialect.entity, mask)?).ok()?;
                }
                continue;
            }
            self.deltas.push(EntityDelta { mask, number, row: [0; SLOTS] });
            let row = &mut self.deltas.last_mut()?.row;
            if !has_fields {
                continue;
            }
            match cx.plans.read(cx.dialect.entity, mask, r.rest(), row) {
                Some(length) => r.skip(length).ok()?,
                None => cx.plans.code(cx.dialect.entity, NAMES, r, mask, row, false).ok()?,
            }
        }
    }

    /// Drops what [`read_players`](Self::read_players) would have left out.
    pub(super) fn keep_players(&mut self, cx: &Context) {
        if !cx.dialect.floats {
            self.deltas.retain(|delta| delta.number <= cx.players);
        }
    }
}
