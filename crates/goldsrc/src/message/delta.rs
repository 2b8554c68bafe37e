//! A row's change inside a message: mask and values as they were sent (`docs/formats/goldsrc.md`, "Deltas").

use fragreel_base::delta::FieldSet;
use fragreel_base::wire::Wire;

use crate::fields::Structure;
use crate::fields::description::{Description, code_mask};
use crate::message::context::Context;

/// One delta. Its values stand in the message's [`Values`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delta {
    /// Bytes of the mask; more than it needs are legal, and none when nothing changed.
    pub mask_bytes: u8,
    /// Which fields were sent.
    pub mask: u64,
    /// Where its words start.
    pub at: u32,
}

/// The values of all deltas of a message, one word per field that was sent, in order. A string's word is its place in
/// `text`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// The words: bits as they were sent.
    pub words: Vec<u32>,
    /// Strings, each with its NUL.
    pub text: Vec<u8>,
}

impl Values {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.text.clear();
    }

    /// The fields and words of a delta.
    pub fn of(&self, delta: &Delta) -> impl Iterator<Item = (usize, u32)> {
        let words = self.words.get(delta.at as usize..).unwrap_or_default();
        FieldSet(delta.mask).into_iter().zip(words.iter().copied())
    }

    /// The string whose word is `at`.
    pub fn string(&self, at: u32) -> &[u8] {
        crate::scalars::before_nul(self.text.get(at as usize..).unwrap_or_default())
    }

    /// Adds a delta that sends `row`'s words of the fields in `mask`.
    pub fn push(&mut self, mask_bytes: u8, mask: u64, row: &[u32]) -> Delta {
        let at = self.words.len() as u32;
        self.words.extend(FieldSet(mask).into_iter().map(|field| row[field]));
        Delta { mask_bytes, mask, at }
    }
}

/// Bytes that a mask needs.
pub fn mask_bytes(mask: u64) -> u8 {
    (64 - mask.leading_zeros()).div_ceil(8) as u8
}

/// Reads or writes one delta.
#[inline]
pub(crate) fn code<W: Wire>(w: &mut W, context: &Context, structure: Structure, delta: &mut Delta, values: &mut Values) -> Result<(), W::Error> {
    match context.description(structure) {
        Some(description) => described(w, description, context.time, delta, values),
        None => w.expect(false, super::NOT_DESCRIBED),
    }
}

#[inline]
fn described<W: Wire>(w: &mut W, description: &Description, time: f32, delta: &mut Delta, values: &mut Values) -> Result<(), W::Error> {
    (delta.mask_bytes, delta.mask) = code_mask(w, delta.mask_bytes, delta.mask)?;
    if delta.mask == 0 {
        delta.at = if W::READING { values.words.len() as u32 } else { delta.at };
        return Ok(());
    }
    let mut row = [0; 64];
    if !W::READING {
        for (field, word) in values.of(delta) {
            row[field] = word;
        }
    }
    description.code(w, delta.mask, &mut row, &mut values.text, time)?;
    if W::READING {
        *delta = values.push(delta.mask_bytes, delta.mask, &row);
    }
    Ok(())
}
