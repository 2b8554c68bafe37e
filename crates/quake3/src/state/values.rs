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
    let is_vector = table.iter().any(|field| field.name.strip_prefix(name).is_some_and(|rest| rest == "[0]"));
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

/// The vector whose elements are `name[0]` to `name[2]`.
pub(crate) fn vector(table: &'static [Field], row: &Row, name: &str) -> Value {
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
