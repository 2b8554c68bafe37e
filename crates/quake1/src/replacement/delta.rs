//! One update: a mask, then the fields it announces. Document: *Update*.

use fragreel_base::wire::Wire;

use super::bits::*;
use crate::replacement::number::{EntityNumber, code_entity, code_uleb};
use crate::replacement::shape::{Angles, Coordinates, Flags};
use crate::replacement::solid;
use crate::replacement::state::{EntityState, draws_lit};
/// Number of the message `svcfte_spawnbaseline2`: an entity number and one update relative to the null state.
pub const SVC_SPAWN_BASELINE2: u8 = 66;

/// What an update says, losslessly. Fields of `state` that the mask does not announce mean nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delta {
    /// The mask, needless "extend" bits included.
    pub bits: u32,
    /// The mask of the prediction block.
    pub pred: u8,
    /// The flag byte of the bone data.
    pub bone_flags: u8,
    /// The values.
    pub state: EntityState,
    /// What was sent beyond the values; nothing when a stock engine wrote it.
    pub spelling: Spelling,
}

/// How a delta was written where that differs from the stock writer's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spelling {
    /// Needless bytes of each number of variable length, three bits each, in the order of [`Uleb`].
    pub padding: u64,
    /// `UF_SOLID` selector plus one.
    pub solid: u8,
    /// The weapon's frame in two bytes though one suffices.
    pub weapon_frame_overlong: bool,
    /// The tag entity in three bytes though two suffice.
    pub tag_entity_overlong: bool,
    /// The upper two bits of the trail's word that the stock writer would have inverted.
    pub trail: u8,
    /// The upper two bits of the emitter's word.
    pub emit: u8,
}

impl Spelling {
    /// Whether a stock engine would have written the same.
    pub fn is_canonical(&self) -> bool {
        *self == Self::default()
    }

    fn code_uleb<W: Wire>(&mut self, w: &mut W, which: Uleb, name: &'static str, value: u32) -> Result<u32, W::Error> {
        let shift = 3 * which as u32;
        let (value, padding) = code_uleb(w, name, value, (self.padding >> shift & 7) as u32)?;
        self.padding = self.padding & !(7 << shift) | u64::from(padding) << shift;
        Ok(value)
    }
}

/// The numbers of variable length, in wire order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Uleb {
    Frame,
    LerpEnd,
    Effects,
    Model,
    Skin,
    Colormap,
    Flags,
    BaseBone,
    BaseFrame,
    TagIndex,
    LightStyle,
    TrailEffect,
    EmitEffect,
    Model2,
}

/// Skins are sent with this added, so that negative ones are short.
pub(crate) const SKIN_BIAS: i32 = 64;
/// The bone data hold bones.
pub(super) const BONES: u8 = 0x80;
/// The bone data hold a base animation.
pub(super) const BASE_ANIMATION: u8 = 0x40;

/// Reads or writes one update, mask and fields. Statics (21) are this alone, baselines (66) this after an
/// [entity number](code_entity).
pub fn code_delta<W: Wire>(w: &mut W, flags: &Flags, delta: &mut Delta) -> Result<(), W::Error> {
    w.enter("bits");
    delta.bits = fragreel_base::delta::masked::code_mask(w, u64::from(delta.bits), MORE)? as u32;
    let bits = delta.bits;
    w.note(|| describe(bits));
    w.expect(bits & FORBIDDEN == 0, "an update with bits that have no meaning")?;
    w.expect(!flags.lerp_time || bits & EFFECTS2 == 0, "an update with the old bit for effects")?;
    let fields = Fields { flags, bits, wide: if bits & WIDE_OR_LERP != 0 { 16 } else { 8 } };
    if bits & (FRAME | ORIGIN_XY | ORIGIN_Z | ANGLES_XZ | ANGLES_Y | WIDE_OR_LERP | EFFECTS | EFFECTS2) != 0 {
        fields.motion(w, delta)?;
    }
    if bits & PREDINFO != 0 {
        w.scope("predinfo", None, |w| fields.prediction(w, delta))?;
    }
    if bits & (MODEL | SKIN | COLORMAP | SOLID | FLAGS | ALPHA | SCALE) != 0 {
        fields.looks(w, delta)?;
    }
    if bits & (BONE_DATA | DRAW_FLAGS | TAG_INFO | LIGHT | TRAIL_EFFECT) != 0 {
        fields.attachments(w, delta)?;
    }
    if bits & (COLOR_MOD | GLOW | FATNESS | MODEL2 | GRAVITY_DIR) != 0 {
        fields.rare(w, delta)?;
    }
    Ok(())
}

/// What decides about the presence and width of each field.
struct Fields<'a> {
    flags: &'a Flags,
    bits: u32,
    wide: u32,
}

impl Fields<'_> {
    #[inline(always)]
    fn has(&self, bit: u32) -> bool {
        self.bits & bit != 0
    }

    /// Frame, position, angles, time and effects.
    fn motion<W: Wire>(&self, w: &mut W, delta: &mut Delta) -> Result<(), W::Error> {
        let (s, spelling) = (&mut delta.state, &mut delta.spelling);
        let Flags { origin, angles, lerp_time, .. } = *self.flags;
        if self.has(FRAME) {
            s.frame = if lerp_time { spelling.code_uleb(w, Uleb::Frame, "frame", s.frame)? } else { w.field("frame", s.frame, self.wide)? };
        }
        if self.has(ORIGIN_XY) {
            place(w, origin, "origin x", &mut s.origin[0])?;
            place(w, origin, "origin y", &mut s.origin[1])?;
        }
        if self.has(ORIGIN_Z) {
            place(w, origin, "origin z", &mut s.origin[2])?;
        }
        if self.has(PREDINFO) && !self.flags.predinfo {
            if self.has(ANGLES_XZ) {
                turned(w, angles, "pitch", true, &mut s.angles[0])?;
                turned(w, angles, "roll", true, &mut s.angles[2])?;
            }
            if self.has(ANGLES_Y) {
                turned(w, angles, "yaw", true, &mut s.angles[1])?;
            }
        } else {
            if self.has(ANGLES_XZ) {
                turned(w, angles, "pitch", false, &mut s.angles[0])?;
                turned(w, angles, "roll", false, &mut s.angles[2])?;
            }
            if self.has(ANGLES_Y) {
                turned(w, angles, "yaw", false, &mut s.angles[1])?;
            }
        }
        if lerp_time {
            if self.has(WIDE_OR_LERP) {
                s.lerp_end = spelling.code_uleb(w, Uleb::LerpEnd, "lerp end", s.lerp_end)?;
            }
            if self.has(EFFECTS) {
                s.effects = spelling.code_uleb(w, Uleb::Effects, "effects", s.effects)?;
            }
            return Ok(());
        }
        let width = match (self.has(EFFECTS), self.has(EFFECTS2)) {
            (true, true) => 32,
            (false, true) => 16,
            (true, false) => 8,
            (false, false) => return Ok(()),
        };
        s.effects = w.field("effects", s.effects, width)?;
        Ok(())
    }

    /// The block of `UF_PREDINFO`. Document: *Prediction*.
    fn prediction<W: Wire>(&self, w: &mut W, delta: &mut Delta) -> Result<(), W::Error> {
        delta.pred = w.field("predinfo bits", u32::from(delta.pred), 8)? as u8;
        let (s, pred) = (&mut delta.state, delta.pred);
        for (bit, name, slot) in [(PRED_FORWARD, "forward", 0), (PRED_SIDE, "side", 1), (PRED_UP, "up", 2)] {
            if pred & bit != 0 {
                short(w, name, &mut s.movement[slot])?;
            }
        }
        if pred & PRED_MOVETYPE != 0 {
            byte(w, "movetype", &mut s.movetype)?;
        }
        if pred & PRED_VELOCITY_XY != 0 {
            speed(w, "velocity x", &mut s.velocity[0])?;
            speed(w, "velocity y", &mut s.velocity[1])?;
        }
        if pred & PRED_VELOCITY_Z != 0 {
            speed(w, "velocity z", &mut s.velocity[2])?;
        }
        if pred & PRED_MSEC != 0 {
            byte(w, "msec", &mut s.msec)?;
        }
        if pred & PRED_LAST == 0 {
            return Ok(());
        }
        if self.flags.predinfo {
            if self.has(ANGLES_XZ) {
                view_angle(w, "view pitch", &mut s.view_angles[0])?;
                view_angle(w, "view roll", &mut s.view_angles[2])?;
            }
            if self.has(ANGLES_Y) {
                view_angle(w, "view yaw", &mut s.view_angles[1])?;
            }
            return Ok(());
        }
        let frame = u32::from(s.weapon_frame);
        let wide = frame > 0x7f || delta.spelling.weapon_frame_overlong;
        let low = w.field("weapon frame", frame & 0x7f | u32::from(wide) << 7, 8)?;
        let mut frame_read = low & 0x7f;
        if low & 0x80 != 0 {
            frame_read |= w.bits(frame >> 7 & 0xff, 8)? << 7;
        }
        s.weapon_frame = frame_read as u16;
        delta.spelling.weapon_frame_overlong = low & 0x80 != 0 && frame_read <= 0x7f;
        Ok(())
    }

    /// Model, skin, colors, box, flags, opacity and size.
    fn looks<W: Wire>(&self, w: &mut W, delta: &mut Delta) -> Result<(), W::Error> {
        let (s, spelling) = (&mut delta.state, &mut delta.spelling);
        let lerp_time = self.flags.lerp_time;
        if self.has(MODEL) {
            s.model = if lerp_time { spelling.code_uleb(w, Uleb::Model, "model", s.model)? } else { w.field("model", s.model, self.wide)? };
        }
        if self.has(SKIN) {
            s.skin = if lerp_time {
                (spelling.code_uleb(w, Uleb::Skin, "skin", s.skin.wrapping_add(SKIN_BIAS) as u32)? as i32).wrapping_sub(SKIN_BIAS)
            } else if self.wide == 16 {
                w.signed("skin", s.skin, 16)?
            } else {
                w.field("skin", s.skin as u32, 8)? as i32
            };
        }
        if self.has(COLORMAP) {
            s.colormap = if lerp_time { spelling.code_uleb(w, Uleb::Colormap, "colormap", s.colormap)? } else { w.field("colormap", s.colormap, 8)? };
        }
        if self.has(SOLID) {
            (s.solid, spelling.solid) = solid::code(w, self.flags.new_size_encoding, s.solid, spelling.solid)?;
        }
        if self.has(FLAGS) {
            s.flags = if lerp_time { spelling.code_uleb(w, Uleb::Flags, "flags", s.flags)? } else { w.field("flags", s.flags, 8)? };
        }
        if self.has(ALPHA) {
            byte(w, "alpha", &mut s.alpha)?;
        }
        if self.has(SCALE) {
            byte(w, "scale", &mut s.scale)?;
        }
        Ok(())
    }

    /// Bones, drawing flags, tag, light and particles.
    fn attachments<W: Wire>(&self, w: &mut W, delta: &mut Delta) -> Result<(), W::Error> {
        let lerp_time = self.flags.lerp_time;
        if self.has(BONE_DATA) {
            w.scope("bonedata", None, |w| self.bones(w, delta))?;
        }
        let (s, spelling) = (&mut delta.state, &mut delta.spelling);
        if self.has(DRAW_FLAGS) {
            byte(w, "drawflags", &mut s.draw_flags)?;
            if draws_lit(s.draw_flags) {
                byte(w, "abslight", &mut s.abs_light)?;
            } else if W::READING {
                s.abs_light = 0;
            }
        }
        if self.has(TAG_INFO) {
            let entity = code_entity(w, "tag entity", EntityNumber { number: s.tag_entity, overlong: spelling.tag_entity_overlong })?;
            (s.tag_entity, spelling.tag_entity_overlong) = (entity.number, entity.overlong);
            s.tag_index = if lerp_time {
                (spelling.code_uleb(w, Uleb::TagIndex, "tag index", s.tag_index.wrapping_add(1) as u32)? as i32).wrapping_sub(1)
            } else {
                match w.field("tag index", s.tag_index as u32, 8)? & 0xff {
                    0xff => -1,
                    index => index as i32,
                }
            };
        }
        if self.has(LIGHT) {
            for (name, value) in ["light red", "light green", "light blue", "light radius"].into_iter().zip(&mut s.light) {
                short(w, name, value)?;
            }
            s.light_style =
                if lerp_time { spelling.code_uleb(w, Uleb::LightStyle, "light style", s.light_style)? } else { w.field("light style", s.light_style, 8)? };
            byte(w, "light flags", &mut s.light_flags)?;
        }
        if self.has(TRAIL_EFFECT) {
            if lerp_time {
                s.trail_effect = spelling.code_uleb(w, Uleb::TrailEffect, "trail effect", s.trail_effect)?;
                s.emit_effect = spelling.code_uleb(w, Uleb::EmitEffect, "emit effect", s.emit_effect)?;
            } else {
                particles(w, s, spelling)?;
            }
        }
        Ok(())
    }

    /// `UF_BONEDATA`. Document: *Bones*.
    fn bones<W: Wire>(&self, w: &mut W, delta: &mut Delta) -> Result<(), W::Error> {
        delta.bone_flags = w.field("bone flags", u32::from(delta.bone_flags), 8)? as u8;
        w.expect(delta.bone_flags & 0x3f == 0, "bone data of an unknown kind")?;
        let (s, spelling) = (&mut delta.state, &mut delta.spelling);
        if delta.bone_flags & BONES != 0 {
            w.expect(W::READING || s.bones.len() <= 255, "more than 255 bones")?;
            let count = w.field("bone count", s.bones.len() as u32, 8)? as usize;
            if W::READING {
                s.bones.clear();
            }
            for at in 0..count {
                let mut bone = if W::READING { [0; 7] } else { s.bones[at] };
                w.enter("bone");
                for part in &mut bone {
                    *part = w.bits(u32::from(*part as u16), 16)? as u16 as i16;
                }
                if W::READING {
                    s.bones.push(bone);
                }
            }
        } else if W::READING {
            s.bones.clear();
        }
        if delta.bone_flags & BASE_ANIMATION == 0 {
            if W::READING {
                (s.base_bone, s.base_frame) = (0, 0);
            }
        } else if self.flags.lerp_time {
            s.base_bone = spelling.code_uleb(w, Uleb::BaseBone, "base bone", s.base_bone)?;
            s.base_frame = spelling.code_uleb(w, Uleb::BaseFrame, "base frame", s.base_frame)?;
        } else {
            s.base_bone = w.field("base bone", s.base_bone, 8)?;
            s.base_frame = w.field("base frame", s.base_frame, 16)?;
        }
        Ok(())
    }

    /// Colors, glow, fatness, second model and gravity.
    fn rare<W: Wire>(&self, w: &mut W, delta: &mut Delta) -> Result<(), W::Error> {
        let (s, spelling) = (&mut delta.state, &mut delta.spelling);
        if self.has(COLOR_MOD) {
            color(w, ["colormod red", "colormod green", "colormod blue"], &mut s.color_mod)?;
        }
        if self.has(GLOW) {
            byte(w, "glow size", &mut s.glow_size)?;
            byte(w, "glow color", &mut s.glow_color)?;
            color(w, ["glowmod red", "glowmod green", "glowmod blue"], &mut s.glow_mod)?;
        }
        if self.has(FATNESS) {
            s.fatness = w.signed("fatness", i32::from(s.fatness), 8)? as i8;
        }
        if self.has(MODEL2) {
            s.model2 = if self.flags.lerp_time { spelling.code_uleb(w, Uleb::Model2, "model 2", s.model2)? } else { w.field("model 2", s.model2, self.wide)? };
        }
        if self.has(GRAVITY_DIR) {
            byte(w, "gravity pitch", &mut s.gravity_dir[0])?;
            byte(w, "gravity yaw", &mut s.gravity_dir[1])?;
        }
        Ok(())
    }
}

/// `UF_TRAILEFFECT` of two words, the second announced by bit 15 of the first. Two bits of each have no meaning but
/// may be set.
fn particles<W: Wire>(w: &mut W, s: &mut EntityState, spelling: &mut Spelling) -> Result<(), W::Error> {
    let canonical = u32::from(s.emit_effect != 0) << 15;
    let word = w.field("trail effect", s.trail_effect & 0x3fff | (canonical ^ u32::from(spelling.trail) << 14), 16)?;
    s.trail_effect = word & 0x3fff;
    if word & 0x8000 == 0 {
        (s.emit_effect, spelling.emit) = (0, 0);
    } else {
        let emit = w.field("emit effect", s.emit_effect & 0x3fff | u32::from(spelling.emit) << 14, 16)?;
        (s.emit_effect, spelling.emit) = (emit & 0x3fff, (emit >> 14) as u8);
    }
    let canonical = u32::from(s.emit_effect != 0) << 15;
    spelling.trail = ((word & 0xc000 ^ canonical) >> 14) as u8;
    Ok(())
}

#[inline(always)]
fn byte<W: Wire>(w: &mut W, name: &'static str, value: &mut u8) -> Result<(), W::Error> {
    *value = w.field(name, u32::from(*value), 8)? as u8;
    Ok(())
}

#[inline(always)]
fn short<W: Wire>(w: &mut W, name: &'static str, value: &mut i16) -> Result<(), W::Error> {
    *value = w.field(name, u32::from(*value as u16), 16)? as u16 as i16;
    let word = *value;
    w.note(|| word.to_string());
    Ok(())
}

/// A coordinate of an origin.
#[inline(always)]
fn place<W: Wire>(w: &mut W, kind: Coordinates, name: &'static str, value: &mut u32) -> Result<(), W::Error> {
    *value = kind.code(w, name, *value)?;
    let word = *value;
    w.note(|| kind.units(word).to_string());
    Ok(())
}

/// An angle. `short` says that it has 16 bits whatever the others have.
#[inline(always)]
fn turned<W: Wire>(w: &mut W, kind: Angles, name: &'static str, short: bool, value: &mut u32) -> Result<(), W::Error> {
    *value = if short { kind.code_short(w, name, *value)? } else { kind.code(w, name, *value)? };
    let word = *value;
    w.note(|| kind.degrees(word).to_string());
    Ok(())
}

/// A velocity in eighths of a unit per second.
#[inline(always)]
fn speed<W: Wire>(w: &mut W, name: &'static str, value: &mut i16) -> Result<(), W::Error> {
    short(w, name, value)?;
    let word = *value;
    w.note(|| (f32::from(word) / 8.0).to_string());
    Ok(())
}

/// A view angle in 65536ths of a turn.
#[inline(always)]
fn view_angle<W: Wire>(w: &mut W, name: &'static str, value: &mut i16) -> Result<(), W::Error> {
    short(w, name, value)?;
    let word = *value;
    w.note(|| (f32::from(word) * (360.0 / 65536.0)).to_string());
    Ok(())
}

#[inline(always)]
fn color<W: Wire>(w: &mut W, names: [&'static str; 3], value: &mut [u8; 3]) -> Result<(), W::Error> {
    for (name, part) in names.into_iter().zip(value) {
        byte(w, name, part)?;
    }
    Ok(())
}
