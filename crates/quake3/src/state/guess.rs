//! Decodes entities of snapshots whose delta base is lost or uncertain (`docs/formats/quake3.md`, "State").

use fragreel_base::delta::interleaved::{Row, apply};

use super::arena::Arena;
use super::baselines::Baselines;
use super::snapshots::EntityRef;
use crate::dialect::Dialect;
use crate::fields::find;
use crate::message::{Change, EntityDelta};

/// Entities below this number are players.
const PLAYERS: u16 = 64;
/// The type of missiles, which become something else where they hit.
const MISSILE: u32 = 3;

/// Which entity a delta changes, where the base is not known for certain.
pub(super) struct Guess {
    e_type: usize,
    first_event: u32,
    /// Whether the base itself is missing, so that short-lived entities of the last known snapshot are gone.
    missing: bool,
}

impl Guess {
    #[cold]
    pub(super) fn of(dialect: &Dialect, missing: bool) -> Self {
        Guess { e_type: find(dialect.entity, "eType"), first_event: dialect.line.first_event_type(), missing }
    }

    /// Like [`merge`](super::merge), from a base that may differ from the server's. An entity that is not in it and is not stated in full stays out.
    /// Returns whether engines get the same from the same base.
    #[cold]
    pub(super) fn merge(&self, old: &[EntityRef], deltas: &[EntityDelta], baselines: &Baselines, arena: &mut Arena, list: &mut Vec<EntityRef>) -> bool {
        list.clear();
        let mut as_sent = true;
        let mut old =
            old.iter().copied().filter(|entity| !self.missing || self.outlives_hole(arena.row(entity.row))).collect::<Vec<_>>().into_iter().peekable();
        for delta in deltas {
            while let Some(entity) = old.next_if(|entity| entity.number < delta.number) {
                list.push(entity);
            }
            let before = old.next_if(|entity| entity.number == delta.number);
            let baseline = baselines.of(delta.number);
            let row = match (delta.change, before) {
                (Change::Removed, _) => continue,
                (Change::Unchanged, Some(before)) => before.row,
                (Change::Changed, Some(before)) if !self.is_new(delta, arena.row(before.row)) => {
                    let (at, row) = arena.copy_of(before.row);
                    apply(row, &delta.row, delta.spelling.sent);
                    at
                }
                (_, before) => {
                    if before.is_none() && *baseline == [0; 64] && !self.states_type(delta) {
                        // the server's base had it, and what it was is not known
                        as_sent = false;
                        continue;
                    }
                    as_sent &= before.is_none();
                    let (at, row) = arena.copy(baseline);
                    if delta.change == Change::Changed {
                        apply(row, &delta.row, delta.spelling.sent);
                    }
                    at
                }
            };
            list.push(EntityRef { number: delta.number, row });
        }
        list.extend(old);
        as_sent
    }

    /// Events and missiles are gone before anybody refers to them again.
    fn outlives_hole(&self, row: &Row) -> bool {
        row[self.e_type] < self.first_event && row[self.e_type] != MISSILE
    }

    fn states_type(&self, delta: &EntityDelta) -> bool {
        delta.change == Change::Changed && delta.spelling.sent.has(self.e_type)
    }

    /// Whether the delta states an entity that came after the known one of its number, so that it starts from the baseline: it states a type that the
    /// known one has already, or one that the known one cannot become.
    fn is_new(&self, delta: &EntityDelta, known: &Row) -> bool {
        if !self.states_type(delta) {
            return false;
        }
        let (before, now) = (known[self.e_type], delta.row[self.e_type]);
        before == now || now != 0 && delta.number >= PLAYERS && before != MISSILE
    }
}
