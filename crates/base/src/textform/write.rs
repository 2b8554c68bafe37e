//! The writing direction.

use std::convert::Infallible;

use crate::wire::Vocabulary;

use crate::textform::{Flags, Form, Names, number};

type Done = Result<(), Infallible>;

/// Writes JSON without spaces behind what the buffer holds.
///
/// ```
/// use fragreel_base::textform::{Form, Writer};
///
/// let mut line = Vec::new();
/// let Ok(()) = Writer::new(&mut line).object(|f| {
///     f.field("sequence", &mut 7u32)?;
///     f.unless("delta", &mut 0u8, 0)
/// });
/// assert_eq!(line, br#"{"sequence":7}"#);
/// ```
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// Whether something stands before the next value or key that a comma must part it from.
    comma: bool,
}

impl<'o> Writer<'o> {
    /// Writes behind what `out` holds.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Writer { out, comma: false }
    }

    #[inline]
    fn value(&mut self) -> &mut Vec<u8> {
        if std::mem::replace(&mut self.comma, true) {
            self.out.push(b',');
        }
        self.out
    }

    fn begin(&mut self, bracket: u8) {
        self.value().push(bracket);
        self.comma = false;
    }

    fn end(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.comma = true;
    }

    #[inline]
    fn name(&mut self, name: &str) {
        let out = self.value();
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        self.comma = false;
    }

    fn string(&mut self, text: &str) {
        let out = self.value();
        // names of game descriptions come from files, so even names are escaped where it matters
        if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
            out.push(b'"');
            out.extend_from_slice(text.as_bytes());
            out.push(b'"');
        } else if let Err(error) = serde_json::to_writer(out, text) {
            // writing to memory does not fail
            debug_assert!(false, "{error}");
        }
    }
}

impl Form for Writer<'_> {
    type Error = Infallible;
    const READING: bool = false;

    #[inline]
    fn int(&mut self, value: i64, from: i64, to: i64) -> Result<i64, Infallible> {
        debug_assert!((from..=to).contains(&value), "{value} is not between {from} and {to}");
        number::push_int(self.value(), value);
        Ok(value)
    }

    #[inline]
    fn float(&mut self, value: f32) -> Result<f32, Infallible> {
        if value.is_finite() {
            number::push_float(self.value(), value);
        } else {
            self.string(&format!("{:#010x}", value.to_bits()));
        }
        Ok(value)
    }

    #[inline]
    fn scaled(&mut self, steps: i64, unit: f64, from: i64, to: i64) -> Result<i64, Infallible> {
        debug_assert!((from..=to).contains(&steps), "{steps} is not between {from} and {to}");
        number::push_scaled(self.value(), steps, unit);
        Ok(steps)
    }

    fn steps(&mut self, steps: i64, _: f64, from: i64, to: i64) -> Result<i64, Infallible> {
        self.int(steps, from, to)
    }

    fn boolean(&mut self, value: bool) -> Result<bool, Infallible> {
        self.value().extend_from_slice(if value { b"true" } else { b"false" });
        Ok(value)
    }

    fn text(&mut self, text: &mut Vec<u8>) -> Done {
        if text.is_ascii() {
            if let Ok(ascii) = std::str::from_utf8(text) {
                self.string(ascii);
            }
        } else {
            self.string(&crate::characters::game_text(text));
        }
        Ok(())
    }

    fn hex(&mut self, bytes: &mut Vec<u8>) -> Done {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let out = self.value();
        out.push(b'"');
        for byte in bytes {
            out.extend_from_slice(&[DIGITS[usize::from(*byte >> 4)], DIGITS[usize::from(*byte & 15)]]);
        }
        out.push(b'"');
        Ok(())
    }

    fn word(&mut self, value: u32, _: u32, names: &dyn Vocabulary) -> Result<u32, Infallible> {
        match names.name(value) {
            Some(name) => self.string(name),
            None => number::push_int(self.value(), i64::from(value)),
        }
        Ok(value)
    }

    fn flags(&mut self, value: u32, _: u32, names: Flags) -> Result<u32, Infallible> {
        let nameless = names.nameless(value);
        if nameless == value {
            number::push_int(self.value(), i64::from(value));
            return Ok(value);
        }
        self.begin(b'[');
        for at in names.places(value) {
            self.string(names.0[at].1);
        }
        if nameless != 0 {
            number::push_int(self.value(), i64::from(nameless));
        }
        self.end(b']');
        Ok(value)
    }

    fn null(&mut self, absent: bool) -> Result<bool, Infallible> {
        if absent {
            self.value().extend_from_slice(b"null");
        }
        Ok(absent)
    }

    #[inline]
    fn object(&mut self, mut members: impl FnMut(&mut Self) -> Done) -> Done {
        self.begin(b'{');
        members(self)?;
        self.end(b'}');
        Ok(())
    }

    #[inline]
    fn key(&mut self, name: &'static str, present: bool) -> Result<bool, Infallible> {
        if present {
            self.name(name);
        }
        Ok(present)
    }

    #[inline]
    fn require(&mut self, name: &'static str) -> Done {
        self.name(name);
        Ok(())
    }

    #[inline]
    fn members(&mut self, names: &Names, present: impl Iterator<Item = usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        for at in present {
            let Some(name) = names.get(at) else {
                debug_assert!(false, "a member without a name");
                continue;
            };
            self.name(name);
            each(self, at)?;
        }
        Ok(())
    }

    fn numbered(&mut self, _: usize, present: impl Iterator<Item = usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        let mut digits = itoa::Buffer::new();
        for number in present {
            self.name(digits.format(number));
            each(self, number)?;
        }
        Ok(())
    }

    fn variant(&mut self, names: &Names, which: usize, mut body: impl FnMut(&mut Self, usize) -> Done) -> Done {
        self.begin(b'{');
        self.members(names, std::iter::once(which), &mut body)?;
        self.end(b'}');
        Ok(())
    }

    fn items(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize) -> Done) -> Result<usize, Infallible> {
        self.begin(b'[');
        for at in 0..count {
            each(self, at)?;
        }
        self.end(b']');
        Ok(count)
    }

    fn expect(&mut self, ok: bool, rule: &'static str) -> Done {
        debug_assert!(ok, "{rule}");
        Ok(())
    }

    fn open_object(&mut self) -> Done {
        self.begin(b'{');
        Ok(())
    }

    fn close_object(&mut self) -> Done {
        self.end(b'}');
        Ok(())
    }

    fn open_list(&mut self, must: bool) -> Result<bool, Infallible> {
        if must {
            self.begin(b'[');
        }
        Ok(must)
    }

    fn next_item(&mut self) -> Done {
        Ok(())
    }

    fn close_list(&mut self) -> Done {
        self.end(b']');
        Ok(())
    }
}
