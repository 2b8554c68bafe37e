//! The meaning of the fields that `explain` shows, as far as their coders do not know it: names of models, sounds, stats, and bits.

use fragreel_base::wire::Vocabulary;
use fragreel_model::Part;

use crate::dialect::Dialect;
use crate::fields::names;
use crate::replacement::SKIN_BIAS;
use crate::state::{Level, MODEL_NUMBER};

/// Replaces numbers by what they mean. `level`: the names of models and sounds before the block.
pub(super) fn interpret(parts: &mut [Part], level: &Level, d: &Dialect) {
    let mut stat = None;
    for part in parts {
        if let Some(meaning) = of_part(part, level, d, stat) {
            part.meaning = meaning;
        }
        if part.field == "stat" {
            stat = u32::from_str_radix(&part.raw, 16).ok();
        }
    }
}

fn of_part(part: &Part, level: &Level, d: &Dialect, stat: Option<u32>) -> Option<String> {
    let word = u32::from_str_radix(&part.raw, 16).ok()?;
    let holder = part.path.split(" › ").next().unwrap_or_default();
    let in_delta = part.path.split(" › ").any(|step| step.starts_with("entity ")) && d.replacement();
    Some(match (holder, part.field) {
        ("print", "level") => names::PRINT_LEVELS.show(word),
        ("updatestat" | "updatestatlong" | "updatestatfloat" | "updatestatstring", "stat") => names::STATS.show(word),
        ("updatestat" | "updatestatlong", "value") if stat.is_some_and(|stat| matches!(names::STATS.name(stat), Some("items" | "active_weapon"))) => {
            names::ITEMS.show(word)
        }
        (_, "buttons") => names::BUTTONS.show(word),
        (_, "skin") if in_delta => skin(part, d)?,
        (_, "movetype") if in_delta => names::movement(word),
        ("playerinfo", "flags") if d.is_multi_view() => names::VIEW_FLAGS.show(word),
        ("playerinfo", "flags") => names::PLAYER_FLAGS.show(word),
        ("clientdata", "bits") => names::CLIENT_FLAGS.show(word),
        ("soundextended", "bits") => names::SOUND_FLAGS.show(word),
        ("sound" | "soundextended", "channel") if part.to_bit - part.from_bit == 16 => {
            let (entity, channel) = if d.is_netquake() { (word >> 3, word & 7) } else { (word >> 3 & 1023, word & 7) };
            format!("entity {entity}, channel {}", names::CHANNELS.show(channel))
        }
        ("sound" | "soundextended", "channel") => names::CHANNELS.show(word),
        ("stopsound", "channel") => format!("entity {}, channel {}", word >> 3, names::CHANNELS.show(word & 7)),
        ("sound" | "soundextended" | "spawnstaticsound" | "spawnstaticsound2", "volume") => (f64::from(word) / 255.0).to_string(),
        ("sound" | "soundextended" | "spawnstaticsound" | "spawnstaticsound2", "attenuation") => (f64::from(word) / 64.0).to_string(),
        ("sound" | "soundextended" | "spawnstaticsound" | "spawnstaticsound2", "sound") => listed(&level.sounds, word)?,
        (_, "more_bits") if d.is_netquake() => names::UPDATE_MORE.show(word),
        (_, "effects") => names::effects(d.is_netquake()).show(word),
        (_, "flags") if in_delta => names::RENDER_FLAGS.show(word),
        (_, "model" | "model 2") => model(part, level, in_delta)?,
        (_, "alpha") if in_delta && word < 255 => (f64::from(word) / 254.0).to_string(),
        (_, "scale") if in_delta => (f64::from(word) / 16.0).to_string(),
        (_, "fatness") if in_delta => (f64::from(word as u8 as i8) / 16.0).to_string(),
        (_, "colormod red" | "colormod green" | "colormod blue" | "glowmod red" | "glowmod green" | "glowmod blue") => (f64::from(word) / 32.0).to_string(),
        (_, "glow size") => (4 * word).to_string(),
        (_, "gravity pitch" | "gravity yaw") => (f64::from(word as u8 as i8) * 360.0 / 256.0).to_string(),
        (_, "solid") => solid(part, word),
        _ => return None,
    })
}

/// A model's number with its name.
fn model(part: &Part, level: &Level, in_delta: bool) -> Option<String> {
    let number = part.meaning.parse().ok()?;
    if in_delta && number > MODEL_NUMBER {
        let model = number & MODEL_NUMBER;
        return Some(format!("{}, ragdoll", listed(&level.models, model).unwrap_or_else(|| model.to_string())));
    }
    listed(&level.models, number)
}

/// A skin by what its number stands for.
fn skin(part: &Part, d: &Dialect) -> Option<String> {
    let number: i64 = part.meaning.parse().ok()?;
    names::skin(if d.layout().lerp_time { number - i64::from(SKIN_BIAS) } else { number })
}

fn listed(files: &[crate::message::Text], number: u32) -> Option<String> {
    let name = files.get(number as usize).filter(|name| !name.bytes().is_empty())?;
    Some(format!("{number} {name:?}"))
}

/// The box of a replacement delta.
fn solid(part: &Part, word: u32) -> String {
    solid_box(if part.to_bit - part.from_bit == 16 { crate::replacement::solid::expand(word) } else { word })
}

/// A box of 32 bits as its corners.
pub(super) fn solid_box(solid: u32) -> String {
    use crate::replacement::solid::{SOLID_NOT, corners};
    match corners(solid) {
        Some((low, high)) => {
            let list = |corner: [f32; 3]| corner.map(|part| part.to_string()).join(" ");
            format!("box {} to {}", list(low), list(high))
        }
        None if solid == SOLID_NOT => String::from("not solid"),
        None => String::from("as large as the model"),
    }
}
