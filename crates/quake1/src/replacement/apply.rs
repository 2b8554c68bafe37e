//! What an update does to an entity, and which update takes one state to another. Document: *State*, *Choosing bits*.

use super::bits::*;
use crate::replacement::delta::{BASE_ANIMATION, BONES, Delta};
use crate::replacement::shape::Flags;
use crate::replacement::solid;
use crate::replacement::state::{EntityState, draws_lit};

impl Delta {
    /// Applies this update. `baseline` is what a reset starts from; an entity that was not known before begins as
    /// the null state in `state`.
    pub(crate) fn apply(&self, flags: &Flags, baseline: &EntityState, state: &mut EntityState) {
        let (bits, from) = (self.bits, &self.state);
        let has = |bit| bits & bit != 0;
        if has(RESET) {
            state.clone_from(baseline);
        }
        state.forget_motion();
        if has(FRAME) {
            state.frame = from.frame;
        }
        if has(ORIGIN_XY) {
            state.origin[..2].copy_from_slice(&from.origin[..2]);
        }
        if has(ORIGIN_Z) {
            state.origin[2] = from.origin[2];
        }
        if has(ANGLES_XZ) {
            (state.angles[0], state.angles[2]) = (from.angles[0], from.angles[2]);
        }
        if has(ANGLES_Y) {
            state.angles[1] = from.angles[1];
        }
        state.derive_view(bits, flags.angles);
        if flags.lerp_time && has(WIDE_OR_LERP) {
            state.lerp_end = from.lerp_end;
        }
        if has(EFFECTS | EFFECTS2) {
            state.effects = from.effects;
        }
        if has(PREDINFO) {
            self.apply_prediction(flags, state);
        }
        if bits >> 10 != 0 {
            self.apply_looks(state);
        }
    }

    fn apply_prediction(&self, flags: &Flags, state: &mut EntityState) {
        let from = &self.state;
        let has = |bit| self.pred & bit != 0;
        for (bit, slot) in [(PRED_FORWARD, 0), (PRED_SIDE, 1), (PRED_UP, 2)] {
            if has(bit) {
                state.movement[slot] = from.movement[slot];
            }
        }
        if has(PRED_MOVETYPE) {
            state.movetype = from.movetype;
        }
        if has(PRED_VELOCITY_XY) {
            state.velocity[..2].copy_from_slice(&from.velocity[..2]);
        }
        if has(PRED_VELOCITY_Z) {
            state.velocity[2] = from.velocity[2];
        }
        if has(PRED_MSEC) {
            state.msec = from.msec;
        }
        if !has(PRED_LAST) {
            return;
        }
        if !flags.predinfo {
            state.weapon_frame = from.weapon_frame;
            return;
        }
        if self.bits & ANGLES_XZ != 0 {
            (state.view_angles[0], state.view_angles[2]) = (from.view_angles[0], from.view_angles[2]);
        }
        if self.bits & ANGLES_Y != 0 {
            state.view_angles[1] = from.view_angles[1];
        }
    }

    fn apply_looks(&self, state: &mut EntityState) {
        let from = &self.state;
        let has = |bit| self.bits & bit != 0;
        if has(MODEL) {
            state.model = from.model;
        }
        if has(SKIN) {
            state.skin = from.skin;
        }
        if has(COLORMAP) {
            state.colormap = from.colormap;
        }
        if has(SOLID) {
            state.solid = from.solid;
        }
        if has(FLAGS) {
            state.flags = from.flags;
        }
        if has(ALPHA) {
            state.alpha = from.alpha;
        }
        if has(SCALE) {
            state.scale = from.scale;
        }
        if has(BONE_DATA) {
            state.bones.clone_from(&from.bones);
            (state.base_bone, state.base_frame) = (from.base_bone, from.base_frame);
        }
        if has(DRAW_FLAGS) {
            (state.draw_flags, state.abs_light) = (from.draw_flags, from.abs_light);
        }
        if has(TAG_INFO) {
            (state.tag_entity, state.tag_index) = (from.tag_entity, from.tag_index);
        }
        if has(LIGHT) {
            (state.light, state.light_style, state.light_flags) = (from.light, from.light_style, from.light_flags);
        }
        if has(TRAIL_EFFECT) {
            (state.trail_effect, state.emit_effect) = (from.trail_effect, from.emit_effect);
        }
        if has(COLOR_MOD) {
            state.color_mod = from.color_mod;
        }
        if has(GLOW) {
            (state.glow_size, state.glow_color, state.glow_mod) = (from.glow_size, from.glow_color, from.glow_mod);
        }
        if has(FATNESS) {
            state.fatness = from.fatness;
        }
        if has(MODEL2) {
            state.model2 = from.model2;
        }
        if has(GRAVITY_DIR) {
            state.gravity_dir = from.gravity_dir;
        }
    }
}

/// A sender's note that an entity's movetype is to be sent. Uses a bit that no field has.
pub(crate) const SEND_MOVETYPE: u32 = EXTEND1;
/// A sender's note that an entity's weapon frame is to be sent. Uses a bit that no field has.
pub(crate) const SEND_WEAPON_FRAME: u32 = EXTEND2;
/// A sender's note that the view angles are to be sent. Uses a bit that no field has.
pub const SEND_VIEW: u32 = EXTEND3;

impl Flags {
    /// Brings a state to what this layout can say, so that comparing two states shows whether an update is needed.
    pub fn quantize(&self, state: &mut EntityState) {
        for word in &mut state.origin {
            *word = match self.origin {
                crate::replacement::Coordinates::Eighths => fragreel_base::wire::sign_extend(*word, 16),
                crate::replacement::Coordinates::Fraction => *word & 0xff_ffff,
                _ => *word,
            };
        }
        if self.angles != crate::replacement::Angles::Float {
            let precise = !self.predinfo && state.movetype != 0;
            let kept = if self.angles == crate::replacement::Angles::Byte && !precise { 0xff00 } else { 0xffff };
            state.angles = state.angles.map(|word| word & kept);
        } else if !self.predinfo {
            state.angles = state.angles.map(|word| self.angles.from_turns(self.angles.turns(word)));
        }
        if self.predinfo {
            state.weapon_frame = 0;
        }
        state.weapon_frame &= 0x7fff;
        if !draws_lit(state.draw_flags) {
            state.abs_light = 0;
        }
        state.tag_entity &= crate::replacement::LAST_ENTITY;
        if !self.new_size_encoding {
            state.solid = solid::expand(solid::shorten(state.solid));
            state.bones.clear();
            (state.base_bone, state.base_frame) = (0, 0);
        }
        state.bones.truncate(255);
        if self.lerp_time {
            return;
        }
        state.lerp_end = 0;
        state.frame &= 0xffff;
        state.model &= 0xffff;
        state.model2 &= 0xffff;
        state.skin = i32::from(state.skin as i16);
        state.colormap &= 0xff;
        state.flags &= 0xff;
        state.base_bone &= 0xff;
        state.base_frame &= 0xffff;
        state.tag_index = if state.tag_index & 0xff == 0xff { -1 } else { state.tag_index & 0xff };
        state.light_style &= 0xff;
        state.trail_effect &= 0x3fff;
        state.emit_effect &= 0x3fff;
    }

    /// Which fields differ between two [quantized](Self::quantize) states, as mask bits and `SEND_` notes. `views` says
    /// whether view angles are sent at all, which only `PEXT2_PREDINFO` allows.
    pub fn difference(&self, from: &EntityState, to: &EntityState, views: bool) -> u32 {
        let mut bits = 0;
        let mut differs = |bit: u32, differs: bool| bits |= if differs { bit } else { 0 };
        differs(FRAME, from.frame != to.frame);
        differs(ORIGIN_XY, from.origin[..2] != to.origin[..2]);
        differs(ORIGIN_Z, from.origin[2] != to.origin[2]);
        differs(ANGLES_XZ, from.angles[0] != to.angles[0] || from.angles[2] != to.angles[2]);
        differs(ANGLES_Y, from.angles[1] != to.angles[1]);
        differs(EFFECTS, from.effects != to.effects);
        differs(PREDINFO, from.movement != to.movement || from.velocity != to.velocity || from.msec != to.msec);
        differs(PREDINFO | SEND_MOVETYPE, from.movetype != to.movetype);
        differs(PREDINFO | SEND_WEAPON_FRAME, !self.predinfo && from.weapon_frame != to.weapon_frame);
        differs(WIDE_OR_LERP, self.lerp_time && from.lerp_end != to.lerp_end);
        differs(MODEL, from.model != to.model);
        differs(SKIN, from.skin != to.skin);
        differs(COLORMAP, from.colormap != to.colormap);
        differs(SOLID, from.solid != to.solid);
        differs(FLAGS, from.flags != to.flags);
        differs(ALPHA, from.alpha != to.alpha);
        differs(SCALE, from.scale != to.scale);
        differs(BONE_DATA, from.bones != to.bones || from.base_bone != to.base_bone || from.base_frame != to.base_frame);
        differs(DRAW_FLAGS, from.draw_flags != to.draw_flags || from.abs_light != to.abs_light);
        differs(TAG_INFO, from.tag_entity != to.tag_entity || from.tag_index != to.tag_index);
        differs(LIGHT, from.light != to.light || from.light_style != to.light_style || from.light_flags != to.light_flags);
        differs(TRAIL_EFFECT, from.trail_effect != to.trail_effect || from.emit_effect != to.emit_effect);
        differs(COLOR_MOD, from.color_mod != to.color_mod);
        differs(GLOW, from.glow_size != to.glow_size || from.glow_color != to.glow_color || from.glow_mod != to.glow_mod);
        differs(FATNESS, from.fatness != to.fatness);
        differs(MODEL2, from.model2 != to.model2);
        differs(GRAVITY_DIR, from.gravity_dir != to.gravity_dir);
        if views && self.predinfo {
            differs(ANGLES_XZ | SEND_VIEW, from.view_angles[0] != to.view_angles[0] || from.view_angles[2] != to.view_angles[2]);
            differs(ANGLES_Y | SEND_VIEW, from.view_angles[1] != to.view_angles[1]);
        }
        bits
    }

    /// Turns the fields to be sent (mask bits and `SEND_` notes) into an update of a [quantized](Self::quantize) state,
    /// as a stock server would write it. `delta` is overwritten.
    pub fn compose(&self, fields: u32, state: &EntityState, views: bool, delta: &mut Delta) {
        let mut bits = fields & !(SEND_MOVETYPE | SEND_WEAPON_FRAME | SEND_VIEW | EFFECTS2);
        delta.pred = 0;
        let mut pred = |bit: u8, on: bool| delta.pred |= if on { bit } else { 0 };
        pred(PRED_MOVETYPE, fields & SEND_MOVETYPE != 0);
        pred(PRED_FORWARD, state.movement[0] != 0);
        pred(PRED_SIDE, state.movement[1] != 0);
        pred(PRED_UP, state.movement[2] != 0);
        pred(PRED_VELOCITY_XY, state.velocity[..2] != [0; 2]);
        pred(PRED_VELOCITY_Z, state.velocity[2] != 0);
        pred(PRED_MSEC, state.msec != 0);
        pred(PRED_LAST, fields & SEND_WEAPON_FRAME != 0 && !self.predinfo);
        let turns = bits & (ANGLES_XZ | ANGLES_Y) != 0;
        pred(PRED_LAST, self.predinfo && views && turns);
        if delta.pred != 0 || (turns && !self.predinfo && self.needs_precise_angles(state)) {
            bits |= PREDINFO;
        }
        let animated = state.base_bone != 0 || state.base_frame != 0;
        delta.bone_flags = if state.bones.is_empty() { 0 } else { BONES } | if animated { BASE_ANIMATION } else { 0 };
        if !self.lerp_time {
            bits &= !WIDE_OR_LERP;
            let wide = (bits & FRAME != 0 && state.frame > 0xff)
                || (bits & MODEL != 0 && state.model > 0xff)
                || (bits & MODEL2 != 0 && state.model2 > 0xff)
                || (bits & SKIN != 0 && !(0..=0xff).contains(&state.skin));
            bits |= u32::from(wide) * WIDE_OR_LERP;
            if bits & EFFECTS != 0 && state.effects > 0xffff {
                bits |= EFFECTS2;
            } else if bits & EFFECTS != 0 && state.effects > 0xff {
                bits = bits & !EFFECTS | EFFECTS2;
            }
        }
        delta.bits = fragreel_base::delta::masked::extended(u64::from(bits), MORE) as u32;
        delta.state.clone_from(state);
        delta.spelling = crate::replacement::delta::Spelling::default();
    }

    /// Whether only the precise angles of a predicted entity say where this one points.
    fn needs_precise_angles(&self, state: &EntityState) -> bool {
        self.angles == crate::replacement::Angles::Byte && state.angles.iter().any(|word| word & 0xff != 0)
    }
}
