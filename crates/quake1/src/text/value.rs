//! The values that messages are made of, each one JSON value (`docs/formats/quake1.md`, "Text form").

use fragreel_base::textform::{Form, Leaf};
use fragreel_base::wire::{Vocabulary, WireError};

use crate::message::{Angle, Coord, Entity, EntityCoord, Float, LONGEST_TEXT, Rest, ShortAngle, Sized16, Text, Texts, Uleb};
use crate::text::rules::Rules;
use crate::text::units::{angle, coordinate, short_angle};

/// Something with a text form. Reading overwrites everything.
pub(crate) trait AsText {
    /// Writes it, or reads over it.
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error>;
}

/// A member that is always there.
#[inline]
pub(crate) fn field<F: Form>(f: &mut F, name: &'static str, value: &mut impl AsText, r: &Rules) -> Result<(), F::Error> {
    f.require(name)?;
    value.form(f, r).map_err(|error| error.inside(name, None))
}

/// A member that is there when `present` says so, or was found. Returns whether it is.
#[inline]
pub(crate) fn field_if<F: Form>(f: &mut F, name: &'static str, present: bool, value: &mut impl AsText, r: &Rules) -> Result<bool, F::Error> {
    let here = f.key(name, present)?;
    if here {
        value.form(f, r).map_err(|error| error.inside(name, None))?;
    }
    Ok(here)
}

/// A member that is always there and may be said by name.
#[inline]
pub(crate) fn named<F: Form>(f: &mut F, name: &'static str, value: &mut u8, names: &dyn Vocabulary) -> Result<(), F::Error> {
    f.require(name)?;
    *value = f.word(u32::from(*value), 255, names).map_err(|error| error.inside(name, None))? as u8;
    Ok(())
}

/// What a player holds down.
pub(crate) fn buttons<F: Form>(f: &mut F, word: u8) -> Result<u8, F::Error> {
    let word = f.flags(word.into(), 255, crate::fields::names::BUTTONS).map_err(|error| error.inside("buttons", None))?;
    Ok(word as u8)
}

macro_rules! leaves {
    ($($number:ty),*) => {
        $(impl AsText for $number {
            #[inline]
            fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
                Leaf::form(self, f)
            }
        })*
    };
}

leaves!(u8, u16, u32, i8, i16, i32);

impl AsText for Float {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        self.0 = f.float(self.value())?.to_bits();
        Ok(())
    }
}

impl<T: AsText, const N: usize> AsText for [T; N] {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.tuple(N, |f, at| self[at].form(f, r))
    }
}

impl AsText for Coord {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        self.0 = coordinate(f, r.d.coord, self.0)?;
        Ok(())
    }
}

impl AsText for EntityCoord {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        self.0 = coordinate(f, r.d.entity_coord, self.0)?;
        Ok(())
    }
}

impl AsText for Angle {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        self.0 = angle(f, r.d.angle, self.0)?;
        Ok(())
    }
}

impl AsText for ShortAngle {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        self.0 = short_angle(f, self.0.into())? as u16;
        Ok(())
    }
}

/// Largest number that the wide form of an entity's number can say.
pub(crate) const WIDEST_ENTITY: u32 = 0x7f_ffff;
/// Added to the number of an entity that takes three bytes though two would do.
const OVERLONG: u32 = WIDEST_ENTITY + 1;

impl AsText for Entity {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let shown = self.number + if self.overlong { OVERLONG } else { 0 };
        let most = if r.d.big_entities { OVERLONG + 0x7fff } else { 0xffff };
        let number = f.int(shown.into(), 0, most.into())? as u32;
        *self = Entity { number: number % OVERLONG, overlong: number >= OVERLONG };
        Ok(())
    }
}

impl AsText for Text {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.text(&mut self.0)?;
        f.insist(!self.0.contains(&0), "a text cannot hold the character NUL, which ends it")?;
        f.insist(self.0.len() <= LONGEST_TEXT.bytes, LONGEST_TEXT.rule)
    }
}

impl AsText for Texts {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const MOST: usize = 1 << 16;
        elements(f, &mut self.0, MOST, "a list has more texts than any engine's", |f, text| {
            text.form(f, r)?;
            f.insist(!text.0.is_empty(), "a text of this list cannot be empty, because that ends the list")
        })
    }
}

/// The elements of a list that may have as many as `most`.
pub(crate) fn elements<F: Form, T: Default>(
    f: &mut F,
    list: &mut Vec<T>,
    most: usize,
    rule: &'static str,
    mut each: impl FnMut(&mut F, &mut T) -> Result<(), F::Error>,
) -> Result<(), F::Error> {
    let count = f.items(list.len(), |f, at| {
        if F::READING && at >= list.len() {
            f.insist(at < most, rule)?;
            list.push(T::default());
        }
        each(f, &mut list[at])
    })?;
    list.truncate(count);
    Ok(())
}

/// Entities by their numbers, in whose rising order they are sent, as `entities`; in any other order as `list`, each with its
/// `number`. `members` says what stands in an entity's object.
pub(crate) fn by_number<F: Form, T: Default>(
    f: &mut F,
    list: &mut Vec<T>,
    most: u32,
    number: impl Fn(&T) -> u32,
    mut members: impl FnMut(&mut F, &mut T, u32) -> Result<(), F::Error>,
) -> Result<(), F::Error> {
    let in_order = list.is_sorted_by(|a, b| number(a) < number(b));
    let keyed = f.key("entities", in_order)?;
    if keyed {
        numbered(f, list, most, &number, &mut members)?;
    }
    let listed = f.key("list", !in_order)?;
    if listed {
        f.insist(!keyed, "there is one list of entities")?;
        return elements(f, list, MOST_ENTITIES, TOO_MANY, |f, entity| {
            f.object(|f| {
                f.require("number")?;
                let number = f.int(number(entity).into(), 0, most.into())? as u32;
                members(f, entity, number)
            })
        });
    }
    if keyed { Ok(()) } else { f.require("entities") }
}

const MOST_ENTITIES: usize = 1 << 16;
const TOO_MANY: &str = "more entities than any engine has";

/// An object whose keys are entities' numbers.
pub(crate) fn numbered<F: Form, T: Default>(
    f: &mut F,
    list: &mut Vec<T>,
    most: u32,
    number: impl Fn(&T) -> u32,
    mut members: impl FnMut(&mut F, &mut T, u32) -> Result<(), F::Error>,
) -> Result<(), F::Error> {
    let numbers: Vec<usize> = if F::READING { Vec::new() } else { list.iter().map(|entity| number(entity) as usize).collect() };
    let mut next = 0;
    f.object(|f| {
        next = 0;
        f.numbered(most as usize + 1, numbers.iter().copied(), |f, number| {
            if F::READING && next == list.len() {
                f.expect(next < MOST_ENTITIES, TOO_MANY)?;
                list.push(T::default());
            }
            let entity = &mut list[next];
            next += 1;
            f.object(|f| members(f, entity, number as u32))
        })
    })?;
    list.truncate(next);
    if F::READING && !list.is_sorted_by(|a, b| number(a) < number(b)) {
        list.sort_by_key(&number);
        f.insist(list.is_sorted_by(|a, b| number(a) < number(b)), "an entity stands here twice")?;
    }
    Ok(())
}

impl AsText for Sized16 {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.hex(&mut self.0)?;
        f.insist(self.0.len() <= 0xffff, "expected at most 65535 bytes")
    }
}

impl AsText for Rest {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.hex(&mut self.0)
    }
}

/// Most needless bytes that a number of variable length has.
const MOST_PADDING: i64 = 8;

impl AsText for Uleb {
    /// Needless bytes make the number negative: nine times the number, plus their count.
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        let (value, padding) = (self.value as i64, i64::from(self.padding));
        let shown = if padding == 0 { value } else { -(value * (MOST_PADDING + 1) + padding) };
        let read = f.int(shown, -(1 << 60), i64::MAX)?;
        *self = if read >= 0 {
            Uleb { value: read as u64, padding: 0 }
        } else {
            Uleb { value: read.unsigned_abs() / (MOST_PADDING as u64 + 1), padding: (read.unsigned_abs() % (MOST_PADDING as u64 + 1)) as u8 }
        };
        f.insist(self.bytes() <= 9, "a number of more than nine bytes")
    }
}
