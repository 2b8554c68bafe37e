//! The state at a time, as records.

use fragreel_base::wire::{Error, Vocabulary as _};
use fragreel_model::replay::At;
use fragreel_model::{Moment, Record, Section, Value, When};

use super::meaning::{Names, solid_box};
use crate::Frames;
use crate::state::values::{scalar, vector};
use crate::state::{STRINGS, SnapshotState, State};
use crate::strings::text;
use crate::text::vocabulary::{SNAPSHOT_FLAGS, Vocabulary, string_name};
use fragreel_base::delta::interleaved::{Field, Row};

/// The state at the last frame at or before `when`. `frames` need not decode any fields.
pub(crate) fn state_at(mut frames: Frames<'_>, when: When) -> Result<Moment, Error> {
    let found = frames.look(when).and_then(|at| Some(moment(frames.source().state(), frames.source().state().snapshot()?, at)));
    found.ok_or_else(|| Error::malformed("the recording has no complete snapshot"))
}

fn moment(state: &State, snapshot: &SnapshotState, at: At) -> Moment {
    let dialect = state.dialect();
    let (game, words) = Names::of(state);
    let mut frame = Record::default();
    frame.push("sequence", snapshot.sequence);
    frame.push("snapFlags", SNAPSHOT_FLAGS.show(snapshot.flags.into()));
    frame.push("area mask", snapshot.area_mask.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut player = fields(dialect.player, &snapshot.player.row, false);
    for array in dialect.arrays {
        player.push(array.name, snapshot.player.arrays[array.at].iter().map(|&value| i64::from(value as i32)).collect::<Vec<_>>());
    }
    name(&mut player, &words);
    let entities = snapshot.entities.iter().map(|entity| {
        let mut record = Record::default();
        record.push("number", entity.number);
        record.0.extend(fields(dialect.entity, state.row(*entity), true).0);
        name(&mut record, &words);
        record
    });
    let baselines = state.stated_baselines().map(|(number, row)| {
        let mut record = Record::default();
        record.push("number", number);
        record.0.extend(fields(dialect.entity, row, true).0);
        name(&mut record, &words);
        record
    });
    let strings = (0..STRINGS).filter(|index| !state.string(*index).is_empty()).map(|index| {
        let mut record = Record::default();
        record.push("index", index as i64);
        if let Some(name) = string_name(&game, index) {
            record.push("name", name);
        }
        record.push("value", text(state.string(index)));
        record
    });
    let sections = vec![
        Section { name: "snapshot".into(), records: vec![frame] },
        Section { name: "player".into(), records: vec![player] },
        Section { name: "entities".into(), records: entities.collect() },
        Section { name: "baselines".into(), records: baselines.collect() },
        Section { name: "configstrings".into(), records: strings.collect() },
    ];
    Moment { time: at.time, server_time: at.server_time, message: at.message, sections }
}

/// Replaces numbers by what they mean.
fn name(record: &mut Record, words: &Vocabulary) {
    for (key, value) in &mut record.0 {
        let Value::Int(number @ (..=-1 | 1..)) = *value else { continue };
        let word = number as u32;
        *value = match (words.flags(key), words.names(key)) {
            (Some(flags), _) => Value::from(flags.show(word)),
            (None, Some(names)) => Value::from(names.show(word)),
            (None, None) if key == "solid" => Value::from(solid_box(word)),
            (None, None) => continue,
        };
    }
}

/// The fields of a row by name. `origin[0]`, `origin[1]`, and `origin[2]` become the vector `origin`.
fn fields(table: &'static [Field], row: &Row, leave_zeros: bool) -> Record {
    let mut record = Record::default();
    for (at, field) in table.iter().enumerate() {
        let (name, element) = match field.name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
            Some((name, element)) => (name, element.parse::<usize>().ok()),
            None => (field.name, None),
        };
        if element.is_some() && record.find(name).is_some() {
            continue;
        }
        let value = if element.is_some() { vector(table, row, name) } else { scalar(field.kind, row[at]) };
        if !(leave_zeros && is_zero(&value)) {
            record.push(name, value);
        }
    }
    record
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(value) => *value == 0,
        Value::Float(value) => *value == 0.0,
        Value::Floats(values) => values.iter().all(|value| *value == 0.0),
        Value::Ints(values) => values.iter().all(|value| *value == 0),
        _ => false,
    }
}
