//! Single fields of rows, by the names that the stream describes.

use fragreel_model::Value;

use super::State;
use super::rows::RowId;
use crate::fields::Structure;
use crate::fields::description::Kind;
use crate::game_text::text;
use crate::message::context::Context;

/// One field of a row.
pub(crate) fn field(state: &State, context: &Context, structure: Structure, row: RowId, name: &str) -> Option<Value> {
    let description = context.description(structure)?;
    let at = description.find(name)?;
    let word = state.row(row)[at];
    Some(match description.fields[at].kind {
        Kind::Text => Value::from(text(state.text(word))),
        Kind::Whole => Value::Int(description.value(at, word) as i64),
        _ => Value::from(description.value(at, word)),
    })
}

/// One field of the recording player's own row.
pub(crate) fn client_field(state: &State, context: &Context, name: &str) -> Option<Value> {
    field(state, context, Structure::ClientData, state.client()?.0, name)
}
