//! Replacement deltas: masks, groups and widths are made from the keys that are there.

use std::sync::LazyLock;

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::masked::extended;
use fragreel_base::textform::{Flags as BitNames, Form, Leaf, Names};
use fragreel_base::wire::WireError;

use crate::fields::names::{self, Words};
use crate::message::{SpawnBaseline2, SpawnStatic2, UpdateEntities};
use crate::replacement::bits::*;
use crate::replacement::solid::{SOLID_BSP, SOLID_HULL1, SOLID_HULL2, SOLID_NOT, expand, shorten};
use crate::replacement::{Angles, Bone, Change, Delta, EntityUpdate, Flags, LAST_ENTITY, Spelling, uleb_bytes};
use crate::text::rules::Rules;
use crate::text::units::{self, OPACITY, SHORT_ANGLE, SIXTEENTH, TINT, angle, byte_or_degrees, byte_or_units, bytes_or_units, coordinate, short_angle};
use crate::text::value::{AsText, WIDEST_ENTITY, by_number, elements, field};

/// What announces a field.
#[derive(Clone, Copy)]
enum By {
    /// A bit of the mask.
    Mask(u32),
    /// A bit of the prediction block's mask.
    Pred(u8),
    /// The last bit of the prediction block's mask together with those of angles.
    View,
    /// A bit of the flags of bone data.
    Bones(u8),
}

macro_rules! fields {
    ($($field:ident $name:literal $by:expr;)*) => {
        /// The fields of a delta; each is one member.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        enum Field { $($field),* }

        /// Their names and what announces them.
        const FIELDS: &[(Field, &str, By)] = &[$((Field::$field, $name, $by)),*];
    };
}

use By::{Bones as B, Mask as M, Pred as P, View as V};

fields! {
    Frame "frame" M(FRAME);
    X "x" M(ORIGIN_XY);
    Y "y" M(ORIGIN_XY);
    Z "z" M(ORIGIN_Z);
    Pitch "pitch" M(ANGLES_XZ);
    Roll "roll" M(ANGLES_XZ);
    Yaw "yaw" M(ANGLES_Y);
    LerpEnd "lerp_end" M(WIDE_OR_LERP);
    Effects "effects" M(EFFECTS);
    Forward "forward" P(PRED_FORWARD);
    Side "side" P(PRED_SIDE);
    Up "up" P(PRED_UP);
    MoveType "movetype" P(PRED_MOVETYPE);
    VelocityX "velocity_x" P(PRED_VELOCITY_XY);
    VelocityY "velocity_y" P(PRED_VELOCITY_XY);
    VelocityZ "velocity_z" P(PRED_VELOCITY_Z);
    Msec "msec" P(PRED_MSEC);
    ViewPitch "view_pitch" V;
    ViewRoll "view_roll" V;
    ViewYaw "view_yaw" V;
    WeaponFrame "weapon_frame" P(PRED_LAST);
    Model "model" M(MODEL);
    Skin "skin" M(SKIN);
    Colormap "colormap" M(COLORMAP);
    Solid "solid" M(SOLID);
    Box "box" M(SOLID);
    RenderFlags "flags" M(FLAGS);
    Alpha "alpha" M(ALPHA);
    Scale "scale" M(SCALE);
    Bones "bones" B(BONES);
    BaseBone "base_bone" B(BASE_ANIMATION);
    BaseFrame "base_frame" B(BASE_ANIMATION);
    DrawFlags "draw_flags" M(DRAW_FLAGS);
    AbsLight "abs_light" M(DRAW_FLAGS);
    TagEntity "tag_entity" M(TAG_INFO);
    TagIndex "tag_index" M(TAG_INFO);
    Light "light" M(LIGHT);
    LightStyle "light_style" M(LIGHT);
    LightFlags "light_flags" M(LIGHT);
    TrailEffect "trail_effect" M(TRAIL_EFFECT);
    EmitEffect "emit_effect" M(TRAIL_EFFECT);
    ColorMod "color_mod" M(COLOR_MOD);
    GlowSize "glow_size" M(GLOW);
    GlowColor "glow_color" M(GLOW);
    GlowMod "glow_mod" M(GLOW);
    Fatness "fatness" M(FATNESS);
    Model2 "model_2" M(MODEL2);
    GravityDir "gravity_dir" M(GRAVITY_DIR);
}

const BONES: u8 = 0x80;
const BASE_ANIMATION: u8 = 0x40;

const fn bit(field: Field) -> u64 {
    1 << field as usize
}

/// Which fields each bit of the mask, and of the prediction block's, announces.
struct Announced {
    mask: [u64; 32],
    pred: [u64; 8],
}

const ANNOUNCED: Announced = {
    let mut table = Announced { mask: [0; 32], pred: [0; 8] };
    let mut at = 0;
    while at < FIELDS.len() {
        match FIELDS[at].2 {
            By::Mask(bit) => table.mask[bit.trailing_zeros() as usize] |= 1 << at,
            By::Pred(bit) => table.pred[bit.trailing_zeros() as usize] |= 1 << at,
            By::View | By::Bones(_) => {}
        }
        at += 1;
    }
    table
};

static NAMES: LazyLock<Names> = LazyLock::new(|| Names::new(FIELDS.iter().map(|(_, name, _)| *name)));

/// Boxes that have a name, which is said as `box` instead of the number as `solid`.
const BOXES: [u32; 4] = [SOLID_NOT, SOLID_BSP, SOLID_HULL1, SOLID_HULL2];
const BOX_NAMES: Words = Words(&["none", "model", "player", "monster"]);

fn box_of(solid: u32) -> Option<usize> {
    BOXES.iter().position(|known| *known == solid)
}

/// The masks that a delta is sent with.
#[derive(Clone, Copy, Default, PartialEq)]
struct Masks {
    bits: u32,
    pred: u8,
    bones: u8,
}

impl Delta {
    fn masks(&self) -> Masks {
        let has = |bit| self.bits & bit != 0;
        Masks { bits: self.bits, pred: if has(PREDINFO) { self.pred } else { 0 }, bones: if has(BONE_DATA) { self.bone_flags } else { 0 } }
    }

    /// The fields that masks announce.
    fn announced(&self, masks: Masks, flags: &Flags) -> u64 {
        let mut set = FieldSet(masks.bits.into()).into_iter().fold(0, |set, at| set | ANNOUNCED.mask[at]);
        if masks.bits & EFFECTS2 != 0 {
            set |= bit(Field::Effects);
        }
        if !flags.lerp_time {
            set &= !bit(Field::LerpEnd);
        }
        if masks.bits & PREDINFO != 0 {
            set |= FieldSet(masks.pred.into()).into_iter().fold(0, |set, at| set | ANNOUNCED.pred[at]);
            if flags.predinfo {
                set &= !bit(Field::WeaponFrame);
                if masks.pred & PRED_LAST != 0 {
                    set |= if masks.bits & ANGLES_XZ != 0 { bit(Field::ViewPitch) | bit(Field::ViewRoll) } else { 0 };
                    set |= if masks.bits & ANGLES_Y != 0 { bit(Field::ViewYaw) } else { 0 };
                }
            }
        }
        if masks.bits & BONE_DATA != 0 {
            set |= if masks.bones & BONES != 0 { bit(Field::Bones) } else { 0 };
            set |= if masks.bones & BASE_ANIMATION != 0 { bit(Field::BaseBone) | bit(Field::BaseFrame) } else { 0 };
        }
        set &= !bit(if box_of(self.state.solid).is_some() { Field::Solid } else { Field::Box });
        if !self.state.has_abs_light() {
            set &= !bit(Field::AbsLight);
        }
        set
    }

    /// The masks with which a stock sender sends these fields.
    fn plain(&self, present: u64, reset: bool, flags: &Flags) -> Masks {
        let mut masks = Masks::default();
        for at in FieldSet(present) {
            match FIELDS[at].2 {
                By::Mask(bit) => masks.bits |= bit,
                By::Pred(bit) => masks.pred |= bit,
                By::View => masks.pred |= PRED_LAST,
                By::Bones(bit) => masks.bones |= bit,
            }
        }
        if masks.pred != 0 {
            masks.bits |= PREDINFO;
        }
        if masks.bones != 0 {
            masks.bits |= BONE_DATA;
        }
        if reset {
            masks.bits |= RESET;
        }
        if !flags.lerp_time {
            self.widths(present, &mut masks.bits);
        }
        masks.bits = extended(masks.bits.into(), MORE) as u32;
        masks
    }

    /// The bits that only say how wide fields are.
    fn widths(&self, present: u64, bits: &mut u32) {
        let s = &self.state;
        let wide = |field, value: bool| present & bit(field) != 0 && value;
        if wide(Field::Frame, s.frame > 255) || wide(Field::Model, s.model > 255) || wide(Field::Model2, s.model2 > 255) {
            *bits |= WIDE_OR_LERP;
        }
        if wide(Field::Skin, !(0..=255).contains(&s.skin)) {
            *bits |= WIDE_OR_LERP;
        }
        if present & bit(Field::Effects) != 0 {
            *bits |= match s.effects {
                0..=0xff => EFFECTS,
                0x100..=0xffff => EFFECTS2,
                _ => EFFECTS | EFFECTS2,
            };
            if (0x100..=0xffff).contains(&s.effects) {
                *bits &= !EFFECTS;
            }
        }
    }

    /// The members of a delta.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, flags: &Flags, effects: BitNames) -> Result<(), F::Error> {
        let (mut present, mut masks) = (0, Masks::default());
        if F::READING {
            *self = Delta::default();
        } else {
            masks = self.masks();
            present = self.announced(masks, flags);
        }
        let mut reset = masks.bits & RESET != 0;
        f.unless("reset", &mut reset, false)?;
        let predicted = !flags.predinfo;
        f.members(&NAMES, FieldSet(present).into_iter(), |f, at| {
            if F::READING {
                present |= 1 << at;
            }
            let (field, name, _) = FIELDS[at];
            self.value(f, field, flags, effects, predicted && masks.bits & PREDINFO != 0).map_err(|error| error.inside(name, None))
        })?;
        let plain = self.plain(present, reset, flags);
        if !F::READING && self.bits == plain.bits && masks.pred == plain.pred && masks.bones == plain.bones && self.spelling.is_canonical() {
            return Ok(());
        }
        let mut other = Masks { bits: masks.bits ^ plain.bits, pred: masks.pred ^ plain.pred, bones: 0 };
        if f.key("spelling", true)? {
            spelling(f, &mut other, &mut self.spelling).map_err(|error| error.inside("spelling", None))?;
        } else {
            other = Masks::default();
        }
        if F::READING {
            (self.bits, self.pred, self.bone_flags) = (plain.bits ^ other.bits, plain.pred ^ other.pred, plain.bones);
            self.check(f, present, flags)?;
        }
        Ok(())
    }

    /// Whether what was read can be sent.
    fn check<F: Form>(&mut self, f: &mut F, present: u64, flags: &Flags) -> Result<(), F::Error> {
        f.insist(self.bits & FORBIDDEN == 0, "`spelling` has bits that have no meaning")?;
        f.insist(!flags.lerp_time || self.bits & EFFECTS2 == 0, "`spelling` has the old bit for effects")?;
        let announced = self.announced(self.masks(), flags);
        const EITHER: u64 = bit(Field::Solid) | bit(Field::Box);
        let solid = (announced & EITHER != 0) == (present & EITHER != 0) && present & EITHER != EITHER;
        f.insist(
            solid && (announced ^ present) & !EITHER == 0,
            "fields that are only sent together are not all here, or `spelling` is about other fields: leave it out",
        )?;
        f.insist(extended(self.bits.into(), MORE) == u64::from(self.bits), "`spelling` takes away a bit that others need")?;
        f.insist(self.bits & PREDINFO != 0 || self.pred == 0, "`spelling` is about a prediction that is not here")?;
        if self.bits & PREDINFO != 0 && !flags.predinfo {
            // their angles have 16 bits whatever the others have
            for (at, bits) in [(0, ANGLES_XZ), (1, ANGLES_Y), (2, ANGLES_XZ)] {
                if self.bits & bits != 0 && flags.angles == Angles::Byte {
                    self.state.angles[at] &= 0xffff;
                }
            }
        } else if flags.angles == Angles::Byte {
            let rounded = self.state.angles.map(|word| (word + 0x80) & 0xff00);
            self.state.angles = rounded;
        }
        let mut widths = 0;
        self.widths(present, &mut widths);
        let narrow = !flags.lerp_time && widths & WIDE_OR_LERP & !self.bits != 0;
        f.insist(!narrow, "`spelling` is about smaller numbers: leave it out")?;
        if !flags.lerp_time && present & bit(Field::Effects) != 0 {
            let most = match (self.bits & EFFECTS != 0, self.bits & EFFECTS2 != 0) {
                (true, false) => 0xff,
                (false, true) => 0xffff,
                _ => u32::MAX,
            };
            f.insist(self.state.effects <= most, "`spelling` is about smaller effects: leave it out")?;
        }
        let skin_wide = present & bit(Field::Skin) != 0 && self.bits & WIDE_OR_LERP != 0 && !flags.lerp_time;
        f.insist(!skin_wide || i16::try_from(self.state.skin).is_ok(), "expected a skin from -32768 to 32767")?;
        self.check_spelling(f, flags)
    }

    fn check_spelling<F: Form>(&self, f: &mut F, flags: &Flags) -> Result<(), F::Error> {
        let (s, spelling) = (&self.state, &self.spelling);
        if spelling.is_canonical() {
            return Ok(());
        }
        let numbers = [
            s.frame,
            s.lerp_end,
            s.effects,
            s.model,
            s.skin.wrapping_add(64) as u32,
            s.colormap,
            s.flags,
            s.base_bone,
            s.base_frame,
            s.tag_index.wrapping_add(1) as u32,
            s.light_style,
            s.trail_effect,
            s.emit_effect,
            s.model2,
        ];
        let fits = numbers.iter().enumerate().all(|(at, &value)| uleb_bytes(value) + (spelling.padding >> (3 * at) & 7) as u32 <= 5);
        f.insist(fits, "a number of more than five bytes")?;
        let solid = match spelling.solid.checked_sub(1) {
            None | Some(32) => true,
            Some(0) => s.solid == SOLID_NOT,
            Some(1) => s.solid == SOLID_BSP,
            Some(2) => s.solid == SOLID_HULL1,
            Some(3) => s.solid == SOLID_HULL2,
            Some(16) => expand(shorten(s.solid)) == s.solid,
            Some(_) => false,
        };
        f.insist(solid && (spelling.solid == 0 || flags.new_size_encoding), "`solid` is about another box: leave it out")?;
        let frame = !spelling.weapon_frame_overlong || s.weapon_frame <= 0x7f;
        let tag = !spelling.tag_entity_overlong || s.tag_entity < 0x8000;
        f.insist(frame && tag, "the number needs its long form")?;
        let emits = (u8::from(s.emit_effect != 0) << 1 ^ spelling.trail) & 2 != 0;
        f.insist(
            spelling.trail < 4 && spelling.emit < 4 && (emits || s.emit_effect == 0 && spelling.emit == 0),
            "expected two bits, and none that would drop an effect",
        )
    }

    /// One field. `predicted`: angles have 16 bits.
    #[inline]
    fn value<F: Form>(&mut self, f: &mut F, field: Field, flags: &Flags, effects: BitNames, predicted: bool) -> Result<(), F::Error> {
        let s = &mut self.state;
        let lerp_time = flags.lerp_time;
        // of variable length, or as wide as this
        let number = |f: &mut F, value: &mut u32, most: u32| {
            *value = f.int(i64::from(*value), 0, if lerp_time { u32::MAX } else { most }.into())? as u32;
            Ok(())
        };
        match field {
            Field::Frame => number(f, &mut s.frame, 0xffff),
            Field::X => coordinate(f, flags.origin, s.origin[0]).map(|word| s.origin[0] = word),
            Field::Y => coordinate(f, flags.origin, s.origin[1]).map(|word| s.origin[1] = word),
            Field::Z => coordinate(f, flags.origin, s.origin[2]).map(|word| s.origin[2] = word),
            Field::Pitch => body_angle(f, flags, predicted, &mut s.angles[0]),
            Field::Yaw => body_angle(f, flags, predicted, &mut s.angles[1]),
            Field::Roll => body_angle(f, flags, predicted, &mut s.angles[2]),
            Field::LerpEnd => Leaf::form(&mut s.lerp_end, f),
            Field::Effects => f.flags(s.effects, u32::MAX, effects).map(|word| s.effects = word),
            Field::Forward => Leaf::form(&mut s.movement[0], f),
            Field::Side => Leaf::form(&mut s.movement[1], f),
            Field::Up => Leaf::form(&mut s.movement[2], f),
            Field::MoveType => Leaf::form(&mut s.movetype, f),
            Field::VelocityX => velocity(f, &mut s.velocity[0]),
            Field::VelocityY => velocity(f, &mut s.velocity[1]),
            Field::VelocityZ => velocity(f, &mut s.velocity[2]),
            Field::Msec => Leaf::form(&mut s.msec, f),
            Field::ViewPitch => view_angle(f, &mut s.view_angles[0]),
            Field::ViewYaw => view_angle(f, &mut s.view_angles[1]),
            Field::ViewRoll => view_angle(f, &mut s.view_angles[2]),
            Field::WeaponFrame => {
                s.weapon_frame = f.int(s.weapon_frame.into(), 0, 0x7fff)? as u16;
                Ok(())
            }
            Field::Model => number(f, &mut s.model, 0xffff),
            Field::Skin if lerp_time => Leaf::form(&mut s.skin, f),
            Field::Skin => {
                s.skin = f.int(s.skin.into(), i16::MIN.into(), 0x7fff)? as i32;
                Ok(())
            }
            Field::Colormap => number(f, &mut s.colormap, 0xff),
            Field::Solid => {
                s.solid = f.int(s.solid.into(), 0, u32::MAX.into())? as u32;
                f.insist(flags.new_size_encoding || expand(shorten(s.solid)) == s.solid, "a box that 16 bits cannot say")
            }
            Field::Box => {
                let known = box_of(s.solid).unwrap_or_default() as u32;
                s.solid = BOXES[f.word(known, BOXES.len() as u32 - 1, &BOX_NAMES)? as usize];
                Ok(())
            }
            Field::RenderFlags => f.flags(s.flags, if lerp_time { u32::MAX } else { 0xff }, names::RENDER_FLAGS).map(|word| s.flags = word),
            Field::Alpha => byte_or_units(f, s.alpha, OPACITY).map(|alpha| s.alpha = alpha),
            Field::Scale => byte_or_units(f, s.scale, SIXTEENTH).map(|scale| s.scale = scale),
            Field::Bones => elements(f, &mut s.bones, 255, "more than 255 bones", |f, bone: &mut Bone| Leaf::form(bone, f)),
            Field::BaseBone => number(f, &mut s.base_bone, 0xff),
            Field::BaseFrame => number(f, &mut s.base_frame, 0xffff),
            Field::DrawFlags => Leaf::form(&mut s.draw_flags, f),
            Field::AbsLight => Leaf::form(&mut s.abs_light, f),
            Field::TagEntity => {
                s.tag_entity = f.int(s.tag_entity.into(), 0, WIDEST_ENTITY.into())? as u32;
                Ok(())
            }
            Field::TagIndex if lerp_time => Leaf::form(&mut s.tag_index, f),
            Field::TagIndex => {
                s.tag_index = f.int(s.tag_index.into(), -1, 254)? as i32;
                Ok(())
            }
            Field::Light => Leaf::form(&mut s.light, f),
            Field::LightStyle => number(f, &mut s.light_style, 0xff),
            Field::LightFlags => Leaf::form(&mut s.light_flags, f),
            Field::TrailEffect => number(f, &mut s.trail_effect, 0x3fff),
            Field::EmitEffect => number(f, &mut s.emit_effect, 0x3fff),
            Field::ColorMod => bytes_or_units(f, &mut s.color_mod, TINT),
            Field::GlowSize => byte_or_units(f, s.glow_size, units::GLOW).map(|size| s.glow_size = size),
            Field::GlowColor => Leaf::form(&mut s.glow_color, f),
            Field::GlowMod => bytes_or_units(f, &mut s.glow_mod, TINT),
            Field::Fatness => f.steps(s.fatness.into(), SIXTEENTH, i8::MIN.into(), i8::MAX.into()).map(|fatness| s.fatness = fatness as i8),
            Field::Model2 => number(f, &mut s.model2, 0xffff),
            Field::GravityDir => f.tuple(2, |f, at| {
                s.gravity_dir[at] = byte_or_degrees(f, s.gravity_dir[at])?;
                Ok(())
            }),
        }
    }
}

/// Velocities are sent in eighths.
fn velocity<F: Form>(f: &mut F, value: &mut i16) -> Result<(), F::Error> {
    *value = f.scaled((*value).into(), 0.125, i16::MIN.into(), i16::MAX.into())? as i16;
    Ok(())
}

fn view_angle<F: Form>(f: &mut F, value: &mut i16) -> Result<(), F::Error> {
    *value = f.scaled((*value).into(), SHORT_ANGLE, i16::MIN.into(), i16::MAX.into())? as i16;
    Ok(())
}

/// An angle of the body. Which of two widths it has is known only when all keys were read, so what is read is kept in the
/// finer one.
fn body_angle<F: Form>(f: &mut F, flags: &Flags, predicted: bool, word: &mut u32) -> Result<(), F::Error> {
    *word = match flags.angles {
        Angles::Byte if F::READING || predicted => short_angle(f, *word)?,
        kind => angle(f, kind, *word)?,
    };
    Ok(())
}

fn spelling<F: Form>(f: &mut F, masks: &mut Masks, spelling: &mut Spelling) -> Result<(), F::Error> {
    f.object(|f| {
        f.unless("bits", &mut masks.bits, 0)?;
        f.unless("predinfo", &mut masks.pred, 0)?;
        if f.key("padding", spelling.padding != 0)? {
            spelling.padding = f.int(spelling.padding as i64, 0, (1 << 42) - 1)? as u64;
        } else {
            spelling.padding = 0;
        }
        f.unless("solid", &mut spelling.solid, 0)?;
        f.unless("weapon_frame", &mut spelling.weapon_frame_overlong, false)?;
        f.unless("tag_entity", &mut spelling.tag_entity_overlong, false)?;
        f.unless("trail", &mut spelling.trail, 0)?;
        f.unless("emit", &mut spelling.emit, 0)
    })
}

impl EntityUpdate {
    /// What is said of the entity of this number; all entities have the number 0.
    #[inline]
    fn members<F: Form>(&mut self, f: &mut F, r: &Rules, number: u32) -> Result<(), F::Error> {
        self.number = number;
        f.unless("overlong", &mut self.overlong, false)?;
        f.insist(!self.overlong || number < 0x4000, "the number needs its long form")?;
        let mut remove = matches!(self.change, Change::Remove);
        f.unless("remove", &mut remove, false)?;
        f.insist(number != 0 || remove, "0 stands for all entities, which can only be removed")?;
        if remove {
            self.change = Change::Remove;
            return Ok(());
        }
        if let Change::Delta(delta) = &mut self.change {
            return delta.members(f, &r.layout, names::effects(r.d.is_netquake()));
        }
        let mut delta = Delta::default();
        delta.members(f, &r.layout, names::effects(r.d.is_netquake()))?;
        self.change = Change::Delta(delta);
        Ok(())
    }
}

impl AsText for UpdateEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            let update = &mut self.update;
            if r.layout.input_ack {
                f.field("input", &mut update.input_sequence)?;
            }
            f.require("time")?;
            update.time = f.float(f32::from_bits(update.time))?.to_bits();
            by_number(f, &mut update.entities, LAST_ENTITY, |entity| entity.number, |f, entity, number| entity.members(f, r, number))?;
            f.unless("overlong_end", &mut update.overlong_end, false)
        })
    }
}

impl AsText for SpawnBaseline2 {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "entity", &mut self.entity, r)?;
            self.delta.members(f, &r.layout, names::effects(r.d.is_netquake()))
        })
    }
}

impl AsText for SpawnStatic2 {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| self.delta.members(f, &r.layout, names::effects(r.d.is_netquake())))
    }
}
