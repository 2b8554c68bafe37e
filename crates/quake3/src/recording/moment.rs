//! The state at one time.

use model::{Fields, FrameOptions, Moment, Record, Section, Value, When};
use replay::At;
use wire::Error;

use super::Recording;
use crate::dialect::Dialect;
use crate::message::ARRAYS;
use crate::state::{PlayerState, STRINGS, SnapshotState, State};
use crate::text::text;
use delta::Word;
use delta::interleaved::{Field, Kind, Row};

pub(super) fn state_at(recording: &Recording<'_>, when: When) -> Result<Moment, Error> {
    let mut frames = recording.frames(FrameOptions::default().fields(Fields::NONE));
    let found = frames.look(when).and_then(|at| Some(moment(frames.source().state(), frames.source().state().snapshot()?, at)));
    found.ok_or_else(|| Error::malformed("there is no whole snapshot in the recording"))
}

fn moment(state: &State, snapshot: &SnapshotState, at: At) -> Moment {
    let dialect = state.dialect();
    let mut frame = Record::default();
    frame.push("sequence", snapshot.sequence);
    frame.push("snapFlags", snapshot.flags);
    frame.push("area mask", snapshot.area_mask.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut player = fields(dialect.player, &snapshot.player.row, false);
    for ((name, _), array) in ARRAYS.iter().zip(&snapshot.player.arrays) {
        player.push(*name, array.iter().map(|&value| i64::from(value as i32)).collect::<Vec<_>>());
    }
    let entities = snapshot.entities.iter().map(|entity| {
        let mut record = Record::default();
        record.push("number", entity.number);
        record.0.extend(fields(dialect.entity, state.row(*entity), true).0);
        record
    });
    let strings = (0..STRINGS).filter(|index| !state.string(*index).is_empty()).map(|index| {
        let mut record = Record::default();
        record.push("index", index as i64);
        record.push("value", text(state.string(index)));
        record
    });
    let sections = vec![
        Section { name: "snapshot".into(), records: vec![frame] },
        Section { name: "player".into(), records: vec![player] },
        Section { name: "entities".into(), records: entities.collect() },
        Section { name: "configstrings".into(), records: strings.collect() },
    ];
    Moment { time: at.time, server_time: at.server_time, message: at.message, sections }
}

/// The fields of a row by name, vectors put together: `origin[0]`, `origin[1]`, `origin[2]` become `origin`.
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

/// A field of the player by name, vectors put together.
pub(crate) fn player_field(dialect: &Dialect, player: &PlayerState, name: &str) -> Option<Value> {
    match ARRAYS.iter().position(|(array, _)| *array == name) {
        Some(at) => Some(player.arrays[at].iter().map(|&value| i64::from(value as i32)).collect::<Vec<_>>().into()),
        None => field(dialect.player, &player.row, name),
    }
}

/// A field of a row by name: one (`origin[0]`), or those of a vector (`origin`).
pub(crate) fn field(table: &'static [Field], row: &Row, name: &str) -> Option<Value> {
    if let Some(at) = table.iter().position(|field| field.name == name) {
        return Some(scalar(table[at].kind, row[at]));
    }
    let is_vector = table.iter().any(|field| field.name.strip_prefix(name).is_some_and(|rest| rest == "[0]"));
    is_vector.then(|| vector(table, row, name))
}

pub(crate) fn scalar(kind: Kind, word: u32) -> Value {
    match kind {
        Kind::Float => f32::of(word).into(),
        Kind::Uint(32) | Kind::Int(_) => i32::of(word).into(),
        Kind::Uint(_) => word.into(),
    }
}

fn vector(table: &'static [Field], row: &Row, name: &str) -> Value {
    let mut floats = Vec::new();
    let mut ints = Vec::new();
    for element in 0..3 {
        let Some(at) = table.iter().position(|field| field.name.strip_prefix(name).is_some_and(|rest| rest == format!("[{element}]"))) else { break };
        match scalar(table[at].kind, row[at]) {
            Value::Float(value) => floats.push(value),
            Value::Int(value) => ints.push(value),
            _ => {}
        }
    }
    if ints.is_empty() { floats.into() } else { ints.into() }
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
