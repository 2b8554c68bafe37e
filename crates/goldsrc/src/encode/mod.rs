//! Encodes state as messages: a frame against another delta base, the signon state of a part that starts later.

mod canonical;
mod decals;
pub(crate) mod reencode;
pub(crate) mod signon;
mod signon_keys;
mod timed_effects;

pub(crate) use decals::RESET as DECAL_RESET;
