//! Players and entities as named fields with units.

use fragreel_model::{Record, Value};

use crate::chars;
use crate::dialect::Dialect;
use crate::fields::{entity, player};
use crate::state::{PlayerState, State};

/// A field of an entity, by its name in a moment or by the name of its word.
pub(crate) fn entity_field(state: &State, number: u16, row: &entity::Row, field: &str) -> Option<Value> {
    let found = describe_entity(state, number, row).find(field).cloned();
    found.or_else(|| entity::NAMES.iter().position(|name| *name == field).map(|at| Value::Int(i64::from(row[at] as i32))))
}

/// Like [`entity_field`], for a player. `stat_3` is a stat.
pub(crate) fn player_field(state: &State, number: i16, player: &PlayerState, field: &str) -> Option<Value> {
    if let Some(stat) = field.strip_prefix("stat_").and_then(|stat| stat.parse::<usize>().ok()) {
        return player.stats.get(stat).map(|&value| value.into());
    }
    let found = describe_player(state, number, player).find(field).cloned();
    found.or_else(|| player::NAMES.iter().position(|name| *name == field).map(|at| Value::Int(i64::from(player.row[at] as i32))))
}

pub(crate) fn describe_entity(state: &State, number: u16, row: &entity::Row) -> Record {
    use entity::*;
    let dialect = &state.dialect;
    let mut record = Record::default();
    record.push("number", number);
    let model = state.strings.get(dialect.strings.models.saturating_add(row[MODELINDEX] as u16));
    if row[MODELINDEX] != 0 && !model.is_empty() {
        record.push("model", chars::clean(model));
    }
    let vector = |from: usize, unit: fn(&Dialect, u32) -> f32| (from..from + 3).map(|at| unit(dialect, row[at])).collect::<Vec<f32>>();
    record.push("origin", vector(ORIGIN_X, Dialect::units));
    record.push("angles", vector(ANGLES_X, Dialect::degrees));
    record.push("old_origin", vector(OLD_ORIGIN_X, Dialect::units));
    const VECTORS: std::ops::RangeInclusive<usize> = ORIGIN_X..=OLD_ORIGIN_Z;
    for (at, name) in NAMES.iter().enumerate().filter(|(at, _)| !VECTORS.contains(at) && *at < FRAME16) {
        if row[at] != 0 {
            record.push(*name, i64::from(row[at] as i32));
        }
    }
    record
}

pub(crate) fn describe_player(state: &State, number: i16, player: &PlayerState) -> Record {
    use player::*;
    let dialect = &state.dialect;
    let mut record = Record::default();
    record.push("number", i64::from(number));
    if let Ok(slot) = u16::try_from(number) {
        let name = super::roster::player_name(state.strings.get(dialect.strings.playerskins.saturating_add(slot)));
        // Q2PRO's own client of a multi-view recording has none
        if !name.is_empty() {
            record.push("name", chars::text(name));
        }
    }
    let row = &player.row;
    let vector = |from: usize, unit: &dyn Fn(u32) -> f32| (from..from + 3).map(|at| unit(row[at])).collect::<Vec<f32>>();
    let quarters = |word: u32| word as i32 as f32 / 4.0;
    let small = |word: u32| if dialect.floats { f32::from_bits(word) } else { quarters(word) };
    record.push("origin", vector(ORIGIN_X, &|word| dialect.units(word)));
    record.push("velocity", vector(VELOCITY_X, &|word| dialect.units(word)));
    record.push("viewangles", vector(VIEWANGLES_X, &|word| dialect.degrees(word)));
    record.push("delta_angles", vector(DELTA_ANGLES_X, &|word| dialect.degrees(word)));
    record.push("viewoffset", vector(VIEWOFFSET_X, &|word| if dialect.floats { word as i32 as f32 / 16.0 } else { quarters(word) }));
    record.push("kick_angles", vector(KICK_ANGLES_X, &|word| if dialect.floats { word as i32 as f32 / 1024.0 } else { quarters(word) }));
    record.push("gunoffset", vector(GUNOFFSET_X, &small));
    record.push("gunangles", vector(GUNANGLES_X, &small));
    record.push("blend", (BLEND_RED..=BLEND_ALPHA).map(|at| row[at] as f32 / 255.0).collect::<Vec<f32>>());
    for at in [PM_TYPE, PM_FLAGS, PM_TIME, GRAVITY, GUNINDEX, GUNFRAME, FOV, RDFLAGS] {
        record.push(NAMES[at], i64::from(row[at] as i32));
    }
    let rest = (GUNRATE..SLOTS).filter(|at| ![BLEND_MASK, FOG_MASK, FOV, RDFLAGS].contains(at) && !(BLEND_RED..=BLEND_ALPHA).contains(at));
    for at in rest.filter(|&at| row[at] != 0) {
        record.push(NAMES[at], i64::from(row[at] as i32));
    }
    record.push("stats", player.stats[..if dialect.flagged || dialect.floats { 64 } else { 32 }].iter().map(|&stat| i64::from(stat)).collect::<Vec<_>>());
    record
}
