//! The text form of values and structs. `text/` implements it for scalars; `plain!` implements it for structs.

use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

/// A value that has a text form. Structs have members, all others one JSON value.
pub(crate) trait ValueForm: Clone {
    /// Whether both are the same to the bit.
    fn same(&self, other: &Self) -> bool;

    /// Writes it as one value, or reads over it. Members that are as in `usual` are left out.
    fn value_form<F: Form>(&mut self, f: &mut F, usual: Option<&Self>) -> Result<(), F::Error> {
        f.object(|f| self.members(f, usual))
    }

    /// The members of a struct, within an open object.
    fn members<F: Form>(&mut self, _: &mut F, _: Option<&Self>) -> Result<(), F::Error> {
        Ok(())
    }
}

/// A member that must be there, or is left out when it is as usual.
#[inline]
pub(crate) fn member<T: ValueForm, F: Form>(f: &mut F, name: &'static str, value: &mut T, usual: Option<&T>) -> Result<(), F::Error> {
    match usual {
        None => f.require(name)?,
        Some(usual) => {
            if !f.key(name, !value.same(usual))? {
                if F::READING {
                    value.clone_from(usual);
                }
                return Ok(());
            }
        }
    }
    value.value_form(f, usual).map_err(|error| error.inside(name, None))
}
