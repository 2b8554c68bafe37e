//! Replacement deltas as messages (`docs/formats/quake1-replacement-deltas.md`).

use fragreel_base::wire::Wire;

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Entity, Value};
use crate::replacement::{self, Delta, Update};

/// Changes of the visible entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateEntities {
    /// The changes.
    pub update: Update,
}

impl Body for UpdateEntities {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        replacement::code(w, &d.layout(), &mut self.update)
    }
}

/// An entity's baseline as a delta from nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnBaseline2 {
    /// The entity.
    pub entity: Entity,
    /// Its appearance.
    pub delta: Delta,
}

impl Body for SpawnBaseline2 {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            self.delta = Delta::default();
        }
        self.entity.code(w, "entity", d)?;
        replacement::code_delta(w, &d.layout(), &mut self.delta)
    }
}

/// A static entity as a delta from nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnStatic2 {
    /// Its appearance.
    pub delta: Delta,
}

impl Body for SpawnStatic2 {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            self.delta = Delta::default();
        }
        replacement::code_delta(w, &d.layout(), &mut self.delta)
    }
}
