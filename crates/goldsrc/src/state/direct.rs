//! Reads deltas straight into the state's rows, for walks that need the state and no trees of messages.
//!
//! A tree keeps every word as it was sent, so that it can be written again. Frames need none of that: without trees, playing 5,900 blocks takes 15 instead of
//! 41 M instructions. What is rare (full updates, texts, lost bases, the older bit order, damage) is left to the tree, and nothing is changed then.

use fragreel_base::delta::masked::members;
use fragreel_base::wire::{ReadBits, Wire};

use super::rows::RowId;
use super::{ApplyError, Entity, State};
use crate::bit_order::BitOrder;
use crate::fields::Structure;
use crate::message::MessageKind;
use crate::message::context::Context;

/// A message that was read and applied.
#[derive(Debug)]
pub(crate) struct Direct {
    /// Its bytes, the number included.
    pub bytes: usize,
    /// The low byte of the frame that it is a delta against.
    pub base: Option<u8>,
    /// It lists the entities of a frame.
    pub is_frame: bool,
    pub result: Result<(), ApplyError>,
}

impl State {
    /// Reads and applies the message that `data` starts with, if it is a delta of entities or of the player's own state. `None` leaves the state as it is.
    #[inline]
    pub(crate) fn read_direct(&mut self, context: &Context, data: &[u8]) -> Option<Direct> {
        let kind = MessageKind::of(*data.first()?)?;
        if context.order() != BitOrder::LeastFirst {
            return None;
        }
        match kind {
            MessageKind::DeltaPacketEntities => self.read_entities(context, &data[1..]),
            MessageKind::ClientData => self.read_client(context, &data[1..]),
            _ => None,
        }
    }

    fn read_entities(&mut self, context: &Context, data: &[u8]) -> Option<Direct> {
        let &[low, high, base] = data.first_chunk::<3>()?;
        let old_at = self.find_frame(base)?;
        self.make_room();
        let old = std::mem::take(&mut self.frames[old_at].entities);
        let mut new = std::mem::take(&mut self.spare_entities);
        new.clear();
        let mut bits = ReadBits::new(&data[3..]);
        let read = self.merge_direct(context, &mut bits, &old, &mut new);
        self.frames[old_at].entities = old;
        if read.is_none() {
            self.spare_entities = new;
            return None;
        }
        let uncertain = self.frames[old_at].entities_uncertain;
        let at = super::slot(self.sequence);
        self.spare_entities = std::mem::take(&mut self.frames[at].entities);
        self.steps.clear();
        let counted = self.keep_entities(at, new, uncertain, u16::from_le_bytes([low, high]));
        let result = if uncertain { Ok(()) } else { counted };
        Some(Direct { bytes: 4 + whole_bytes(&bits), base: Some(base), is_frame: true, result })
    }

    /// Reads updates and applies them to the entities of the old frame. Both are in rising order.
    #[inline]
    fn merge_direct(&mut self, context: &Context, bits: &mut ReadBits, old: &[Entity], new: &mut Vec<Entity>) -> Option<()> {
        let instanced = context.instanced > 0 || context.rules.instanced_always;
        let (mut rest, mut last) = (old, 0);
        loop {
            let head = take(bits, 8)?;
            let (removed, absolute) = (head & 1 != 0, head & 2 != 0);
            let number = if absolute {
                head >> 2 | take(bits, 5)? << 6
            } else if head >> 2 != 0 {
                last + (head >> 2)
            } else {
                // sixteen zero bits end the list
                let ends = !removed && take(bits, 8)? == 0;
                new.extend_from_slice(rest);
                return ends.then_some(());
            };
            if number >= 2048 {
                return None;
            }
            last = number;
            let number = number as u16;
            let unchanged = rest.partition_point(|entity| entity.number < number);
            new.extend_from_slice(&rest[..unchanged]);
            rest = &rest[unchanged..];
            let before = rest.first().copied().filter(|entity| entity.number == number);
            if before.is_some() {
                rest = &rest[1..];
            }
            if removed {
                continue;
            }
            let structure = context.entity_structure(number, take(bits, 1)? != 0);
            let named = if instanced && take(bits, 1)? != 0 { Some(take(bits, 6)? as usize) } else { None };
            let (base, base_structure) = match (before, named) {
                (Some(entity), _) => (entity.row, entity.structure),
                (None, Some(index)) => (*self.instanced.get(index)?, Structure::Entity),
                (None, None) => self.baseline(number).map_or((RowId::ZERO, structure), |entity| (entity.row, entity.structure)),
            };
            if base_structure != structure {
                return None;
            }
            let row = self.read_row(context, structure, base, bits)?;
            new.push(Entity { number, structure, row });
        }
    }

    fn read_client(&mut self, context: &Context, data: &[u8]) -> Option<Direct> {
        if context.hltv {
            return None;
        }
        let mut bits = ReadBits::new(data);
        let base = if take(&mut bits, 1)? != 0 { Some(take(&mut bits, 8)? as u8) } else { None };
        let old = match base {
            Some(base) => Some(self.find_client(base)?),
            None => None,
        };
        self.make_room();
        let mut weapons = std::mem::take(&mut self.spare_weapons);
        weapons.clear();
        weapons.extend(old.into_iter().flat_map(|at| self.frames[at].weapons.iter().copied()));
        let row = old.and_then(|at| self.frames[at].client).unwrap_or(RowId::ZERO);
        let Some(row) = self.read_own(context, &mut bits, row, &mut weapons) else {
            self.spare_weapons = weapons;
            return None;
        };
        let uncertain = old.is_some_and(|at| self.frames[at].client_uncertain);
        self.spare_weapons = self.keep_client(row, weapons, uncertain);
        Some(Direct { bytes: 1 + whole_bytes(&bits), base, is_frame: false, result: Ok(()) })
    }

    #[inline]
    fn read_own(&mut self, context: &Context, bits: &mut ReadBits, base: RowId, weapons: &mut Vec<(u8, RowId)>) -> Option<RowId> {
        let client = self.read_row(context, Structure::ClientData, base, bits)?;
        while take(bits, 1)? != 0 {
            let index = take(bits, context.rules.weapon_bits)? as u8;
            let place = weapons.binary_search_by_key(&index, |&(index, _)| index);
            let base = place.map_or(RowId::ZERO, |at| weapons[at].1);
            let row = self.read_row(context, Structure::WeaponData, base, bits)?;
            match place {
                Ok(at) => weapons[at].1 = row,
                Err(at) => weapons.insert(at, (index, row)),
            }
        }
        Some(client)
    }

    /// Reads one delta into a copy of its base.
    #[inline]
    fn read_row(&mut self, context: &Context, structure: Structure, base: RowId, bits: &mut ReadBits) -> Option<RowId> {
        let description = context.description(structure)?;
        let count = take(bits, 3)?;
        let low = take(bits, 8 * count.min(4))?;
        let mask = if count > 4 { u64::from(low) | u64::from(take(bits, 8 * (count - 4))?) << 32 } else { u64::from(low) };
        if mask == 0 {
            return Some(base);
        }
        if mask >> description.fields.len() != 0 || mask & description.text_fields != 0 {
            return None;
        }
        let (id, row) = self.rows.copied(base);
        let widths = description.widths();
        for at in members(mask) {
            row[at] = take(bits, u32::from(widths[at]))?;
        }
        for at in members(mask & description.time_fields) {
            row[at] = description.absolute(at, row[at], context.time);
        }
        Some(id)
    }
}

#[inline(always)]
fn take(bits: &mut ReadBits, width: u32) -> Option<u32> {
    bits.bits(0, width).ok()
}

/// The bytes that bits were read of. The rest of the last one fills it.
fn whole_bytes(bits: &ReadBits) -> usize {
    bits.position().div_ceil(8) as usize
}
