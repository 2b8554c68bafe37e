//! Rows shared between snapshots.

use delta::interleaved::Row;

/// Rows with a count of the snapshots that use each. An entity that did not change costs a count instead of a copy of
/// its row.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    rows: Vec<Row>,
    uses: Vec<u32>,
    free: Vec<u32>,
}

impl Arena {
    #[inline(always)]
    pub(super) fn row(&self, at: u32) -> &Row {
        &self.rows[at as usize]
    }

    /// Keeps a new row, made from the rows so far, for one snapshot.
    #[inline(always)]
    pub(super) fn add(&mut self, make: impl FnOnce(&Arena) -> Row) -> u32 {
        let row = make(self);
        if let Some(at) = self.free.pop() {
            self.rows[at as usize] = row;
            self.uses[at as usize] = 1;
            return at;
        }
        self.rows.push(row);
        self.uses.push(1);
        (self.rows.len() - 1) as u32
    }

    /// One more snapshot uses the row.
    #[inline(always)]
    pub(super) fn share(&mut self, at: u32) -> u32 {
        self.uses[at as usize] += 1;
        at
    }

    /// One snapshot less uses the row.
    #[inline(always)]
    pub(super) fn release(&mut self, at: u32) {
        let uses = &mut self.uses[at as usize];
        *uses -= 1;
        if *uses == 0 {
            self.free.push(at);
        }
    }
}
