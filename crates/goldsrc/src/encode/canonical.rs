//! Encodes a change of state as the stock server does.

use crate::fields::description::Description;
use crate::message::context::Context;
use crate::message::{Delta, EntityUpdate, Message, NumberSpelling, Values, mask_bytes};
use crate::state::State;
use crate::state::rows::RowId;

impl State {
    /// The entity message just applied, encoded again from the rows before and after it: only fields that differ, numbers and masks in their
    /// shortest form. `None` for messages that are not about entities.
    pub(crate) fn canonical(&self, context: &Context, message: &Message) -> Option<Message> {
        match message {
            Message::PacketEntities(update) => {
                let mut update = update.clone();
                self.rewrite(context, &mut update.updates, &mut update.values, true)?;
                update.padding = 0;
                Some(Message::PacketEntities(update))
            }
            Message::DeltaPacketEntities(update) => {
                let mut update = update.clone();
                self.rewrite(context, &mut update.updates, &mut update.values, false)?;
                update.padding = 0;
                Some(Message::DeltaPacketEntities(update))
            }
            _ => None,
        }
    }

    fn rewrite(&self, context: &Context, updates: &mut [EntityUpdate], values: &mut Values, full: bool) -> Option<()> {
        if updates.len() != self.steps.len() {
            return None;
        }
        values.words.clear();
        values.text.clear();
        let mut last = 0;
        for (update, &(base, row)) in updates.iter_mut().zip(&self.steps) {
            update.spelling = NumberSpelling::shortest(last, update.number, full);
            last = update.number;
            let Some(delta) = &mut update.delta else { continue };
            let description = context.description(context.entity_structure(update.number, update.custom))?;
            *delta = self.change(description, context.time, base, row, values);
        }
        Some(())
    }

    /// The delta between two rows: the fields that differ, in the shortest mask.
    pub(crate) fn change(&self, description: &Description, time: f32, from: RowId, to: RowId, values: &mut Values) -> Delta {
        let (before, after) = (self.row(from), self.row(to));
        let mut mask = 0;
        let mut words = [0; 64];
        for at in 0..description.fields.len() {
            if before[at] == after[at] {
                continue;
            }
            mask |= 1 << at;
            words[at] = if description.time_fields >> at & 1 != 0 {
                description.relative(at, after[at], time)
            } else if description.text_fields >> at & 1 != 0 {
                let place = values.text.len() as u32;
                values.text.extend_from_slice(self.text(after[at]));
                values.text.push(0);
                place
            } else {
                after[at]
            };
        }
        values.push(mask_bytes(mask), mask, &words)
    }
}
