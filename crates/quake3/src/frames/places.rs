//! The indexes of fields in rows.

use fragreel_base::delta::Word;
use fragreel_base::delta::interleaved::Row;
use fragreel_model::{DEFAULT_GRAVITY, Milliseconds, Motion, Trajectory};

use crate::dialect::Dialect;
use crate::fields::find;

/// A field of a row; 0 where the dialect has none, whose place then is that of the last word, which no table uses.
#[inline(always)]
pub(super) fn word(row: &Row, at: usize) -> u32 {
    row[at & 63]
}

/// Three fields as a place.
#[inline]
pub(super) fn vector(row: &Row, at: [usize; 3]) -> [f32; 3] {
    at.map(|at| f32::of(word(row, at)))
}

/// The indexes of a trajectory.
#[derive(Debug, Clone, Copy)]
pub(super) struct MotionFields {
    trajectory: usize,
    time: usize,
    duration: usize,
    base: [usize; 3],
    delta: [usize; 3],
    gravity: usize,
}

impl MotionFields {
    pub(super) fn of(dialect: &Dialect, name: &str) -> Self {
        let at = |field: &str| find(dialect.entity, &format!("{name}.{field}"));
        MotionFields {
            trajectory: at("trType"),
            time: at("trTime"),
            duration: at("trDuration"),
            base: [at("trBase[0]"), at("trBase[1]"), at("trBase[2]")],
            delta: [at("trDelta[0]"), at("trDelta[1]"), at("trDelta[2]")],
            gravity: at("gravity"),
        }
    }

    /// The motion that a row states.
    #[inline]
    pub(super) fn motion(&self, row: &Row) -> Motion {
        let trajectory = match word(row, self.trajectory) {
            1 => Trajectory::Interpolate,
            2 => Trajectory::Linear,
            3 => Trajectory::LinearStop,
            4 => Trajectory::Sine,
            5 => Trajectory::Gravity,
            _ => Trajectory::Stationary,
        };
        let time = |at: usize| Milliseconds(i64::from(word(row, at) as i32));
        let mut motion = Motion::new(trajectory, time(self.time), time(self.duration), vector(row, self.base), vector(row, self.delta));
        // Quake Live states it for each entity
        let stated = word(row, self.gravity) as i32 as f32;
        motion.gravity = if stated > 0.0 { stated } else { DEFAULT_GRAVITY };
        motion
    }

    /// Where the motion is at a time.
    #[inline]
    pub(super) fn at(&self, row: &Row, now: Milliseconds) -> [f32; 3] {
        match word(row, self.trajectory) {
            // stationary and interpolated entities are at the stated place, and most are
            0 | 1 => self.base(row),
            // players of servers that foresee where they go
            2 | 3 => self.line(row).at(now),
            _ => self.motion(row).at(now),
        }
    }

    /// The motion of a row that states one in a line.
    #[inline]
    fn line(&self, row: &Row) -> Motion {
        let trajectory = if word(row, self.trajectory) == 2 { Trajectory::Linear } else { Trajectory::LinearStop };
        let time = |at: usize| Milliseconds(i64::from(word(row, at) as i32));
        Motion::new(trajectory, time(self.time), time(self.duration), vector(row, self.base), vector(row, self.delta))
    }

    /// The start of the motion.
    #[inline]
    pub(super) fn base(&self, row: &Row) -> [f32; 3] {
        vector(row, self.base)
    }

    /// The change per second.
    #[inline]
    pub(super) fn delta(&self, row: &Row) -> [f32; 3] {
        vector(row, self.delta)
    }
}

/// The indexes of an entity's fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntityPlaces {
    pub place: MotionFields,
    pub turning: MotionFields,
    pub e_type: usize,
    pub flags: usize,
    pub client: usize,
    pub other: usize,
    pub weapon: usize,
    pub model: usize,
    pub solid: usize,
    pub ground: usize,
    pub powerups: usize,
    pub health: usize,
    pub armor: usize,
    pub frame: usize,
    pub legs: usize,
    pub torso: usize,
    pub stride: usize,
    pub sound: usize,
}

impl EntityPlaces {
    pub(super) fn of(dialect: &Dialect) -> Self {
        let at = |name| find(dialect.entity, name);
        EntityPlaces {
            place: MotionFields::of(dialect, "pos"),
            turning: MotionFields::of(dialect, "apos"),
            e_type: at("eType"),
            flags: at("eFlags"),
            client: at("clientNum"),
            other: at("otherEntityNum"),
            weapon: at("weapon"),
            model: at("modelindex"),
            solid: at("solid"),
            ground: at("groundEntityNum"),
            powerups: at("powerups"),
            health: at("health"),
            armor: at("armor"),
            frame: at("frame"),
            legs: at("legsAnim"),
            torso: at("torsoAnim"),
            stride: at("angles2[1]"),
            sound: at("loopSound"),
        }
    }
}

/// The indexes of the player's fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlayerPlaces {
    pub client: usize,
    pub origin: [usize; 3],
    pub velocity: [usize; 3],
    pub angles: [usize; 3],
    pub view_height: usize,
    pub kind: usize,
    pub moves: usize,
    pub flags: usize,
    pub ground: usize,
    pub weapon: usize,
    pub fov: usize,
    pub legs: usize,
    pub torso: usize,
    pub stride: usize,
    pub sound: usize,
    pub step: usize,
}

impl PlayerPlaces {
    pub(super) fn of(dialect: &Dialect) -> Self {
        let at = |name| find(dialect.player, name);
        PlayerPlaces {
            client: at("clientNum"),
            origin: [at("origin[0]"), at("origin[1]"), at("origin[2]")],
            velocity: [at("velocity[0]"), at("velocity[1]"), at("velocity[2]")],
            angles: [at("viewangles[0]"), at("viewangles[1]"), at("viewangles[2]")],
            view_height: at("viewheight"),
            kind: at("pm_type"),
            moves: at("pm_flags"),
            flags: at("eFlags"),
            ground: at("groundEntityNum"),
            weapon: at("weapon"),
            fov: at("fov"),
            legs: at("legsAnim"),
            torso: at("torsoAnim"),
            stride: at("movementDir"),
            sound: at("loopSound"),
            step: at("bobCycle"),
        }
    }
}
