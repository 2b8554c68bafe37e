//! How much of all recordings may be in memory at a time, whatever the number of threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that recordings may take together.
pub struct Budget {
    total: u64,
    free: Mutex<u64>,
    returned: Condvar,
}

/// Bytes taken from the budget, until it is dropped.
pub struct Held<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Budget {
    /// A budget of this number of bytes.
    pub fn new(total: u64) -> Self {
        Budget { total, free: Mutex::new(total), returned: Condvar::new() }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Takes bytes, and waits for others to return theirs where there are not enough. A caller that waits must hold nothing yet.
    /// `None`: there will never be enough.
    pub fn wait_for(&self, bytes: u64) -> Option<Held<'_>> {
        if bytes > self.total {
            return None;
        }
        let mut free = self.lock();
        while *free < bytes {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Some(Held { budget: self, bytes })
    }

    /// Takes bytes where there are enough.
    pub fn take(&self, bytes: u64) -> Option<Held<'_>> {
        let mut free = self.lock();
        *free = free.checked_sub(bytes)?;
        Some(Held { budget: self, bytes })
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held<'_> {
    /// How many.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns what is not needed.
    pub fn shrink(&mut self, to: u64) {
        let rest = self.bytes.saturating_sub(to);
        self.bytes -= rest;
        *self.budget.lock() += rest;
        self.budget.returned.notify_all();
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn more_than_there_is_is_refused_and_nobody_takes_what_another_holds() {
        let budget = Budget::new(10);
        assert!(budget.wait_for(11).is_none());
        let (held, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [3, 4, 5, 6, 7, 10] {
                let (budget, held, most) = (&budget, &held, &most);
                scope.spawn(move || {
                    for _ in 0..100 {
                        let mut taken = budget.wait_for(bytes).unwrap();
                        most.fetch_max(held.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                        held.fetch_sub(bytes, Ordering::SeqCst);
                        taken.shrink(1);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 10);
        assert!(budget.take(10).is_some() && budget.take(11).is_none(), "all was returned");
    }
}
