//! Messages of the game DLL: those whose shape is known by their fields, all others as bytes.

use fragreel_base::textform::{Form, Schema};
use fragreel_base::wire::WireError;
use serde_json::Value;

use super::message::{MessageContext, MessageForm};
use super::value::terminated;
use crate::message::payload::Payload;
use crate::message::user_shape::{ANGLE, Part, Presence, SHAPES, Shape, fits, integer, shape};
use crate::message::{FIRST_USER_MESSAGE, UserMessage};

impl MessageForm for UserMessage {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        let context = &context.scope.context;
        f.object(|f| {
            let mut name = context.user_message(self.id).map_or_else(Vec::new, |shape| shape.name.clone());
            f.require("name")?;
            f.text(&mut name).map_err(|error| error.inside("name", None))?;
            // the first of a name; others have their number
            let usual = context.user_messages().find(|(id, shape)| *id >= FIRST_USER_MESSAGE && shape.name == name).map_or(0, |(id, _)| id);
            f.unless("number", &mut self.id, usual)?;
            let announced = context.user_message(self.id).filter(|shape| self.id >= FIRST_USER_MESSAGE && shape.name == name);
            f.insist(announced.is_some(), "the stream has not announced a user message of this name")?;
            let shape = announced.and_then(|announced| shape(&name, announced.size));
            if f.key("data", !shape.is_some_and(|parts| fits(parts, &self.data)))? {
                f.hex(&mut self.data).map_err(|error| error.inside("data", None))?;
            } else if let Some(parts) = shape {
                self.parts(f, parts)?;
            } else {
                f.require("data")?;
                f.hex(&mut self.data)?;
            }
            let most = usize::from(u8::MAX);
            let length = announced.and_then(|shape| shape.size).map_or(self.data.len() <= most, |size| self.data.len() == usize::from(size));
            f.insist(length, "the message's size is not the one announced, or more than 255")
        })
    }
}

/// What messages of known shapes may hold, for a schema.
pub(super) fn schemas() -> Vec<Value> {
    let schema = |(name, parts): &Shape| {
        let mut schema = Schema::collect(2, |f| {
            f.object(|f| {
                f.require("name")?;
                f.text(&mut Vec::new())?;
                f.unless("number", &mut 0u8, 0)?;
                UserMessage::default().parts(f, parts)
            })
        });
        schema["properties"]["name"] = serde_json::json!({ "const": name });
        schema
    };
    SHAPES.iter().map(schema).collect()
}

impl UserMessage {
    fn parts<F: Form>(&mut self, f: &mut F, parts: &[(&'static str, Part)]) -> Result<(), F::Error> {
        let before = if F::READING { Vec::new() } else { self.data.clone() };
        let mut payload = Payload::new(&before);
        let mut data = Vec::new();
        let mut presence = Presence::default();
        for &(name, part) in parts {
            let there = presence.has(&payload, part);
            match part {
                Part::LowByte | Part::Last(_) => {
                    if !f.key(name, there)? {
                        continue;
                    }
                }
                Part::Flagged(..) => {
                    let given = f.key(name, there)?;
                    f.insist(given == there, "a field is there, or not, as `flags` says")?;
                    if !given {
                        continue;
                    }
                }
                _ => f.require(name)?,
            }
            let value = part_as_text(f, part.bare(), &mut payload, &mut data).map_err(|error| error.inside(name, None))?;
            presence.read(name, value);
        }
        if F::READING {
            self.data = data;
        }
        Ok(())
    }
}

/// Writes a field, or reads it into `data`. Returns its number, if it is one.
fn part_as_text<F: Form>(f: &mut F, part: Part, payload: &mut Payload, data: &mut Vec<u8>) -> Result<i64, F::Error> {
    let mut value = integer(payload, part).unwrap_or_default();
    let bytes = match part {
        Part::Byte => 1,
        Part::Short | Part::Unsigned | Part::Coord => 2,
        Part::Long => 4,
        _ => 1,
    };
    match part {
        Part::Byte => value = f.int(value, 0, u8::MAX.into())?,
        Part::LowByte => value = f.int(value, 0, 31)?,
        Part::Word(names) => value = f.word(value as u32, u8::MAX.into(), &**names)?.into(),
        Part::Char => value = f.int(value, i8::MIN.into(), i8::MAX.into())?,
        Part::Short => value = f.int(value, i16::MIN.into(), i16::MAX.into())?,
        Part::Unsigned => value = f.int(value, 0, u16::MAX.into())?,
        Part::Long => value = f.int(value, i32::MIN.into(), i32::MAX.into())?,
        Part::Coord => value = f.scaled(value, 0.125, i16::MIN.into(), i16::MAX.into())?,
        Part::Angle => value = f.scaled(value, ANGLE, 0, u8::MAX.into())?,
        Part::Last(_) | Part::Flagged(..) => return f.expect(false, "the shape of a message nests too deep").map(|()| 0),
        Part::Text => {
            string(f, payload.string().unwrap_or_default(), data)?;
            return Ok(0);
        }
        Part::Texts => {
            let from = data.len();
            let count = payload.rest().iter().filter(|byte| **byte == 0).count();
            let mut texts: Vec<Vec<u8>> = Vec::new();
            let count = f.items(count, |f, at| {
                let mut text = Vec::new();
                string(f, payload.string().unwrap_or_default(), &mut text)?;
                texts.truncate(at);
                texts.push(text);
                Ok(())
            })?;
            data.truncate(from);
            data.extend(texts.drain(..count.min(texts.len())).flatten());
            return Ok(0);
        }
    }
    data.extend_from_slice(&value.to_le_bytes()[..bytes]);
    Ok(value)
}

/// A text and its NUL.
fn string<F: Form>(f: &mut F, text: &[u8], data: &mut Vec<u8>) -> Result<(), F::Error> {
    let mut text = text.to_vec();
    f.text(&mut text)?;
    terminated(f, &text)?;
    data.append(&mut text);
    data.push(0);
    Ok(())
}
