//! Limits of the engines (`docs/formats/quake3.md`, "What engines refuse").

/// Bytes of the strings of a gamestate that engines hold, each with its NUL, after one that is not used.
pub(crate) const GAMESTATE_BYTES: usize = 16_000;
/// Bytes of a command that the last release of id's engine reads to the end. It takes the next byte for a message.
pub(crate) const COMMAND_BYTES: usize = 1_022;
/// The same of a configstring.
pub(crate) const CONFIGSTRING_BYTES: usize = 8_190;
