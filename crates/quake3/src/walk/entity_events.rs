//! New events of entities: those that are entities by themselves, and those of players and things. A server repeats an event in every snapshot for
//! 300 ms; each is reported once.

use std::borrow::Borrow;

use fragreel_base::delta::Word;
use fragreel_base::delta::interleaved::Row;

use crate::dialect::Dialect;
use crate::fields::find;
use crate::game::events::TOGGLE_BITS;
use crate::message::{Change, FEW, Snapshot};
use crate::state::{ENTITIES, State};

/// How long a server repeats an event, in milliseconds.
const EVENT_VALID: i64 = 300;
/// How long an entity that was out of sight may return with the same event, in milliseconds. A server forgets an event 300 ms after the entity's last
/// one of any kind, so an event lasts while others keep coming.
const LINGER: i64 = 1000;
/// How long an entity stays free before it becomes another event, in milliseconds.
const SLOT_REST: i64 = 1000;

/// The type of a player's entity.
pub(crate) const ET_PLAYER: u32 = 1;
/// An event entity with this flag is an event of the player in `otherEntityNum`, for events that do not fit into the player's entity.
const EF_PLAYER_EVENT: u32 = 0x10;
/// CPMA and OSP use this bit of `modelindex2` instead, with the slot in the bits below.
const MODEL_PLAYER_EVENT: u32 = 0x10;
/// How far a player may be from the place of the event: entities are drawn in the past, events are not.
const REACH: f32 = 64.0;

/// The indexes of an entity's fields in its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntityFields {
    pub e_type: usize,
    pub event: usize,
    pub event_parm: usize,
    pub other: usize,
    pub other2: usize,
    pub client: usize,
    pub time: usize,
    modelindex2: usize,
    pub e_flags: usize,
    pub powerups: usize,
    base: [usize; 3],
}

impl EntityFields {
    pub(crate) fn of(dialect: &Dialect) -> Self {
        let at = |name| find(dialect.entity, name);
        EntityFields {
            e_type: at("eType"),
            event: at("event"),
            event_parm: at("eventParm"),
            other: at("otherEntityNum"),
            other2: at("otherEntityNum2"),
            client: at("clientNum"),
            time: at("time"),
            modelindex2: at("modelindex2"),
            e_flags: at("eFlags"),
            powerups: at("powerups"),
            base: [at("pos.trBase[0]"), at("pos.trBase[1]"), at("pos.trBase[2]")],
        }
    }

    /// The fields of obituaries, their type first.
    pub(crate) fn of_obituaries(&self) -> [usize; FEW] {
        [self.e_type, self.event_parm, self.other, self.other2]
    }

    /// The slot of the player whose event the event entity `row` is, where it states one.
    pub(crate) fn event_player(&self, row: &Row) -> Option<u32> {
        let model = field(row, self.modelindex2);
        if field(row, self.e_flags) & EF_PLAYER_EVENT != 0 {
            Some(field(row, self.other))
        } else if model & MODEL_PLAYER_EVENT != 0 {
            Some(model & (MODEL_PLAYER_EVENT - 1))
        } else {
            None
        }
    }

    /// The slot of the player nearest to the event entity `row`: one in view, or `own`, the player of the view.
    pub(crate) fn player_at(&self, row: &Row, state: &State, own: (u32, [f32; 3])) -> Option<u32> {
        let here = self.place(row);
        let seen = state.entities().filter(|(_, row)| field(row, self.e_type) == ET_PLAYER).map(|(number, row)| (u32::from(number), self.place(row)));
        let near = seen.chain([own]).map(|(slot, there)| (slot, distance(here, there))).filter(|(_, distance)| *distance <= REACH);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(slot, _)| slot)
    }

    fn place(&self, row: &Row) -> [f32; 3] {
        self.base.map(|at| f32::of(field(row, at)))
    }
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
}

/// A field of a row; 0 where the dialect lacks it.
#[inline]
pub(crate) fn field(row: &Row, at: usize) -> u32 {
    row.get(at).copied().unwrap_or(0)
}

/// Identifies an event entity in a slot: type, parameter, the two others, the client, the place.
type Mark = [u32; 8];

/// The events that were reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventTracker {
    /// By number: the event that the entity was.
    marks: Vec<Option<(Mark, i64)>>,
    /// By number: the event that the entity had last with its parameter, and when the entity was seen.
    had: Vec<((u32, u32), i64)>,
    /// Sequence and time of the snapshot before.
    before: Option<(i32, i64)>,
    this: Option<(i32, i64)>,
}

impl EventTracker {
    /// A snapshot begins.
    pub(crate) fn snapshot(&mut self, sequence: i32, server_time: i32) {
        self.before = self.this;
        self.this = Some((sequence, i64::from(server_time)));
    }

    /// Calls `found` with the number of each new event that is an entity by itself, and its row.
    ///
    /// An event entity comes out of nothing, so it is among the deltas of the snapshot that brings it, whatever base
    /// that has: looking at those alone finds all.
    pub(crate) fn free(
        &mut self,
        deltas: impl Iterator<Item = ChangedEntity>,
        seen: &impl Seen,
        at: &EntityFields,
        first_type: u32,
        mut found: impl FnMut(u32, &Row),
    ) {
        let Some((_, now)) = self.this else { return };
        for delta in deltas {
            if !self.may_be_event(&delta, first_type) {
                continue;
            }
            let Some(row) = seen.row(delta.number) else { continue };
            let row = row.borrow();
            let e_type = field(row, at.e_type);
            if e_type < first_type {
                continue;
            }
            let slot = usize::from(delta.number) & (ENTITIES - 1);
            let mark = mark(row, at);
            let reported =
                self.mark(slot).is_some_and(|(last, when)| *last == mark && (now - when <= EVENT_VALID || self.was_there(seen, delta.number, at, mark)));
            if !reported {
                if slot >= self.marks.len() {
                    self.marks.resize(slot + 1, None);
                }
                self.marks[slot] = Some((mark, now));
                found(e_type - first_type, row);
            }
        }
    }

    /// Whether the entity may be an event: it becomes one, or its slot had one.
    #[inline]
    pub(crate) fn may_be_event(&self, delta: &ChangedEntity, first_type: u32) -> bool {
        match delta.e_type {
            Some(e_type) => e_type >= first_type,
            None => self.mark(usize::from(delta.number) & (ENTITIES - 1)).is_some(),
        }
    }

    #[inline]
    fn mark(&self, slot: usize) -> Option<&(Mark, i64)> {
        self.marks.get(slot)?.as_ref()
    }

    /// Whether the snapshot before had this very event, not longer ago than its slot must rest between two.
    #[cold]
    fn was_there(&self, seen: &impl Seen, number: u16, at: &EntityFields, wanted: Mark) -> bool {
        let (Some((sequence, then)), Some((_, now))) = (self.before, self.this) else { return false };
        now - then <= SLOT_REST && seen.had(sequence, number, |row| mark(row, at) == wanted)
    }

    /// Calls `found` with the number and the row of each of `entities` that has a new event, the event and its parameter. The caller passes all entities of
    /// a kind, not those that a snapshot changes: an event may be the one of the base again, and then it is not sent.
    pub(crate) fn of_entities<'s>(&mut self, entities: impl Iterator<Item = (u16, &'s Row)>, at: &EntityFields, mut found: impl FnMut(u16, &Row, u32, u32)) {
        let Some((_, now)) = self.this else { return };
        for (number, row) in entities {
            let slot = usize::from(number) & (ENTITIES - 1);
            if slot >= self.had.len() {
                self.had.resize(slot + 1, ((0, 0), i64::MIN / 2));
            }
            let (last, when) = self.had[slot];
            let in_sight = self.before.is_some_and(|(_, then)| then == when);
            let new = (field(row, at.event), field(row, at.event_parm));
            let same = if in_sight { new.0 == last.0 } else { new == last && now - when <= LINGER };
            self.had[slot] = (new, now);
            if !same && new.0 & !TOGGLE_BITS != 0 {
                found(number, row, new.0 & !TOGGLE_BITS, new.1);
            }
        }
    }
}

/// An entity that a snapshot changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangedEntity {
    pub number: u16,
    /// Its type, where that was sent.
    pub e_type: Option<u32>,
}

impl ChangedEntity {
    /// Those of a snapshot.
    pub(crate) fn of(tree: &Snapshot, e_type: usize) -> impl Iterator<Item = Self> {
        let changed = tree.entities.iter().filter(|delta| delta.change == Change::Changed);
        changed.map(move |delta| ChangedEntity { number: delta.number, e_type: delta.spelling.sent.has(e_type).then(|| delta.row[e_type]) })
    }
}

/// The entities of the last snapshots.
pub(crate) trait Seen {
    /// The row of an entity in the last one.
    fn row(&self, number: u16) -> Option<impl Borrow<Row>>;
    /// Whether the one of message `sequence` is kept and had such an entity.
    fn had(&self, sequence: i32, number: u16, is: impl Fn(&Row) -> bool) -> bool;
}

impl Seen for State {
    /// Entities rise by number unless a server does strange things.
    fn row(&self, number: u16) -> Option<impl Borrow<Row>> {
        let entities = &self.snapshot()?.entities;
        let at = entities.binary_search_by_key(&number, |entity| entity.number).ok();
        let at = at.or_else(|| entities.iter().position(|entity| entity.number == number))?;
        Some(State::row(self, entities[at]))
    }

    fn had(&self, sequence: i32, number: u16, is: impl Fn(&Row) -> bool) -> bool {
        self.kept(sequence).is_some_and(|kept| kept.entities.iter().any(|entity| entity.number == number && is(State::row(self, *entity))))
    }
}

fn mark(row: &Row, at: &EntityFields) -> Mark {
    [at.e_type, at.event_parm, at.other, at.other2, at.client, at.base[0], at.base[1], at.base[2]].map(|at| field(row, at))
}
