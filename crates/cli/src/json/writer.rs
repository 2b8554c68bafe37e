//! Writes values as JSON into one buffer. The bytes are those of `serde_json`. Names of fields are written without a search for characters to
//! escape, since names of fields in Rust have none.

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::Error;

use crate::numbers;
use crate::plain::Escaped;

/// Appends `value` to `text`.
pub fn append(text: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Error> {
    value.serialize(Writer { text, inside: false })
}

/// Appends an object that begins with `path` and goes on with the fields of `answer`, which is a struct or a map.
pub fn append_about(text: &mut Vec<u8>, path: &str, answer: &impl Serialize) -> Result<(), Error> {
    text.extend_from_slice(b"{\"path\":");
    string(text, path);
    answer.serialize(Writer { text, inside: true })
}

/// A place for one value.
struct Writer<'t> {
    text: &'t mut Vec<u8>,
    /// Whether an object has begun whose fields the value's fields are.
    inside: bool,
}

/// An object or array that has begun.
struct Begun<'t> {
    text: &'t mut Vec<u8>,
    /// Whether nothing is in it.
    is_empty: bool,
    end: &'static [u8],
}

impl<'t> Writer<'t> {
    /// The buffer, for a value that is neither a struct nor a map.
    #[inline]
    fn plain(self) -> Result<&'t mut Vec<u8>, Error> {
        if self.inside { Err(ser::Error::custom("only structs and maps have fields")) } else { Ok(self.text) }
    }

    #[inline]
    fn object(self) -> Begun<'t> {
        if !self.inside {
            self.text.push(b'{');
        }
        Begun { text: self.text, is_empty: !self.inside, end: b"}" }
    }

    #[inline]
    fn array(self) -> Result<Begun<'t>, Error> {
        let text = self.plain()?;
        text.push(b'[');
        Ok(Begun { text, is_empty: true, end: b"]" })
    }

    /// The value of an enum's variant, in an object with the variant's name.
    fn variant(self, name: &str) -> Result<&'t mut Vec<u8>, Error> {
        let text = self.plain()?;
        text.push(b'{');
        string(text, name);
        text.push(b':');
        Ok(text)
    }
}

/// What JSON escapes.
const ESCAPED: Escaped<2> = Escaped::new(0x20, *b"\"\\");

/// Appends a quoted string.
fn string(text: &mut Vec<u8>, value: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    text.reserve(value.len() + 2);
    text.push(b'"');
    if ESCAPED.are_absent(value.as_bytes()) {
        text.extend_from_slice(value.as_bytes());
        text.push(b'"');
        return;
    }
    for byte in value.bytes() {
        match byte {
            b'"' => text.extend_from_slice(b"\\\""),
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            b'\t' => text.extend_from_slice(b"\\t"),
            8 => text.extend_from_slice(b"\\b"),
            12 => text.extend_from_slice(b"\\f"),
            byte if escaped(byte) => text.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
            byte => text.push(byte),
        }
    }
    text.push(b'"');
}

/// Numbers of these types are written by their digits.
macro_rules! integers {
    ($($name:ident: $type:ty),+) => {
        $(
            #[inline]
            fn $name(self, value: $type) -> Result<(), Error> {
                numbers::push_integer(self.plain()?, value);
                Ok(())
            }
        )+
    };
}

impl<'t> ser::Serializer for Writer<'t> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Begun<'t>;
    type SerializeTuple = Begun<'t>;
    type SerializeTupleStruct = Begun<'t>;
    type SerializeTupleVariant = Begun<'t>;
    type SerializeMap = Begun<'t>;
    type SerializeStruct = Begun<'t>;
    type SerializeStructVariant = Begun<'t>;

    integers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    );

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.plain()?.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        numbers::push_json(self.plain()?, value);
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        numbers::push_json(self.plain()?, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        string(self.plain()?, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        let mut array = self.array()?;
        value.iter().try_for_each(|byte| SerializeSeq::serialize_element(&mut array, byte))?;
        SerializeSeq::end(array)
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Error> {
        self.plain()?.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Result<(), Error> {
        let text = self.variant(variant)?;
        value.serialize(Writer { text: &mut *text, inside: false })?;
        text.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Begun<'t>, Error> {
        self.array()
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Begun<'t>, Error> {
        self.array()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Begun<'t>, Error> {
        self.array()
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Begun<'t>, Error> {
        let text = self.variant(variant)?;
        text.push(b'[');
        Ok(Begun { text, is_empty: true, end: b"]}" })
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Begun<'t>, Error> {
        Ok(self.object())
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Begun<'t>, Error> {
        Ok(self.object())
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Begun<'t>, Error> {
        let text = self.variant(variant)?;
        text.push(b'{');
        Ok(Begun { text, is_empty: true, end: b"}}" })
    }
}

impl Begun<'_> {
    #[inline]
    fn part(&mut self) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.text.push(b',');
        }
    }

    #[inline]
    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.part();
        value.serialize(Writer { text: &mut *self.text, inside: false })
    }

    /// A field of a struct. Inlined, the name is a constant, and so is its length.
    #[inline(always)]
    fn field(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.part();
        self.text.reserve(name.len() + 3);
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b"\":");
        value.serialize(Writer { text: &mut *self.text, inside: false })
    }

    #[inline]
    fn close(self) -> Result<(), Error> {
        self.text.extend_from_slice(self.end);
        Ok(())
    }
}

/// What begins and ends alike.
macro_rules! elements {
    ($($kind:ident::$method:ident),+) => {
        $(
            impl $kind for Begun<'_> {
                type Ok = ();
                type Error = Error;

                #[inline]
                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                    self.element(value)
                }

                #[inline]
                fn end(self) -> Result<(), Error> {
                    self.close()
                }
            }
        )+
    };
}

elements!(SerializeSeq::serialize_element, SerializeTuple::serialize_element, SerializeTupleStruct::serialize_field, SerializeTupleVariant::serialize_field);

/// The same of fields with names.
macro_rules! fields {
    ($($kind:ident),+) => {
        $(
            impl $kind for Begun<'_> {
                type Ok = ();
                type Error = Error;

                #[inline(always)]
                fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                    self.field(name, value)
                }

                #[inline]
                fn end(self) -> Result<(), Error> {
                    self.close()
                }
            }
        )+
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Begun<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.part();
        let from = self.text.len();
        key.serialize(Writer { text: &mut *self.text, inside: false })?;
        // numbers stand in quotes
        if self.text.get(from) != Some(&b'"') {
            self.text.insert(from, b'"');
            self.text.push(b'"');
        }
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.text.push(b':');
        value.serialize(Writer { text: &mut *self.text, inside: false })
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    struct All<'a> {
        text: &'a str,
        character: char,
        bytes: [u8; 3],
        pair: (i64, u64),
        floats: [f32; 4],
        double: f64,
        nothing: Option<i32>,
        something: Option<bool>,
        unit: (),
        by_number: BTreeMap<i16, Kind>,
        by_name: BTreeMap<&'a str, Vec<Kind>>,
        #[serde(flatten)]
        more: More,
        empty: Empty,
    }

    #[derive(Serialize)]
    struct More {
        #[serde(skip_serializing_if = "Option::is_none")]
        absent: Option<u8>,
        present: i128,
    }

    #[derive(Serialize)]
    struct Empty {}

    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(u8),
        Pair(u8, f32),
        Fields { a: u8, b: Empty },
    }

    #[derive(Serialize)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Tagged {
        One { x: f32 },
        Two(Empty),
    }

    #[test]
    fn bytes_are_those_of_serde_json() {
        let kinds = || vec![Kind::Unit, Kind::New(1), Kind::Pair(2, 0.1), Kind::Fields { a: 3, b: Empty {} }];
        let value = All {
            text: "a\"b\\c\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}/é\u{2028}日",
            character: '"',
            bytes: [0, 9, 255],
            pair: (i64::MIN, u64::MAX),
            floats: [0.0, -0.0, f32::NAN, f32::INFINITY],
            double: 1e300,
            nothing: None,
            something: Some(true),
            unit: (),
            by_number: kinds().into_iter().zip(-1..).map(|(kind, number)| (number, kind)).collect(),
            by_name: BTreeMap::from([("", Vec::new()), ("a\"", kinds())]),
            more: More { absent: None, present: i128::MIN },
            empty: Empty {},
        };
        let mut text = Vec::new();
        append(&mut text, &value).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), serde_json::to_string(&value).unwrap());
        for value in [Tagged::One { x: 0.5 }, Tagged::Two(Empty {})] {
            let mut text = Vec::new();
            append(&mut text, &value).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), serde_json::to_string(&value).unwrap());
            let mut text = Vec::new();
            append_about(&mut text, "a \"b\"", &value).unwrap();
            let about = super::super::About { path: "a \"b\"", answer: &value };
            assert_eq!(String::from_utf8(text).unwrap(), serde_json::to_string(&about).unwrap());
        }
        assert!(append_about(&mut Vec::new(), "", &1).is_err(), "a number has no fields");
    }
}
