//! Places from which a walk through a recording can go on.

use crate::{Milliseconds, When};

use crate::replay::At;

/// Keyframes take at most one byte of this many of the recording.
const SHARE: usize = 20;
/// Bytes of the recording between keyframes, at least.
const SPACING: u64 = 32 * 1024;

/// The keyframes of a recording in order, and what they may take: a twentieth of the bytes up to them. What a keyframe holds is the
/// family's.
///
/// ```
/// use fragreel_model::{Milliseconds, When};
/// use fragreel_model::replay::{At, Key, Keyframes};
///
/// let mut keys = Keyframes::expecting(1000);
/// for frame in 0..1000u32 {
///     // a frame takes 500 bytes, and a keyframe 2000: there can be one every 40,000 bytes
///     let (here, time) = (u64::from(frame) * 500, Milliseconds(i64::from(frame) * 100));
///     if keys.wants(here) {
///         let at = At { number: frame, message: frame, level: 0, time, server_time: time, match_time: None };
///         keys.add(Key { at, highest: time, keyframe: "what is known here" }, 2000, here);
///     }
/// }
/// assert!(keys.bytes() <= 500 * 1000 / 20);
/// let key = keys.before(When::Demo(Milliseconds(50_000))).unwrap();
/// assert!(key.at.number <= 500 && key.at.number > 400);
/// ```
#[derive(Debug)]
pub struct Keyframes<K> {
    keys: Vec<Key<K>>,
    bytes: usize,
    /// The largest so far, or what the first is expected to take.
    largest: usize,
    /// Where the next is due.
    next: u64,
}

/// A keyframe.
#[derive(Debug)]
pub struct Key<K> {
    /// Its frame.
    pub at: At,
    /// The highest server time up to here.
    pub highest: Milliseconds,
    /// From what a walk goes on.
    pub keyframe: K,
}

impl<K> Keyframes<K> {
    /// None yet; the first is expected to take this number of bytes.
    pub fn expecting(bytes: usize) -> Self {
        Keyframes { keys: Vec::new(), bytes: 0, largest: bytes, next: SPACING }
    }

    /// Whether one is due at this byte of the recording, and can be afforded if it takes what the largest so far did. If it says so,
    /// the next is not due before some more bytes have passed.
    pub fn wants(&mut self, here: u64) -> bool {
        let wants = here >= self.next && (self.bytes + self.largest) * SHARE <= here as usize;
        if wants {
            self.next = here + SPACING;
        }
        wants
    }

    /// Adds one that takes `bytes`, unless it is larger than there is room for at this byte of the recording.
    pub fn add(&mut self, key: Key<K>, bytes: usize, here: u64) {
        let size = bytes + size_of::<Key<K>>();
        self.largest = if self.keys.is_empty() { size } else { self.largest.max(size) };
        if (self.bytes + size) * SHARE <= here as usize {
            self.bytes += size;
            self.keys.push(key);
        }
    }

    /// The last one.
    pub fn last(&self) -> Option<&K> {
        self.keys.last().map(|key| &key.keyframe)
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last that is not behind what a time means, where the first frame past the time ends the search.
    pub fn before(&self, when: When) -> Option<&Key<K>> {
        let count = match when {
            When::Demo(wanted) => self.keys.partition_point(|key| key.at.time <= wanted),
            When::Server(wanted) => self.keys.partition_point(|key| key.highest <= wanted),
        };
        self.keys.get(count.checked_sub(1)?)
    }

    /// The last whose frame came with this message of the container, or an earlier one.
    pub fn upto(&self, message: u32) -> Option<&Key<K>> {
        self.keys.get(self.keys.partition_point(|key| key.at.message <= message).checked_sub(1)?)
    }

    /// The last before a frame.
    pub fn before_frame(&self, number: u32) -> Option<&Key<K>> {
        self.keys.get(self.keys.partition_point(|key| key.at.number < number).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32, time: i64, highest: i64) -> Key<()> {
        let (time, highest) = (Milliseconds(time), Milliseconds(highest));
        Key { at: At { number, message: number, level: 0, time, server_time: highest, match_time: None }, highest, keyframe: () }
    }

    #[test]
    fn they_never_take_more_than_a_twentieth() {
        let mut keys = Keyframes::expecting(100);
        let mut sizes = [500, 9000, 100, 40_000, 2000].into_iter().cycle();
        for here in (0..4_000_000).step_by(1000) {
            if keys.wants(here) {
                keys.add(key(here as u32, here as i64, here as i64), sizes.next().unwrap(), here);
            }
            assert!(keys.bytes() * SHARE <= here as usize || keys.bytes() == 0, "{} at {here}", keys.bytes());
        }
        assert!(keys.keys.len() > 5);
    }

    #[test]
    fn servers_clocks_may_start_again() {
        let mut keys = Keyframes::expecting(0);
        for (number, time, highest) in [(10, 100, 5000), (20, 200, 6000), (30, 300, 6000)] {
            keys.add(key(number, time, highest), 0, 1 << 20);
        }
        let before = |when| keys.before(when).map(|key| key.at.number);
        assert_eq!([50, 250, 999].map(|time| before(When::Demo(Milliseconds(time)))), [None, Some(20), Some(30)]);
        assert_eq!([4999, 5500, 6000].map(|time| before(When::Server(Milliseconds(time)))), [None, Some(10), Some(30)]);
        assert_eq!([10, 11, 30].map(|number| keys.before_frame(number).map(|key| key.at.number)), [None, Some(10), Some(20)]);
        assert_eq!([9, 10, 29].map(|message| keys.upto(message).map(|key| key.at.message)), [None, Some(10), Some(20)]);
    }
}
