//! `svc_packetentities`, `svc_deltapacketentities`, `svc_spawnbaseline` (`docs/formats/goldsrc.md`, "Entities").

use fragreel_base::wire::Wire;

use super::delta::{self, Delta, Values};
use crate::bit_order::Section;
use crate::fields::Structure;
use crate::message::context::Context;

/// All entities, without reference to an earlier frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PacketEntities {
    /// How many entities there are.
    pub count: u16,
    /// The entities in rising order.
    pub updates: Vec<EntityUpdate>,
    /// The values of all deltas.
    pub values: Values,
    /// What fills the last byte.
    pub padding: u8,
}

/// The entities that changed since an earlier frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeltaPacketEntities {
    /// How many entities there are afterwards.
    pub count: u16,
    /// The low byte of that frame's sequence number.
    pub delta_sequence: u8,
    /// The entities in rising order.
    pub updates: Vec<EntityUpdate>,
    /// The values of all deltas.
    pub values: Values,
    /// What fills the last byte.
    pub padding: u8,
}

/// One entity of an update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityUpdate {
    /// The entity.
    pub number: u16,
    /// How its number was spelled.
    pub spelling: NumberSpelling,
    /// The row follows `custom_entity_state_t`.
    pub custom: bool,
    /// What a new entity starts from.
    pub base: Base,
    /// Its change; absent when the entity is removed.
    pub delta: Option<Delta>,
}

/// How an entity's number is spelled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NumberSpelling {
    /// One more than the last; full updates only.
    Next,
    /// The last plus six bits.
    #[default]
    Offset,
    /// Eleven bits.
    Absolute,
}

impl NumberSpelling {
    /// How stock servers spell `number` after `last`.
    pub(crate) fn shortest(last: u16, number: u16, full: bool) -> Self {
        match number.checked_sub(last) {
            Some(1) if full => NumberSpelling::Next,
            Some(1..=63) => NumberSpelling::Offset,
            _ => NumberSpelling::Absolute,
        }
    }
}

/// What a new entity's delta is against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Base {
    /// The baseline of its own number.
    #[default]
    Baseline,
    /// The instanced baseline of this number.
    Instanced(u8),
    /// The entity this number of places before in the same full update; 0 means the baseline, spelled out.
    Back(u8),
}

/// The shape that the two update messages share.
struct Updates<'m> {
    full: bool,
    updates: &'m mut Vec<EntityUpdate>,
    values: &'m mut Values,
}

impl PacketEntities {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        self.count = w.field("count", u32::from(self.count), 16)? as u16;
        let mut updates = Updates { full: true, updates: &mut self.updates, values: &mut self.values };
        self.padding = updates.code(w, context, self.padding)?;
        Ok(())
    }
}

impl DeltaPacketEntities {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        self.count = w.field("count", u32::from(self.count), 16)? as u16;
        self.delta_sequence = w.field("delta_sequence", u32::from(self.delta_sequence), 8)? as u8;
        let mut updates = Updates { full: false, updates: &mut self.updates, values: &mut self.values };
        self.padding = updates.code(w, context, self.padding)?;
        Ok(())
    }
}

impl Updates<'_> {
    fn code<W: Wire>(&mut self, w: &mut W, context: &Context, padding: u8) -> Result<u8, W::Error> {
        let mut w = Section::new(w, context.order());
        if W::READING {
            self.updates.clear();
            self.values.clear();
        }
        let (mut at, mut last) = (0, 0);
        loop {
            let mut update = self.updates.get(at).copied();
            if !W::READING && update.is_none() {
                w.bits(0, 16)?;
                break;
            }
            if !self.number(&mut w, &mut update, last)? {
                break;
            }
            let mut update = update.unwrap_or_default();
            last = update.number;
            w.scope("entity", Some(u32::from(last)), |w| self.entity(w, context, &mut update))?;
            if W::READING {
                self.updates.push(update);
            }
            at += 1;
        }
        w.finish(padding)
    }

    /// The number, and in delta updates whether the entity is removed. False at the end: sixteen zero bits, which no
    /// number starts with because an offset is never 0.
    #[inline]
    fn number<W: Wire>(&self, w: &mut W, update: &mut Option<EntityUpdate>, last: u16) -> Result<bool, W::Error> {
        let wanted = update.unwrap_or_default();
        let mut number = wanted.number;
        let mut spelling = wanted.spelling;
        let mut removed = !self.full && wanted.delta.is_none();
        w.enter("entity number");
        let first = w.flag(if self.full { spelling == NumberSpelling::Next } else { removed })?;
        if self.full && first {
            (number, spelling) = (last + 1, NumberSpelling::Next);
        } else {
            removed = !self.full && first;
            if w.flag(spelling == NumberSpelling::Absolute)? {
                number = w.bits(u32::from(number), 11)? as u16;
                spelling = NumberSpelling::Absolute;
            } else {
                let offset = w.bits(u32::from(number.wrapping_sub(last)), 6)? as u16;
                if offset == 0 {
                    w.enter("end of entities");
                    w.expect(!first, "an entity is removed at an offset of 0")?;
                    let rest = w.bits(0, 8)?;
                    w.expect(rest == 0, "the end of the entities is not sixteen zero bits")?;
                    return Ok(false);
                }
                (number, spelling) = (last + offset, NumberSpelling::Offset);
            }
        }
        w.expect(number < 2048, "an entity's number has at most eleven bits")?;
        w.note(|| format!("entity {number}{}", if removed { " removed" } else { "" }));
        if W::READING {
            let delta = (!removed).then(Delta::default);
            *update = Some(EntityUpdate { number, spelling, delta, ..EntityUpdate::default() });
        }
        Ok(true)
    }

    #[inline]
    fn entity<W: Wire>(&mut self, w: &mut W, context: &Context, update: &mut EntityUpdate) -> Result<(), W::Error> {
        let Some(change) = &mut update.delta else { return Ok(()) };
        w.enter("custom");
        update.custom = w.flag(update.custom)?;
        let mut base = Base::Baseline;
        if context.instanced > 0 || context.rules.instanced_always {
            w.enter("instanced baseline");
            if w.flag(matches!(update.base, Base::Instanced(_)))? {
                let index = if let Base::Instanced(index) = update.base { index } else { 0 };
                base = Base::Instanced(w.bits(u32::from(index), 6)? as u8);
            }
            w.note(|| if let Base::Instanced(index) = base { index.to_string() } else { String::from("none") });
        }
        if self.full && context.rules.back_reference && base == Base::Baseline {
            w.enter("earlier entity");
            if w.flag(matches!(update.base, Base::Back(_)))? {
                let back = if let Base::Back(back) = update.base { back } else { 0 };
                base = Base::Back(w.bits(u32::from(back), 6)? as u8);
            }
            w.note(|| if let Base::Back(back) = base { format!("{back} back") } else { String::from("none") });
        }
        update.base = base;
        delta::code(w, context, context.entity_structure(update.number, update.custom), change, self.values)
    }
}

/// What entities look like before anything is said of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnBaseline {
    /// Baselines by entity number.
    pub baselines: Vec<Baseline>,
    /// Baselines by their own numbers, from 0; rows of `entity_state_t`.
    pub instanced: Vec<Delta>,
    /// The values of all deltas.
    pub values: Values,
    /// What fills the last byte.
    pub padding: u8,
}

/// The baseline of one entity: a delta against zeroes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The entity.
    pub number: u16,
    /// Two bits: the lower is set for ordinary entities, clear for custom ones.
    pub entity_type: u8,
    /// The row.
    pub delta: Delta,
}

/// Index and type of the mark that ends the list: sixteen set bits.
const END_INDEX: u32 = 0x7ff;

impl SpawnBaseline {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        if W::READING {
            self.baselines.clear();
            self.instanced.clear();
            self.values.clear();
        }
        let mut at = 0;
        loop {
            let wanted = self.baselines.get(at).copied();
            let number = w.field("entity number", wanted.map_or(END_INDEX, |baseline| u32::from(baseline.number)), 11)?;
            if number == END_INDEX {
                w.enter("end of baselines");
                let rest = w.bits(0x1f, 5)?;
                w.expect(rest == 0x1f, "the end of the baselines is not sixteen set bits")?;
                break;
            }
            let mut baseline = Baseline { number: number as u16, ..wanted.unwrap_or_default() };
            w.scope("baseline", Some(number), |w| baseline.code(w, context, &mut self.values))?;
            if W::READING {
                self.baselines.push(baseline);
            }
            at += 1;
        }
        let count = w.field("instanced baselines", self.instanced.len() as u32, 6)?;
        if W::READING {
            self.instanced.resize(count as usize, Delta::default());
        }
        for (at, one) in self.instanced.iter_mut().enumerate() {
            w.scope("instanced baseline", Some(at as u32), |w| delta::code(w, context, Structure::Entity, one, &mut self.values))?;
        }
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

impl Baseline {
    /// Whether the row follows `custom_entity_state_t`.
    pub fn custom(&self) -> bool {
        self.entity_type & 1 == 0
    }

    fn code<W: Wire>(&mut self, w: &mut W, context: &Context, values: &mut Values) -> Result<(), W::Error> {
        self.entity_type = w.field("entity type", u32::from(self.entity_type), 2)? as u8;
        let structure = context.entity_structure(self.number, self.custom());
        delta::code(w, context, structure, &mut self.delta, values)
    }
}
