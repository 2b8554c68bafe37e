//! Writes what the fast reader reads, by the same plans. `properties::message` compares it with the coders.

use fragreel_base::wire::{Wire, WriteBytes};

use crate::dialect::Dialect;
use crate::fields::ALWAYS;
use crate::fields::netquake::bits as nq;
use crate::message::Message;

use super::{MOST_STEPS, Plan, Plans};

/// The words of a row take at most this many bytes.
const LONGEST: usize = 4 * MOST_STEPS;

/// Writes a row's words. Each one ends where the next one begins.
#[inline(always)]
fn write_words(out: &mut Vec<u8>, plan: &Plan, row: &[u32]) {
    let mut words = [0; LONGEST];
    for step in &plan.steps[..usize::from(plan.count)] {
        let at = usize::from(step.at);
        words[at..at + 4].copy_from_slice(&row[usize::from(step.slot)].to_le_bytes());
    }
    out.extend_from_slice(&words[..usize::from(plan.length)]);
}

/// Writes hot messages.
#[derive(Debug, Clone)]
pub(crate) struct FastWriter {
    plans: Plans,
    /// The bytes of one message.
    buffer: Vec<u8>,
}

impl FastWriter {
    /// Without plans yet.
    pub(crate) fn new() -> Self {
        FastWriter { plans: Plans::new(), buffer: Vec::new() }
    }

    /// The dialect has changed.
    pub(crate) fn clear(&mut self) {
        self.plans.clear();
    }

    /// Writes a frequent message that was read in this dialect. `None` leaves it to its coder, and nothing is written.
    #[inline]
    pub(crate) fn write(&mut self, w: &mut WriteBytes, d: &Dialect, message: &Message) -> Option<()> {
        let out = &mut self.buffer;
        out.clear();
        match message {
            Message::FastUpdate(update) => {
                let mask = u64::from(update.mask);
                let long = mask & nq::LONGENTITY != 0;
                if d.is_nehahra() || d.is_rerelease() || long && d.big_entities {
                    return None;
                }
                let bytes = update.mask.to_le_bytes();
                let extends = usize::from(mask & nq::EXTEND1 != 0);
                let extends_twice = extends & usize::from(mask & nq::EXTEND2 != 0);
                out.extend_from_slice(if mask & nq::MOREBITS == 0 { &bytes[..1] } else { &bytes[..2 + extends + extends_twice] });
                let number = update.entity.number.to_le_bytes();
                out.extend_from_slice(if long { &number[..2] } else { &number[..1] });
                write_words(out, self.plans.get(&d.update, mask)?, &update.row);
            }
            Message::ViewPlayer(player) => {
                let plan = self.plans.get(&d.view_player, u64::from(player.flags) | ALWAYS)?;
                let [low, high] = player.flags.to_le_bytes();
                out.extend_from_slice(&[message.number(d) as u8, player.slot, low, high]);
                write_words(out, plan, &player.row);
            }
            _ => return None,
        }
        let length = out.len();
        let Ok(()) = w.octets(out, length);
        Some(())
    }
}
