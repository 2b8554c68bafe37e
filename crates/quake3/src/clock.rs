//! Time since a recording's first snapshot.

use model::Milliseconds;

/// Turns the server's clock into the time since the first snapshot, added up over levels, whose clocks start anew.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    /// The server time that counts as zero in this level.
    origin: Option<i64>,
    /// In a level that has begun: the last server time. Before that: the time added up so far.
    last: i64,
}

impl Clock {
    /// A level begins.
    pub fn restart(&mut self) {
        if let Some(origin) = self.origin.take() {
            self.last -= origin;
        }
    }

    /// The time since the first snapshot, at `server_time`.
    pub fn at(&mut self, server_time: i32) -> Milliseconds {
        let now = i64::from(server_time);
        let origin = *self.origin.get_or_insert(now - self.last);
        self.last = now;
        Milliseconds(now - origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_add_up() {
        let mut clock = Clock::default();
        assert_eq!([clock.at(5000), clock.at(9000)], [0, 4000].map(Milliseconds));
        clock.restart();
        assert_eq!([clock.at(100), clock.at(1100)], [4000, 5000].map(Milliseconds));
    }
}
