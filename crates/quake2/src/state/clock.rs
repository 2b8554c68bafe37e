//! Time from frame numbers, across levels.

use fragreel_model::Milliseconds;

/// The position of a recording in time. Frame numbers restart with every level, demo time continues.
#[derive(Debug, Clone)]
pub struct Clock {
    rate: u32,
    /// Demo time at the first frame of the level.
    base: i64,
    first: Option<i64>,
    number: i64,
    frames: u64,
}

impl Clock {
    pub(super) fn new(rate: u32) -> Self {
        Clock { rate: rate.max(1), base: 0, first: None, number: 0, frames: 0 }
    }

    pub(super) fn set_rate(&mut self, rate: u32) {
        let now = self.time().0;
        self.rate = rate.max(1);
        if self.first.is_some() {
            self.base = now;
            self.first = Some(self.number);
        }
    }

    /// Whether a frame with this number can only belong to another level.
    #[inline]
    pub(super) fn would_go_back(&self, number: i64) -> bool {
        self.first.is_some() && number < self.number
    }

    #[inline]
    pub(super) fn frame(&mut self, number: i64) {
        self.first.get_or_insert(number);
        self.number = number;
        self.frames += 1;
    }

    /// Advances to the next frame, for frames without numbers.
    pub(super) fn next_frame(&mut self) {
        let number = if self.first.is_none() { 0 } else { self.number + 1 };
        self.frame(number);
    }

    pub(super) fn new_level(&mut self) {
        if self.first.is_some() {
            self.base = self.time().0 + 1000 / i64::from(self.rate);
            self.first = None;
            self.number = 0;
        }
    }

    /// Time since the recording's first frame.
    #[inline]
    pub fn time(&self) -> Milliseconds {
        let first = self.first.unwrap_or(self.number);
        Milliseconds(self.base + (self.number - first) * 1000 / i64::from(self.rate))
    }

    /// The server's clock. Negative if the frame number is.
    #[inline]
    pub fn server_time(&self) -> Milliseconds {
        Milliseconds(self.number * 1000 / i64::from(self.rate))
    }

    /// Whether the level has had a frame.
    pub fn begun(&self) -> bool {
        self.first.is_some()
    }

    /// The number of the last frame.
    pub fn number(&self) -> i64 {
        self.number
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames per second of server time.
    pub fn rate(&self) -> u32 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_each_other() {
        let mut clock = Clock::new(10);
        for number in [50, 51, 60] {
            clock.frame(number);
        }
        assert_eq!((clock.time().0, clock.server_time().0), (1000, 6000));
        assert!(clock.would_go_back(5) && !clock.would_go_back(60));
        clock.new_level();
        clock.frame(5);
        assert_eq!((clock.time().0, clock.server_time().0, clock.frames()), (1100, 500, 4));
    }
}
