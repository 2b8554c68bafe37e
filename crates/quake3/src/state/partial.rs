//! The last snapshots with a few fields of their entities, for questions that need no more.
//!
//! A list of entities would be as long as the view, and most of a view does not change. So there is none: a snapshot is a set of numbers, and pages
//! of rows that it shares with its base until one of the few fields changes.

use fragreel_base::delta::interleaved::Row;

use super::snapshots::{EntityRef, KEPT, PlayerState, base_slot, missed_slots};
use super::{ENTITIES, State};
use crate::message::{Change, FEW, FewValues, PartialDelta, SnapshotHead};

/// Rows of a page.
const ROWS: usize = 16;
/// Pages of a snapshot.
const PAGES: usize = ENTITIES / ROWS;

/// Pages that are free after looking for them, at least: 32 kB. One message of three needs one.
const MANY: usize = 256;

type Page = [FewValues; ROWS];

/// The entities of a snapshot.
#[derive(Debug, Clone, Copy)]
struct Entities {
    /// Which there are, a bit each.
    seen: [u64; ENTITIES / 64],
    /// The numbers of the pages with their rows.
    pages: [u16; PAGES],
}

const NONE: Entities = Entities { seen: [0; ENTITIES / 64], pages: [0; PAGES] };

impl Entities {
    fn has(&self, number: u16) -> bool {
        self.seen[usize::from(number) / 64 % (ENTITIES / 64)] >> (number % 64) & 1 != 0
    }

    fn numbers(&self) -> impl Iterator<Item = u16> {
        (0..ENTITIES as u16).filter(|&number| self.has(number))
    }
}

/// A snapshot.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    /// Whether it may be a delta base.
    is_valid: bool,
    sequence: i32,
    base: Option<i32>,
    server_time: i32,
    /// The number of its entities, and of those of all snapshots before it.
    count: u64,
    counted: u64,
    /// Which of the lists of entities is its own.
    list: usize,
}

/// The last snapshots of a level, each decoded from nothing but what was sent.
#[derive(Debug, Clone)]
pub(crate) struct PartialStates {
    /// The indexes of the fields in a row.
    fields: [usize; FEW],
    kept: [Kept; KEPT],
    current: Option<usize>,
    /// Entities of all snapshots so far.
    counted: u64,
    /// One for each kept snapshot, and one for the next.
    lists: Vec<Entities>,
    pages: Vec<Page>,
    free: Vec<u16>,
    /// The snapshot that is being read, and its pages that no other shares.
    next: Kept,
    own: u64,
}

impl PartialStates {
    /// No snapshot, of entities with these fields.
    pub(crate) fn new(fields: [usize; FEW]) -> Self {
        let kept = std::array::from_fn(|list| Kept { list, ..Kept::default() });
        let next = Kept { list: KEPT, ..Kept::default() };
        // a row starts from a baseline, so nobody looks at those of the first page
        let pages = vec![[[0; FEW]; ROWS]];
        PartialStates { fields, kept, current: None, counted: 0, lists: vec![NONE; KEPT + 1], pages, free: Vec::new(), next, own: 0 }
    }

    /// Forgets all snapshots.
    pub(crate) fn clear(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.is_valid = false);
        (self.current, self.counted) = (None, 0);
        self.free.clear();
    }

    /// Starts the snapshot of message `sequence`. Returns whether its base is kept.
    pub(crate) fn begin(&mut self, state: &State, sequence: i32, head: SnapshotHead) -> bool {
        let slot = |slot: usize| (self.kept[slot].is_valid, self.kept[slot].sequence, self.kept[slot].counted);
        let Ok(base) = base_slot(state.dialect, sequence, head.delta, self.counted, slot) else { return false };
        if self.free.len() < PAGES {
            self.collect();
        }
        self.own = 0;
        let Kept { list, .. } = self.next;
        self.next = Kept { is_valid: true, sequence, base: None, server_time: head.server_time, count: 0, counted: self.counted, list };
        match base.map(|slot| self.kept[slot]) {
            Some(base) => {
                (self.next.base, self.next.count) = (Some(base.sequence), base.count);
                if let Ok([from, to]) = self.lists.get_disjoint_mut([base.list, list]) {
                    *to = *from;
                }
            }
            None => self.lists[list] = NONE,
        }
        true
    }

    /// Puts the change of an entity over the snapshot that is being read.
    #[inline(always)]
    pub(crate) fn change(&mut self, state: &State, delta: &PartialDelta) {
        let list = &mut self.lists[self.next.list];
        let (at, bit) = (usize::from(delta.number) % ENTITIES, 1 << (delta.number % 64));
        let seen = &mut list.seen[at / 64];
        let was_seen = *seen & bit != 0;
        if delta.change == Change::Removed {
            *seen &= !bit;
            self.next.count -= u64::from(was_seen);
            return;
        }
        if was_seen && delta.sent == 0 {
            return;
        }
        *seen |= bit;
        self.next.count += u64::from(!was_seen);
        let page = &mut list.pages[at / ROWS];
        if self.own >> (at / ROWS) & 1 == 0 {
            self.own |= 1 << (at / ROWS);
            let shared = usize::from(*page);
            *page = self.free.pop().expect("there were enough for every page of a snapshot");
            self.pages.copy_within(shared..=shared, usize::from(*page));
        }
        let row = &mut self.pages[usize::from(*page)][at % ROWS];
        if !was_seen {
            let baseline = state.baseline(delta.number);
            *row = self.fields.map(|field| baseline[field & 63] as u16);
        }
        for (place, value) in row.iter_mut().enumerate() {
            if delta.sent >> place & 1 != 0 {
                *value = delta.values[place];
            }
        }
    }

    /// Makes the snapshot that was read the current one.
    pub(crate) fn keep(&mut self) {
        if let Some(current) = self.current {
            for slot in missed_slots(self.kept[current].sequence, self.next.sequence) {
                self.kept[slot].is_valid = false;
            }
        }
        self.counted += self.next.count;
        let slot = (self.next.sequence & (KEPT as i32 - 1)) as usize;
        std::mem::swap(&mut self.kept[slot], &mut self.next);
        self.current = Some(slot);
    }

    /// Finds the pages that no kept snapshot has. Doing that for all at once costs less than counting while snapshots come and go.
    #[cold]
    fn collect(&mut self) {
        let mut used = vec![false; self.pages.len()];
        used[0] = true;
        for kept in self.kept.iter().filter(|kept| kept.is_valid) {
            self.lists[kept.list].pages.iter().for_each(|&page| used[usize::from(page)] = true);
        }
        self.free.clear();
        self.free.extend((0..self.pages.len() as u16).filter(|&page| !used[usize::from(page)]));
        // collecting again soon would cost more than memory does
        let enough = MANY.max(self.pages.len() / 2);
        if self.free.len() < enough {
            let from = self.pages.len();
            self.pages.resize(from + enough, [[0; FEW]; ROWS]);
            self.free.extend(from as u16..self.pages.len() as u16);
        }
    }

    /// Entity `number` of the kept snapshot, in a row that has the other fields of its baseline.
    fn row_in(&self, kept: &Kept, state: &State, number: u16) -> Option<Row> {
        let list = self.lists.get(kept.list).filter(|list| list.has(number))?;
        let at = usize::from(number) % ENTITIES;
        let mut row = *state.baseline(number);
        for (field, value) in self.fields.iter().zip(self.pages[usize::from(list.pages[at / ROWS])][at % ROWS]) {
            row[field & 63] = u32::from(value);
        }
        Some(row)
    }

    /// Entity `number` of the last snapshot.
    pub(crate) fn row(&self, state: &State, number: u16) -> Option<Row> {
        self.row_in(&self.kept[self.current?], state, number)
    }

    /// Entity `number` of the snapshot of message `sequence`, while it is kept.
    pub(crate) fn row_at(&self, state: &State, sequence: i32, number: u16) -> Option<Row> {
        let kept = &self.kept[(sequence & (KEPT as i32 - 1)) as usize];
        self.row_in(Some(kept).filter(|kept| kept.is_valid && kept.sequence == sequence)?, state, number)
    }
}

impl State {
    /// Takes over the last snapshots, which had no player and a few fields alone, and leaves none.
    #[cold]
    pub(crate) fn take_over(&mut self, partial: &mut PartialStates) {
        let wanted = partial.kept.iter().filter(|kept| kept.is_valid).map(|kept| kept.count as usize).sum();
        self.arena.reserve(wanted, &self.ring.slots);
        for (at, kept) in partial.kept.iter().enumerate().filter(|(_, kept)| kept.is_valid) {
            let mut entities = Vec::with_capacity(kept.count as usize);
            for number in partial.lists[kept.list].numbers() {
                if let Some(row) = partial.row_in(kept, self, number) {
                    entities.push(EntityRef { number, row: self.arena.copy(&row).0 });
                }
            }
            let slot = &mut self.ring.slots[at];
            (slot.valid, slot.certain, slot.as_sent) = (true, true, true);
            (slot.sequence, slot.base, slot.server_time, slot.counted) = (kept.sequence, kept.base, kept.server_time, kept.counted);
            (slot.player, slot.entities) = (PlayerState::default(), entities);
        }
        (self.current, self.counted) = (partial.current, partial.counted);
        partial.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::message::{EntityDelta, Gamestate, Operation, Snapshot};
    use crate::state::{Effect, Missing, Outcome};

    #[test]
    fn a_base_in_the_level_before_is_absent() {
        let mut state = State::new(Dialect::of(68).unwrap());
        let mut partial = PartialStates::new([0, 1, 2, 3]);
        let snapshot = |delta| Snapshot { delta, entities: vec![EntityDelta::default()].into(), ..Snapshot::default() };
        for sequence in 1..4 {
            assert_eq!(state.apply(sequence, &Operation::Snapshot(Box::new(snapshot(0)))), Effect::Snapshot(Outcome::Applied));
            assert!(partial.begin(&state, sequence, SnapshotHead { server_time: 0, delta: 0 }));
            partial.change(&state, &PartialDelta { number: 0, change: Change::Unchanged, sent: 0, values: [0; FEW] });
            partial.keep();
        }
        state.apply(4, &Operation::Gamestate(Gamestate::default()));
        partial.clear();
        assert_eq!(state.apply(5, &Operation::Snapshot(Box::new(snapshot(2)))), Effect::Snapshot(Outcome::MissingBase(Missing::Absent)));
        assert!(!partial.begin(&state, 5, SnapshotHead { server_time: 0, delta: 2 }));
    }
}
