//! What engines hold and read: the one table of limits (`docs/formats/goldsrc.md`, "Limits"). Numbers have to be below them.

/// Slots of players, and the most that a server may let in.
pub(crate) const SLOTS: u8 = 32;
/// Light styles.
pub(crate) const LIGHT_STYLES: u8 = 64;
/// Models and sounds, each. Stock engines hold 512 of them; others raise that, as far as the ten bits of `modelindex` reach.
pub(crate) const RESOURCES: u16 = 1024;
/// Bytes of user information.
pub(crate) const USER_INFO: usize = 255;
/// Bytes of a message of the game DLL.
pub(crate) const USER_MESSAGE: usize = 192;
/// Bytes of a string.
pub(crate) const STRING: usize = 2047;
