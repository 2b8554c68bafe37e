//! Quake Live 73: gravity in trajectories. Its player state is that of [`super::q3`].

use super::{inserted, q3, uint};
use fragreel_base::delta::interleaved::Field;

/// The entity state.
pub const ENTITY: [Field; 53] = inserted(&inserted::<51, 52>(&q3::ENTITY, uint("pos.gravity", 32), "event"), uint("apos.gravity", 32), "time2");
