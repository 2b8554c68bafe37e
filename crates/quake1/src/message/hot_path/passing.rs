//! Passes over frequent messages that say nothing to the caller.

use super::FastReader;
use crate::dialect::Dialect;
use crate::fields::ALWAYS;
use crate::fields::netquake::bits as nq;
use crate::limits::Limits;
use crate::message::MessageKind;

/// Bytes of an update up to its last field: four of the mask, and two of the entity's number.
const LONGEST_HEAD: usize = 8;

impl FastReader {
    /// Whether there are messages that the caller need not see.
    pub(crate) fn passes(&self) -> bool {
        self.skim || self.players.is_some()
    }

    /// How many of these bytes are messages that the caller need not see.
    ///
    /// A caller that skims sees only the last of several updates or players, because the others add nothing to it. Players add nothing if entities
    /// follow. A caller that follows only players does not see updates of other entities. NetQuake sends some 50 updates a block. Passing over them
    /// makes `info` 3 times as fast (docs/performance.md).
    #[inline]
    pub(crate) fn pass(&mut self, d: &Dialect, data: &[u8]) -> usize {
        let Some(&number) = data.first() else { return 0 };
        match d.message(number) {
            MessageKind::FastUpdate if !(d.is_nehahra() || d.is_rerelease() || d.big_entities) => self.pass_updates(d, data),
            MessageKind::ViewPlayer if self.skim => self.pass_players(d, data),
            _ => 0,
        }
    }

    fn pass_updates(&mut self, d: &Dialect, data: &[u8]) -> usize {
        // entities up to this number are shown, if only they are followed
        let players = self.players.filter(|_| !self.skim).map(u64::from);
        let (mut at, mut passed) = (0, 0);
        while let Some(head) = data.get(at..).and_then(|rest| rest.first_chunk::<LONGEST_HEAD>()) {
            let word = u64::from_le_bytes(*head);
            let (mut mask, mut length) = (word & 255, 1);
            if mask & nq::SIGNAL == 0 {
                break;
            }
            if mask & nq::MOREBITS != 0 {
                mask |= word & 0xff00;
                length = 2;
            }
            if mask & nq::EXTEND1 != 0 {
                mask |= word & 0xff_0000;
                length = 3;
                if mask & nq::EXTEND2 != 0 {
                    mask |= word & 0xff00_0000;
                    length = 4;
                }
            }
            let number = word >> (8 * length);
            let is_long = mask & nq::LONGENTITY != 0;
            let number = if is_long { number & 0xffff } else { number & 255 };
            let Some(plan) = self.plans.get(&d.update, mask) else { break };
            // engines may stop at one of these
            if number >= u64::from(Limits::ID.entities) || mask & nq::COLORMAP != 0 {
                break;
            }
            let end = at + length + if is_long { 2 } else { 1 } + usize::from(plan.length);
            match players {
                Some(players) if number <= players || end > data.len() => break,
                Some(_) => passed = end,
                None => passed = at,
            }
            at = end;
        }
        passed
    }

    fn pass_players(&mut self, d: &Dialect, data: &[u8]) -> usize {
        let (mut at, mut last) = (0, 0);
        while let Some(&[number, slot, low, high]) = data.get(at..).and_then(|rest| rest.first_chunk()) {
            if d.message(number) != MessageKind::ViewPlayer {
                let has_entities = matches!(d.message(number), MessageKind::DeltaPacketEntities | MessageKind::PacketEntities);
                return if has_entities { at } else { last };
            }
            let Some(plan) = self.plans.get(&d.view_player, u64::from(u16::from_le_bytes([low, high])) | ALWAYS) else { break };
            if slot >= Limits::QUAKEWORLD.players {
                break;
            }
            last = at;
            at += 4 + usize::from(plan.length);
        }
        last
    }
}
