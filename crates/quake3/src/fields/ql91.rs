//! Quake Live 91: health of others, crouch slides, moves.

use super::{appended, inserted, ql90, uint};
use fragreel_base::delta::interleaved::Field;

/// The entity state.
pub const ENTITY: [Field; 58] = appended(&ql90::ENTITY, [uint("health", 16), uint("armor", 16), uint("location", 8)]);

/// The player state without its arrays.
pub const PLAYER: [Field; 58] = appended(
    &inserted::<50, 51>(&ql90::PLAYER, uint("weaponPrimary", 8), "viewangles[2]"),
    [uint("crouchTime", 32), uint("crouchSlideTime", 32), uint("location", 8), uint("fov", 8), uint("forwardmove", 8), uint("rightmove", 8), uint("upmove", 8)],
);
