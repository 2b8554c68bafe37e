//! Encodes states as the stock server does (`docs/formats/quake3.md`, "Writing").

use fragreel_base::delta::interleaved::{self, Row, Spelling};

use crate::dialect::{Dialect, Layout};
use crate::message::{ArrayDelta, Change, ConfigString, EntityDelta, Gamestate, GamestateItem, PlayerDelta, Snapshot};
use crate::state::{ENTITIES, EntityRef, PlayerState, STRINGS, SnapshotState, State};

/// Encodes the current snapshot of `state` against the base of `tree`. `None` when the ring no longer has that base, or when entities do not rise
/// by number, which no stock server sends.
pub fn snapshot(state: &State, tree: &Snapshot) -> Option<Snapshot> {
    let new = state.snapshot()?;
    let snapshot = against(state, new.base)?;
    rises(&new.entities).then_some(Snapshot { client_command: tree.client_command, delta: tree.delta, ..snapshot })
}

/// Whether [`snapshot`] gives `tree`. `None` where it gives nothing. No tree is made for this: 30 of 316 M instructions of the counted audit.
pub fn agrees(state: &State, tree: &Snapshot) -> Option<bool> {
    let new = state.snapshot()?;
    let nothing = SnapshotState::default();
    let old = base(state, new, new.base, &nothing)?;
    if !rises(&new.entities) {
        return None;
    }
    let head = (tree.server_time, tree.flags, &tree.area_mask) == (new.server_time, new.flags, &new.area_mask);
    if !head || player(&old.player, &new.player, state.dialect()) != tree.player {
        return Some(false);
    }
    let mut left = tree.entities.iter();
    let same = entities(state, &old.entities, &new.entities, |number, change| {
        left.next().is_some_and(|delta| {
            delta.number == number
                && match &change {
                    Some((spelling, row)) => delta.is_spelled(spelling, row),
                    None => delta.change == Change::Removed,
                }
        })
    });
    Some(same && left.next().is_none())
}

/// Encodes the current snapshot of `state` against the snapshot of sequence `base`, or in full. `None` when the ring no longer has the base, or
/// when there is one and entities do not rise by number.
pub fn against(state: &State, base: Option<i32>) -> Option<Snapshot> {
    between(state, state.snapshot()?, base)
}

/// Encodes a snapshot of the ring in full.
pub fn whole(state: &State, sequence: i32) -> Option<Snapshot> {
    between(state, state.kept(sequence)?, None)
}

fn between(state: &State, new: &SnapshotState, sequence: Option<i32>) -> Option<Snapshot> {
    let nothing = SnapshotState::default();
    let old = base(state, new, sequence, &nothing)?;
    let mut deltas = Vec::with_capacity(new.entities.len() / 4);
    entities(state, &old.entities, &new.entities, |number, change| {
        deltas.push(delta(number, change));
        true
    });
    Some(Snapshot {
        client_command: 0,
        server_time: new.server_time,
        delta: sequence.map_or(0, |base| new.sequence.wrapping_sub(base) as u8),
        flags: new.flags,
        area_mask: new.area_mask.clone(),
        player: player(&old.player, &new.player, state.dialect()),
        entities: deltas.into(),
    })
}

/// The snapshot that `new` is encoded against: the one of a sequence, or `nothing`.
fn base<'s>(state: &'s State, new: &SnapshotState, sequence: Option<i32>, nothing: &'s SnapshotState) -> Option<&'s SnapshotState> {
    let Some(sequence) = sequence else { return Some(nothing) };
    state.kept(sequence).filter(|old| rises(&old.entities) && rises(&new.entities))
}

fn rises(list: &[EntityRef]) -> bool {
    list.is_sorted_by(|a, b| a.number < b.number)
}

/// Encodes the gamestate of `state`. `tree` has the numbers that no state holds.
pub fn gamestate(state: &State, tree: &Gamestate) -> Gamestate {
    let strings = (0..STRINGS).filter(|&index| !state.string(index).is_empty());
    let strings = strings.map(|index| GamestateItem::ConfigString(ConfigString { index: index as u16, text: state.string(index).to_vec() }));
    let baselines = (0..ENTITIES as u16).filter(|&number| *state.baseline(number) != [0; 64]);
    let baselines =
        baselines.map(|number| GamestateItem::Baseline(Box::new(EntityDelta::canonical(number, &[0; 64], state.baseline(number), state.dialect()))));
    Gamestate { items: strings.chain(baselines).collect(), ..*tree }
}

/// The change from one player state to another.
pub fn player(from: &PlayerState, to: &PlayerState, dialect: &Dialect) -> PlayerDelta {
    let mut delta = PlayerDelta { spelling: interleaved::canonical::<false>(dialect.player, &from.row, &to.row), row: to.row, ..PlayerDelta::default() };
    for (array, (from, to)) in delta.arrays.iter_mut().zip(from.arrays.iter().zip(&to.arrays)) {
        let mask = (0..16).filter(|&at| from[at] != to[at]).fold(0, |mask, at| mask | 1 << at);
        *array = ArrayDelta { sent: mask != 0, mask, values: *to };
        delta.arrays_sent |= array.sent;
    }
    match dialect.layout {
        Layout::Coded => {}
        Layout::Plain => {
            delta.spelling.end = dialect.player.len() as u8;
            delta.arrays_sent = true;
        }
    }
    delta
}

/// A change of an entity: how it is spelled, and the row after it. `None` removes the entity.
type EntityChange<'r> = Option<(Spelling, &'r Row)>;

fn delta(number: u16, change: EntityChange<'_>) -> EntityDelta {
    match change {
        Some((spelling, row)) => EntityDelta::spelled(number, spelling, row),
        None => EntityDelta { number, change: Change::Removed, ..EntityDelta::default() },
    }
}

fn entities(state: &State, old: &[EntityRef], new: &[EntityRef], take: impl FnMut(u16, EntityChange<'_>) -> bool) -> bool {
    let row = |entity: &EntityRef| (entity.number, state.row(*entity));
    // most entities share their row with the frame before: they did not change
    let (mut kept, mut changed): (Vec<EntityRef>, Vec<EntityRef>) = (Vec::with_capacity(old.len()), Vec::with_capacity(new.len()));
    let mut at = 0;
    for entity in new {
        while old.get(at).is_some_and(|before| before.number < entity.number) {
            kept.push(old[at]);
            at += 1;
        }
        match old.get(at) {
            Some(before) if before == entity => at += 1,
            Some(before) if before.number == entity.number => {
                kept.push(*before);
                changed.push(*entity);
                at += 1;
            }
            _ => changed.push(*entity),
        }
    }
    kept.extend_from_slice(&old[at.min(old.len())..]);
    changes(state, kept.iter().map(row), changed.iter().map(row), take)
}

/// Encodes the changes from some entities to others, both in rising order, with the baselines of `state`.
pub fn entity_rows(state: &State, old: &[(u16, Row)], new: &[(u16, Row)]) -> Vec<EntityDelta> {
    let mut deltas = Vec::new();
    changes(state, old.iter().map(|(number, row)| (*number, row)), new.iter().map(|(number, row)| (*number, row)), |number, change| {
        deltas.push(delta(number, change));
        true
    });
    deltas
}

/// Gives the changes in order until `take` returns false. Returns whether it got all.
fn changes<'r>(
    state: &'r State,
    old: impl Iterator<Item = (u16, &'r Row)>,
    new: impl Iterator<Item = (u16, &'r Row)>,
    mut take: impl FnMut(u16, EntityChange<'r>) -> bool,
) -> bool {
    let dialect = state.dialect();
    let (mut old, mut new) = (old.peekable(), new.peekable());
    loop {
        let number = match (old.peek(), new.peek()) {
            (None, None) => return true,
            (Some((old, _)), Some((new, _))) => *old.min(new),
            (Some((only, _)), None) | (None, Some((only, _))) => *only,
        };
        let change = match (old.next_if(|(of, _)| *of == number), new.next_if(|(of, _)| *of == number)) {
            (Some((_, before)), Some((_, now))) => {
                let spelling = EntityDelta::canonical_spelling(before, now, dialect);
                if spelling.sent.is_empty() {
                    continue;
                }
                Some((spelling, now))
            }
            (None, Some((_, now))) => Some((EntityDelta::canonical_spelling(state.baseline(number), now, dialect), now)),
            (Some(_), None) => None,
            (None, None) => return true,
        };
        if !take(number, change) {
            return false;
        }
    }
}
