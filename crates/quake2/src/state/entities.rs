//! Entity rows: applying deltas, and baselines.

use fragreel_base::wire::sign_extend;

use crate::dialect::{Dialect, Line};
use crate::fields::entity::*;
use crate::fields::flagged_value;
use crate::message::EntityDelta;

/// An effect of `renderfx`: the entity is a beam. Its old origin is its other end.
pub const RF_BEAM: u32 = 128;

/// Applies `delta` to a copy of `from`. The `event` and `old_origin` of `from` may be stale; both are set.
#[inline]
pub fn apply_entity(dialect: &Dialect, from: &Row, delta: &EntityDelta) -> Row {
    let mut row = *from;
    change_entity(dialect, &mut row, delta);
    row
}

/// Like [`apply_entity`], in place.
#[inline]
pub(crate) fn change_entity(dialect: &Dialect, row: &mut Row, delta: &EntityDelta) {
    let from = [row[ORIGIN_X], row[ORIGIN_Y], row[ORIGIN_Z]];
    let mask = delta.mask;
    row[EVENT] = 0;
    let touched = dialect.entity.touched(mask);
    let mut rest = touched as u64;
    while rest != 0 {
        let at = rest.trailing_zeros() as usize & (SLOTS - 1);
        row[at] = delta.row[at];
        rest &= rest - 1;
    }
    const COORDINATES: u128 = 0x3f << ORIGIN_X | 7 << OLD_ORIGIN_X;
    if touched & COORDINATES != 0 {
        coordinates(dialect, from, delta, row);
    }
    if mask & U_FRAME16 != 0 && !dialect.floats {
        row[FRAME] = delta.row[FRAME16];
        row[FRAME16] = 0;
    }
    if mask & (U_SKIN16 | U_EFFECTS16 | U_RENDERFX16 | U_FRAME16 | U_SOLID) != 0 && dialect.line == Line::Id {
        signed(mask, row);
    }
    if dialect.extended || dialect.floats {
        extensions(dialect, delta, row);
    }
    if mask & U_OLDORIGIN == 0 && (dialect.line == Line::Id || row[RENDERFX] & RF_BEAM == 0) {
        row[OLD_ORIGIN_X..=OLD_ORIGIN_Z].copy_from_slice(&from);
    }
}

/// Converts coordinates and angles from their wire form to that of the state: eighths or floats, and 65536ths of a turn.
#[inline]
fn coordinates(dialect: &Dialect, from: [u32; 3], delta: &EntityDelta, row: &mut Row) {
    let mask = delta.mask;
    let origins = [(U_ORIGIN1, ORIGIN_X), (U_ORIGIN2, ORIGIN_Y), (U_ORIGIN3, ORIGIN_Z)];
    if dialect.flagged {
        for (bit, at) in origins {
            if mask & bit != 0 {
                row[at] = flagged_value(delta.row[at], from[at - ORIGIN_X]);
            }
        }
        if mask & U_OLDORIGIN != 0 {
            for (word, sent) in row[OLD_ORIGIN_X..=OLD_ORIGIN_Z].iter_mut().zip(&delta.row[OLD_ORIGIN_X..=OLD_ORIGIN_Z]) {
                *word = flagged_value(*sent, 0);
            }
        }
    } else if dialect.floats {
        if dialect.short_floats() && delta.row[PRECISE] == 0 {
            for (bit, at) in origins.into_iter().chain((OLD_ORIGIN_X..=OLD_ORIGIN_Z).map(|at| (U_OLDORIGIN, at))) {
                if mask & bit != 0 {
                    row[at] = float_of(delta.row[at]);
                }
            }
        }
        return;
    }
    let short = mask & U_ANGLE16 != 0 && dialect.short_angles || dialect.angles_always_short();
    if !short {
        for (bit, at) in [(U_ANGLE1, ANGLES_X), (U_ANGLE2, ANGLES_Y), (U_ANGLE3, ANGLES_Z)] {
            if mask & bit != 0 {
                row[at] = delta.row[at] << 8;
            }
        }
    }
}

/// id's engines read 16-bit fields as signed.
fn signed(mask: u64, row: &mut Row) {
    for (narrow, wide, at) in [(U_SKIN8, U_SKIN16, SKINNUM), (U_EFFECTS8, U_EFFECTS16, EFFECTS), (U_RENDERFX8, U_RENDERFX16, RENDERFX)] {
        if mask & (narrow | wide) == wide {
            row[at] = sign_extend(row[at], 16);
        }
    }
    if mask & U_FRAME16 != 0 {
        row[FRAME] = sign_extend(row[FRAME], 16);
    }
    if mask & U_SOLID != 0 {
        row[SOLID] = sign_extend(row[SOLID], 16);
    }
}

fn extensions(dialect: &Dialect, delta: &EntityDelta, row: &mut Row) {
    if delta.mask & U_SOUND != 0 {
        let word = delta.row[SOUND];
        row[SOUND] = word & 0x3fff;
        if word & 0x4000 != 0 {
            row[LOOP_VOLUME] = delta.row[LOOP_VOLUME];
        }
        if word & 0x8000 != 0 {
            row[LOOP_ATTENUATION] = delta.row[LOOP_ATTENUATION];
        }
    }
    if dialect.floats && delta.mask & (U_EFFECTS8 | U_EFFECTS16) != 0 && delta.mask & U_EFFECTS64 == 0 {
        row[MOREFX] = 0;
    }
}

/// The row in a frame that does not mention the entity.
#[inline]
pub fn aged(row: &Row, line: Line) -> Row {
    let mut row = *row;
    row[EVENT] = 0;
    if line == Line::Id || row[RENDERFX] & RF_BEAM == 0 {
        for at in 0..3 {
            row[OLD_ORIGIN_X + at] = row[ORIGIN_X + at];
        }
    }
    row
}

impl Dialect {
    pub(crate) fn short_floats(&self) -> bool {
        self.floats && self.coordinates == crate::dialect::Coordinates::Eighths
    }

    pub(crate) fn angles_always_short(&self) -> bool {
        self.short_angles && !self.extended && self.coordinates == crate::dialect::Coordinates::High24
    }
}

/// Baselines by entity number.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    rows: Vec<Option<Box<Row>>>,
}

/// The state of an entity without a baseline.
pub const NOTHING: Row = [0; SLOTS];

impl Baselines {
    pub(super) fn set(&mut self, dialect: &Dialect, delta: &EntityDelta) {
        // No engine has more.
        if !crate::limits::holds(dialect, delta.number) {
            return;
        }
        let at = usize::from(delta.number);
        if self.rows.len() <= at {
            self.rows.resize_with(at + 1, || None);
        }
        let mut row = apply_entity(dialect, &NOTHING, delta);
        if delta.mask & U_OLDORIGIN == 0 {
            row[OLD_ORIGIN_X..=OLD_ORIGIN_Z].fill(0);
        }
        self.rows[at] = Some(Box::new(row));
    }

    /// Sets a baseline.
    pub fn put(&mut self, number: u16, row: Row) {
        let at = usize::from(number);
        if self.rows.len() <= at {
            self.rows.resize_with(at + 1, || None);
        }
        self.rows[at] = Some(Box::new(row));
    }

    /// Removes all baselines.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// The baseline of entity `number`. All zeros if there is none, which is not damage: id's client leaves some out.
    #[inline]
    pub fn get(&self, number: u16) -> &Row {
        self.rows.get(usize::from(number)).and_then(|row| row.as_deref()).unwrap_or(&NOTHING)
    }

    /// All baselines, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &Row)> {
        self.rows.iter().enumerate().filter_map(|(at, row)| Some((at as u16, row.as_deref()?)))
    }

    /// The number of baselines.
    pub fn count(&self) -> usize {
        self.rows.iter().flatten().count()
    }
}
