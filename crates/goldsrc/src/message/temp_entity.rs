//! `svc_temp_entity`: effects without an entity (`docs/formats/goldsrc.md`, "Temporary entities").

use fragreel_base::wire::Wire;

use crate::message::context::Context;
use crate::scalars::{Plain, Str};

/// An effect: its number and the fields that the number announces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TempEntity {
    /// Which effect.
    pub kind: u8,
    /// Its fields, in the order of its [`TempEntityShape`]; shorter than that where a field depends on another.
    pub values: Vec<u32>,
    /// The words of a text message.
    pub text: Str,
}

/// An effect's name and fields.
#[derive(Debug, Clone, Copy)]
pub struct TempEntityShape {
    /// Its number.
    pub kind: u8,
    /// Its name.
    pub name: &'static str,
    /// Its fields in wire order.
    pub fields: &'static [(&'static str, FieldType)],
}

/// How a field is sent and understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// One byte.
    Byte,
    /// Two bytes, signed.
    Short,
    /// Two bytes.
    Word,
    /// Eighths of a unit, two bytes.
    Coord,
    /// 256ths of a turn.
    Angle,
    /// Four bytes.
    Long,
    /// Four bytes, a float.
    Float,
}

impl FieldType {
    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            FieldType::Byte | FieldType::Angle => 1,
            FieldType::Short | FieldType::Word | FieldType::Coord => 2,
            FieldType::Long | FieldType::Float => 4,
        }
    }

    /// What a word of this type means.
    pub fn show(self, word: u32) -> String {
        match self {
            FieldType::Byte | FieldType::Word | FieldType::Long => word.to_string(),
            FieldType::Short => (word as u16 as i16).to_string(),
            FieldType::Coord => (f32::from(word as u16 as i16) / 8.0).to_string(),
            FieldType::Angle => (word as f32 * 360.0 / 256.0).to_string(),
            FieldType::Float => f32::from_bits(word).to_string(),
        }
    }
}

#[inline]
pub(super) fn value<W: Wire>(w: &mut W, name: &'static str, kind: FieldType, word: u32) -> Result<u32, W::Error> {
    let word = w.field(name, word, 8 * kind.bytes() as u32)?;
    w.note(|| kind.show(word));
    Ok(word)
}

macro_rules! shapes {
    ($($kind:literal $name:ident [$($field:ident $type:ident),* $(,)?])*) => {
        const SHAPES: &[TempEntityShape] = &[$(TempEntityShape {
            kind: $kind,
            name: stringify!($name),
            fields: &[$((stringify!($field), FieldType::$type)),*],
        }),*];
    };
}

shapes! {
    0 TE_BEAMPOINTS [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, sprite Short, start_frame Byte, frame_rate Byte, life Byte,
        width Byte, noise Byte, red Byte, green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    1 TE_BEAMENTPOINT [entity Short, end_x Coord, end_y Coord, end_z Coord, sprite Short, start_frame Byte, frame_rate Byte, life Byte, width Byte,
        noise Byte, red Byte, green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    2 TE_GUNSHOT [x Coord, y Coord, z Coord]
    3 TE_EXPLOSION [x Coord, y Coord, z Coord, sprite Short, scale Byte, frame_rate Byte, flags Byte]
    4 TE_TAREXPLOSION [x Coord, y Coord, z Coord]
    5 TE_SMOKE [x Coord, y Coord, z Coord, sprite Short, scale Byte, frame_rate Byte]
    6 TE_TRACER [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord]
    7 TE_LIGHTNING [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, life Byte, width Byte, amplitude Byte, sprite Short]
    8 TE_BEAMENTS [entity Short, end_entity Short, sprite Short, start_frame Byte, frame_rate Byte, life Byte, width Byte, noise Byte, red Byte,
        green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    9 TE_SPARKS [x Coord, y Coord, z Coord]
    10 TE_LAVASPLASH [x Coord, y Coord, z Coord]
    11 TE_TELEPORT [x Coord, y Coord, z Coord]
    12 TE_EXPLOSION2 [x Coord, y Coord, z Coord, color Byte, colors Byte]
    13 TE_BSPDECAL [x Coord, y Coord, z Coord, texture Short, entity Short, model Short]
    14 TE_IMPLOSION [x Coord, y Coord, z Coord, radius Byte, count Byte, life Byte]
    15 TE_SPRITETRAIL [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, sprite Short, count Byte, life Byte, scale Byte, speed Byte,
        speed_noise Byte]
    17 TE_SPRITE [x Coord, y Coord, z Coord, sprite Short, scale Byte, brightness Byte]
    18 TE_BEAMSPRITE [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, sprite Short, end_sprite Short]
    19 TE_BEAMTORUS [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, sprite Short, start_frame Byte, frame_rate Byte, life Byte,
        width Byte, noise Byte, red Byte, green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    20 TE_BEAMDISK [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, sprite Short, start_frame Byte, frame_rate Byte, life Byte,
        width Byte, noise Byte, red Byte, green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    21 TE_BEAMCYLINDER [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, sprite Short, start_frame Byte, frame_rate Byte, life Byte,
        width Byte, noise Byte, red Byte, green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    22 TE_BEAMFOLLOW [entity Short, sprite Short, life Byte, width Byte, red Byte, green Byte, blue Byte, brightness Byte]
    23 TE_GLOWSPRITE [x Coord, y Coord, z Coord, model Short, life Byte, scale Byte, brightness Byte]
    24 TE_BEAMRING [entity Short, end_entity Short, sprite Short, start_frame Byte, frame_rate Byte, life Byte, width Byte, noise Byte, red Byte,
        green Byte, blue Byte, brightness Byte, scroll_speed Byte]
    25 TE_STREAK_SPLASH [x Coord, y Coord, z Coord, vector_x Coord, vector_y Coord, vector_z Coord, color Byte, count Short, speed Short,
        speed_noise Short]
    27 TE_DLIGHT [x Coord, y Coord, z Coord, radius Byte, red Byte, green Byte, blue Byte, life Byte, decay Byte]
    28 TE_ELIGHT [entity Short, x Coord, y Coord, z Coord, radius Coord, red Byte, green Byte, blue Byte, life Byte, decay Coord]
    29 TE_TEXTMESSAGE [channel Byte, x Short, y Short, effect Byte, red Byte, green Byte, blue Byte, alpha Byte, effect_red Byte, effect_green Byte,
        effect_blue Byte, effect_alpha Byte, fade_in Word, fade_out Word, hold Word, effect_time Word]
    30 TE_LINE [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, life Short, red Byte, green Byte, blue Byte]
    31 TE_BOX [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord, life Short, red Byte, green Byte, blue Byte]
    99 TE_KILLBEAM [entity Short]
    100 TE_LARGEFUNNEL [x Coord, y Coord, z Coord, sprite Short, flags Short]
    101 TE_BLOODSTREAM [x Coord, y Coord, z Coord, vector_x Coord, vector_y Coord, vector_z Coord, color Byte, speed Byte]
    102 TE_SHOWLINE [x Coord, y Coord, z Coord, end_x Coord, end_y Coord, end_z Coord]
    103 TE_BLOOD [x Coord, y Coord, z Coord, vector_x Coord, vector_y Coord, vector_z Coord, color Byte, speed Byte]
    104 TE_DECAL [x Coord, y Coord, z Coord, decal Byte, entity Short]
    105 TE_FIZZ [entity Short, sprite Short, density Byte]
    106 TE_MODEL [x Coord, y Coord, z Coord, velocity_x Coord, velocity_y Coord, velocity_z Coord, yaw Angle, model Short, sound Byte, life Byte]
    107 TE_EXPLODEMODEL [x Coord, y Coord, z Coord, velocity Coord, model Short, count Short, life Byte]
    108 TE_BREAKMODEL [x Coord, y Coord, z Coord, size_x Coord, size_y Coord, size_z Coord, velocity_x Coord, velocity_y Coord, velocity_z Coord,
        speed_noise Byte, model Short, count Byte, life Byte, flags Byte]
    109 TE_GUNSHOTDECAL [x Coord, y Coord, z Coord, entity Short, decal Byte]
    110 TE_SPRITE_SPRAY [x Coord, y Coord, z Coord, velocity_x Coord, velocity_y Coord, velocity_z Coord, model Short, count Byte, speed Byte, noise Byte]
    111 TE_ARMOR_RICOCHET [x Coord, y Coord, z Coord, scale Byte]
    112 TE_PLAYERDECAL [player Byte, x Coord, y Coord, z Coord, entity Short, decal Byte]
    113 TE_BUBBLES [min_x Coord, min_y Coord, min_z Coord, max_x Coord, max_y Coord, max_z Coord, height Coord, model Short, count Byte, speed Coord]
    114 TE_BUBBLETRAIL [min_x Coord, min_y Coord, min_z Coord, max_x Coord, max_y Coord, max_z Coord, height Coord, model Short, count Byte, speed Coord]
    115 TE_BLOODSPRITE [x Coord, y Coord, z Coord, spray Short, drop Short, color Byte, scale Byte]
    116 TE_WORLDDECAL [x Coord, y Coord, z Coord, decal Byte]
    117 TE_WORLDDECALHIGH [x Coord, y Coord, z Coord, decal Byte]
    118 TE_DECALHIGH [x Coord, y Coord, z Coord, decal Byte, entity Short]
    119 TE_PROJECTILE [x Coord, y Coord, z Coord, velocity_x Coord, velocity_y Coord, velocity_z Coord, model Short, life Byte, owner Byte]
    120 TE_SPRAY [x Coord, y Coord, z Coord, vector_x Coord, vector_y Coord, vector_z Coord, model Short, count Byte, speed Byte, noise Byte,
        render_mode Byte]
    121 TE_PLAYERSPRITES [player Short, model Short, count Byte, variance Byte]
    122 TE_PARTICLEBURST [x Coord, y Coord, z Coord, radius Short, color Byte, duration Byte]
    123 TE_FIREFIELD [x Coord, y Coord, z Coord, radius Short, model Short, count Byte, flags Byte, duration Byte]
    124 TE_PLAYERATTACHMENT [player Byte, height Coord, model Short, life Short]
    125 TE_KILLPLAYERATTACHMENTS [player Byte]
    126 TE_MULTIGUNSHOT [x Coord, y Coord, z Coord, vector_x Coord, vector_y Coord, vector_z Coord, noise_x Coord, noise_y Coord, count Byte, decal Byte]
    127 TE_USERTRACER [x Coord, y Coord, z Coord, velocity_x Coord, velocity_y Coord, velocity_z Coord, life Byte, color Byte, length Byte]
}

const TE_BSPDECAL: u8 = 13;
const TE_TEXTMESSAGE: u8 = 29;

impl TempEntityShape {
    /// The shape of an effect's number.
    pub fn of(kind: u8) -> Option<&'static TempEntityShape> {
        SHAPES.binary_search_by_key(&kind, |shape| shape.kind).ok().map(|at| &SHAPES[at])
    }

    /// All of them, by number.
    pub fn all() -> &'static [TempEntityShape] {
        SHAPES
    }

    /// Whether a text follows the fields.
    pub(crate) fn has_text(&self) -> bool {
        self.kind == TE_TEXTMESSAGE
    }

    /// Whether the last field is there, given the ones before it.
    pub(crate) fn has_last(&self, values: &[u32]) -> bool {
        let earlier = |name: &str| self.fields.iter().position(|(field, _)| *field == name).and_then(|at| values.get(at)).copied().unwrap_or(0);
        match self.kind {
            TE_BSPDECAL => earlier("entity") != 0,
            TE_TEXTMESSAGE => earlier("effect") == 2,
            _ => true,
        }
    }
}

impl TempEntity {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        self.kind = w.field("kind", u32::from(self.kind), 8)? as u8;
        let Some(shape) = TempEntityShape::of(self.kind) else {
            return w.expect(false, "there is no temporary entity of this number");
        };
        w.note(|| shape.name.to_owned());
        if W::READING {
            self.values.clear();
        }
        for (at, &(name, kind)) in shape.fields.iter().enumerate() {
            if at + 1 == shape.fields.len() && !shape.has_last(&self.values) {
                break;
            }
            let word = value(w, name, kind, self.values.get(at).copied().unwrap_or_default())?;
            if W::READING {
                self.values.push(word);
            }
        }
        if shape.has_text() {
            w.enter("text");
            return self.text.code(w);
        }
        self.text.0.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_document() {
        let documented: &[(u8, usize)] = &[
            (0, 24),
            (1, 20),
            (2, 6),
            (3, 11),
            (4, 6),
            (5, 10),
            (6, 12),
            (7, 17),
            (8, 16),
            (9, 6),
            (10, 6),
            (11, 6),
            (12, 8),
            (13, 12),
            (14, 9),
            (15, 19),
            (17, 10),
            (18, 16),
            (19, 24),
            (20, 24),
            (21, 24),
            (22, 10),
            (23, 11),
            (24, 16),
            (25, 19),
            (27, 12),
            (28, 16),
            (29, 22),
            (30, 17),
            (31, 17),
            (99, 2),
            (100, 10),
            (101, 14),
            (102, 12),
            (103, 14),
            (104, 9),
            (105, 5),
            (106, 17),
            (107, 13),
            (108, 24),
            (109, 9),
            (110, 17),
            (111, 7),
            (112, 10),
            (113, 19),
            (114, 19),
            (115, 12),
            (116, 7),
            (117, 7),
            (118, 9),
            (119, 16),
            (120, 18),
            (121, 6),
            (122, 10),
            (123, 13),
            (124, 7),
            (125, 1),
            (126, 18),
            (127, 15),
        ];
        let declared: Vec<_> = SHAPES.iter().map(|shape| (shape.kind, shape.fields.iter().map(|(_, kind)| kind.bytes()).sum::<usize>())).collect();
        assert_eq!(declared, documented);
    }
}
