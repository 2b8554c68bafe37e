//! Rows shared between snapshots.

use fragreel_base::delta::interleaved::Row;

use super::snapshots::{EntityRef, SnapshotState};

/// Number of entities.
pub const ENTITIES: usize = 1024;

/// Rows that snapshots refer to by number. An entity that did not change costs a number instead of a copy of its row.
///
/// Nothing is counted while snapshots come and go. When rows run short, the ones that no kept snapshot refers to are
/// found all at once, which is a few times cheaper (see docs/performance.md).
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    rows: Vec<Row>,
    free: Vec<u32>,
}

/// Rows to begin with, a quarter of a megabyte. Twice as many would touch 64 more pages, and save 0.8 of 58 million instructions.
const FEW: usize = 1024;

impl Arena {
    #[inline(always)]
    pub(super) fn row(&self, at: u32) -> &Row {
        &self.rows[at as usize]
    }

    /// Makes sure that `wanted` rows can be added while `slots` are kept.
    #[inline(always)]
    pub(super) fn reserve(&mut self, wanted: usize, slots: &[SnapshotState]) {
        if self.free.len() < wanted {
            self.collect(wanted, slots);
        }
    }

    #[cold]
    fn collect(&mut self, wanted: usize, slots: &[SnapshotState]) {
        let mut used = vec![false; self.rows.len()];
        for EntityRef { row, .. } in slots.iter().flat_map(|slot| &slot.entities) {
            used[*row as usize] = true;
        }
        // without a branch: 0.8 of 66 million instructions for the state of a recording of 1.7 MB
        let mut count = 0;
        self.free.clear();
        self.free.resize(self.rows.len(), 0);
        for (at, used) in used.into_iter().enumerate().rev() {
            self.free[count] = at as u32;
            count += usize::from(!used);
        }
        self.free.truncate(count);
        // Collecting again soon would cost more than memory does. Growing copies all rows, so it must be worth it: 0.6 M instructions of 9.9 M for the frames
        // of a sample of 1,051 snapshots.
        let enough = wanted.max(if self.rows.is_empty() { FEW } else { self.rows.len() / 2 });
        if self.free.len() < enough {
            let more = enough - self.free.len();
            let from = self.rows.len() as u32;
            self.rows.resize(self.rows.len() + more, [0; 64]);
            self.free.splice(0..0, (from..from + more as u32).rev());
        }
    }

    /// Whether a row can be added.
    #[inline(always)]
    pub(super) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// A new row that is a copy of `base`.
    #[inline(always)]
    pub(super) fn copy(&mut self, base: &Row) -> (u32, &mut Row) {
        let at = self.next();
        let row = &mut self.rows[at as usize];
        *row = *base;
        (at, row)
    }

    /// A new row that is a copy of row `base`.
    #[inline(always)]
    pub(super) fn copy_of(&mut self, base: u32) -> (u32, &mut Row) {
        let at = self.next();
        let base = self.rows[base as usize];
        let row = &mut self.rows[at as usize];
        *row = base;
        (at, row)
    }

    #[inline(always)]
    fn next(&mut self) -> u32 {
        self.free.pop().expect("reserve was called for as many rows")
    }
}
