//! Rows as the stream describes them: a member for each field that is sent.

use std::sync::Arc;

use fragreel_base::delta::FieldSet;
use fragreel_base::textform::{Flags, Form, Names};
use fragreel_base::wire::WireError;

use super::value::terminated;
use crate::bit_order::BitOrder;
use crate::fields::description::{Description, Field, Kind};
use crate::fields::names;
use crate::message::{Delta, Values, mask_bytes};

/// Members beside fields, which no field may be called.
const RESERVED: [&str; 9] = ["number", "remove", "custom", "instanced", "back", "spelling", "weapon", "mask_bytes", "negative_zero"];

/// A description, made ready for text.
#[derive(Debug)]
pub(crate) struct Rows {
    /// What it was made of.
    pub description: Arc<Description>,
    /// The fields' names. Those that no member can have, and the second of equal ones, have their place at the end.
    names: Names,
    shown: Vec<Shown>,
    order: BitOrder,
}

/// How a field's number is written.
#[derive(Debug, Clone)]
enum Shown {
    /// As it is sent.
    Whole { from: i64, to: i64 },
    /// Times what a step is worth.
    Scaled { unit: f64, from: i64, to: i64 },
    /// By name.
    Word { names: &'static Names, to: u32 },
    /// By the names of its bits.
    Flags { names: Flags, to: u32 },
    /// Text.
    Text,
    /// A schema knows the fields of engines and the names of their bits, not what a stream makes of them.
    Any(Option<Flags>),
}

impl Rows {
    pub(super) fn new(description: Arc<Description>, order: BitOrder) -> Self {
        let names = member_names(description.fields.iter().map(|field| &*field.name));
        let shown = description.fields.iter().map(Shown::new).collect();
        Rows { description, names, shown, order }
    }

    /// Rows that may have fields that engines know: those of one of `PARTS` parts of the list.
    pub(super) fn any(part: usize) -> Self {
        let fields = crate::fields::all();
        let fields: Vec<&str> = fields.iter().copied().skip(part % Self::PARTS).step_by(Self::PARTS).collect();
        let shown = fields.iter().map(|field| Shown::Any(names::flags(field))).collect();
        Rows { description: Arc::default(), names: member_names(fields.into_iter()), shown, order: BitOrder::default() }
    }

    /// How many parts a schema takes the fields in: it tries so much only at a time.
    pub(super) const PARTS: usize = 4;

    /// The members of a row, within an open object.
    pub(super) fn form<F: Form>(&self, f: &mut F, delta: &mut Delta, values: &mut Values) -> Result<(), F::Error> {
        let mut row = [0; 64];
        let mut sent = FieldSet::EMPTY;
        if !F::READING {
            sent = FieldSet(delta.mask);
            values.of(delta).for_each(|(at, word)| row[at & 63] = word);
        }
        let mut negative_zeroes = FieldSet(sent.into_iter().filter(|&at| self.is_negative_zero(at, row[at])).fold(0, |set, at| set | 1 << at));
        let mut found = FieldSet::EMPTY;
        f.members(&self.names, sent.into_iter(), |f, at| {
            // a schema asks for more fields than a row has
            found.insert(at & 63);
            self.value(f, at, &mut row[at & 63], values)
        })?;
        self.negative_zeroes(f, &mut negative_zeroes)?;
        if F::READING {
            for at in negative_zeroes {
                f.insist(found.has(at) && self.sign(at).is_some() && row[at] == 0, "only a field that is sent as zero has a sign that does not show")?;
                row[at] |= self.sign(at).unwrap_or_default();
            }
            (delta.mask, delta.mask_bytes) = (found.0, mask_bytes(found.0));
        }
        let needed = mask_bytes(delta.mask);
        f.unless("mask_bytes", &mut delta.mask_bytes, needed)?;
        f.insist((needed..8).contains(&delta.mask_bytes), "a mask has at least the bytes that its fields need, and at most 7")?;
        if F::READING {
            *delta = values.push(delta.mask_bytes, delta.mask, &row);
        }
        Ok(())
    }

    /// Fields whose sign says that their zero is negative.
    fn negative_zeroes<F: Form>(&self, f: &mut F, set: &mut FieldSet) -> Result<(), F::Error> {
        let listed: Vec<usize> = set.into_iter().collect();
        if F::READING {
            *set = FieldSet::EMPTY;
        }
        if !f.key("negative_zero", !listed.is_empty())? {
            return Ok(());
        }
        f.items(listed.len(), |f, at| {
            let field = f.word(listed.get(at).map_or(0, |&field| field as u32), 63, &self.names)? as usize;
            f.insist(field < self.shown.len(), "there is no field of this number")?;
            set.insert(field & 63);
            Ok(())
        })
        .map(|_| ())
    }

    #[inline]
    fn value<F: Form>(&self, f: &mut F, at: usize, word: &mut u32, values: &mut Values) -> Result<(), F::Error> {
        let result = match self.shown[at] {
            Shown::Whole { from, to } => f.int(self.steps(at, *word), from, to).map(|steps| self.word(at, steps)),
            Shown::Scaled { unit, from, to } => f.scaled(self.steps(at, *word), unit, from, to).map(|steps| self.word(at, steps)),
            Shown::Word { names, to } => f.word(*word, to, names),
            Shown::Flags { names, to } => f.flags(*word, to, names),
            Shown::Text => text(f, *word, values),
            Shown::Any(flags) => any(f, flags),
        };
        *word = result.map_err(|error| {
            let listed = self.description.fields.get(at).and_then(|field| crate::fields::known(&field.name));
            error.inside(listed.unwrap_or("a field that no engine lists"), None)
        })?;
        Ok(())
    }

    /// The bit that makes a word of the field negative.
    fn sign(&self, at: usize) -> Option<u32> {
        let field = self.description.fields.get(at).filter(|field| field.signed)?;
        Some(match self.order {
            BitOrder::LeastFirst => 1,
            BitOrder::MostFirst => 1 << (field.bits - 1),
        })
    }

    fn is_negative_zero(&self, at: usize, word: u32) -> bool {
        self.sign(at) == Some(word)
    }

    /// A word as a number of steps.
    #[inline]
    fn steps(&self, at: usize, word: u32) -> i64 {
        self.description.fields[at].whole(word, self.order)
    }

    /// The other way round.
    #[inline]
    fn word(&self, at: usize, steps: i64) -> u32 {
        let field = &self.description.fields[at];
        if field.signed { field.sent(steps.unsigned_abs() as u32, steps < 0, self.order) } else { steps as u32 }
    }
}

fn member_names<'n>(fields: impl Iterator<Item = &'n str>) -> Names {
    let mut names: Vec<String> = Vec::new();
    for (at, name) in fields.enumerate() {
        let usable = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\#".contains(&byte)) && !RESERVED.contains(&name);
        let fresh = usable && !names.iter().any(|other| other == name);
        names.push(if fresh { name.to_owned() } else { format!("#{at}") });
    }
    Names::new(names)
}

/// All that a field may be.
fn any<F: Form>(f: &mut F, flags: Option<Flags>) -> Result<u32, F::Error> {
    f.float(0.0)?;
    f.text(&mut Vec::new())?;
    flags.map_or(Ok(0), |flags| f.flags(0, u32::MAX, flags))
}

fn text<F: Form>(f: &mut F, word: u32, values: &mut Values) -> Result<u32, F::Error> {
    let mut text = if F::READING { Vec::new() } else { values.string(word).to_vec() };
    f.text(&mut text)?;
    terminated(f, &text)?;
    if !F::READING {
        return Ok(word);
    }
    let at = values.text.len() as u32;
    values.text.append(&mut text);
    values.text.push(0);
    Ok(at)
}

impl Shown {
    fn new(field: &Field) -> Shown {
        if field.kind == Kind::Text {
            return Shown::Text;
        }
        let to = (1i64 << (field.bits - u32::from(field.signed))) - 1;
        let from = if field.signed { -to } else { 0 };
        let unit = field.unit();
        let whole = unit == 1.0 && !field.signed;
        if let Some(names) = names::flags(&field.name).filter(|_| whole) {
            return Shown::Flags { names, to: to as u32 };
        }
        if let Some(names) = names::words(&field.name).filter(|_| whole) {
            return Shown::Word { names, to: to as u32 };
        }
        // products beyond these do not come back from their digits
        let clear = (1e-6..=1e3).contains(&unit) && to as f64 * unit <= 1e9;
        if unit == 1.0 || !clear { Shown::Whole { from, to } } else { Shown::Scaled { unit, from, to } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_member_can_have_are_numbered() {
        let names = member_names(["origin[0]", "number", "", "origin[0]", "a\"b"].into_iter());
        let listed: Vec<_> = names.iter().map(|(_, name)| name.to_owned()).collect();
        assert_eq!(listed, ["origin[0]", "#1", "#2", "#3", "#4"]);
    }
}
