//! A set of field numbers below 64.

/// Which fields of a row something is true of. Every table of the four families has at most 64 rows; what is
/// larger is split where the format splits it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FieldSet(pub u64);

impl FieldSet {
    /// No field.
    pub const EMPTY: FieldSet = FieldSet(0);

    /// Whether field `at` is in the set.
    #[inline(always)]
    pub fn has(self, at: usize) -> bool {
        self.0 >> (at & 63) & 1 != 0
    }

    /// Adds field `at`.
    #[inline(always)]
    pub fn insert(&mut self, at: usize) {
        self.0 |= 1 << (at & 63);
    }

    /// Adds field `at` if `on`, without a branch.
    #[inline(always)]
    pub fn insert_if(&mut self, at: usize, on: bool) {
        self.0 |= u64::from(on) << (at & 63);
    }

    /// Fields from `at` to the next member, or to `end` (at most 64).
    #[inline(always)]
    pub fn gap(self, at: usize, end: usize) -> u32 {
        let rest = self.0.checked_shr(at as u32).unwrap_or(0);
        rest.trailing_zeros().min((end - at) as u32)
    }

    /// One past the last member; 0 when empty.
    #[inline(always)]
    pub fn end(self) -> usize {
        64 - self.0.leading_zeros() as usize
    }

    /// How many members.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no member.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<usize> for FieldSet {
    fn from_iter<I: IntoIterator<Item = usize>>(fields: I) -> Self {
        let mut set = FieldSet::EMPTY;
        fields.into_iter().for_each(|at| set.insert(at));
        set
    }
}

impl IntoIterator for FieldSet {
    type Item = usize;
    type IntoIter = Members;

    #[inline(always)]
    fn into_iter(self) -> Members {
        Members(self.0)
    }
}

/// The members of a [`FieldSet`] in rising order.
#[derive(Debug, Clone)]
pub struct Members(u64);

impl Iterator for Members {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(at)
    }
}
