//! One entity as it is known. Document: *State*.

use crate::replacement::bits::{ANGLES_XZ, ANGLES_Y, PREDINFO};
use crate::replacement::shape::{Angles, Flags};

/// A bone: position and rotation as seven shorts.
pub type Bone = [i16; 7];

/// Everything that an update can say of an entity, as words in the units of the wire.
///
/// [`Default`] is the *null state* that baselines and statics start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityState {
    /// Animation frame.
    pub frame: u32,
    /// Position; read it through [`Flags::position`].
    pub origin: [u32; 3],
    /// Pitch, yaw and roll; read them through [`Flags::facing`].
    pub angles: [u32; 3],
    /// Milliseconds from this update until the next think, with `PEXT2_LERPTIME`.
    pub lerp_end: u32,
    /// Effects; the upper byte holds `.modelflags`.
    pub effects: u32,
    /// Movement wanted: forward, sideways, up.
    pub movement: [i16; 3],
    /// How it moves; 0 means that it is not to be predicted. 0x80 is "on the ground", 0x40 "jump held".
    pub movetype: u8,
    /// Velocity in eighths of a unit per second.
    pub velocity: [i16; 3],
    /// Milliseconds since the server last heard of this player.
    pub msec: u8,
    /// Frame of the weapon's model, only without `PEXT2_PREDINFO` (with it, it is a stat).
    pub weapon_frame: u16,
    /// Where the player looks: pitch, yaw, roll in 65536ths of a turn.
    pub view_angles: [i16; 3],
    /// Model number.
    pub model: u32,
    /// Skin number; negative ones stand for contents.
    pub skin: i32,
    /// Player slot whose colors are worn, or, with bit 5 of the flags, the colors.
    pub colormap: u32,
    /// The box, see [`solid`](super::solid).
    pub solid: u32,
    /// Render flags.
    pub flags: u32,
    /// Opacity: 254 is opaque, 255 the default.
    pub alpha: u8,
    /// Sixteenths of normal size.
    pub scale: u8,
    /// Bones, at most 255.
    pub bones: Vec<Bone>,
    /// First bone of the base animation.
    pub base_bone: u32,
    /// Frame of the base animation.
    pub base_frame: u32,
    /// Hexen II's drawing flags.
    pub draw_flags: u8,
    /// Absolute light, only where the drawing flags ask for it.
    pub abs_light: u8,
    /// Entity that this one is attached to; 0 is none.
    pub tag_entity: u32,
    /// Bone that it is attached to; 0 is the origin, -1 a portal.
    pub tag_index: i32,
    /// Red, green, blue and radius of the light it casts, 1024 being 1.
    pub light: [i16; 4],
    /// Style of that light.
    pub light_style: u32,
    /// Flags of that light.
    pub light_flags: u8,
    /// Particle effect that it trails.
    pub trail_effect: u32,
    /// Particle effect that it emits.
    pub emit_effect: u32,
    /// Tint: red, green and blue in 32nds.
    pub color_mod: [u8; 3],
    /// Size of the glow in units of four.
    pub glow_size: u8,
    /// Color of the glow.
    pub glow_color: u8,
    /// Tint of the glow in 32nds.
    pub glow_mod: [u8; 3],
    /// How far the model is blown up, in sixteenths.
    pub fatness: i8,
    /// Second model.
    pub model2: u32,
    /// Pitch and yaw of gravity; 0, 0 is down.
    pub gravity_dir: [u8; 2],
}

/// Hexen II's `SCALE_ORIGIN_ORIGIN`.
const SCALE_ORIGIN_ORIGIN: u8 = 96;

impl Default for EntityState {
    fn default() -> Self {
        Self {
            frame: 0,
            origin: [0; 3],
            angles: [0; 3],
            lerp_end: 0,
            effects: 0,
            movement: [0; 3],
            movetype: 0,
            velocity: [0; 3],
            msec: 0,
            weapon_frame: 0,
            view_angles: [0; 3],
            model: 0,
            skin: 0,
            colormap: 0,
            solid: 0,
            flags: 0,
            alpha: 255,
            scale: 16,
            bones: Vec::new(),
            base_bone: 0,
            base_frame: 0,
            draw_flags: SCALE_ORIGIN_ORIGIN,
            abs_light: 0,
            tag_entity: 0,
            tag_index: 0,
            light: [0; 4],
            light_style: 0,
            light_flags: 0,
            trail_effect: 0,
            emit_effect: 0,
            color_mod: [32; 3],
            glow_size: 0,
            glow_color: 0,
            glow_mod: [32; 3],
            fatness: 0,
            model2: 0,
            gravity_dir: [0; 2],
        }
    }
}

impl EntityState {
    /// Its velocity in eighths of a unit a second; nothing where it does not move by one.
    #[inline]
    pub(crate) fn stated_velocity(&self) -> Option<[i16; 3]> {
        (self.movetype != 0 || self.velocity != [0; 3]).then_some(self.velocity)
    }

    /// Whether the drawing flags ask for [`abs_light`](Self::abs_light).
    #[inline]
    pub(crate) fn has_abs_light(&self) -> bool {
        draws_lit(self.draw_flags)
    }

    /// What every update does before its fields are looked at.
    #[inline]
    pub(super) fn forget_motion(&mut self) {
        self.movement = [0; 3];
        self.velocity = [0; 3];
        self.msec = 0;
    }

    /// Looks where the body points, as a receiver assumes when the update does not say otherwise.
    #[inline]
    pub(super) fn derive_view(&mut self, bits: u32, angles: Angles) {
        if bits & ANGLES_XZ != 0 {
            let factor = if bits & PREDINFO != 0 { 3 } else { 1u32 };
            self.view_angles[0] = angles.turns(self.angles[0]).wrapping_mul(factor).wrapping_neg() as i16;
            self.view_angles[2] = angles.turns(self.angles[2]) as i16;
        }
        if bits & ANGLES_Y != 0 {
            self.view_angles[1] = angles.turns(self.angles[1]) as i16;
        }
    }
}

/// Whether these drawing flags come with a light value.
#[inline]
pub(super) fn draws_lit(draw_flags: u8) -> bool {
    draw_flags & 7 >= 6
}

impl Flags {
    /// Where an entity is, in map units.
    pub fn position(&self, state: &EntityState) -> [f32; 3] {
        state.origin.map(|word| self.origin.units(word))
    }

    /// Pitch, yaw and roll in degrees.
    pub fn facing(&self, state: &EntityState) -> [f32; 3] {
        state.angles.map(|word| self.angles.degrees(word))
    }
}
