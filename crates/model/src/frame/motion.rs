//! How things move between frames.

use serde::Serialize;

use crate::Milliseconds;

/// How a place or an angle changes with time, as Quake III states it: the place at a server time follows from it alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Motion {
    /// How the value changes.
    pub trajectory: Trajectory,
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

/// How a value changes with time: the type of a trajectory (`trType_t`) in Quake III, whose numbers run in this order.
///
/// [`Motion::at`] computes the value. Only `Interpolate` needs the frames: such a thing moves from its place in one frame to its place in the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trajectory {
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
    pub const fn new(trajectory: Trajectory, since: Milliseconds, duration: Milliseconds, base: [f32; 3], delta: [f32; 3]) -> Self {
        Self { trajectory, since, duration, base, delta, gravity: DEFAULT_GRAVITY }
    }

    /// The value at a server time.
    #[inline]
    pub fn at(&self, server_time: Milliseconds) -> [f32; 3] {
        let elapsed = server_time.0 - self.since.0;
        let seconds = |milliseconds: i64| milliseconds as f32 * 0.001;
        let moved = |by: f32| -> [f32; 3] { std::array::from_fn(|axis| self.base[axis] + self.delta[axis] * by) };
        match self.trajectory {
            Trajectory::Stationary | Trajectory::Interpolate => self.base,
            Trajectory::Linear => moved(seconds(elapsed)),
            Trajectory::LinearStop => moved(seconds(elapsed.min(self.duration.0).max(0))),
            Trajectory::Sine => {
                let turns = elapsed as f32 / self.duration.0.max(1) as f32;
                moved((turns * std::f32::consts::TAU).sin())
            }
            Trajectory::Gravity => {
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
        match self.trajectory {
            Trajectory::Stationary | Trajectory::Interpolate => [0.0; 3],
            Trajectory::Linear => self.delta,
            Trajectory::LinearStop if elapsed > self.duration.0 => [0.0; 3],
            Trajectory::LinearStop => self.delta,
            Trajectory::Sine => {
                let duration = self.duration.0.max(1) as f32;
                let phase = elapsed as f32 / duration * std::f32::consts::TAU;
                self.delta.map(|width| width * phase.cos() * std::f32::consts::TAU * 1000.0 / duration)
            }
            Trajectory::Gravity => [self.delta[0], self.delta[1], self.delta[2] - self.gravity * (elapsed as f32 * 0.001)],
        }
    }
}

/// What falls, falls with this.
pub const DEFAULT_GRAVITY: f32 = 800.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(trajectory: Trajectory) -> Motion {
        Motion::new(trajectory, Milliseconds(1000), Milliseconds(500), [0.0, 10.0, 100.0], [100.0, 0.0, 40.0])
    }

    #[test]
    fn motions_follow_their_trajectories() {
        let at = |trajectory: Trajectory, time: i64| motion(trajectory).at(Milliseconds(time)).map(f32::round);
        assert_eq!(at(Trajectory::Stationary, 1250), [0.0, 10.0, 100.0]);
        assert_eq!(at(Trajectory::Interpolate, 1250), [0.0, 10.0, 100.0]);
        assert_eq!(at(Trajectory::Linear, 2000), [100.0, 10.0, 140.0]);
        assert_eq!(at(Trajectory::LinearStop, 9000), [50.0, 10.0, 120.0]);
        assert_eq!(at(Trajectory::LinearStop, 0), [0.0, 10.0, 100.0], "it has not begun");
        assert_eq!(at(Trajectory::Sine, 1125), [100.0, 10.0, 140.0], "a quarter of a swing");
        assert_eq!(at(Trajectory::Gravity, 2000), [100.0, 10.0, -260.0]);
        assert_eq!(motion(Trajectory::Gravity).rate_at(Milliseconds(2000)), [100.0, 0.0, -760.0]);
        assert_eq!(motion(Trajectory::LinearStop).rate_at(Milliseconds(1600)), [0.0; 3]);
    }
}
