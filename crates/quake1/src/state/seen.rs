//! Entities as people see them, whatever the dialect.

use crate::dialect::Dialect;
use crate::fields::{netquake, quakeworld};
use crate::message::Appearance;
use crate::replacement::{self, Baselines, Delta, EntityState};

/// An entity as people see it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// Its number.
    pub number: u32,
    /// Which model.
    pub model: u32,
    /// Which frame of it.
    pub frame: u32,
    /// Which skin of it.
    pub skin: i32,
    /// Whose colors.
    pub colormap: u32,
    /// Effects.
    pub effects: u32,
    /// Where.
    pub origin: [f32; 3],
    /// Pitch, yaw, roll in degrees.
    pub angles: [f32; 3],
    /// Its speed in eighths of a unit a second, where it is stated.
    pub velocity: Option<[i16; 3]>,
}

/// Degrees of an angle in a row.
pub(crate) fn degrees(d: &Dialect, word: u32) -> f32 {
    d.angle.degrees(if d.angle == replacement::Angles::Byte { word << 8 } else { word })
}

/// A row of QuakeWorld as people see it.
pub(super) fn qw_seen(d: &Dialect, number: u32, row: &[u32; quakeworld::slot::COUNT]) -> Seen {
    use quakeworld::slot;
    Seen {
        number,
        model: row[slot::MODEL],
        frame: row[slot::FRAME],
        skin: row[slot::SKIN] as i32,
        colormap: row[slot::COLORMAP],
        effects: row[slot::EFFECTS] | row[slot::EFFECTS16] << 8,
        origin: [0, 1, 2].map(|at| d.entity_coord.units(row[slot::ORIGIN + at])),
        angles: [0, 1, 2].map(|at| degrees(d, row[slot::ANGLES + at])),
        velocity: None,
    }
}

/// A row of NetQuake as people see it.
pub(crate) fn nq_seen(d: &Dialect, number: u32, row: &[u32; netquake::slot::COUNT]) -> Seen {
    use netquake::slot;
    Seen {
        number,
        model: row[slot::MODEL] | row[slot::MODEL2] << 8,
        frame: row[slot::FRAME] | row[slot::FRAME2] << 8,
        skin: row[slot::SKIN] as i32,
        colormap: row[slot::COLORMAP],
        effects: row[slot::EFFECTS] | row[slot::EFFECTS2] << 8,
        origin: [0, 1, 2].map(|at| d.coord.units(row[slot::ORIGIN + at])),
        angles: [0, 1, 2].map(|at| degrees(d, row[slot::ANGLES + at])),
        velocity: None,
    }
}

/// FTE sets the bit above a model's number for ragdolls.
pub(crate) const MODEL_NUMBER: u32 = 0x7fff;

/// An entity of replacement deltas as people see it.
pub(super) fn replaced_seen(layout: &replacement::Flags, number: u32, s: &EntityState) -> Seen {
    Seen {
        number,
        model: s.model & MODEL_NUMBER,
        frame: s.frame,
        skin: s.skin,
        colormap: s.colormap,
        effects: s.effects,
        origin: layout.position(s),
        angles: layout.facing(s),
        velocity: s.stated_velocity(),
    }
}

/// An entity by its appearance.
pub(crate) fn appearance_seen(d: &Dialect, number: u32, looks: &Appearance) -> Seen {
    Seen {
        number,
        model: looks.model.into(),
        frame: looks.frame.into(),
        skin: looks.skin.into(),
        colormap: looks.colormap.into(),
        origin: looks.origin.map(|word| d.coord.units(word.0)),
        angles: looks.angles.map(|word| d.angle.degrees(word.0)),
        ..Seen::default()
    }
}

/// An entity by an update that starts from nothing.
pub(super) fn update_seen(d: &Dialect, number: u32, delta: &Delta) -> Seen {
    let mut baselines = Baselines::default();
    baselines.receive(&d.layout(), number, delta);
    replaced_seen(&d.layout(), number, baselines.get(number))
}
