//! How things move between frames.

use serde::Serialize;

use crate::Milliseconds;

/// How a place or an angle changes with time, as Quake III states it: the place at a server time follows from it alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Motion {
    /// The law.
    pub law: Law,
    /// When it began, on the server's clock.
    pub since: Milliseconds,
    /// How long it lasts, or how long one swing takes.
    pub duration: Milliseconds,
    /// The value at the beginning.
    pub base: [f32; 3],
    /// Change in a second; of a swing, its width.
    pub delta: [f32; 3],
    /// Downward acceleration in units a second squared.
    pub gravity: f32,
}

/// The law of a [`Motion`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Law {
    /// It rests.
    #[default]
    Stationary,
    /// Between frames the place is between their places.
    Interpolate,
    /// It moves evenly.
    Linear,
    /// It moves evenly until its time is over.
    LinearStop,
    /// It swings.
    Sine,
    /// It falls.
    Gravity,
}

impl Motion {
    /// A motion.
    pub const fn new(law: Law, since: Milliseconds, duration: Milliseconds, base: [f32; 3], delta: [f32; 3]) -> Self {
        Self { law, since, duration, base, delta, gravity: DEFAULT_GRAVITY }
    }

    /// The value at a server time.
    #[inline]
    pub fn at(&self, server_time: Milliseconds) -> [f32; 3] {
        let elapsed = server_time.0 - self.since.0;
        let seconds = |milliseconds: i64| milliseconds as f32 * 0.001;
        let moved = |by: f32| -> [f32; 3] { std::array::from_fn(|axis| self.base[axis] + self.delta[axis] * by) };
        match self.law {
            Law::Stationary | Law::Interpolate => self.base,
            Law::Linear => moved(seconds(elapsed)),
            Law::LinearStop => moved(seconds(elapsed.min(self.duration.0).max(0))),
            Law::Sine => {
                let turns = elapsed as f32 / self.duration.0.max(1) as f32;
                moved((turns * std::f32::consts::TAU).sin())
            }
            Law::Gravity => {
                let time = seconds(elapsed);
                let mut value = moved(time);
                value[2] -= 0.5 * self.gravity * time * time;
                value
            }
        }
    }

    /// The change in a second at a server time.
    pub fn rate_at(&self, server_time: Milliseconds) -> [f32; 3] {
        let elapsed = server_time.0 - self.since.0;
        match self.law {
            Law::Stationary | Law::Interpolate => [0.0; 3],
            Law::Linear => self.delta,
            Law::LinearStop if elapsed > self.duration.0 => [0.0; 3],
            Law::LinearStop => self.delta,
            Law::Sine => {
                let duration = self.duration.0.max(1) as f32;
                let phase = elapsed as f32 / duration * std::f32::consts::TAU;
                self.delta.map(|width| width * phase.cos() * std::f32::consts::TAU * 1000.0 / duration)
            }
            Law::Gravity => [self.delta[0], self.delta[1], self.delta[2] - self.gravity * (elapsed as f32 * 0.001)],
        }
    }
}

/// What falls, falls with this.
pub const DEFAULT_GRAVITY: f32 = 800.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(law: Law) -> Motion {
        Motion::new(law, Milliseconds(1000), Milliseconds(500), [0.0, 10.0, 100.0], [100.0, 0.0, 40.0])
    }

    #[test]
    fn motions_follow_their_laws() {
        let at = |law: Law, time: i64| motion(law).at(Milliseconds(time)).map(f32::round);
        assert_eq!(at(Law::Stationary, 1250), [0.0, 10.0, 100.0]);
        assert_eq!(at(Law::Interpolate, 1250), [0.0, 10.0, 100.0]);
        assert_eq!(at(Law::Linear, 2000), [100.0, 10.0, 140.0]);
        assert_eq!(at(Law::LinearStop, 9000), [50.0, 10.0, 120.0]);
        assert_eq!(at(Law::LinearStop, 0), [0.0, 10.0, 100.0], "it has not begun");
        assert_eq!(at(Law::Sine, 1125), [100.0, 10.0, 140.0], "a quarter of a swing");
        assert_eq!(at(Law::Gravity, 2000), [100.0, 10.0, -260.0]);
        assert_eq!(motion(Law::Gravity).rate_at(Milliseconds(2000)), [100.0, 0.0, -760.0]);
        assert_eq!(motion(Law::LinearStop).rate_at(Milliseconds(1600)), [0.0; 3]);
    }
}
