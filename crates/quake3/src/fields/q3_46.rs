//! Protocols 46 and 48.

use super::{appended, int, q3_43, replaced, uint};
use fragreel_base::delta::interleaved::Field;

/// The entity state.
pub const ENTITY: [Field; 51] = appended(&replaced(q3_43::ENTITY, uint("eFlags", 19)), [uint("generic1", 8)]);

/// The player state of protocol 46 without its arrays. Not seen in a real file.
pub(crate) const PLAYER_46: [Field; 47] =
    appended(&replaced(replaced(q3_43::PLAYER, uint("externalEvent", 10)), int("viewheight", 8)), [uint("jumppad_ent", 10), uint("loopSound", 16)]);

/// The player state of protocol 48 without its arrays.
pub const PLAYER: [Field; 48] = appended(&replaced(replaced(PLAYER_46, int("pm_time", 16)), int("weaponTime", 16)), [uint("generic1", 8)]);
