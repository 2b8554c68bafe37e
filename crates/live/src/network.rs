//! A network with a mind of its own, for tests of both ends without sockets.
//!
//! ```
//! use fragreel_live::network::{Dice, Network};
//!
//! let mut network = Network::new(7);
//! (network.loss, network.duplication, network.delay, network.jitter) = (20, 5, 0.05, 0.05);
//! for number in 0..100 {
//!     network.send(f64::from(number) * 0.01, number);
//! }
//! let arrived = network.arrive(2.0);
//! assert!(arrived.len() > 60 && arrived.len() < 100);
//! assert!(arrived.windows(2).any(|pair| pair[0] > pair[1]), "some overtook others");
//! # let _ = Dice::new(1);
//! ```

/// Random numbers from a seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.roll();
        }
        dice
    }

    /// Any number.
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        (((self.roll() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Whether something happens that does so `percent` times of 100.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// One direction of a network.
#[derive(Debug, Clone)]
pub struct Network<T> {
    /// Packets of 100 that are lost.
    pub loss: u32,
    /// Packets of 100 that arrive twice.
    pub duplication: u32,
    /// Seconds that every packet takes.
    pub delay: f64,
    /// Seconds that a packet may take more, so that some overtake others.
    pub jitter: f64,
    dice: Dice,
    underway: Vec<(f64, T)>,
}

impl<T: Clone> Network<T> {
    /// One that loses nothing.
    pub fn new(seed: u64) -> Self {
        Self { loss: 0, duplication: 0, delay: 0.0, jitter: 0.0, dice: Dice::new(seed), underway: Vec::new() }
    }

    /// Takes a packet.
    pub fn send(&mut self, now: f64, packet: T) {
        let copies = 1 + u32::from(self.dice.chance(self.duplication));
        for _ in 0..copies {
            if !self.dice.chance(self.loss) {
                let late = f64::from(self.dice.below(1 << 16)) / f64::from(1 << 16) * self.jitter;
                self.underway.push((now + self.delay + late, packet.clone()));
            }
        }
    }

    /// What arrives up to now, in the order in which it does.
    pub fn arrive(&mut self, now: f64) -> Vec<T> {
        let (mut here, underway): (Vec<_>, Vec<_>) = std::mem::take(&mut self.underway).into_iter().partition(|(at, _)| *at <= now);
        self.underway = underway;
        here.sort_by(|one, other| one.0.total_cmp(&other.0));
        here.into_iter().map(|(_, packet)| packet).collect()
    }
}
