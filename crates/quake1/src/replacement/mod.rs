//! FTE's replacement deltas (`PEXT2_REPLACEMENTDELTAS`, `PEXT2_PREDINFO`): the syntax of entity updates and what they
//! do. Document: `docs/formats/quake1-replacement-deltas.md`.
//!
//! [`code`] reads and writes a whole `svcfte_updateentities`, [`code_delta`] a single update as statics and baselines
//! hold it; both are lossless for anything they accept. [`Entities`] applies what was read. `fragreel-quake1-live` makes a
//! connection of it.
//!
//! ```
//! use fragreel_quake1::unstable::replacement::{self, Entities, Flags, Update};
//!
//! // Time 2.0; entity 5 with a reset, frame 3 and z = 24; the end.
//! let bytes = [0, 0, 0, 64, 5, 0, 0x85, 0x01, 3, 192, 0, 0, 0];
//! let flags = Flags::default();
//! let mut update = Update::default();
//! replacement::code(&mut fragreel_base::wire::ReadBytes::new(&bytes), &flags, &mut update).unwrap();
//!
//! let mut entities = Entities::new();
//! entities.apply(&flags, &update);
//! let five = entities.get(5).unwrap();
//! assert_eq!((five.state.frame, flags.position(&five.state)), (3, [0.0, 0.0, 24.0]));
//!
//! let mut writer = fragreel_base::wire::WriteBytes::default();
//! let Ok(()) = replacement::code(&mut writer, &flags, &mut update);
//! assert_eq!(writer.finish(), bytes);
//! ```

mod apply;
pub mod bits;
mod delta;
mod entities;
mod number;
mod shape;
pub(crate) mod solid;
mod state;
mod update;

pub use apply::SEND_VIEW;
pub use delta::{Delta, SVC_SPAWN_BASELINE2, code_delta};
pub(crate) use delta::{SKIN_BIAS, Spelling};
pub use entities::{Baselines, Entities};
pub use number::{EntityNumber, Index, LAST_ENTITY, code_entity, code_index};
pub(crate) use number::{show_index, uleb_bytes};
pub use shape::{Angles, Coordinates, Flags, PEXT2_REPLACEMENT_DELTAS};
pub(crate) use shape::{PEXT2_NEW_SIZE_ENCODING, angle_width, coord_width};
pub use state::{Bone, EntityState};
pub(crate) use update::EntityUpdate;
pub use update::{Change, SVC_UPDATE_ENTITIES, Update, code};

#[cfg(test)]
mod tests;
