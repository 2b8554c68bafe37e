//! The bits of the extension words that servers state.

/// FTE's first word of extensions (`FTEX`).
pub mod pext1 {
    /// Entities may be scaled.
    pub const SCALE: u32 = 0x0000_0002;
    /// Entities may be translucent.
    pub(crate) const TRANS: u32 = 0x0000_0008;
    /// Entities may be fat.
    pub(crate) const FATNESS: u32 = 0x0000_0100;
    /// Players send their hull.
    pub(crate) const HULLSIZE: u32 = 0x0000_0800;
    /// Model numbers to 511.
    pub(crate) const MODELDBL: u32 = 0x0000_1000;
    /// Entity numbers to 1023.
    pub const ENTITYDBL: u32 = 0x0000_2000;
    /// Entity numbers to 2047.
    pub const ENTITYDBL2: u32 = 0x0000_4000;
    /// Coordinates are floats, angles have 16 bits.
    pub(crate) const FLOATCOORDS: u32 = 0x0000_8000;
    /// Entities may be tinted.
    pub(crate) const COLORMOD: u32 = 0x0008_0000;
    /// Several players on one connection.
    pub const SPLITSCREEN: u32 = 0x0010_0000;
    /// More stats and entity fields.
    pub(crate) const HEXEN2: u32 = 0x0020_0000;
    /// Downloads come in numbered chunks of 1,024 bytes.
    pub(crate) const CHUNKEDDOWNLOADS: u32 = 0x2000_0000;
    /// Extra flags of entities.
    pub(crate) const DPFLAGS: u32 = 0x8000_0000;
}

/// FTE's second word of extensions (`FTE2`).
pub mod pext2 {
    /// Entities are sent as replacement deltas.
    pub const REPLACEMENTDELTAS: u32 = 0x0000_0008;
    /// The number of player slots is stated.
    pub const MAXPLAYERS: u32 = 0x0000_0010;
    /// Input sequences are acknowledged, stats replace client data.
    pub const PREDINFO: u32 = 0x0000_0020;
    /// Virtual-reality input.
    pub(crate) const VRINPUTS: u32 = 0x0000_0200;
    /// Frame ends and length-coded numbers in replacement deltas.
    pub(crate) const LERPTIME: u32 = 0x0000_0400;
}

/// ezQuake's and mvdsv's word of extensions (`MVD1`).
pub(crate) mod mvd1 {
    /// Origins of entities and players are floats.
    pub(crate) const FLOATENTCOORDS: u32 = 0x0000_0001;
    /// `setangle` says why.
    pub(crate) const SETANGLEREASON: u32 = 0x0000_0002;
    /// Messages to nobody are hidden blocks.
    pub(crate) const HIDDEN_MESSAGES: u32 = 0x0000_0020;
}
