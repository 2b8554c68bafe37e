//! The words of an entity state, and its mask bits.

super::slots! {
    /// The words of an entity state.
    NAMES:
    MODELINDEX = "modelindex", MODELINDEX2 = "modelindex2", MODELINDEX3 = "modelindex3", MODELINDEX4 = "modelindex4",
    MODELINDEX5 = "modelindex5", MODELINDEX6 = "modelindex6",
    FRAME = "frame", SKINNUM = "skinnum", EFFECTS = "effects", MOREFX = "morefx", RENDERFX = "renderfx",
    ORIGIN_X = "origin_x", ORIGIN_Y = "origin_y", ORIGIN_Z = "origin_z",
    ANGLES_X = "angles_x", ANGLES_Y = "angles_y", ANGLES_Z = "angles_z",
    OLD_ORIGIN_X = "old_origin_x", OLD_ORIGIN_Y = "old_origin_y", OLD_ORIGIN_Z = "old_origin_z",
    SOUND = "sound", LOOP_VOLUME = "loop_volume", LOOP_ATTENUATION = "loop_attenuation",
    EVENT = "event", SOLID = "solid", ALPHA = "alpha", SCALE = "scale",
    INSTANCE = "instance", OWNER = "owner", OLDFRAME = "oldframe",
    // What a delta says of `frame` under `U_FRAME16`; both widths may be sent, the second counts.
    FRAME16 = "frame16",
    // The 2022 rerelease: whether this delta's origins are floats.
    PRECISE = "precise",
}

/// Words of an entity's row.
pub const SLOTS: usize = 32;
/// An entity's row.
pub type Row = [u32; SLOTS];

/// Declares the mask bits once, with the words that each can change.
macro_rules! bits {
    ($($(#[$meta:meta])* $name:ident = $bit:literal),* $(,)?) => {
        $($(#[$meta])* #[allow(missing_docs, reason = "named as engines name them")] pub const $name: u64 = 1 << $bit;)*
    };
}
bits! {
    U_ORIGIN1 = 0, U_ORIGIN2 = 1, U_ANGLE2 = 2, U_ANGLE3 = 3, U_FRAME8 = 4, U_EVENT = 5, U_REMOVE = 6, U_MOREBITS1 = 7,
    U_NUMBER16 = 8, U_ORIGIN3 = 9, U_ANGLE1 = 10, U_MODEL = 11, U_RENDERFX8 = 12, U_ANGLE16 = 13, U_EFFECTS8 = 14, U_MOREBITS2 = 15,
    U_SKIN8 = 16, U_FRAME16 = 17, U_RENDERFX16 = 18, U_EFFECTS16 = 19, U_MODEL2 = 20, U_MODEL3 = 21, U_MODEL4 = 22, U_MOREBITS3 = 23,
    U_OLDORIGIN = 24, U_SKIN16 = 25, U_SOUND = 26, U_SOLID = 27,
    /// Q2PRO and KEX: the model indices of this delta have 16 bits.
    U_MODEL16 = 28,
    /// Q2PRO: 8 bits of `morefx`.
    U_MOREFX8 = 29,
    /// KEX: the low half of 64 bits of effects comes first.
    U_EFFECTS64 = 29,
    U_ALPHA = 30, U_MOREBITS4 = 31, U_SCALE = 32, U_MOREFX16 = 33,
    U_INSTANCE = 33, U_OWNER = 34, U_OLDFRAME = 35,
    /// KMQuake2.
    U_MODEL5 = 28,
    U_MODEL6 = 29, U_ATTENUAT = 30, U_ALPHA_KM = 31,
}

/// The bits that announce a further mask byte.
pub const MORE: &[u64] = &[U_MOREBITS1, U_MOREBITS2, U_MOREBITS3];
/// The same for dialects with five mask bytes.
pub(crate) const MORE_EXTENDED: &[u64] = &[U_MOREBITS1, U_MOREBITS2, U_MOREBITS3, U_MOREBITS4];

/// Eighths of a unit as a float.
pub(crate) fn float_of(eighths: u32) -> u32 {
    (eighths as i32 as f32 / 8.0).to_bits()
}

/// A float in eighths of a unit.
pub(crate) fn eighths_of(float: u32) -> u32 {
    (f32::from_bits(float) * 8.0) as i32 as u32
}
