//! What a command does to a velocity, in each game (`docs/movement.md`, "Physics").

use crate::input::Input;

/// Whose physics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Game {
    /// QuakeWorld: in the air, the speed along the wished direction grows to 30.
    Quake,
    /// Half-Life: the same with an acceleration of its own.
    HalfLife,
    /// Quake III.
    Vq3,
    /// Challenge ProMode, as DeFRaG has it.
    Cpm,
}

/// The physics in force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Physics {
    /// Whose formulas.
    pub game: Game,
    /// Units a second squared.
    pub gravity: f32,
    /// The most that moves ask for. In Quake III, the player's speed.
    pub max_speed: f32,
    /// Acceleration on the ground.
    pub accelerate: f32,
    /// Acceleration in the air.
    pub air_accelerate: f32,
    /// Friction on the ground.
    pub friction: f32,
    /// Below this speed friction slows as at this speed.
    pub stop_speed: f32,
    /// Friction in water, and acceleration there. 0 where water is not inferred from it.
    pub water_friction: f32,
    /// Acceleration in water.
    pub water_accelerate: f32,
    /// Whether the game rounds velocities to whole numbers after each command.
    pub is_whole: bool,
    /// How exactly the recording has velocities, on each axis.
    pub tolerance: f32,
}

/// What moves ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wish {
    /// The horizontal direction; of length 1, or 0 without moves.
    pub direction: [f32; 2],
    /// The wished speed.
    pub speed: f32,
    /// Only a side key is held.
    pub is_side: bool,
    /// Only forward or back is held.
    pub is_along: bool,
}

/// The best that a step can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// The gain of speed.
    pub gain: f32,
    /// The angle between velocity and wished direction that gives it, in degrees.
    pub angle: f32,
}

/// The limit along the wished direction in the air.
const AIR_CAP: f32 = 30.0;
/// CPM's acceleration in the air with a side key alone.
const CPM_SIDE: f32 = 70.0;
/// Against the motion.
const CPM_STOP: f32 = 2.5;
/// Of its control in the air.
const CPM_CONTROL: f32 = 32.0 * 150.0;
/// A command that lasts longer is done in two halves.
const LONGEST_COMMAND: f32 = 50.0;
/// Moves of a crouching player in Half-Life.
const CROUCH: f32 = 0.333;
/// The vertical speed that the jump key gives in water.
const WATER_JUMP: f32 = 100.0;
/// What a swimmer without moves asks for.
const SINK: f32 = -60.0;
/// The share of the wished speed that water leaves.
const SWIM: f32 = 0.7;
/// Directions that are tried on each side where velocities are rounded.
const TRIES: u16 = 360;

impl Physics {
    /// The vertical speed that a jump gives.
    pub fn jump_speed(&self) -> f32 {
        match self.game {
            Game::HalfLife => (2.0_f32 * 800.0 * 45.0).sqrt(),
            _ => 270.0,
        }
    }

    /// What an input asks for. `ducked` is the hull before the command.
    pub fn wish(&self, input: &Input, ducked: bool) -> Wish {
        let [mut forward, mut side, up] = input.moves;
        let mut limit = self.max_speed;
        match self.game {
            Game::HalfLife => {
                let total = (forward * forward + side * side + up * up).sqrt();
                let scale = if total > self.max_speed && total > 0.0 { self.max_speed / total } else { 1.0 };
                let scale = if ducked { scale * CROUCH } else { scale };
                (forward, side) = (forward * scale, side * scale);
            }
            Game::Vq3 | Game::Cpm => {
                let most = forward.abs().max(side.abs()).max(up.abs());
                let total = (forward * forward + side * side + up * up).sqrt();
                let scale = if total > 0.0 { self.max_speed * most / (127.0 * total) } else { 0.0 };
                (forward, side) = (forward * scale, side * scale);
                limit = f32::MAX;
            }
            Game::Quake => {}
        }
        let (sin, cos) = input.yaw.to_radians().sin_cos();
        let wished = [cos * forward + sin * side, sin * forward - cos * side];
        let speed = wished[0].hypot(wished[1]);
        if speed <= 0.0 || !speed.is_finite() {
            return Wish::default();
        }
        Wish { direction: [wished[0] / speed, wished[1] / speed], speed: speed.min(limit), is_side: forward == 0.0, is_along: side == 0.0 }
    }

    /// The limit along the wished direction, and the acceleration.
    fn air(&self, wish: &Wish, current: f32, seconds: f32) -> (f32, f32) {
        match self.game {
            Game::Quake => (wish.speed.min(AIR_CAP), self.accelerate * wish.speed * seconds),
            Game::HalfLife => (wish.speed.min(AIR_CAP), self.air_accelerate * wish.speed * seconds),
            Game::Vq3 => (wish.speed, self.air_accelerate * wish.speed * seconds),
            Game::Cpm if wish.is_side => {
                let cap = wish.speed.min(AIR_CAP);
                (cap, CPM_SIDE * cap * seconds)
            }
            Game::Cpm => {
                let accelerate = if current < 0.0 { CPM_STOP } else { self.air_accelerate };
                (wish.speed, accelerate * wish.speed * seconds)
            }
        }
    }

    /// The velocity after commands of `msec` milliseconds in the air.
    pub fn fly(&self, velocity: [f32; 3], wish: &Wish, msec: f32) -> [f32; 3] {
        let is_split = msec > LONGEST_COMMAND && matches!(self.game, Game::Quake | Game::HalfLife);
        let (times, msec) = if is_split { (2, (msec * 0.5).floor()) } else { (1, msec) };
        (0..times).fold(velocity, |velocity, _| self.fly_once(velocity, wish, msec * 0.001))
    }

    fn fly_once(&self, velocity: [f32; 3], wish: &Wish, seconds: f32) -> [f32; 3] {
        let current = velocity[0] * wish.direction[0] + velocity[1] * wish.direction[1];
        let (cap, most) = self.air(wish, current, seconds);
        let mut flat = accelerated([velocity[0], velocity[1]], wish.direction, cap, most);
        if self.game == Game::Cpm && wish.is_along && wish.speed > 0.0 {
            flat = controlled(flat, wish.direction, seconds);
        }
        let after = [flat[0], flat[1], velocity[2] - self.gravity * seconds];
        if self.is_whole { after.map(f32::round_ties_even) } else { after }
    }

    /// The velocity after a command in QuakeWorld's water. `depth` is 2 at the waist, 3 at the eyes.
    pub fn swim(&self, velocity: [f32; 3], input: &Input, depth: f32) -> [f32; 3] {
        let is_split = input.msec > LONGEST_COMMAND;
        let (times, msec) = if is_split { (2, (input.msec * 0.5).floor()) } else { (1, input.msec) };
        (0..times).fold(velocity, |velocity, _| self.swim_once(velocity, input, depth, msec * 0.001))
    }

    fn swim_once(&self, mut velocity: [f32; 3], input: &Input, depth: f32, seconds: f32) -> [f32; 3] {
        let size = |vector: [f32; 3]| vector.iter().map(|part| part * part).sum::<f32>().sqrt();
        if input.keys.jump {
            velocity[2] = WATER_JUMP;
        }
        let speed = size(velocity);
        if speed >= 1.0 {
            let left = (1.0 - self.water_friction * depth * seconds).max(0.0);
            velocity = velocity.map(|part| part * left);
        }
        let [forward, side, up] = input.moves;
        let ((sin, cos), (dip, flat)) = (input.yaw.to_radians().sin_cos(), input.pitch.to_radians().sin_cos());
        let mut wished = [flat * cos * forward + sin * side, flat * sin * forward - cos * side, -dip * forward];
        wished[2] += if input.moves == [0.0; 3] { SINK } else { up };
        let all = size(wished);
        if all <= 0.0 {
            return velocity;
        }
        let direction = wished.map(|part| part / all);
        let wish = all.min(self.max_speed) * SWIM;
        let along: f32 = (0..3).map(|axis| velocity[axis] * direction[axis]).sum();
        let added = (wish - along).max(0.0).min(self.water_accelerate * seconds * wish);
        std::array::from_fn(|axis| velocity[axis] + added * direction[axis])
    }

    /// The horizontal velocity after ground friction.
    pub fn rub(&self, velocity: [f32; 2], msec: f32) -> [f32; 2] {
        let speed = velocity[0].hypot(velocity[1]);
        if speed < 1.0 {
            return [0.0; 2];
        }
        let left = (speed - speed.max(self.stop_speed) * self.friction * msec * 0.001).max(0.0) / speed;
        velocity.map(|part| part * left)
    }

    /// The most that a step of `msec` milliseconds can gain with a wish of this speed and these keys.
    pub fn best(&self, velocity: [f32; 3], wish: &Wish, msec: f32, on_ground: bool) -> Option<Best> {
        if wish.speed <= 0.0 || msec <= 0.0 {
            return None;
        }
        let before = velocity[0].hypot(velocity[1]);
        let seconds = msec * 0.001;
        let flat = if on_ground { self.rub([velocity[0], velocity[1]], msec) } else { [velocity[0], velocity[1]] };
        let speed = flat[0].hypot(flat[1]);
        let (cap, most) = if on_ground { (wish.speed, self.accelerate * wish.speed * seconds) } else { self.air(wish, 0.0, seconds) };
        let angle = best_angle(speed, cap, most);
        if !self.is_whole {
            let along = speed * angle.cos();
            let added = most.min(cap - along).max(0.0);
            let after = (speed * speed + added * added + 2.0 * added * along).max(0.0).sqrt();
            return Some(Best { gain: after - before, angle: angle.to_degrees() });
        }
        // Rounding favors some directions: all are tried.
        let heading = flat[1].atan2(flat[0]);
        let best = (0..=TRIES)
            .flat_map(|at| {
                let turn = f32::from(at) * std::f32::consts::PI / f32::from(TRIES);
                [turn, -turn]
            })
            .map(|turn| {
                let (sin, cos) = (heading + turn).sin_cos();
                let [x, y] = accelerated(flat, [cos, sin], cap, most).map(f32::round_ties_even);
                (x.hypot(y) - before, turn.abs())
            })
            .max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        Some(Best { gain: best.0, angle: best.1.to_degrees() })
    }
}

/// The angle of the greatest gain in radians.
fn best_angle(speed: f32, cap: f32, most: f32) -> f32 {
    if most >= cap {
        std::f32::consts::FRAC_PI_2
    } else if cap - most < speed {
        ((cap - most) / speed).acos()
    } else {
        0.0
    }
}

fn accelerated(velocity: [f32; 2], direction: [f32; 2], cap: f32, most: f32) -> [f32; 2] {
    let added = cap - (velocity[0] * direction[0] + velocity[1] * direction[1]);
    if added <= 0.0 {
        return velocity;
    }
    let added = added.min(most);
    [velocity[0] + added * direction[0], velocity[1] + added * direction[1]]
}

/// CPM turns the velocity towards the wished direction, with the same speed.
fn controlled(velocity: [f32; 2], direction: [f32; 2], seconds: f32) -> [f32; 2] {
    let speed = velocity[0].hypot(velocity[1]);
    if speed <= 0.0 {
        return velocity;
    }
    let unit = velocity.map(|part| part / speed);
    let dot = unit[0] * direction[0] + unit[1] * direction[1];
    if dot <= 0.0 {
        return velocity;
    }
    let by = CPM_CONTROL * dot * dot * seconds;
    let turned = [unit[0] * speed + direction[0] * by, unit[1] * speed + direction[1] * by];
    let length = turned[0].hypot(turned[1]);
    if length > 0.0 { turned.map(|part| part / length * speed) } else { velocity }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn physics(game: Game, accelerate: f32) -> Physics {
        Physics {
            game,
            gravity: 800.0,
            max_speed: if game == Game::HalfLife { 250.0 } else { 320.0 },
            accelerate,
            air_accelerate: accelerate,
            friction: 4.0,
            stop_speed: 100.0,
            water_friction: 4.0,
            water_accelerate: 10.0,
            is_whole: false,
            tolerance: 0.5,
        }
    }

    fn best(physics: &Physics, speed: f32, msec: f32, is_side: bool) -> (f32, f32) {
        let wish = Wish { direction: [1.0, 0.0], speed: physics.max_speed, is_side, is_along: false };
        let best = physics.best([speed, 0.0, 0.0], &wish, msec, false).unwrap();
        ((best.angle * 100.0).round() / 100.0, (best.gain * 1000.0).round() / 1000.0)
    }

    #[test]
    fn best_gains_are_those_of_a_scan_of_all_angles() {
        let close = |(angle, gain): (f32, f32), (to, by): (f32, f32)| assert!((angle - to).abs() < 0.06 && (gain - by).abs() < 0.006, "{angle} {gain}");
        close(best(&physics(Game::HalfLife, 10.0), 250.0, 10.0, true), (88.85, 1.744));
        close(best(&physics(Game::HalfLife, 100.0), 250.0, 10.0, true), (90.0, 1.794));
        close(best(&physics(Game::Quake, 10.0), 320.0, 13.0, true), (90.0, 1.403));
        close(best(&physics(Game::Vq3, 1.0), 400.0, 8.0, false), (37.5, 2.03));
        close(best(&physics(Game::Vq3, 1.0), 1000.0, 8.0, false), (71.5, 0.815));
        close(best(&physics(Game::Cpm, 1.0), 320.0, 8.0, true), (87.6, 1.131));
    }

    #[test]
    fn no_direction_gains_more_than_the_best() {
        let physics = physics(Game::Quake, 10.0);
        for angle in 0..360 {
            let (sin, cos) = (angle as f32).to_radians().sin_cos();
            let wish = Wish { direction: [cos, sin], speed: 320.0, is_side: true, is_along: false };
            let after = physics.fly([400.0, 0.0, 0.0], &wish, 13.0);
            let most = physics.best([400.0, 0.0, 0.0], &wish, 13.0, false).unwrap();
            assert!(after[0].hypot(after[1]) - 400.0 <= most.gain + 1e-3, "{angle}");
            assert!((after[2] + 10.4).abs() < 1e-4);
        }
    }

    #[test]
    fn a_crouching_player_asks_for_a_third() {
        let physics = physics(Game::HalfLife, 10.0);
        let input = Input { moves: [400.0, 0.0, 0.0], yaw: 90.0, ..Input::default() };
        let wish = physics.wish(&input, true);
        assert!((wish.speed - 83.25).abs() < 0.01 && wish.direction[1] > 0.999 && wish.is_along);
    }
}
