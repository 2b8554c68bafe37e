//! The one trait that every text form is written over.

use crate::wire::{Vocabulary, WireError};

use crate::textform::{Flags, Names};

/// JSON whose *type* is its direction: a [`Writer`](crate::textform::Writer) writes what it is handed, a [`Reader`](crate::textform::Reader)
/// ignores that and returns what the text holds, a [`Schema`](crate::textform::Schema) notes what may stand where.
///
/// *For those who describe a form*: what describes an object may run more than once on reading (when keys stand in
/// another order than they are asked for), so it must overwrite, not add to, what it fills.
pub trait Form: Sized {
    /// [`crate::wire::Error`] for a reader, [`std::convert::Infallible`] for the others.
    type Error: WireError;

    /// Whether values come from the text.
    const READING: bool;

    /// A whole number between the bounds, which belong to the range.
    fn int(&mut self, value: i64, from: i64, to: i64) -> Result<i64, Self::Error>;

    /// A float, to the bit: what JSON has no number for is a string of hexadecimal digits such as `"0x7fc00000"`.
    fn float(&mut self, value: f32) -> Result<f32, Self::Error>;

    /// A whole number of steps of `unit` each, shown as the product. What lies between steps is rounded on reading.
    fn scaled(&mut self, steps: i64, unit: f64, from: i64, to: i64) -> Result<i64, Self::Error>;

    /// A whole number of steps of `unit` each, shown as that number. A string such as `"0.5"` has units: the nearest number of steps is read.
    fn steps(&mut self, steps: i64, unit: f64, from: i64, to: i64) -> Result<i64, Self::Error>;

    /// A yes or no.
    fn boolean(&mut self, value: bool) -> Result<bool, Self::Error>;

    /// Text of the game, as [`game_text`](crate::characters::game_text) has it.
    fn text(&mut self, text: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Bytes as hexadecimal digits.
    fn hex(&mut self, bytes: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// A number by its name, or as it is where it has none.
    fn word(&mut self, value: u32, to: u32, names: &dyn Vocabulary) -> Result<u32, Self::Error>;

    /// A number by the names of its bits: a list of them, and of the bits without a name as a number. A single name or a number may stand there as
    /// well.
    fn flags(&mut self, value: u32, to: u32, names: Flags) -> Result<u32, Self::Error>;

    /// `null`, when `absent`. Returns whether it was; when not, a value must follow.
    fn null(&mut self, absent: bool) -> Result<bool, Self::Error>;

    /// An object whose members `members` says.
    fn object(&mut self, members: impl FnMut(&mut Self) -> Result<(), Self::Error>) -> Result<(), Self::Error>;

    /// A member that may be left out. When it returns true its value must follow.
    fn key(&mut self, name: &'static str, present: bool) -> Result<bool, Self::Error>;

    /// A member that must be there. Its value must follow.
    fn require(&mut self, name: &'static str) -> Result<(), Self::Error>;

    /// The members whose keys are in `names`: those `present` says, in any order, or those that are there.
    fn members(
        &mut self,
        names: &Names,
        present: impl Iterator<Item = usize>,
        each: impl FnMut(&mut Self, usize) -> Result<(), Self::Error>,
    ) -> Result<(), Self::Error>;

    /// The members whose keys are numbers below `below`: those `present` says, or those that are there.
    fn numbered(
        &mut self,
        below: usize,
        present: impl Iterator<Item = usize>,
        each: impl FnMut(&mut Self, usize) -> Result<(), Self::Error>,
    ) -> Result<(), Self::Error>;

    /// An object with one member, whose key, the `which`th of `names`, says what it is.
    fn variant(&mut self, names: &Names, which: usize, body: impl FnMut(&mut Self, usize) -> Result<(), Self::Error>) -> Result<(), Self::Error>;

    /// A list. Returns how many elements it has.
    fn items(&mut self, count: usize, each: impl FnMut(&mut Self, usize) -> Result<(), Self::Error>) -> Result<usize, Self::Error>;

    /// A list of exactly `count` elements.
    fn tuple(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize) -> Result<(), Self::Error>) -> Result<(), Self::Error> {
        let found = self.items(count, |f, at| {
            f.expect(at < count, "the list has too many elements")?;
            each(f, at)
        })?;
        self.expect(found == count, "the list has too few elements")
    }

    /// Fails with `rule` and the position unless `ok`.
    fn expect(&mut self, ok: bool, rule: &'static str) -> Result<(), Self::Error>;

    /// As [`expect`](Form::expect), for rules about values: a schema, which has none, goes on, and a reader looks at the
    /// object's members in any order before it gives up.
    #[inline]
    fn insist(&mut self, ok: bool, rule: &'static str) -> Result<(), Self::Error> {
        self.expect(ok, rule)
    }

    /// The steps of [`object`](Form::object) one by one.
    #[doc(hidden)]
    fn open_object(&mut self) -> Result<(), Self::Error>;
    #[doc(hidden)]
    fn close_object(&mut self) -> Result<(), Self::Error>;
    /// Opens a list, on reading only where there is one unless `must`. Returns whether one is open.
    #[doc(hidden)]
    fn open_list(&mut self, must: bool) -> Result<bool, Self::Error>;
    /// Goes to the next element of the open list; on reading, fails when there is none.
    #[doc(hidden)]
    fn next_item(&mut self) -> Result<(), Self::Error>;
    #[doc(hidden)]
    fn close_list(&mut self) -> Result<(), Self::Error>;

    /// A member that is always there.
    #[inline]
    fn field<T: Leaf>(&mut self, name: &'static str, value: &mut T) -> Result<(), Self::Error> {
        self.require(name)?;
        value.form(self).map_err(|error| error.inside(name, None))
    }

    /// A member that is left out when it has its usual value.
    #[inline]
    fn unless<T: Leaf + PartialEq>(&mut self, name: &'static str, value: &mut T, usual: T) -> Result<(), Self::Error> {
        if self.key(name, *value != usual)? {
            return value.form(self).map_err(|error| error.inside(name, None));
        }
        if Self::READING {
            *value = usual;
        }
        Ok(())
    }

    /// A member that is an object.
    #[inline]
    fn part(&mut self, name: &'static str, members: impl FnMut(&mut Self) -> Result<(), Self::Error>) -> Result<(), Self::Error> {
        self.require(name)?;
        self.object(members).map_err(|error| error.inside(name, None))
    }

    /// A member that is a list of things, which grow from nothing.
    fn list<T: Default>(
        &mut self,
        name: &'static str,
        list: &mut Vec<T>,
        mut each: impl FnMut(&mut Self, &mut T) -> Result<(), Self::Error>,
    ) -> Result<(), Self::Error> {
        self.require(name)?;
        let elements = self.items(list.len(), |f, at| {
            if Self::READING {
                list.truncate(at);
                list.push(T::default());
            }
            each(f, &mut list[at])
        });
        list.truncate(elements.map_err(|error| error.inside(name, None))?);
        Ok(())
    }

    /// Bytes as game text when it is the usual thing, in a member that is left out when empty.
    #[inline]
    fn text_unless_empty(&mut self, name: &'static str, text: &mut Vec<u8>) -> Result<(), Self::Error> {
        if self.key(name, !text.is_empty())? {
            return self.text(text).map_err(|error| error.inside(name, None));
        }
        text.clear();
        Ok(())
    }

    /// Bytes as digits, in a member that is left out when empty.
    #[inline]
    fn hex_unless_empty(&mut self, name: &'static str, bytes: &mut Vec<u8>) -> Result<(), Self::Error> {
        if self.key(name, !bytes.is_empty())? {
            return self.hex(bytes).map_err(|error| error.inside(name, None));
        }
        bytes.clear();
        Ok(())
    }
}

/// A value whose text form needs no context.
pub trait Leaf {
    /// Writes it, or reads over it.
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error>;
}
