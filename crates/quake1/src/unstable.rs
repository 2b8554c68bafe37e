//! What the crates above the families use of this one. It may change in any version.

pub use crate::encode::{block_writer, quakeworld, recode, reencode, signon, signon_writer, usage, world};
pub use crate::limits;
pub use crate::walk::{blocks, decoded_blocks, decoder, playable, playback};
