//! Messages of the game DLL: those whose shape is known by their fields, all others as bytes.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names, Schema};
use fragreel_base::wire::WireError;
use serde_json::Value;

use super::message::MessageContext;
use super::value::terminated;
use crate::message::form::MessageForm;
use crate::message::payload::Payload;
use crate::message::{FIRST_USER_MESSAGE, UserMessage};

/// A field of a user message.
#[derive(Debug, Clone, Copy)]
enum Part {
    Byte,
    Char,
    Short,
    Long,
    Coord,
    Text,
    /// Strings up to the end.
    Texts,
    /// A byte that may be missing: no text that follows it begins so low.
    LowByte,
    /// A byte with names.
    Word(&'static LazyLock<Names>),
}

static PLACES: LazyLock<Names> = LazyLock::new(|| Names::new(["", "notify", "console", "talk", "center", "radio"]));

type Shape = (&'static str, &'static [(&'static str, Part)]);

/// By name. What does not fit is written as bytes (`docs/formats/goldsrc.md`, "User messages").
const SHAPES: &[Shape] = &[
    ("SayText", &[("sender", Part::Byte), ("texts", Part::Texts)]),
    ("TextMsg", &[("place", Part::Word(&PLACES)), ("texts", Part::Texts)]),
    ("DeathMsg", &[("killer", Part::Byte), ("victim", Part::Byte), ("headshot", Part::LowByte), ("weapon", Part::Text)]),
    ("TeamInfo", &[("slot", Part::Byte), ("team", Part::Text)]),
    ("TeamScore", &[("team", Part::Text), ("score", Part::Short)]),
    ("Money", &[("amount", Part::Long), ("flash", Part::Byte)]),
    ("Account", &[("slot", Part::Byte), ("amount", Part::Long)]),
    ("CurWeapon", &[("state", Part::Byte), ("weapon", Part::Byte), ("rounds", Part::Char)]),
    (
        "WeaponList",
        &[
            ("weapon_name", Part::Text),
            ("ammo_1", Part::Char),
            ("most_ammo_1", Part::Byte),
            ("ammo_2", Part::Char),
            ("most_ammo_2", Part::Byte),
            ("slot", Part::Byte),
            ("position", Part::Byte),
            ("weapon", Part::Byte),
            ("flags", Part::Byte),
        ],
    ),
    ("WeapPickup", &[("weapon", Part::Byte)]),
    ("ItemPickup", &[("item", Part::Text)]),
    ("Damage", &[("armor", Part::Byte), ("health", Part::Byte), ("kinds", Part::Long), ("x", Part::Coord), ("y", Part::Coord), ("z", Part::Coord)]),
    ("RoundTime", &[("seconds", Part::Short)]),
    ("SendAudio", &[("slot", Part::Byte), ("texts", Part::Texts)]),
    ("HudText", &[("texts", Part::Texts)]),
    ("ServerName", &[("server", Part::Text)]),
    ("MOTD", &[("last", Part::Byte), ("text", Part::Text)]),
    ("Health", &[("health", Part::Byte)]),
    ("Battery", &[("armor", Part::Short)]),
    ("Location", &[("slot", Part::Byte), ("place", Part::Text)]),
    ("ScoreAttrib", &[("slot", Part::Byte), ("flags", Part::Byte)]),
    ("AmmoX", &[("ammo", Part::Byte), ("count", Part::Byte)]),
    ("SetFOV", &[("fov", Part::Byte)]),
];

/// A number at the start of the payload.
fn integer(payload: &mut Payload, part: Part) -> Option<i64> {
    match part {
        Part::Byte | Part::Word(_) | Part::LowByte => payload.byte().map(i64::from),
        Part::Char => payload.byte().map(|byte| i64::from(byte as i8)),
        Part::Short | Part::Coord => payload.short().map(i64::from),
        Part::Long => payload.long().map(i64::from),
        Part::Text | Part::Texts => None,
    }
}

/// Whether a low byte stands here, and not the text's first.
fn low_byte_follows(payload: &Payload) -> bool {
    payload.rest().first().is_some_and(|byte| (1..32).contains(byte)) || payload.rest().len() > 1 && payload.rest()[0] == 0
}

/// Whether the payload is just what the shape says.
fn fits(parts: &[(&'static str, Part)], data: &[u8]) -> bool {
    let mut payload = Payload::new(data);
    for (_, part) in parts {
        let read = match part {
            Part::Text => payload.string().is_some(),
            Part::Texts => {
                while !payload.rest().is_empty() {
                    if payload.string().is_none() {
                        return false;
                    }
                }
                true
            }
            Part::LowByte if !low_byte_follows(&payload) => true,
            part => integer(&mut payload, *part).is_some(),
        };
        if !read {
            return false;
        }
    }
    payload.rest().is_empty()
}

impl MessageForm<MessageContext<'_>> for UserMessage {
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
            let shape = SHAPES.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, parts)| *parts);
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
        for &(name, part) in parts {
            match part {
                Part::LowByte => {
                    if !f.key(name, low_byte_follows(&payload))? {
                        continue;
                    }
                }
                _ => f.require(name)?,
            }
            part_as_text(f, part, &mut payload, &mut data).map_err(|error| error.inside(name, None))?;
        }
        if F::READING {
            self.data = data;
        }
        Ok(())
    }
}

fn part_as_text<F: Form>(f: &mut F, part: Part, payload: &mut Payload, data: &mut Vec<u8>) -> Result<(), F::Error> {
    let value = integer(payload, part).unwrap_or_default();
    match part {
        Part::Byte => data.push(f.int(value, 0, u8::MAX.into())? as u8),
        Part::LowByte => data.push(f.int(value, 0, 31)? as u8),
        Part::Word(names) => data.push(f.word(value as u32, u8::MAX.into(), &**names)? as u8),
        Part::Char => data.push(f.int(value, i8::MIN.into(), i8::MAX.into())? as u8),
        Part::Short => data.extend_from_slice(&(f.int(value, i16::MIN.into(), i16::MAX.into())? as i16).to_le_bytes()),
        Part::Long => data.extend_from_slice(&(f.int(value, i32::MIN.into(), i32::MAX.into())? as i32).to_le_bytes()),
        Part::Coord => data.extend_from_slice(&(f.scaled(value, 0.125, i16::MIN.into(), i16::MAX.into())? as i16).to_le_bytes()),
        Part::Text => string(f, payload.string().unwrap_or_default(), data)?,
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
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names_of_their_own() {
        for (name, parts) in SHAPES {
            let mut names: Vec<_> = parts.iter().map(|(name, _)| *name).chain(["name", "number", "data"]).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{name}");
        }
    }

    #[test]
    fn low_bytes_are_told_from_texts() {
        let parts = SHAPES.iter().find(|(name, _)| *name == "DeathMsg").unwrap().1;
        for (data, fit) in
            [(&b"\x01\x02\x01ak47\0"[..], true), (b"\x01\x02\0ak47\0", true), (b"\x01\x02ak47\0", true), (b"\x01\x02\0", true), (b"\x01\x02\x07", false)]
        {
            assert_eq!(fits(parts, data), fit, "{data:?}");
        }
    }
}
