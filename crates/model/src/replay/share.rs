//! Two walks that share one verification.

use std::sync::{Arc, Mutex, PoisonError};

/// The number of bytes that the first walk takes at a time. It checks for a second walk only between these steps.
const STEP: u64 = 1 << 15;

/// When the second walk starts, the first walk still takes this percentage of the remaining bytes. The second walk decodes them, too, which takes about half
/// the time of encoding them again.
const FIRST_TAKES: u64 = 62;

/// The messages that a walk encodes again, by their offsets.
///
/// One walk encodes all of them. If another thread has time, a second walk starts. It decodes everything and encodes the messages at the end. The first
/// walk stops at the first of these. The report of the second walk therefore has every finding.
/// [`Verification::behind`](crate::Verification::behind) adds what the first walk compared.
#[derive(Debug, Clone)]
pub struct Share {
    from: u64,
    /// The end of what the walk has taken so far.
    taken: u64,
    split: Option<Arc<Split>>,
}

impl Share {
    /// The share of a walk that encodes all messages.
    pub fn all() -> Self {
        Share { from: 0, taken: u64::MAX, split: None }
    }

    /// True if the walk encodes the message at `offset` again.
    pub fn encodes(&self, offset: u64) -> bool {
        offset >= self.from
    }

    /// True if the walk stops before the message at `offset`.
    pub fn stops_at(&mut self, offset: u64) -> bool {
        offset >= self.taken && !self.take(offset)
    }

    /// Takes the next bytes from `offset`, if the second walk has not taken them.
    #[cold]
    fn take(&mut self, offset: u64) -> bool {
        let Some(split) = &self.split else { return true };
        let mut place = split.place.lock().unwrap_or_else(PoisonError::into_inner);
        let end = place.second.unwrap_or(u64::MAX);
        place.taken = offset.saturating_add(STEP).min(end);
        self.taken = place.taken;
        offset < end
    }
}

/// The boundary between the shares of two walks.
#[derive(Debug)]
pub struct Split {
    length: u64,
    place: Mutex<Place>,
}

#[derive(Debug, Default)]
struct Place {
    /// The end of what the first walk has taken.
    taken: u64,
    /// The start of the second walk's share.
    second: Option<u64>,
}

impl Split {
    /// Creates a split for a recording of `length` bytes.
    pub fn new(length: u64) -> Arc<Self> {
        Arc::new(Split { length, place: Mutex::default() })
    }

    /// The share of the first walk.
    pub fn first(self: &Arc<Self>) -> Share {
        Share { from: 0, taken: 0, split: Some(self.clone()) }
    }

    /// Says that the first walk came to its end, so that a second walk would do its work again.
    pub fn close(&self) {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).taken = u64::MAX;
    }

    /// The share of the second walk. `None` if it would end later than the first walk alone.
    pub fn second(&self) -> Option<Share> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        // the first walk goes on meanwhile, so the bytes that it has taken count as much as those that are left
        let from = (self.length.saturating_add(place.taken) / 100).saturating_mul(FIRST_TAKES).max(place.taken);
        (from < self.length).then(|| {
            place.second = Some(from);
            Share { from, taken: u64::MAX, split: None }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offsets of the messages that a walk encodes. Each message has 100 bytes.
    fn walk(mut share: Share, to: u64, mut meanwhile: impl FnMut(u64)) -> Vec<u64> {
        let mut encoded = Vec::new();
        for offset in (0..to).step_by(100) {
            meanwhile(offset);
            if share.stops_at(offset) {
                break;
            }
            encoded.extend(share.encodes(offset).then_some(offset));
        }
        encoded
    }

    #[test]
    fn each_message_is_encoded_once_wherever_the_second_walk_starts() {
        let length = 1_000_000;
        for start in [0, 100, 40_000, 300_000] {
            let (split, mut second) = (Split::new(length), None);
            let first = walk(split.first(), length, |offset| {
                if offset == start {
                    second = split.second();
                }
            });
            let second = walk(second.expect("there is enough left"), length, |_| {});
            assert!(second.len() > 1000 && first.len() > second.len());
            assert_eq!([first, second].concat(), (0..length).step_by(100).collect::<Vec<_>>(), "{start}");
        }
    }

    #[test]
    fn a_second_walk_that_comes_late_has_no_share() {
        let (split, mut late) = (Split::new(1_000_000), None);
        let first = walk(split.first(), 1_000_000, |offset| {
            if offset == 700_000 {
                late = Some(split.second().is_none());
            }
        });
        assert_eq!((first.len(), late), (10_000, Some(true)));
        assert!(Split::new(0).second().is_none());
        let ended_early = Split::new(1_000_000);
        walk(ended_early.first(), 100_000, |_| {});
        ended_early.close();
        assert!(ended_early.second().is_none());
        assert_eq!(walk(Share::all(), 1000, |_| {}).len(), 10);
    }
}
