//! The meaning of the fields that `explain` shows, as far as their coders do not know it: names of resources, numbers, and bits.

use std::collections::HashMap;

use fragreel_base::wire::Vocabulary;
use fragreel_model::Part;

use crate::fields::names;
use crate::game_text::clean;
use crate::message::Message;

/// Kinds of resources by number.
const SOUND: u8 = 0;
const MODEL: u8 = 2;
const DECAL: u8 = 3;
const EVENT: u8 = 5;

/// The names of resources by kind and number.
#[derive(Default)]
pub(super) struct Names {
    resources: HashMap<(u8, u32), String>,
}

impl Names {
    /// Takes in what a message says.
    pub(super) fn learn(&mut self, message: &Message) {
        match message {
            Message::ServerInfo(_) => self.resources.clear(),
            Message::ResourceList(list) => {
                self.resources.extend(list.resources.iter().map(|resource| ((resource.kind, u32::from(resource.index)), clean(&resource.name.0))));
            }
            _ => {}
        }
    }

    /// A number with the name of its resource.
    fn listed(&self, kind: u8, number: u32) -> Option<String> {
        self.resources.get(&(kind, number)).map(|name| format!("{number} {name:?}"))
    }

    /// Replaces numbers by what they mean.
    pub(super) fn interpret(&self, parts: &mut [Part]) {
        for part in parts {
            if let Some(meaning) = of_part(part, self) {
                part.meaning = meaning;
            }
        }
    }
}

fn of_part(part: &Part, resources: &Names) -> Option<String> {
    let holder = part.path.split(" › ").next().unwrap_or_default();
    // Fields of rows have a sign and a unit of the stream's own, and their meaning is the number that comes of it.
    if part.field == "skin"
        && let Some(contents) = part.meaning.parse().ok().and_then(names::contents)
    {
        return Some(format!("{}, {contents}", part.meaning));
    }
    let number: u32 = part.meaning.parse().ok()?;
    let listed = |kind: u8| resources.listed(kind, number);
    Some(match (holder, part.field) {
        ("svc_sound", "flags") => names::SOUND_FLAGS.show(number),
        ("svc_sound" | "svc_spawnstaticsound", "volume") => (f64::from(number) / 255.0).to_string(),
        ("svc_sound" | "svc_spawnstaticsound", "attenuation") => (f64::from(number) / 64.0).to_string(),
        ("svc_sound" | "svc_spawnstaticsound", "pitch") => format!("{number} %"),
        ("svc_sound" | "svc_spawnstaticsound", "sound") => listed(SOUND)?,
        ("svc_resourcelist" | "svc_customization", "kind") => names::RESOURCE_KINDS.show(number),
        ("svc_resourcelist" | "svc_customization", "flags") => names::RESOURCE_FLAGS.show(number),
        ("svc_event" | "svc_event_reliable", "index") => listed(EVENT)?,
        ("svc_temp_entity", "sprite" | "end_sprite" | "model" | "spray" | "drop") => listed(MODEL)?,
        ("svc_temp_entity", "decal") => listed(DECAL)?,
        (_, "modelindex" | "weaponmodel" | "viewmodel" | "model") => listed(MODEL)?,
        (_, field) => match (names::words(field), names::flags(field)) {
            (Some(words), _) => words.show(number),
            (None, Some(flags)) => flags.show(number),
            (None, None) => return None,
        },
    })
}
