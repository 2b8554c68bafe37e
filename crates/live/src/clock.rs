//! The clock of a show.

/// Says what of a recording is shown: it runs with the caller's clock, slower or faster, stops, and jumps. Positions are milliseconds since the
/// recording's first frame, the caller's times are seconds.
///
/// ```
/// let mut clock = fragreel_live::Clock::new();
/// assert_eq!(clock.at(2.0), 2000.0);
/// clock.set_speed(2.0, 0.5);
/// assert_eq!(clock.at(4.0), 3000.0);
/// clock.pause(4.0, true);
/// clock.seek(9.0, 500.0);
/// assert_eq!((clock.at(10.0), clock.is_paused()), (500.0, true));
/// clock.pause(20.0, false);
/// assert_eq!(clock.at(22.0), 1500.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// A position, and when it was shown.
    anchor: (f64, f64),
    speed: f64,
    paused: bool,
}

impl Clock {
    /// The slowest and the fastest that it runs.
    pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.05..=20.0;

    /// At the start, running.
    pub fn new() -> Self {
        Self { anchor: (0.0, 0.0), speed: 1.0, paused: false }
    }

    /// The position at a time.
    pub fn at(&self, now: f64) -> f64 {
        if self.paused { self.anchor.0 } else { self.anchor.0 + (now - self.anchor.1) * 1000.0 * self.speed }
    }

    /// When a position is shown, if nothing changes.
    pub fn when(&self, position: f64) -> f64 {
        self.anchor.1 + (position - self.anchor.0) / 1000.0 / self.speed
    }

    /// How fast it runs when it does.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether it stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Stops, or goes on.
    pub fn pause(&mut self, now: f64, paused: bool) {
        self.anchor = (self.at(now), now);
        self.paused = paused;
    }

    /// Goes faster or slower from here on, within [`SPEEDS`](Self::SPEEDS).
    pub fn set_speed(&mut self, now: f64, speed: f64) {
        self.anchor = (self.at(now), now);
        self.speed = speed.clamp(*Self::SPEEDS.start(), *Self::SPEEDS.end());
    }

    /// Goes on from another position.
    pub fn seek(&mut self, now: f64, position: f64) {
        self.anchor = (position, now);
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
