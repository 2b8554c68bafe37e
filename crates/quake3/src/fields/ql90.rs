//! Quake Live 90: jump state.

use super::{appended, q3, ql73, replaced, uint};
use fragreel_base::delta::interleaved::Field;

/// The entity state.
pub const ENTITY: [Field; 55] = appended(&ql73::ENTITY, [uint("jumpTime", 32), uint("doubleJumped", 1)]);

/// The player state without its arrays.
pub const PLAYER: [Field; 50] = appended(&replaced(q3::PLAYER, uint("pm_flags", 24)), [uint("jumpTime", 32), uint("doubleJumped", 1)]);
