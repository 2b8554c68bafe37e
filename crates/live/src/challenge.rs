//! Challenges without a table.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Numbers that prove that somebody receives what is sent to his address. Made from the address, a secret and the minute, so that
/// nothing is stored, however many ask.
///
/// ```
/// let challenges = fragreel_live::Challenges::new(4711);
/// let number = challenges.of(&"10.0.0.1:27001", 5.0);
/// assert!(challenges.accepts(&"10.0.0.1:27001", 70.0, number));
/// assert!(!challenges.accepts(&"10.0.0.2:27001", 5.0, number));
/// assert!(!challenges.accepts(&"10.0.0.1:27001", 180.0, number));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Challenges {
    secret: u64,
}

/// Seconds for which a number is given out; it is accepted for as long again.
const LIFE: f64 = 60.0;

impl Challenges {
    /// With a secret: a random number, and another one for each server.
    pub fn new(secret: u64) -> Self {
        Self { secret }
    }

    /// The number for an address.
    pub fn of(&self, address: &impl Hash, now: f64) -> i32 {
        self.at(address, period(now))
    }

    /// Whether it is the number that this address has, or just had.
    pub fn accepts(&self, address: &impl Hash, now: f64, number: i32) -> bool {
        let period = period(now);
        number == self.at(address, period) || period.checked_sub(1).is_some_and(|before| number == self.at(address, before))
    }

    /// Positive, as some engines read the number with a sign and others without.
    fn at(&self, address: &impl Hash, period: u64) -> i32 {
        let mut hasher = DefaultHasher::new();
        (self.secret, period).hash(&mut hasher);
        address.hash(&mut hasher);
        self.secret.hash(&mut hasher);
        (hasher.finish() >> 33) as i32
    }
}

fn period(now: f64) -> u64 {
    (now.max(0.0) / LIFE) as u64
}
