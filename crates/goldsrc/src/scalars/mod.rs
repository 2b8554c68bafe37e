//! The scalars that messages and macros are made of, each coded by one function (`docs/formats/goldsrc.md`,
//! "Numbers").

pub(crate) mod form;

use fragreel_base::wire::{Bounded, Wire};

/// A value whose size does not depend on anything but itself.
pub(crate) trait Plain {
    /// Reads or writes it at a byte boundary.
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error>;
}

macro_rules! integers {
    ($($type:ty: $width:literal),* $(,)?) => {
        $(impl Plain for $type {
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "the same conversion serves signed types, whose sign bits the wire drops")]
            fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
                *self = w.bits(*self as u32, $width)? as $type;
                w.note(|| self.to_string());
                Ok(())
            }
        })*
    };
}

integers! { u8: 8, i8: 8, u16: 16, i16: 16, u32: 32, i32: 32 }

impl Plain for f32 {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        *self = f32::from_bits(w.bits(self.to_bits(), 32)?);
        w.note(|| self.to_string());
        Ok(())
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.iter_mut().try_for_each(|item| item.code(w))
    }
}

/// A coordinate in eighths of a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coord(pub i16);

impl Coord {
    /// In units.
    pub fn units(self) -> f32 {
        f32::from(self.0) / 8.0
    }
}

impl Plain for Coord {
    #[inline(always)]
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.0 = w.bits(self.0 as u32, 16)? as i16;
        w.note(|| self.units().to_string());
        Ok(())
    }
}

/// Declares numbers that count steps of an angle.
macro_rules! angles {
    ($($(#[$doc:meta])* $name:ident($word:ty), $width:literal, $step:expr;)*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name(pub $word);

        impl $name {
            /// What one step is worth.
            pub(crate) const STEP: f64 = $step;

            /// In degrees.
            pub fn degrees(self) -> f32 {
                (f64::from(self.0) * Self::STEP) as f32
            }
        }

        impl Plain for $name {
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "the same conversion serves signed types, whose sign bits the wire drops")]
            fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
                self.0 = w.bits(self.0 as u32, $width)? as $word;
                w.note(|| self.degrees().to_string());
                Ok(())
            }
        })*
    };
}

angles! {
    /// An angle in 65536ths of a turn.
    Turn(i16), 16, 360.0 / 65536.0;
    /// An angle in 256ths of a turn.
    ByteTurn(u8), 8, 360.0 / 256.0;
    /// An angle in fifths of a degree.
    Fifths(i8), 8, 0.2;
}

/// Declares bytes that count steps of a unit.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident, $step:expr;)*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name(pub u8);

        impl $name {
            /// What one step is worth.
            pub(crate) const STEP: f64 = $step;
        }

        impl Plain for $name {
            #[inline(always)]
            fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
                self.0 = w.bits(self.0.into(), 8)? as u8;
                Ok(())
            }
        })*
    };
}

parts! {
    /// The volume of a sound, in 255ths.
    Volume, 1.0 / 255.0;
    /// How fast a sound gets quieter, in 64ths.
    Attenuation, 1.0 / 64.0;
    /// The pitch of a sound, in hundredths.
    Pitch, 0.01;
}

/// A NUL-terminated string, without its NUL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Str(pub Vec<u8>);

/// No engine buffer holds a longer string; a message ends long before.
pub(crate) const LONGEST_STRING: usize = 1 << 16;
const STRING: Bounded = Bounded { bytes: LONGEST_STRING, rule: "the string is longer than any engine buffer" };

impl Str {
    /// Reads or writes it inside a bit-packed part, too.
    #[inline]
    pub(crate) fn code_bits<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        w.text(&mut self.0, STRING)
    }

    /// For people.
    pub fn show(&self) -> String {
        fragreel_model::game_text(&self.0)
    }
}

impl Plain for Str {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.code_bits(w)
    }
}

/// A string in a field of fixed length, with whatever follows its NUL: recorders leave garbage there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Padded<const N: usize>(pub [u8; N]);

impl<const N: usize> Padded<N> {
    /// The part before the NUL.
    pub fn text(&self) -> &[u8] {
        before_nul(&self.0)
    }
}

impl<const N: usize> Default for Padded<N> {
    fn default() -> Self {
        Padded([0; N])
    }
}

impl<const N: usize> Plain for Padded<N> {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        for byte in &mut self.0 {
            *byte = w.bits(u32::from(*byte), 8)? as u8;
        }
        w.note(|| format!("{:?}", String::from_utf8_lossy(self.text())));
        Ok(())
    }
}

/// Bytes that are one value, such as a hash.
pub(crate) fn digest<W: Wire, const N: usize>(w: &mut W, bytes: &mut [u8; N]) -> Result<(), W::Error> {
    for byte in &mut *bytes {
        *byte = w.bits(u32::from(*byte), 8)? as u8;
    }
    w.note(|| fragreel_base::wire::hex(&*bytes));
    Ok(())
}

/// The part of a fixed field before its first NUL.
pub(crate) fn before_nul(field: &[u8]) -> &[u8] {
    &field[..field.iter().position(|&byte| byte == 0).unwrap_or(field.len())]
}

/// Declares a struct of plain fields together with its coder.
macro_rules! plain {
    ($(#[$doc:meta])* pub struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "the fields are described under their names in docs/formats/goldsrc.md")]
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }

        impl $crate::scalars::Plain for $name {
            #[inline]
            #[allow(unused_variables, reason = "a struct may have no fields")]
            fn code<W: fragreel_base::wire::Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
                $(w.enter(stringify!($field)); $crate::scalars::Plain::code(&mut self.$field, w)?;)*
                Ok(())
            }
        }

        impl $crate::scalars::form::ValueForm for $name {
            #[allow(unused_variables, reason = "a struct may have no fields")]
            fn same(&self, other: &Self) -> bool {
                true $(&& $crate::scalars::form::ValueForm::same(&self.$field, &other.$field))*
            }

            #[allow(unused_variables, reason = "a struct may have no fields")]
            fn members<F: fragreel_base::textform::Form>(&mut self, f: &mut F, usual: Option<&Self>) -> Result<(), F::Error> {
                $($crate::scalars::form::member(f, stringify!($field), &mut self.$field, usual.map(|usual| &usual.$field))?;)*
                Ok(())
            }
        }
    };
}
pub(crate) use plain;
