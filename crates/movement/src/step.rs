//! What one step did to the speed, and what it could have done.

use crate::side::Side;
use crate::state::{Source, State};

/// A state that follows another.
#[derive(Debug, Clone)]
pub struct Step {
    /// The state at its end.
    pub state: State,
    /// The horizontal speed before it.
    pub speed_before: f32,
    /// And after it.
    pub speed: f32,
    /// The change of the view's yaw in degrees, positive to the left.
    pub turn: Option<f32>,
    /// The wished speed.
    pub wish_speed: Option<f32>,
    /// The angle between the velocity before and the wished direction, in degrees: negative to the right.
    pub wish_angle: Option<f32>,
    /// The angle of the greatest gain.
    pub best_angle: Option<f32>,
    /// The greatest gain that the physics allows.
    pub best_gain: Option<f32>,
    /// Whether the player was in the air before and after.
    pub is_air: bool,
    /// Whether the physics gives the velocity that the recording has. Absent on the ground, at take-off and landing, with several commands, or without any.
    pub explained: Option<bool>,
    /// The recorded velocity is the computed one, less what goes into a surface: the player slid along a wall or a ceiling.
    pub is_touch: bool,
    /// How far the recorded velocity is from the computed one, on the axis where it is farthest.
    pub miss: Option<f32>,
}

impl Step {
    /// The step from one state to another.
    pub fn between(before: &State, after: &State) -> Step {
        let mut step = Step {
            speed_before: before.speed(),
            speed: after.speed(),
            turn: None,
            wish_speed: None,
            wish_angle: None,
            best_angle: None,
            best_gain: None,
            is_air: before.is_airborne() && after.is_airborne(),
            explained: None,
            miss: None,
            is_touch: false,
            state: after.clone(),
        };
        let Some(input) = after.input else { return step };
        step.turn = before.input.map(|before| turn(before.yaw, input.yaw));
        let Some(physics) = after.physics.filter(|_| after.source == Source::Command) else { return step };
        let wish = physics.wish(&input, before.ducked == Some(true));
        step.wish_speed = Some(wish.speed);
        let is_walking = before.is_grounded() && after.is_grounded();
        if wish.speed > 0.0 {
            let [x, y, _] = before.velocity;
            if step.speed_before > 0.0 {
                let cross = x * wish.direction[1] - y * wish.direction[0];
                let along = x * wish.direction[0] + y * wish.direction[1];
                step.wish_angle = Some(cross.atan2(along).to_degrees());
            }
            if (step.is_air || is_walking)
                && let Some(best) = physics.best(before.velocity, &wish, input.msec, is_walking)
            {
                (step.best_angle, step.best_gain) = (Some(best.angle), Some(best.gain));
            }
        }
        if step.is_air && before.is_velocity_stated && after.is_velocity_stated {
            let computed = physics.fly(before.velocity, &wish, input.msec);
            let miss = (0..3).map(|axis| (after.velocity[axis] - computed[axis]).abs()).fold(0.0, f32::max);
            step.miss = Some(miss);
            step.explained = Some(miss <= physics.tolerance);
            step.is_touch = miss > physics.tolerance && slides(computed, after.velocity, physics.tolerance);
        }
        step
    }

    /// The change of the horizontal speed.
    pub fn gain(&self) -> f32 {
        self.speed - self.speed_before
    }

    /// The gain in percent of the greatest. Absent where the physics does not explain the step: then a wall or a hit changed the speed.
    pub fn efficiency(&self) -> Option<f32> {
        let best = self.best_gain.filter(|best| *best > 0.0 && self.explained != Some(false))?;
        Some(self.gain() / best * 100.0)
    }

    /// How far the wished direction is from the best, in degrees.
    pub fn angle_error(&self) -> Option<f32> {
        Some((self.wish_angle?.abs() - self.best_angle?).abs())
    }

    /// To which side of the velocity the moves go.
    pub fn side(&self) -> Option<Side> {
        let angle = self.wish_angle?;
        match angle {
            _ if angle > 0.0 => Some(Side::Left),
            _ if angle < 0.0 => Some(Side::Right),
            _ => None,
        }
    }
}

/// Whether a velocity is another without its part into a plane. Games throw the player off by up to a thousandth of that part.
fn slides(from: [f32; 3], to: [f32; 3], tolerance: f32) -> bool {
    let lost: [f32; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
    let size = lost.iter().map(|part| part * part).sum::<f32>().sqrt();
    if size <= 0.0 {
        return false;
    }
    let along = |velocity: [f32; 3]| (0..3).map(|axis| velocity[axis] * lost[axis]).sum::<f32>() / size;
    // Rounding turns the measured direction of a small loss.
    let grain = 1.0 + tolerance;
    let speed = to.iter().map(|part| part * part).sum::<f32>().sqrt();
    along(from) < 0.0 && along(to).abs() <= grain + speed * (grain / size).min(0.1)
}

/// The shorter way from one angle to another.
pub(crate) fn turn(from: f32, to: f32) -> f32 {
    let turn = (to - from).rem_euclid(360.0);
    if turn > 180.0 { turn - 360.0 } else { turn }
}
