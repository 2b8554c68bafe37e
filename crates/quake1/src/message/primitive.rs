//! The values that messages are made of (`docs/formats/quake1.md`, "Values").
//!
//! Each value knows how it is coded; what depends on extensions is asked of the [`Dialect`]. Numbers are kept as sent.

use fragreel_base::wire::{Bounded, Wire};

use crate::dialect::Dialect;
use crate::replacement::code_entity;

/// Longest string of any message. Engines stop far earlier.
pub const LONGEST_TEXT: Bounded = Bounded { bytes: 1 << 16, rule: "a string is longer than any engine's" };

/// Something with a coded form. Reading overwrites everything and reuses what buffers there are.
pub(crate) trait Value {
    /// Reads or writes the value as the field called `name`.
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error>;
}

macro_rules! numbers {
    ($($number:ty = $width:literal),*) => {
        $(impl Value for $number {
            #[inline(always)]
            fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
                #[allow(clippy::cast_lossless, reason = "one form for all widths and signs")]
                let word = *self as u32;
                *self = w.field(name, word, $width)? as $number;
                let value = *self;
                w.note(|| value.to_string());
                Ok(())
            }
        })*
    };
}

numbers!(u8 = 8, u16 = 16, u32 = 32, i8 = 8, i16 = 16, i32 = 32);

/// A 32-bit float by its bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Float(pub u32);

impl Float {
    /// The number.
    pub fn value(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl From<f32> for Float {
    fn from(value: f32) -> Self {
        Float(value.to_bits())
    }
}

impl std::fmt::Debug for Float {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value().fmt(f)
    }
}

impl Value for Float {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
        self.0 = w.field(name, self.0, 32)?;
        let value = *self;
        w.note(|| value.value().to_string());
        Ok(())
    }
}

/// A coordinate as sent; [`Dialect::coord`] says what it means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Coord(pub u32);

impl Value for Coord {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error> {
        self.0 = d.coord.code(w, name, self.0)?;
        let word = self.0;
        w.note(|| d.coord.units(word).to_string());
        Ok(())
    }
}

/// A coordinate of an entity's or player's origin as sent; [`Dialect::entity_coord`] says what it means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EntityCoord(pub u32);

impl Value for EntityCoord {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error> {
        self.0 = d.entity_coord.code(w, name, self.0)?;
        let word = self.0;
        w.note(|| d.entity_coord.units(word).to_string());
        Ok(())
    }
}

/// An angle as sent; [`Dialect::angle`] says what it means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Angle(pub u32);

impl Value for Angle {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error> {
        self.0 = d.angle.code(w, name, self.0)?;
        let word = self.0;
        w.note(|| d.angle.degrees(word).to_string());
        Ok(())
    }
}

/// An angle that always has 16 bits for a whole turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ShortAngle(pub u16);

impl ShortAngle {
    /// In degrees.
    pub(crate) fn degrees(self) -> f32 {
        f32::from(self.0 as i16) * (360.0 / 65536.0)
    }
}

impl Value for ShortAngle {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
        self.0 = w.field(name, u32::from(self.0), 16)? as u16;
        let value = *self;
        w.note(|| value.degrees().to_string());
        Ok(())
    }
}

/// An entity's number. With replacement deltas, numbers from 32,768 on take three bytes, high part first.
pub(crate) use crate::replacement::EntityNumber as Entity;

impl Value for Entity {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error> {
        if d.big_entities {
            *self = code_entity(w, name, *self)?;
        } else {
            *self = Entity { number: w.field(name, self.number, 16)?, overlong: false };
        }
        let number = self.number;
        w.note(|| number.to_string());
        Ok(())
    }
}

/// An entity's number in its shortest form.
#[inline]
pub fn plain_entity(number: u32) -> Entity {
    Entity { number, overlong: false }
}

/// Text as sent, in Quake's own character set.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Text(pub Vec<u8>);

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", crate::characters::clean(&self.0))
    }
}

impl Text {
    /// As the shared vocabulary has it.
    pub(crate) fn game(&self) -> fragreel_model::Text {
        crate::characters::text(&self.0)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Value for Text {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
        w.enter(name);
        w.text(&mut self.0, LONGEST_TEXT)?;
        let text = &self.0;
        w.note(|| format!("{:?}", crate::characters::clean(text)));
        Ok(())
    }
}

impl<V: Value, const N: usize> Value for [V; N] {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error> {
        self.iter_mut().try_for_each(|value| value.code(w, name, d))
    }
}

/// Strings up to an empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Texts(pub Vec<Text>);

impl Value for Texts {
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            self.0.clear();
            loop {
                let mut text = Text::default();
                text.code(w, name, d)?;
                if text.0.is_empty() {
                    return Ok(());
                }
                self.0.push(text);
            }
        }
        for text in &mut self.0 {
            text.code(w, name, d)?;
        }
        w.bits(0, 8).map(|_| ())
    }
}

/// Bytes after their 16-bit count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sized16(pub Vec<u8>);

impl Value for Sized16 {
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
        let length = w.field("length", self.0.len() as u32, 16)?;
        w.enter(name);
        w.octets(&mut self.0, length as usize)
    }
}

/// Everything up to the end of the packet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Rest(pub Vec<u8>);

impl Value for Rest {
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
        w.enter(name);
        if W::READING {
            self.0.clear();
            while w.more(false) {
                self.0.push(w.bits(0, 8)? as u8);
            }
            return Ok(());
        }
        for &byte in &self.0 {
            w.bits(u32::from(byte), 8)?;
        }
        Ok(())
    }
}
