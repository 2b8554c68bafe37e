//! By how much values of two dialects may differ.

use crate::dialect::Dialect;
use crate::replacement::{Angles, Coordinates};
use crate::state::Seen;

/// The tolerance between values of two dialects, and the limits of the second.
pub(super) struct Tolerance {
    pub(super) place: f32,
    pub(super) angle: f32,
    pub(super) frames: u32,
    pub(super) models: u32,
    pub(super) entities: u32,
    pub(super) in_sight: usize,
    /// The greatest coordinate of the second.
    pub(super) reach: f32,
}

impl Tolerance {
    pub(super) fn between(d: &Dialect, e: &Dialect) -> Self {
        // rounding, and a little for float arithmetic
        let place = |kind: Coordinates| -> f32 {
            match kind {
                Coordinates::Eighths => 1.0 / 16.0,
                Coordinates::Fraction => 1.0 / 510.0,
                Coordinates::Sixteenths => 1.0 / 32.0,
                Coordinates::Float => 0.0,
            }
        };
        let angle = |kind: Angles| -> f32 {
            match kind {
                Angles::Byte => 360.0 / 512.0,
                Angles::Short => 360.0 / 131_072.0,
                Angles::Float => 0.0,
            }
        };
        let limits = crate::limits::Limits::of(e);
        Tolerance {
            place: place(e.entity_coord).max(place(d.entity_coord)) + 1e-3,
            angle: angle(e.angle).max(angle(d.angle)) + 1e-2,
            frames: limits.frames - 1,
            models: limits.models,
            entities: limits.entities,
            in_sight: limits.in_sight,
            reach: e.coord_reach().min(d.coord_reach()),
        }
    }

    pub(super) fn can_say(&self, seen: &Seen) -> bool {
        seen.model != 0 && seen.model < self.models && seen.number < self.entities
    }
}
