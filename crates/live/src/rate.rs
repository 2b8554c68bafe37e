//! How often an address may ask.

use std::collections::BTreeMap;

/// A bucket per address and one for all: each question takes a drop, and drops come back with time. The numbers are those of ioquake3's
/// servers: ten at once and one per second per address, ten per tenth of a second altogether.
///
/// ```
/// let mut rates = fragreel_live::Rates::new();
/// assert_eq!((0..100).filter(|_| rates.allow("somebody", 0.0)).count(), 10);
/// assert!(rates.allow("somebody", 1.5) && !rates.allow("somebody", 1.5));
/// ```
#[derive(Debug, Clone)]
pub struct Rates<A> {
    buckets: BTreeMap<A, Bucket>,
    all: Bucket,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    drops: f64,
    at: f64,
}

const BURST: f64 = 10.0;
const PER_SECOND: f64 = 1.0;
const ALL_PER_SECOND: f64 = 100.0;
/// Most addresses that are remembered. The rate for all holds for those beyond.
const MOST: usize = 4096;

impl<A: Ord + Copy> Rates<A> {
    /// Everybody may ask.
    pub fn new() -> Self {
        Self { buckets: BTreeMap::new(), all: Bucket { drops: BURST, at: 0.0 } }
    }

    /// Whether this question is to be answered.
    pub fn allow(&mut self, address: A, now: f64) -> bool {
        if self.buckets.len() >= MOST && !self.buckets.contains_key(&address) {
            // Full buckets say no more than none.
            self.buckets.retain(|_, bucket| bucket.drops + (now - bucket.at) * PER_SECOND < BURST);
            if self.buckets.len() >= MOST {
                return false;
            }
        }
        let bucket = self.buckets.entry(address).or_insert(Bucket { drops: BURST, at: now });
        bucket.take(now, PER_SECOND) && self.all.take(now, ALL_PER_SECOND)
    }
}

impl<A: Ord + Copy> Default for Rates<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl Bucket {
    fn take(&mut self, now: f64, per_second: f64) -> bool {
        self.drops = (self.drops + (now - self.at).max(0.0) * per_second).min(BURST);
        self.at = now;
        let allowed = self.drops >= 1.0;
        if allowed {
            self.drops -= 1.0;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_from_many_addresses_is_bounded_in_answers_and_memory() {
        let mut rates = Rates::new();
        let allowed = (0..100_000u32).filter(|&address| rates.allow(address, f64::from(address) * 1e-5)).count();
        assert!(allowed <= 10 + 100, "{allowed}");
        assert!(rates.buckets.len() <= MOST);
        // Later everybody may ask again.
        assert!(rates.allow(7, 100.0));
    }
}
