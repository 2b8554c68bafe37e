//! Values that are one JSON value.

use crate::textform::form::{Form, Leaf};

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl Leaf for $integer {
            #[inline]
            fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
                *self = f.int(i64::from(*self), i64::from(<$integer>::MIN), i64::from(<$integer>::MAX))? as $integer;
                Ok(())
            }
        })*
    };
}

integers!(u8, i8, u16, i16, u32, i32);

impl Leaf for bool {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        *self = f.boolean(*self)?;
        Ok(())
    }
}

impl Leaf for f32 {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        *self = f.float(*self)?;
        Ok(())
    }
}

impl<T: Leaf, const N: usize> Leaf for [T; N] {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.tuple(N, |f, at| self[at].form(f))
    }
}
