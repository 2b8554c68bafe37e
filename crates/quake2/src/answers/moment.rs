//! `state`: everything known at one time.

use fragreel_base::wire::{Error, Vocabulary as _};
use fragreel_model::replay::At;
use fragreel_model::{Fields, FrameOptions, Moment, Record, Section, Value, When};

use super::meaning::{solid_box, string_name};
use crate::Frames;
use crate::chars;
use crate::fields::names;
use crate::state::State;
use crate::walk::describe::{describe_entity, describe_player};

/// The options of the frames that [`state_at`] searches.
pub(crate) fn frame_options() -> FrameOptions {
    FrameOptions::default().fields(Fields::NONE)
}

pub(crate) fn state_at(mut frames: Frames<'_>, protocol: u32, when: When) -> Result<Moment, Error> {
    if let Some(at) = frames.look(when) {
        return Ok(describe(frames.source().state(), at));
    }
    Err(match protocol {
        25 => Error::unsupported("the frames of the test release (protocol 25) are not described anywhere"),
        _ if frames.source().has_begun() => Error::malformed("no frame can be decoded: their delta bases are missing"),
        _ => Error::misuse("the recording has no frame to look at"),
    })
}

fn describe(state: &State, at: At) -> Moment {
    let mut level = Record::default();
    level.push("frame", state.clock.number());
    level.push("map", crate::walk::roster::map_name(state.strings.get(state.dialect.strings.models + 1)).unwrap_or_default());
    level.push("title", chars::text(&state.level.title));
    level.push("gamedir", chars::clean(&state.level.gamedir));
    level.push("clientnum", i64::from(state.level.clientnum));
    if !state.screen.layout.is_empty() {
        level.push("layout", chars::text(&state.screen.layout));
    }
    if let Some(frame) = state.ring.current() {
        let areas = frame.areas();
        level.push("areas", (0..8 * areas.len()).filter(|at| areas[at / 8] >> (at % 8) & 1 != 0).map(|at| at as i64).collect::<Vec<_>>());
    }
    let players = state.players().map(|(number, player)| describe_player(state, number, player)).collect();
    let mut entities = Vec::new();
    state.entities(|number, row| entities.push(describe_entity(state, number, row)));
    let strings = state
        .strings
        .iter()
        .map(|(index, value)| {
            let mut record = Record::default();
            record.push("index", index);
            if let Some(name) = string_name(state.dialect.strings, index) {
                record.push("name", name);
            }
            record.push("value", chars::text(value));
            record
        })
        .collect();
    let baselines = state.baselines.iter().map(|(number, row)| describe_entity(state, number, row)).collect();
    let mut sections = [
        ("level", vec![level]),
        ("players", players),
        ("entities", entities),
        ("baselines", baselines),
        ("inventory", inventory(state)),
        ("configstrings", strings),
    ];
    sections.iter_mut().flat_map(|(_, records)| records).for_each(|record| name(state, record));
    Moment {
        time: at.time,
        server_time: at.server_time,
        message: at.message,
        sections: sections.into_iter().map(|(name, records)| Section { name: name.into(), records }).collect(),
    }
}

/// What the player has, as the last `inventory` said.
fn inventory(state: &State) -> Vec<Record> {
    let counts = state.screen.inventory.iter().flat_map(|counts| counts.iter().enumerate());
    let records = counts.filter(|(_, count)| **count != 0).map(|(item, count)| {
        let mut record = Record::default();
        record.push("item", item as i64);
        let name = state.strings.get(state.dialect.strings.items.saturating_add(item as u16));
        if !name.is_empty() {
            record.push("name", chars::text(name));
        }
        record.push("count", *count);
        record
    });
    records.collect()
}

/// Replaces numbers by what they mean.
fn name(state: &State, record: &mut Record) {
    let rerelease = state.dialect.floats;
    for (key, value) in &mut record.0 {
        let Value::Int(number @ (..=-1 | 1..)) = *value else { continue };
        let word = number as u32;
        *value = Value::from(match &**key {
            "effects" => names::EFFECTS.show(word),
            "renderfx" if rerelease => names::RERELEASE_RENDER_FLAGS.show(word),
            "renderfx" => names::RENDER_FLAGS.show(word),
            "event" => names::EVENTS.show(word),
            "pm_type" if rerelease => names::RERELEASE_MOVEMENTS.show(word),
            "pm_type" => names::MOVEMENTS.show(word),
            "pm_flags" => names::MOVE_FLAGS.show(word),
            "rdflags" => names::VIEW_FLAGS.show(word),
            "solid" => solid_box(&state.dialect, number),
            _ => continue,
        });
    }
}
