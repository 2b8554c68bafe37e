//! Messages whose fields a number announces: temporary entities and director commands.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::WireError;

use super::message::{MessageContext, MessageForm};
use super::signon::string_or_bytes;
use crate::message::director::SHAPES;
use crate::message::temp_entity::FieldType;
use crate::message::{Director, TempEntity, TempEntityShape};
use crate::scalars::Coord;
use crate::scalars::form::ValueForm;

static KINDS: LazyLock<Names> = LazyLock::new(|| Names::new((0..=u8::MAX).map(|kind| TempEntityShape::of(kind).map_or("", |shape| shape.name))));
/// Commands by number; those that nobody knows are numbered.
static COMMANDS: LazyLock<Names> = LazyLock::new(|| {
    let known = SHAPES.iter().map(|shape| shape.name.to_owned());
    let unknown = (SHAPES.len()..NO_COMMAND).map(|number| format!("command {number}"));
    Names::new(known.chain(unknown).chain([String::from("nothing")]))
});
/// The place of a message without bytes.
const NO_COMMAND: usize = 256;

fn word<F: Form>(f: &mut F, name: &'static str, kind: FieldType, word: u32) -> Result<u32, F::Error> {
    f.require(name)?;
    let result = match kind {
        FieldType::Byte => f.int(word.into(), 0, u8::MAX.into()).map(|value| value as u32),
        FieldType::Word => f.int(word.into(), 0, u16::MAX.into()).map(|value| value as u32),
        FieldType::Long => f.int(word.into(), 0, u32::MAX.into()).map(|value| value as u32),
        FieldType::Short => f.int((word as i16).into(), i16::MIN.into(), i16::MAX.into()).map(|value| u32::from(value as u16)),
        FieldType::Angle => f.scaled(word.into(), 360.0 / 256.0, 0, u8::MAX.into()).map(|value| value as u32),
        FieldType::Float => f.float(f32::from_bits(word)).map(f32::to_bits),
        FieldType::Coord => {
            let mut coord = Coord(word as i16);
            coord.value_form(f, None).map(|()| u32::from(coord.0 as u16))
        }
    };
    result.map_err(|error| error.inside(name, None))
}

impl MessageForm for TempEntity {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.variant(&KINDS, self.kind.into(), |f, kind| {
            self.kind = kind as u8;
            let Some(shape) = TempEntityShape::of(self.kind) else {
                return f.expect(false, "there is no temporary entity of this number");
            };
            f.object(|f| self.members(f, shape)).map_err(|error| error.inside(shape.name, None))
        })
    }
}

impl TempEntity {
    fn members<F: Form>(&mut self, f: &mut F, shape: &TempEntityShape) -> Result<(), F::Error> {
        if F::READING {
            self.values.clear();
        }
        for (at, &(name, kind)) in shape.fields.iter().enumerate() {
            if at + 1 == shape.fields.len() && !shape.has_last(&self.values) {
                break;
            }
            if F::READING {
                self.values.push(0);
            }
            self.values[at] = word(f, name, kind, self.values[at])?;
        }
        if shape.has_text() { super::value::field(f, "text", &mut self.text) } else { Ok(()) }
    }
}

impl MessageForm for Director {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        let which = self.command.map_or(NO_COMMAND, usize::from);
        f.variant(&COMMANDS, which, |f, which| {
            self.command = (which != NO_COMMAND).then_some(which as u8);
            f.object(|f| self.members(f)).map_err(|error| error.inside("director", None))
        })
    }
}

impl Director {
    fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        let fields = self.command.and_then(|command| SHAPES.get(usize::from(command))).map_or(&[][..], |shape| shape.fields);
        // one that is too short for its fields has none of them
        if !fields.is_empty() && f.key("fields", !self.values.is_empty())? {
            self.values.resize(fields.len(), 0);
            f.object(|f| {
                for (value, &(name, kind)) in self.values.iter_mut().zip(fields) {
                    *value = word(f, name, kind, *value)?;
                }
                Ok(())
            })
            .map_err(|error| error.inside("fields", None))?;
        } else {
            self.values.clear();
        }
        if self.command.is_some() {
            string_or_bytes(f, "text", "rest", &mut self.rest)?;
        } else {
            self.rest.clear();
        }
        f.expect(1 + self.fixed_bytes() + self.rest.len() <= usize::from(u8::MAX), "a director's command has at most 255 bytes")
    }
}
