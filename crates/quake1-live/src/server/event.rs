//! Events from clients.

/// An event at a seat.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Somebody has connected: keys and values that he says of himself. He still loads the level.
    Connected {
        /// `\name\…`, and `\spectator\1` of who only watches.
        user_info: Vec<u8>,
    },
    /// He has the level and is in the game from now on; again after each change of level.
    Began,
    /// His input, the newest of a packet.
    Moved(Move),
    /// A spectator put himself somewhere, in map units.
    Teleported([f32; 3]),
    /// A console command that is no part of signing on: `say hello`, `setinfo name x`, `kill`.
    Command(Vec<u8>),
    /// He is gone. Those at further seats of the connection have moved down by one.
    Left,
}

/// An input.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Move {
    /// View angles in degrees.
    pub angles: [f32; 3],
    /// Forward, side, up, in units per second.
    pub movement: [i16; 3],
    /// Bit 0 attacks, bit 1 jumps.
    pub buttons: u8,
    /// Weapons and mods' commands.
    pub impulse: u8,
    /// How long it lasts.
    pub milliseconds: u8,
}
