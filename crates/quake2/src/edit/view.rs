//! Frames in the form that edits compare and convert.

use fragreel_base::wire::sign_extend;

use crate::dialect::Dialect;
use crate::fields::entity;
use crate::limits;
use crate::state::{PlayerState, State};

/// The players and entities of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct View {
    pub players: Vec<(i16, PlayerState)>,
    pub entities: Vec<(u16, entity::Row)>,
}

impl View {
    pub(super) fn of(state: &State) -> Self {
        let players = state.players().map(|(number, state)| (number, state.clone())).collect();
        let mut entities = Vec::with_capacity(state.ring.current().map_or(0, |frame| frame.entity_count()));
        state.entities(|number, row| {
            if limits::holds(&state.dialect, number) {
                entities.push((number, normalized(&state.dialect, row)));
            }
        });
        entities.sort_by_key(|(number, _)| *number);
        View { players, entities }
    }

    /// Keeps only the first of an entity that a broken list contains twice.
    pub(super) fn without_repetitions(mut self) -> Self {
        self.entities.dedup_by_key(|(number, _)| *number);
        self
    }

    /// Whether this frame only prepares `next` by sending a part of it. A copy starts so if its first frame would be too long.
    pub(super) fn prepares(&self, next: &View) -> bool {
        let knows = |number: u16| next.entities.binary_search_by_key(&number, |(known, _)| *known).is_ok();
        self.players == next.players && self.entities.len() <= next.entities.len() && self.entities.iter().all(|(number, _)| knows(*number))
    }
}

/// Normalizes an entity. A broken one may have float positions without being solid. Others have them in eighths.
fn normalized(dialect: &Dialect, row: &entity::Row) -> entity::Row {
    use entity::{OLD_ORIGIN_X, OLD_ORIGIN_Z, ORIGIN_X, ORIGIN_Z, SOLID, eighths_of, float_of};
    let mut row = *row;
    if dialect.short_floats() && row[SOLID] == 0 {
        for at in (ORIGIN_X..=ORIGIN_Z).chain(OLD_ORIGIN_X..=OLD_ORIGIN_Z) {
            row[at] = float_of(sign_extend(eighths_of(row[at]), 16));
        }
    }
    row
}
