//! Entity deltas: in baselines, in frames, in MVD2.

use fragreel_base::wire::Wire;

use super::Context;
use crate::fields::entity::{NAMES, Row, SLOTS, SOLID, U_NUMBER16, U_REMOVE, U_SOLID};

/// What a stream says of one entity. Words that the mask does not announce are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityDelta {
    /// The mask as sent, redundant bits and all.
    pub mask: u64,
    /// Which entity.
    pub number: u16,
    /// The words sent, each as sent.
    pub row: Row,
}

impl Default for EntityDelta {
    fn default() -> Self {
        EntityDelta { mask: 0, number: 0, row: [0; SLOTS] }
    }
}

impl EntityDelta {
    /// Whether the entity disappears.
    pub fn removes(&self) -> bool {
        self.mask & U_REMOVE != 0
    }

    #[inline]
    fn header<W: Wire>(&mut self, w: &mut W, cx: &Context) -> Result<(), W::Error> {
        let (mask, number) = w.mask_and_number(self.mask, cx.dialect.more, self.number.into(), U_NUMBER16)?;
        (self.mask, self.number) = (mask, number as u16);
        Ok(())
    }

    #[inline]
    fn fields<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        let solid = cx.dialect.floats && cx.solid.has(self.number);
        cx.plans.code(cx.dialect.entity, NAMES, w, self.mask, &mut self.row, solid)
    }

    fn learn_solid(&self, cx: &mut Context) {
        if cx.dialect.floats && self.mask & U_SOLID != 0 {
            cx.solid.set(self.number, self.row[SOLID] != 0);
        }
    }

    /// A baseline. Tolerates no removal, as engines read on.
    pub(crate) fn code_baseline<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        if W::READING {
            self.row = [0; SLOTS];
        }
        self.header(w, cx)?;
        self.fields(w, cx)?;
        self.announce_baseline(cx);
        Ok(())
    }

    /// The context takes in a baseline.
    pub(crate) fn announce_baseline(&self, cx: &mut Context) {
        if cx.dialect.floats {
            self.learn_solid(cx);
            let solid = cx.solid.has(self.number);
            cx.baseline_solid.set(self.number, solid);
        }
    }

    /// The context takes in a change. `removed_fields`: whether fields follow a removal.
    #[inline]
    pub(crate) fn announce(&self, cx: &mut Context, removed_fields: bool) {
        if !cx.dialect.floats {
            return;
        }
        if self.removes() && !removed_fields {
            let solid = cx.baseline_solid.has(self.number);
            cx.solid.set(self.number, solid);
        } else {
            self.learn_solid(cx);
        }
    }

    /// The field names that this delta sends, for the text form and for tests.
    pub fn sent(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        NAMES.iter().zip(self.row).filter(|&(_, word)| word != 0).map(|(name, word)| (*name, word))
    }
}

/// The entities of a frame, as differences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PacketEntities {
    /// In stream order.
    pub deltas: Vec<EntityDelta>,
    /// The mask of the entity 0 that ends the list. Engines write 0, with or without a number of 16 bits.
    pub end_mask: u64,
}

impl PacketEntities {
    /// `removed_fields`: whether fields follow a removal, as in MVD2.
    #[inline]
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, removed_fields: bool) -> Result<(), W::Error> {
        if W::READING {
            self.deltas.clear();
            loop {
                let mut head = EntityDelta::default();
                head.header(w, cx)?;
                if head.number == 0 {
                    self.end_mask = head.mask;
                    return Ok(());
                }
                self.deltas.push(head);
                let Some(delta) = self.deltas.last_mut() else { return Ok(()) };
                if let Err(error) = Self::body(w, cx, delta, removed_fields) {
                    self.deltas.pop();
                    return Err(error);
                }
            }
        }
        for delta in &mut self.deltas {
            Self::one(w, cx, delta, removed_fields)?;
        }
        EntityDelta { mask: self.end_mask, ..EntityDelta::default() }.header(w, cx)
    }

    #[inline]
    fn one<W: Wire>(w: &mut W, cx: &mut Context, delta: &mut EntityDelta, removed_fields: bool) -> Result<(), W::Error> {
        delta.header(w, cx)?;
        Self::body(w, cx, delta, removed_fields)
    }

    #[inline]
    fn body<W: Wire>(w: &mut W, cx: &mut Context, delta: &mut EntityDelta, removed_fields: bool) -> Result<(), W::Error> {
        if !delta.removes() || removed_fields {
            w.scope("entity", Some(delta.number.into()), |w| delta.fields(w, cx))?;
        }
        delta.announce(cx, removed_fields);
        Ok(())
    }
}
