//! Values whose text needs no context.

use fragreel_base::textform::{Form, Leaf};
use fragreel_base::wire::WireError;

use crate::scalars::form::{ValueForm, member};
use crate::scalars::{Attenuation, ByteTurn, Coord, Fifths, Padded, Pitch, Str, Turn, Volume};

/// A member that must be there.
pub(crate) fn field<T: ValueForm, F: Form>(f: &mut F, name: &'static str, value: &mut T) -> Result<(), F::Error> {
    member(f, name, value, None)
}

macro_rules! leaves {
    ($($type:ty),*) => {
        $(impl ValueForm for $type {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }

            #[inline]
            fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
                self.form(f)
            }
        })*
    };
}

leaves!(u8, i8, u16, i16, u32, i32);

impl ValueForm for f32 {
    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }

    #[inline]
    fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
        self.form(f)
    }
}

impl<T: ValueForm, const N: usize> ValueForm for [T; N] {
    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(one, other)| one.same(other))
    }

    #[inline]
    fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
        f.tuple(N, |f, at| self[at].value_form(f, None))
    }
}

macro_rules! scaled {
    ($($type:ident($word:ty) $unit:expr;)*) => {
        $(impl ValueForm for $type {
            fn same(&self, other: &Self) -> bool {
                self == other
            }

            fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
                self.0 = f.scaled(self.0.into(), $unit, <$word>::MIN.into(), <$word>::MAX.into())? as $word;
                Ok(())
            }
        })*
    };
}

scaled! {
    Coord(i16) 0.125;
    Turn(i16) Turn::STEP;
    ByteTurn(u8) ByteTurn::STEP;
    Fifths(i8) Fifths::STEP;
}

macro_rules! steps {
    ($($type:ident),*) => {
        $(impl ValueForm for $type {
            fn same(&self, other: &Self) -> bool {
                self == other
            }

            fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
                self.0 = f.steps(self.0.into(), $type::STEP, 0, u8::MAX.into())? as u8;
                Ok(())
            }
        })*
    };
}

steps!(Volume, Attenuation, Pitch);

impl ValueForm for Str {
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
        f.text(&mut self.0)?;
        terminated(f, &self.0)
    }
}

/// Checks a text that ends with NUL on the wire.
pub(super) fn terminated<F: Form>(f: &mut F, text: &[u8]) -> Result<(), F::Error> {
    f.expect(!text.contains(&0), "a text cannot hold the character NUL, which ends it")?;
    f.expect(text.len() <= crate::scalars::LONGEST_STRING, "the text is longer than any engine buffer")
}

/// A field of fixed length: its text up to the zeroes that fill it.
impl<const N: usize> ValueForm for Padded<N> {
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn value_form<F: Form>(&mut self, f: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
        let mut bytes = self.0.to_vec();
        padded(f, &mut bytes, N)?;
        if F::READING {
            self.0.copy_from_slice(&bytes);
        }
        Ok(())
    }
}

/// A field of `length` bytes as text up to the zeroes that fill it; what stands behind a NUL is part of it.
pub(super) fn padded<F: Form>(f: &mut F, field: &mut Vec<u8>, length: usize) -> Result<(), F::Error> {
    let used = field.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    field.truncate(used);
    f.text(field)?;
    f.expect(field.len() <= length, "the text is longer than its field")?;
    field.resize(length, 0);
    Ok(())
}

/// Bytes of a fixed number as digits, in a member that must be there.
pub(super) fn digits<F: Form, const N: usize>(f: &mut F, name: &'static str, bytes: &mut [u8; N]) -> Result<(), F::Error> {
    let mut list = bytes.to_vec();
    f.require(name)?;
    f.hex(&mut list).map_err(|error| error.inside(name, None))?;
    f.insist(list.len() == N, "the number of bytes is another one here")?;
    if F::READING && list.len() == N {
        bytes.copy_from_slice(&list);
    }
    Ok(())
}

/// Bytes as digits, in a member that must be there.
pub(super) fn bytes<F: Form>(f: &mut F, name: &'static str, bytes: &mut Vec<u8>) -> Result<(), F::Error> {
    f.require(name)?;
    f.hex(bytes).map_err(|error| error.inside(name, None))
}

/// A required member with a number of `bits` bits.
pub(super) fn number<F: Form>(f: &mut F, name: &'static str, value: u32, bits: u32) -> Result<u32, F::Error> {
    f.require(name)?;
    f.int(value.into(), 0, (1i64 << bits) - 1).map(|value| value as u32).map_err(|error| error.inside(name, None))
}

/// What fills the last byte of a bit-packed part. Bits that have no place there are dropped.
pub(super) fn padding<F: Form>(f: &mut F, padding: &mut u8) -> Result<(), F::Error> {
    f.unless("padding", padding, 0)?;
    f.insist(*padding < 0x80, "there are at most seven bits of padding")
}
