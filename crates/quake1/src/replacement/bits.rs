//! The bits of an update's mask (`UF_`) and of its prediction block (`UFP_`). Document: *Mask*.

/// `UF_FRAME`: animation frame.
pub const FRAME: u32 = 1 << 0;
/// `UF_ORIGINXY`: x and y.
pub(crate) const ORIGIN_XY: u32 = 1 << 1;
/// `UF_ORIGINZ`: z.
pub const ORIGIN_Z: u32 = 1 << 2;
/// `UF_ANGLESXZ`: pitch and roll.
pub const ANGLES_XZ: u32 = 1 << 3;
/// `UF_ANGLESY`: yaw.
pub const ANGLES_Y: u32 = 1 << 4;
/// `UF_EFFECTS`: effects; how wide depends on [`EFFECTS2`].
pub const EFFECTS: u32 = 1 << 5;
/// `UF_PREDINFO`: the prediction block.
pub const PREDINFO: u32 = 1 << 6;
/// `UF_EXTEND1`: the mask has a second byte.
pub const EXTEND1: u32 = 1 << 7;
/// `UF_RESET`: start from the baseline.
pub const RESET: u32 = 1 << 8;
/// `UF_16BIT`: frame, model, skin and second model are 16 bits wide. With `PEXT2_LERPTIME`: the time until the next think.
pub(crate) const WIDE_OR_LERP: u32 = 1 << 9;
/// `UF_MODEL`: model number.
pub const MODEL: u32 = 1 << 10;
/// `UF_SKIN`: skin number.
pub const SKIN: u32 = 1 << 11;
/// `UF_COLORMAP`: player slot or shirt and trousers.
pub const COLORMAP: u32 = 1 << 12;
/// `UF_SOLID`: size of the box.
pub const SOLID: u32 = 1 << 13;
/// `UF_FLAGS`: render flags.
pub const FLAGS: u32 = 1 << 14;
/// `UF_EXTEND2`: the mask has a third byte.
pub(crate) const EXTEND2: u32 = 1 << 15;
/// `UF_ALPHA`: opacity.
pub const ALPHA: u32 = 1 << 16;
/// `UF_SCALE`: size in sixteenths.
pub const SCALE: u32 = 1 << 17;
/// `UF_BONEDATA`: bones.
pub const BONE_DATA: u32 = 1 << 18;
/// `UF_DRAWFLAGS`: Hexen II's drawing flags.
pub(crate) const DRAW_FLAGS: u32 = 1 << 19;
/// `UF_TAGINFO`: attachment.
pub(crate) const TAG_INFO: u32 = 1 << 20;
/// `UF_LIGHT`: dynamic light.
pub(crate) const LIGHT: u32 = 1 << 21;
/// `UF_TRAILEFFECT`: particle trail and emitter.
pub(crate) const TRAIL_EFFECT: u32 = 1 << 22;
/// `UF_EXTEND3`: the mask has a fourth byte.
pub(crate) const EXTEND3: u32 = 1 << 23;
/// `UF_COLORMOD`: tint.
pub(crate) const COLOR_MOD: u32 = 1 << 24;
/// `UF_GLOW`: glow.
pub(crate) const GLOW: u32 = 1 << 25;
/// `UF_FATNESS`: how far the model is blown up.
pub(crate) const FATNESS: u32 = 1 << 26;
/// `UF_MODELINDEX2`: second model.
pub const MODEL2: u32 = 1 << 27;
/// `UF_GRAVITYDIR`: which way is down.
pub(crate) const GRAVITY_DIR: u32 = 1 << 28;
/// `UF_EFFECTS2`: effects of 16 bits, or of 32 together with [`EFFECTS`].
pub(crate) const EFFECTS2: u32 = 1 << 29;
/// Bits that no engine accepts.
pub const FORBIDDEN: u32 = 1 << 30 | 1 << 31;

/// Which bits announce a further byte of the mask.
pub(crate) const MORE: &[u64] = &[EXTEND1 as u64, EXTEND2 as u64, EXTEND3 as u64];

/// Names of the mask's bits, lowest first, as engines spell them.
pub const NAMES: [&str; 32] = [
    "frame",
    "originxy",
    "originz",
    "anglesxz",
    "anglesy",
    "effects",
    "predinfo",
    "extend1",
    "reset",
    "16bit",
    "model",
    "skin",
    "colormap",
    "solid",
    "flags",
    "extend2",
    "alpha",
    "scale",
    "bonedata",
    "drawflags",
    "taginfo",
    "light",
    "traileffect",
    "extend3",
    "colormod",
    "glow",
    "fatness",
    "modelindex2",
    "gravitydir",
    "effects2",
    "unused30",
    "extend4",
];

/// `UFP_FORWARD`: forward movement.
pub(crate) const PRED_FORWARD: u8 = 1 << 0;
/// `UFP_SIDE`: sideways movement.
pub(crate) const PRED_SIDE: u8 = 1 << 1;
/// `UFP_UP`: upward movement.
pub(crate) const PRED_UP: u8 = 1 << 2;
/// `UFP_MOVETYPE`: how it moves.
pub(crate) const PRED_MOVETYPE: u8 = 1 << 3;
/// `UFP_VELOCITYXY`: velocity in x and y.
pub(crate) const PRED_VELOCITY_XY: u8 = 1 << 4;
/// `UFP_VELOCITYZ`: velocity in z.
pub(crate) const PRED_VELOCITY_Z: u8 = 1 << 5;
/// `UFP_MSEC`: age of the player's last command.
pub(crate) const PRED_MSEC: u8 = 1 << 6;
/// `UFP_WEAPONFRAME`; with `PEXT2_PREDINFO` `UFP_VIEWANGLE`.
pub(crate) const PRED_LAST: u8 = 1 << 7;

/// The names of the bits of `mask`, for people.
pub fn describe(mask: u32) -> String {
    let names: Vec<&str> = (0..32).filter(|bit| mask >> bit & 1 != 0).map(|bit: usize| NAMES[bit]).collect();
    names.join("|")
}
