//! Rows of words, shared between frames. An unchanged entity costs a reference, not a copy.

/// Words of a row: one for each field that a description may have.
pub(crate) const WIDTH: usize = crate::fields::description::MAX_FIELDS;

/// A row of a [`State`](crate::State).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(u32);

impl RowId {
    /// The row of zeros, which always exists.
    pub const ZERO: RowId = RowId(0);
}

/// A store of rows. Unused rows are found from time to time and used again.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    words: Vec<u32>,
    free: Vec<RowId>,
    used: Vec<bool>,
    /// Number of rows that triggers the next search for unused rows.
    sweep_at: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Self { words: vec![0; WIDTH], free: Vec::new(), used: Vec::new(), sweep_at: 4096 }
    }
}

impl Rows {
    #[inline]
    pub(crate) fn row(&self, id: RowId) -> &[u32] {
        &self.words[id.0 as usize * WIDTH..][..WIDTH]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, id: RowId) -> &mut [u32] {
        &mut self.words[id.0 as usize * WIDTH..][..WIDTH]
    }

    /// Copies a row.
    #[inline]
    pub(crate) fn copy(&mut self, base: RowId) -> RowId {
        let from = base.0 as usize * WIDTH;
        if let Some(id) = self.free.pop() {
            self.words.copy_within(from..from + WIDTH, id.0 as usize * WIDTH);
            return id;
        }
        let id = RowId((self.words.len() / WIDTH) as u32);
        self.words.extend_from_within(from..from + WIDTH);
        id
    }

    /// The same, with the words of the copy.
    #[inline]
    pub(crate) fn copied(&mut self, base: RowId) -> (RowId, &mut [u32]) {
        let id = self.copy(base);
        (id, self.row_mut(id))
    }

    /// True if [`sweep`](Self::sweep) is due.
    #[inline]
    pub(crate) fn crowded(&self) -> bool {
        self.free.is_empty() && self.words.len() / WIDTH >= self.sweep_at
    }

    /// Frees all rows that are not in `live`.
    pub(crate) fn sweep(&mut self, live: impl Iterator<Item = RowId>) {
        let count = self.words.len() / WIDTH;
        self.used.clear();
        self.used.resize(count, false);
        self.used[0] = true;
        let mut alive = 1;
        for id in live {
            alive += usize::from(!std::mem::replace(&mut self.used[id.0 as usize], true));
        }
        self.free = (0..count).filter(|&at| !self.used[at]).map(|at| RowId(at as u32)).collect();
        self.sweep_at = (2 * alive).max(4096);
    }
}
