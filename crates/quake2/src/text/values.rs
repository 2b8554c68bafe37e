//! Values that several messages have.

use fragreel_base::textform::{Form, Leaf};
use fragreel_base::wire::WireError;

use crate::message::Text;

/// Longer strings are not read again.
const LONGEST_TEXT: usize = 0xffff;

/// A text that ends with NUL on the wire, as a member that must be there.
pub(super) fn text<F: Form>(f: &mut F, name: &'static str, text: &mut Text) -> Result<(), F::Error> {
    f.require(name)?;
    text_value(f, text).map_err(|error| error.inside(name, None))
}

pub(super) fn text_value<F: Form>(f: &mut F, text: &mut Text) -> Result<(), F::Error> {
    f.text(&mut text.0)?;
    f.insist(!text.0.contains(&0), "a text cannot hold the character NUL, which ends it")?;
    f.insist(text.0.len() <= LONGEST_TEXT, "the text is longer than any engine writes")
}

/// A member that must be there, or must not, as earlier ones say. When it returns true its value must follow.
pub(super) fn expected<F: Form>(f: &mut F, name: &'static str, must: bool) -> Result<bool, F::Error> {
    if must {
        f.require(name)?;
        return Ok(true);
    }
    let there = f.key(name, false)?;
    f.insist(!there, "this does not go with what stands before")?;
    Ok(there)
}

/// A value under [`expected`].
pub(super) fn expected_field<F: Form, T: Leaf>(f: &mut F, name: &'static str, value: &mut T, must: bool) -> Result<(), F::Error> {
    if expected(f, name, must)? {
        value.form(f).map_err(|error| error.inside(name, None))?;
    }
    Ok(())
}

/// A member that is left out when empty, of at most 255 bytes.
pub(super) fn short_hex<F: Form>(f: &mut F, name: &'static str, bytes: &mut Vec<u8>) -> Result<(), F::Error> {
    f.hex_unless_empty(name, bytes)?;
    f.insist(bytes.len() <= 255, "at most 255 bytes can be sent here")
}
