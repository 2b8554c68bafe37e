//! The meaning of the fields that `explain` shows: units, names, boxes, directions.

use fragreel_base::wire::{Vocabulary, sign_extend};
use fragreel_model::{Part, direction_of_byte};

use crate::dialect::Dialect;
use crate::fields::{flagged_value, names};
use crate::message::Body;
use crate::state::Strings;

/// The strings that name models, sounds, pictures and items.
#[derive(Default)]
pub(super) struct Names {
    strings: Strings,
}

impl Names {
    /// Takes in what a message says before the state does.
    pub(super) fn learn(&mut self, body: &Body) {
        match body {
            Body::ConfigString(string) => self.strings.set(string.index, &string.text.0),
            Body::ServerData(_) => self.strings.clear(0),
            _ => {}
        }
    }

    /// Takes in what a message has changed in the state.
    pub(super) fn learn_from(&mut self, body: &Body, strings: &Strings) {
        match body {
            Body::ConfigString(_) => self.learn(body),
            Body::ServerData(_) | Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) | Body::ZPacket(_) | Body::LevelRestart(_) => {
                self.take(strings);
            }
            _ => {}
        }
    }

    /// Takes all strings of a state.
    pub(super) fn take(&mut self, strings: &Strings) {
        self.strings.clone_from(strings);
    }

    /// A number with the name that a list of configstrings has for it.
    fn listed(&self, from: u16, number: u64) -> Option<String> {
        let name = self.strings.get(u16::try_from(number).ok()?.checked_add(from)?);
        (number > 0 && !name.is_empty()).then(|| format!("{number} {:?}", crate::chars::clean(name)))
    }

    /// Whether an entity is a player's.
    fn is_player(&self, entity: u32, places: &crate::dialect::Strings) -> bool {
        let most = std::str::from_utf8(self.strings.get(places.maxclients)).ok().and_then(|text| text.parse().ok());
        (1..=most.unwrap_or(0)).contains(&entity)
    }

    /// Replaces numbers by what they mean.
    pub(super) fn interpret(&self, parts: &mut [Part], data: &[u8], dialect: &Dialect) {
        let mut effect = String::new();
        for part in parts {
            let meaning = of_units(part, data, dialect).or_else(|| self.of_names(part, dialect, &effect));
            if part.field == "kind" {
                effect.clone_from(&part.meaning);
            }
            if let Some(meaning) = meaning {
                part.meaning = meaning;
            }
        }
    }

    fn of_names(&self, part: &Part, dialect: &Dialect, effect: &str) -> Option<String> {
        let number = u64::from_str_radix(&part.raw, 16).ok()?;
        let word = u32::try_from(number).ok()?;
        let (holder, index) = last_step(&part.path);
        let rerelease = dialect.floats;
        let places = dialect.strings;
        Some(match (holder, part.field) {
            (_, "effects") => names::EFFECTS.show(word),
            (_, "renderfx") if rerelease => names::RERELEASE_RENDER_FLAGS.show(word),
            (_, "renderfx") => names::RENDER_FLAGS.show(word),
            (_, "pm_flags") => names::MOVE_FLAGS.show(word),
            (_, "rdflags") => names::VIEW_FLAGS.show(word),
            (_, "pm_type") if rerelease => names::RERELEASE_MOVEMENTS.show(word),
            (_, "pm_type") => names::MOVEMENTS.show(word),
            (_, "event") => names::EVENTS.show(word),
            (_, "solid") => solid_box(dialect, i64::from(word)),
            (_, "modelindex" | "modelindex2" | "modelindex3" | "modelindex4" | "modelindex5" | "modelindex6" | "gunindex") => {
                self.listed(places.models, number)?
            }
            ("entity", "skinnum") if (0x100..0x1_0000).contains(&word) && self.is_player(index?, places) => {
                format!("{number}, player {}, weapon model {}", word & 255, word >> 8)
            }
            ("sound", "index") | ("entity" | "spawnbaseline", "sound") => self.listed(places.sounds, number)?,
            ("sound", "flags") => names::SOUND_FLAGS.show(word),
            ("sound", "volume") => (f64::from(word) / 255.0).to_string(),
            ("sound", "attenuation") => names::attenuation(word),
            ("sound", "offset") => format!("{number} ms"),
            ("sound", "entity_channel") => format!("entity {}, channel {}", number >> 3, names::CHANNELS.show(word & 7)),
            ("muzzleflash", "weapon") => {
                let name = names::MUZZLE_FLASHES.show(word & !names::MZ_SILENCED);
                if word & names::MZ_SILENCED == 0 { name } else { format!("{name}, silenced") }
            }
            ("muzzleflash2" | "muzzleflash3", "weapon") => names::MONSTER_FLASHES.show(word),
            (_, "direction") => {
                let direction = u8::try_from(number).ok().and_then(direction_of_byte)?;
                format!("{number} is {}", direction.map(|part| part.to_string()).join(", "))
            }
            ("temp_entity", "color") if names::SPLASH_KINDS.contains(&effect) => names::SPLASHES.show(word),
            ("configstring", "index") => format!("{number} {}", string_name(places, number as u16)?),
            ("stat", "value") => names::stat(index?, i64::from(word as u16 as i16)),
            ("item", "count") => {
                let item = self.strings.get(places.items.checked_add(u16::try_from(index?).ok()?)?);
                let count = word as u16 as i16;
                if item.is_empty() { return None } else { format!("{} = {count}", crate::chars::clean(item)) }
            }
            (_, "blend_red" | "blend_green" | "blend_blue" | "blend_alpha") => (f64::from(word) / 255.0).to_string(),
            _ => return None,
        })
    }
}

/// What holds a field: its name and its number.
fn last_step(path: &str) -> (&str, Option<u32>) {
    let step = path.rsplit(" › ").next().unwrap_or_default();
    match step.rsplit_once(' ') {
        Some((name, index)) => (name, index.parse().ok()),
        None => (step, None),
    }
}

/// Coordinates in units, angles in degrees, sets as lists of their members.
fn of_units(part: &Part, data: &[u8], dialect: &Dialect) -> Option<String> {
    let (from, bits) = ((part.from_bit / 8) as usize, part.to_bit - part.from_bit);
    let bytes = data.get(from..(part.to_bit / 8) as usize).filter(|_| part.from_bit.is_multiple_of(8))?;
    let word = |at: usize| bytes.get(at..at + 2).map_or(0, |bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
    let float = |at: usize| bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0.0, f32::from_le_bytes);
    let eighths = |raw: u32| f64::from(flagged_value(raw, 0) as i32) / 8.0;
    let name = part.field.trim_end_matches(['x', 'y', 'z']).trim_end_matches('_');
    Some(match (name, bits) {
        ("origin" | "old_origin" | "velocity", 16 | 24) if dialect.flagged => {
            let raw = u32::from(word(0) as u16) | u32::from(bytes.get(2).copied().unwrap_or(0)) << 16;
            if raw & 1 != 0 { eighths(raw).to_string() } else { format!("{:+} from the previous value", eighths(raw)) }
        }
        ("origin" | "old_origin" | "velocity", 16) => (f64::from(word(0)) / 8.0).to_string(),
        ("origin" | "old_origin", 24) => high24(bytes).to_string(),
        ("position" | "position1" | "position2" | "position3" | "position4" | "position5" | "position6", _) => places(bytes, dialect)?,
        ("origin" | "old_origin" | "velocity" | "viewangles" | "angles" | "delta_angles", 32) if dialect.floats => float(0).to_string(),
        ("gunoffset" | "gunangles", 32) => float(0).to_string(),
        ("viewangles" | "angles" | "delta_angles", 16) => format!("{}°", f64::from(word(0)) * 360.0 / 65_536.0),
        ("angles", 8) => format!("{}°", f64::from(*bytes.first()? as i8) * 360.0 / 256.0),
        ("viewoffset", 16) => (f64::from(word(0)) / 16.0).to_string(),
        ("kick_angles", 16) => format!("{}°", f64::from(word(0)) / 1024.0),
        ("viewoffset" | "gunoffset", 8) => (f64::from(*bytes.first()? as i8) / 4.0).to_string(),
        ("kick_angles" | "gunangles", 8) => format!("{}°", f64::from(*bytes.first()? as i8) / 4.0),
        ("gravity", 16) => word(0).to_string(),
        ("areas" | "portals", _) => members(bytes),
        ("connected", _) => bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(" "),
        _ => return None,
    })
}

/// The high byte first, then the low 16 bits.
fn high24(bytes: &[u8]) -> f64 {
    let raw = bytes.iter().zip([16, 0, 8]).fold(0, |raw, (byte, shift)| raw | u32::from(*byte) << shift);
    f64::from(sign_extend(raw, 24) as i32) / 8.0
}

/// Three coordinates.
fn places(bytes: &[u8], dialect: &Dialect) -> Option<String> {
    use crate::dialect::Coordinates;
    let mut rest = bytes;
    let mut take = |count: usize| {
        rest.split_at_checked(count).map(|(first, other)| {
            rest = other;
            first
        })
    };
    let mut found = Vec::new();
    for _ in 0..3 {
        found.push(match dialect.coordinates {
            Coordinates::Eighths => (f64::from(i16::from_le_bytes(take(2)?.try_into().ok()?)) / 8.0).to_string(),
            Coordinates::High24 => high24(take(3)?).to_string(),
            Coordinates::Float => f32::from_le_bytes(take(4)?.try_into().ok()?).to_string(),
            Coordinates::Flagged => {
                let low = u32::from(u16::from_le_bytes(take(2)?.try_into().ok()?));
                let raw = if low & 1 != 0 { low | u32::from(*take(1)?.first()?) << 16 } else { low };
                (f64::from(flagged_value(raw, 0) as i32) / 8.0).to_string()
            }
        });
    }
    Some(found.join(", "))
}

/// The numbers of the set bits.
fn members(bytes: &[u8]) -> String {
    let set = (0..bytes.len() * 8).filter(|at| bytes[at / 8] >> (at % 8) & 1 != 0).map(|at| at.to_string());
    let shown = set.collect::<Vec<_>>().join(" ");
    if shown.is_empty() { String::from("none") } else { shown }
}

/// The name of a configstring's index: its own, or that of its list and the place in it.
pub(super) fn string_name(places: &crate::dialect::Strings, index: u16) -> Option<String> {
    let own = match index {
        0 => "CS_NAME",
        1 => "CS_CDTRACK",
        2 => "CS_SKY",
        3 => "CS_SKYAXIS",
        4 => "CS_SKYROTATE",
        5 => "CS_STATUSBAR",
        _ if index == places.airaccel => "CS_AIRACCEL",
        _ if index == places.maxclients => "CS_MAXCLIENTS",
        _ if index == places.maxclients + 1 => "CS_MAPCHECKSUM",
        _ => "",
    };
    if !own.is_empty() {
        return Some(own.to_owned());
    }
    let lists = [
        ("CS_STATUSBAR", places.statusbar, places.airaccel),
        ("CS_MODELS", places.models, places.sounds),
        ("CS_SOUNDS", places.sounds, places.images),
        ("CS_IMAGES", places.images, places.lights),
        ("CS_LIGHTS", places.lights, places.items),
        ("CS_ITEMS", places.items, places.playerskins),
        ("CS_PLAYERSKINS", places.playerskins, places.general),
        ("CS_GENERAL", places.general, places.end),
    ];
    lists.into_iter().find(|(_, from, to)| (*from..*to).contains(&index)).map(|(name, from, _)| format!("{name}+{}", index - from))
}

/// The box that a word of `solid` packs: half its width, how far it reaches down and up. It has 16 bits, whose sign may have been spread, or 32.
pub(super) fn solid_box(dialect: &Dialect, solid: i64) -> String {
    let wide = dialect.entity.has_wide_solid();
    let solid = if wide { solid as u32 } else { solid as u32 & 0xffff };
    if solid == 0 {
        return String::from("not solid");
    }
    if solid == BRUSH {
        return String::from("brush model");
    }
    if dialect.floats {
        return solid.to_string();
    }
    let byte = |shift: u32| i64::from(solid >> shift & 0xff);
    let bits = |shift: u32, count: u32| 8 * i64::from(solid >> shift & ((1 << count) - 1));
    let (width, depth, down, up) = match (wide, dialect.extended) {
        (false, _) => (bits(0, 5), bits(0, 5), bits(5, 5), bits(10, 6) - 32),
        (true, false) => (byte(0), byte(0), byte(8), i64::from(solid >> 16) - 32768),
        (true, true) => (byte(0), byte(8), byte(16), byte(24) - 32),
    };
    format!("box -{width} -{depth} -{down} to {width} {depth} {up}")
}

const BRUSH: u32 = 31;
