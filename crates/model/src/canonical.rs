//! How many messages are as the game's own encoder writes them, and whether that falls at one place.

/// Whether messages come out identical when they are encoded again from the states that they make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Canonical {
    /// Messages of the container that were tried, in whole or in parts.
    tried: u64,
    /// Those with a part that did not.
    missed: u64,
    /// The first of them: how many were tried before, the message's number, and its offset.
    misses: Vec<(u64, u32, u64)>,
    /// The last message that was tried, and whether a part of it did not come out identical.
    last: Option<(u32, bool)>,
}

/// From one message on, fewer messages are as the game's encoder writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CanonicalFall {
    /// Number of the container's message from which on.
    pub message: u32,
    /// Its offset.
    pub offset: u64,
    /// Messages before it that were tried, and that came out identical.
    pub before: (u64, u64),
    /// The same of those from it on.
    pub behind: (u64, u64),
}

/// Misses that are kept.
const MOST: usize = 1 << 16;
/// At least this number of messages must have been tried before a fall, and from it on.
const FEWEST: (u64, u64) = (100, 40);

impl Canonical {
    /// Counts a message that was tried, or a part of it: of a message that is counted in parts all must be identical.
    pub fn count(&mut self, message: u32, offset: u64, identical: bool) {
        let missed = match self.last {
            Some((last, missed)) if last == message => missed,
            _ => {
                self.tried += 1;
                false
            }
        };
        if !identical && !missed {
            self.missed += 1;
            if self.misses.len() < MOST {
                self.misses.push((self.tried - 1, message, offset));
            }
        }
        self.last = Some((message, missed || !identical));
    }

    /// Adds the counts of `later` messages.
    #[must_use]
    pub fn followed_by(mut self, later: Self) -> Self {
        let room = MOST - self.misses.len();
        self.misses.extend(later.misses.into_iter().take(room).map(|(tried, message, offset)| (self.tried + tried, message, offset)));
        Canonical { tried: self.tried + later.tried, missed: self.missed + later.missed, misses: self.misses, last: later.last.or(self.last) }
    }

    /// Where the share falls: at least 98 of 100 before, at most half from there on; of several such places the one that divides best.
    pub fn fall(&self) -> Option<CanonicalFall> {
        let falls = self.misses.iter().enumerate().filter_map(|(at, &(tried, message, offset))| {
            let (before, behind) = ((tried, tried - at as u64), (self.tried - tried, self.tried - tried - (self.missed - at as u64)));
            let fits = before.0 >= FEWEST.0 && behind.0 >= FEWEST.1 && before.1 * 100 >= before.0 * 98 && behind.1 * 2 <= behind.0;
            fits.then_some(CanonicalFall { message, offset, before, behind })
        });
        let divides = |fall: &CanonicalFall| fall.before.1 as f64 / fall.before.0 as f64 - fall.behind.1 as f64 / fall.behind.0 as f64;
        falls.max_by(|a, b| divides(a).total_cmp(&divides(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(share: impl Fn(u64) -> bool) -> Canonical {
        let mut canonical = Canonical::default();
        (0..400u32).for_each(|number| canonical.count(number, u64::from(number) * 10, share(number.into())));
        canonical
    }

    #[test]
    fn a_share_that_falls_has_its_place() {
        // one odd message in the beginning is none
        let fall = of(|number| number != 7 && (number < 200 || number % 4 == 0)).fall().unwrap();
        assert_eq!((fall.message, fall.offset, fall.before, fall.behind), (201, 2010, (201, 200), (199, 49)));
        for unbroken in [of(|_| true), of(|number| number % 2 == 0), of(|number| number > 200), of(|number| number < 380), of(|number| number % 30 != 0)] {
            assert_eq!(unbroken.fall(), None);
        }
    }

    /// A player and a list of entities. Another program writes the list in its own way, unless it is empty.
    #[test]
    fn a_message_in_parts_is_one_message() {
        let mut canonical = Canonical::default();
        for number in 0..400u32 {
            canonical.count(number, 0, true);
            canonical.count(number, 0, number < 200 || number.is_multiple_of(10));
        }
        let fall = canonical.fall().unwrap();
        assert_eq!((fall.message, fall.before, fall.behind), (201, (201, 201), (199, 19)));
    }

    #[test]
    fn parts_of_a_recording_have_the_falls_of_all() {
        let count = |numbers: std::ops::Range<u32>| {
            let mut canonical = Canonical::default();
            numbers.for_each(|number| canonical.count(number, u64::from(number) * 10, number < 200 || number % 4 == 0));
            canonical
        };
        for at in [0, 150, 200, 300, 400] {
            assert_eq!(count(0..at).followed_by(count(at..400)), count(0..400), "{at}");
        }
    }

    #[test]
    fn a_fall_is_found_however_long_the_rest_is() {
        let mut canonical = Canonical::default();
        (0..MOST as u32 * 2).for_each(|number| canonical.count(number, 0, number < 1000));
        assert_eq!(canonical.fall().unwrap().message, 1000);
    }
}
