//! Fields of rows as values, by the engine's names.

use fragreel_base::delta::Word;
use fragreel_base::delta::interleaved::{Field, Kind, Row};
use fragreel_model::Value;

use super::PlayerState;
use crate::dialect::Dialect;

/// A field of the player by name: a number, a vector, or an array.
pub(crate) fn player_field(dialect: &Dialect, player: &PlayerState, name: &str) -> Option<Value> {
    match dialect.array(name) {
        Some(array) => Some(player.arrays[array.at].iter().map(|&value| i64::from(value as i32)).collect::<Vec<_>>().into()),
        None => field(dialect.player, &player.row, name),
    }
}

/// A field of a row by name: a number (`origin[0]`) or a vector (`origin`).
pub(crate) fn field(table: &'static [Field], row: &Row, name: &str) -> Option<Value> {
    if let Some(at) = table.iter().position(|field| field.name == name) {
        return Some(scalar(table[at].kind, row[at]));
    }
    let is_vector = table.iter().any(|field| is_element(field.name, name, 0));
    is_vector.then(|| vector(table, row, name))
}

/// The value of one word.
pub(crate) fn scalar(kind: Kind, word: u32) -> Value {
    match kind {
        Kind::Float => f32::of(word).into(),
        Kind::Uint(32) | Kind::Int(_) => i32::of(word).into(),
        Kind::Uint(_) => word.into(),
    }
}

/// Whether a field is an element of the vector `name`. Most fields are not, and the end shows it: 25 % of the instructions of `state` went into comparing
/// whole names.
fn is_element(field: &str, name: &str, element: u8) -> bool {
    let (field, at) = (field.as_bytes(), name.len());
    field.len() == at + 3 && field[at + 1] == b'0' + element && field[at] == b'[' && field.starts_with(name.as_bytes())
}

/// The vector whose elements are `name[0]` to `name[2]`.
pub(crate) fn vector(table: &'static [Field], row: &Row, name: &str) -> Value {
    let mut floats = Vec::new();
    let mut ints = Vec::new();
    for element in 0..3 {
        let Some(at) = table.iter().position(|field| is_element(field.name, name, element)) else { break };
        match scalar(table[at].kind, row[at]) {
            Value::Float(value) => floats.push(value),
            Value::Int(value) => ints.push(value),
            _ => {}
        }
    }
    if ints.is_empty() { floats.into() } else { ints.into() }
}
