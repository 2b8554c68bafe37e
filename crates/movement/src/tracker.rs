//! Follows one player from state to state.

use fragreel_model::{Evidence, Family, Player};

use crate::jump::{End, Jump};
use crate::kind::JumpKind;
use crate::physics::Game;
use crate::state::{Phase, Source, State};
use crate::step::Step;
use crate::strafe::{Figures, strafes};

/// What a state gives.
#[derive(Debug, Default)]
pub struct Tracked {
    /// The step that it ends; none for the first state.
    pub step: Option<Step>,
    /// The phase off the ground that it ends.
    pub jump: Option<Box<Jump>>,
}

/// Follows one player.
#[derive(Debug)]
pub struct Tracker {
    family: Family,
    before: Option<State>,
    flight: Option<Flight>,
    number: u32,
    ground: Ground,
    /// The last phase off the ground.
    last: Option<Last>,
    presses: Presses,
}

/// A phase off the ground under way.
#[derive(Debug)]
struct Flight {
    from: State,
    ground: Ground,
    steps: Vec<Step>,
    presses: Presses,
}

/// Time on the ground.
#[derive(Debug, Clone, Copy, Default)]
struct Ground {
    steps: u32,
    msec: f32,
    /// Whether its beginning was seen.
    is_whole: bool,
    /// The horizontal speeds of its last state and of the one before.
    now: Option<f32>,
    earlier: Option<f32>,
}

#[derive(Debug, Clone, Copy)]
struct Last {
    kind: JumpKind,
    chain: u32,
    taps: u32,
    takeoff: i64,
    speed: f32,
}

/// The jump key.
#[derive(Debug, Clone, Copy, Default)]
struct Presses {
    held: u32,
    count: u32,
    is_known: bool,
}

/// The most steps of a phase that are kept.
const MOST_STEPS: usize = 20_000;
/// Half-Life: the maximum number of steps on the ground before a hop.
const HOP_STEPS: u32 = 10;
/// Elsewhere: a step and this number of milliseconds.
const HOP_MSEC: f32 = 20.0;
/// A row of jumps ends after this time on the ground.
const CHAIN_MSEC: f32 = 250.0;
/// What a hull that stands up lifts its origin, in Half-Life.
const HULL: f32 = 18.0;
/// The width of a hull.
const WIDTH: f32 = 32.0;
/// A smaller change of velocity is no kick.
const KICK: f32 = 15.0;
/// CPM's time for a second jump, in milliseconds.
const DOUBLE: i64 = 400;

impl Tracker {
    /// A tracker for a player of a family's games.
    pub fn new(family: Family) -> Self {
        Tracker { family, before: None, flight: None, number: 0, ground: Ground::default(), last: None, presses: Presses::default() }
    }

    /// Takes in the next state.
    pub fn push(&mut self, state: State) -> Tracked {
        let mut tracked = Tracked::default();
        let Some(before) = self.before.take() else {
            self.stand(&state, false);
            self.before = Some(state);
            return tracked;
        };
        if state.is_cut || state.level != before.level || state.time < before.time || state.phase == Phase::Other {
            tracked.jump = self.land(&before, End::Cut);
            (self.last, self.ground, self.presses) = (None, Ground::default(), Presses::default());
            self.stand(&state, false);
            self.before = Some(state);
            return tracked;
        }
        let step = Step::between(&before, &state);
        self.press(&state);
        if self.flight.is_none() && state.is_airborne() && (before.is_grounded() || before.phase == Phase::Ladder) {
            let ground = std::mem::take(&mut self.ground);
            self.flight = Some(Flight { from: before, ground, steps: vec![step.clone()], presses: std::mem::take(&mut self.presses) });
            self.presses.is_known = state.input.is_some();
        } else if self.flight.is_some() {
            if state.is_airborne() {
                tracked.jump = self.hop(&before, &state, &step);
            } else {
                let end = match state.phase {
                    Phase::Water => End::Water,
                    Phase::Ladder => End::Ladder,
                    _ => End::Ground,
                };
                tracked.jump = self.land(&state, end);
                self.ground = Ground::default();
                self.stand(&state, true);
            }
        } else {
            self.stand(&state, self.ground.is_whole);
        }
        tracked.step = Some(step);
        self.before = Some(state);
        tracked
    }

    /// The recording is over, or the player is not seen any more.
    pub fn end(&mut self) -> Option<Box<Jump>> {
        let before = self.before.take()?;
        self.land(&before, End::Unseen)
    }

    /// Goes on in the air. Where several commands lie between states, the player may have landed and jumped between two of them.
    fn hop(&mut self, before: &State, state: &State, step: &Step) -> Option<Box<Jump>> {
        let is_hop = state.source == Source::Snapshot && before.velocity[2] < -50.0 && state.velocity[2] > 0.6 * self.jump_speed(state);
        if is_hop && (state.jumped || !state.is_ground_stated || state.velocity[2] < 1.1 * self.jump_speed(state)) {
            let jump = self.land(before, End::Ground);
            let presses = std::mem::take(&mut self.presses);
            self.flight = Some(Flight { from: before.clone(), ground: Ground::default(), steps: vec![step.clone()], presses });
            return jump;
        }
        let flight = self.flight.as_mut()?;
        if flight.steps.len() < MOST_STEPS {
            flight.steps.push(step.clone());
        }
        None
    }

    fn stand(&mut self, state: &State, is_whole: bool) {
        if state.is_grounded() {
            self.ground.steps += 1;
            self.ground.msec += state.msec;
            self.ground.is_whole = is_whole;
            self.ground.earlier = self.ground.now.replace(state.speed());
        } else {
            self.ground = Ground::default();
        }
    }

    fn press(&mut self, state: &State) {
        let Some(input) = state.input else { return };
        self.presses.is_known = true;
        if input.keys.jump {
            self.presses.count += u32::from(self.presses.held == 0);
            self.presses.held += 1;
        } else {
            self.presses.held = 0;
        }
    }

    fn jump_speed(&self, state: &State) -> f32 {
        state.physics.map_or(if self.family == Family::GoldSrc { 268.3 } else { 270.0 }, |physics| physics.jump_speed())
    }

    /// Ends the phase under way at a state.
    fn land(&mut self, at: &State, end: End) -> Option<Box<Jump>> {
        let flight = self.flight.take()?;
        let first = flight.steps.first()?.state.clone();
        let from = &flight.from;
        // The step of the landing has the ground's speed: it counts as time, and its speed is left out.
        let air: &[Step] = &flight.steps;
        let last = flight.steps.last().map_or(&first, |step| &step.state);
        let landed = matches!(end, End::Ground | End::Water | End::Ladder) && at.time > last.time;
        let air_steps = flight.steps.len() as u32 + u32::from(landed);
        let figures = Figures::of(air, air_steps);
        let is_half_life = self.family == Family::GoldSrc;
        let jumped = first.jumped || first.velocity[2] >= 0.6 * self.jump_speed(&first);
        let lift = |state: &State| if is_half_life && state.ducked == Some(true) { HULL } else { 0.0 };
        let height_of = |state: &State| state.origin[2] + lift(state);
        let to = if landed { at } else { last };
        let distance = (to.origin[0] - from.origin[0]).hypot(to.origin[1] - from.origin[1]);
        let taps = self.last.filter(|last| last.kind == JumpKind::DuckTap && flight.ground.steps <= HOP_STEPS).map_or(0, |last| last.taps);
        let kind = self.kind(&flight, &first, jumped, taps);
        let is_chained = self.last.is_some() && (flight.ground.steps == 0 || flight.ground.msec <= CHAIN_MSEC) && from.phase != Phase::Ladder;
        let chain = if is_chained { self.last.map_or(1, |last| last.chain + 1) } else { 1 };
        let kick = self.kick(&flight.steps);
        let has_input = first.input.is_some();
        let is_exact = first.source == Source::Command;
        let strafes = if is_exact { strafes(air) } else { Vec::new() };
        self.number += 1;
        let mut lengths: Vec<f32> = flight.steps.iter().map(|step| step.state.msec).collect();
        lengths.sort_by(f32::total_cmp);
        let mut jump = Jump {
            player: Player {
                slot: Some(from.slot),
                name: first.name.as_deref().cloned().unwrap_or_default(),
                team: first.team.as_ref().map(|team| team.to_string().into()),
            },
            number: self.number,
            chain,
            level: first.level,
            message: first.message,
            time: first.time,
            server_time: first.server_time,
            match_time: first.match_time,
            uncertain: first.uncertain,
            evidence: if first.is_ground_stated && first.is_velocity_stated { Evidence::Stated } else { Evidence::Inferred },
            source: first.source,
            step: lengths[lengths.len() / 2],
            kind,
            standup: is_half_life.then_some(jumped && from.ducked == Some(true)),
            jumped,
            end,
            time_to: to.time,
            air_time: flight.steps.iter().map(|step| step.state.msec).sum::<f32>() + if landed { at.msec } else { 0.0 },
            air_steps,
            ground_steps: (flight.ground.is_whole && first.source != Source::Positions).then_some(flight.ground.steps),
            ground_time: flight.ground.is_whole.then_some(flight.ground.msec),
            from: from.origin,
            to: to.origin,
            distance,
            distance_kz: None,
            offset: height_of(to) - height_of(from),
            height: flight.steps.iter().map(|step| height_of(&step.state)).fold(f32::MIN, f32::max) - height_of(from),
            speed_landed: self.last.map(|last| last.speed),
            speed_earlier: flight.ground.earlier.unwrap_or_else(|| from.speed()),
            speed_before: from.speed(),
            speed_takeoff: first.speed(),
            speed_max: flight.steps.iter().map(|step| step.speed).fold(0.0, f32::max),
            speed_to: last.speed(),
            capped: is_half_life.then(|| jumped && first.speed() < 0.9 * from.speed() && from.speed() > 200.0),
            vz: first.velocity[2],
            gain: figures.gain,
            loss: figures.loss,
            sync: figures.sync,
            sync_keys: figures.sync_keys.filter(|_| is_exact),
            sync_turn: figures.sync_turn.filter(|_| is_exact),
            efficiency: figures.efficiency,
            angle_error: figures.angle_error,
            explained: figures.explained,
            overlap_steps: self.has_both_keys(&first).then_some(figures.overlap_steps),
            idle_steps: (has_input && is_exact).then_some(figures.idle_steps),
            turn: figures.turn,
            jump_held: flight.presses.is_known.then_some(flight.presses.held),
            jump_presses: flight.presses.is_known.then_some(flight.presses.count),
            duck_steps: first.ducked.map(|_| flight.steps.iter().filter(|step| step.state.ducked == Some(true)).count() as u32),
            stamina: from.stamina,
            kick,
            strafe_count: is_exact.then_some(strafes.len() as u32),
            strafes,
        };
        if is_half_life && end == End::Ground {
            let computed = landing_distance(from, last, height_of(to) - lift(last));
            jump.distance_kz = Some(computed.map_or(distance, |computed| computed.min(distance)) + WIDTH);
        }
        let taps = if kind == JumpKind::DuckTap { taps + 1 } else { 0 };
        self.last = Some(Last { kind, chain, taps, takeoff: first.time.0, speed: last.speed() });
        Some(Box::new(jump))
    }

    /// Moves of QuakeWorld do not show both keys of a pair.
    fn has_both_keys(&self, state: &State) -> bool {
        self.family != Family::Quake1 && state.source == Source::Command
    }

    fn kind(&self, flight: &Flight, first: &State, jumped: bool, taps: u32) -> JumpKind {
        let from = &flight.from;
        let ground = flight.ground;
        if from.phase == Phase::Ladder {
            return if jumped { JumpKind::LadderBhop } else { JumpKind::Ladder };
        }
        let is_rise = |rise: f32| (rise - HULL).abs() < 2.0;
        if self.family == Family::GoldSrc {
            let is_hop = ground.steps > 0 && ground.steps <= HOP_STEPS && self.last.is_some();
            return match self.last.map(|last| last.kind) {
                _ if !jumped && is_rise(first.origin[2] - from.origin[2]) => JumpKind::DuckTap,
                _ if !jumped => JumpKind::Fall,
                _ if !is_hop => JumpKind::Long,
                Some(JumpKind::DuckTap) if taps == 1 => JumpKind::Count,
                Some(JumpKind::DuckTap) if taps == 2 => JumpKind::DoubleCount,
                Some(JumpKind::DuckTap) => JumpKind::MultiCount,
                Some(JumpKind::Fall) => JumpKind::Weird,
                Some(JumpKind::Bhop | JumpKind::MultiBhop) => JumpKind::MultiBhop,
                _ => JumpKind::Bhop,
            };
        }
        let speed = first.velocity[2];
        let is_cpm = first.physics.is_some_and(|physics| physics.game == Game::Cpm);
        let msec = first.msec.max(1.0);
        if !jumped {
            return if speed > 100.0 { JumpKind::Thrown } else { JumpKind::Fall };
        }
        if is_cpm && speed > 330.0 && self.last.is_some_and(|last| first.time.0 - last.takeoff <= DOUBLE) {
            return JumpKind::Double;
        }
        if speed > 300.0 && from.is_velocity_stated {
            return JumpKind::Ramp;
        }
        if self.last.is_some() && ground.msec <= msec + HOP_MSEC && (ground.is_whole || ground.steps == 0) {
            return JumpKind::Bhop;
        }
        let walk = first.physics.map_or(if self.family == Family::Quake2 { 300.0 } else { 320.0 }, |physics| physics.max_speed);
        if from.speed() > 1.02 * walk && ground.msec >= 100.0 { JumpKind::Circle } else { JumpKind::Jump }
    }

    /// The greatest change of velocity that movement does not explain.
    fn kick(&self, steps: &[Step]) -> Option<f32> {
        let mut most: Option<f32> = None;
        for pair in steps.windows(2) {
            let [before, after] = pair else { continue };
            if !after.state.is_velocity_stated {
                return None;
            }
            if after.is_touch {
                continue;
            }
            let change = after.miss.unwrap_or_else(|| {
                let fall = after.state.physics.map_or(800.0, |physics| physics.gravity) * after.state.msec * 0.001;
                (after.state.velocity[2] - before.state.velocity[2] + fall).abs()
            });
            let limit = if after.miss.is_some() { KICK } else { KICK + after.state.msec };
            if change > limit {
                most = Some(most.map_or(change, |most| most.max(change)));
            }
        }
        most
    }
}

/// The distance from the take-off to where a player who goes on as in the last state reaches a height.
fn landing_distance(from: &State, last: &State, height: f32) -> Option<f32> {
    let (fall, speed) = (last.physics.map_or(800.0, |physics| physics.gravity), last.velocity[2]);
    // height = z + speed t - fall t² / 2
    let root = (speed * speed + 2.0 * fall * (last.origin[2] - height)).max(0.0).sqrt();
    let time = (speed + root) / fall;
    if !time.is_finite() || time < 0.0 {
        return None;
    }
    let place = [0, 1].map(|axis| last.origin[axis] + last.velocity[axis] * time);
    Some((place[0] - from.origin[0]).hypot(place[1] - from.origin[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Input, Keys};
    use crate::physics::Physics;
    use crate::state::Source;
    use fragreel_model::Milliseconds;

    const PHYSICS: Physics = Physics {
        game: Game::HalfLife,
        gravity: 800.0,
        max_speed: 250.0,
        accelerate: 5.0,
        air_accelerate: 10.0,
        friction: 4.0,
        stop_speed: 75.0,
        water_friction: 0.0,
        water_accelerate: 0.0,
        is_whole: false,
        tolerance: 0.01,
    };

    /// A player who runs, jumps, and strafes in ten steps a side with the best angle, as the physics moves him.
    #[test]
    fn a_scripted_jump_is_measured_as_it_was_made() {
        let mut tracker = Tracker::new(Family::GoldSrc);
        let mut state = State {
            msec: 10.0,
            velocity: [250.0, 0.0, 0.0],
            is_velocity_stated: true,
            is_ground_stated: true,
            on_ground: Some(true),
            ducked: Some(false),
            physics: Some(PHYSICS),
            source: Source::Command,
            ..State::default()
        };
        let mut jump = None;
        for at in 0..200_i64 {
            state.time = Milliseconds(at * 10);
            let is_left = (at - 20) / 10 % 2 == 0;
            let mut input = Input { msec: 10.0, commands: Some(1), ..Input::default() };
            if at == 20 {
                (state.on_ground, state.velocity[2], input.keys.jump) = (Some(false), 264.0, true);
            } else if state.on_ground == Some(false) {
                let heading = state.velocity[1].atan2(state.velocity[0]).to_degrees();
                let wish = PHYSICS.wish(&Input { moves: [0.0, 400.0, 0.0], ..input }, false);
                let best = PHYSICS.best(state.velocity, &wish, 10.0, false).unwrap();
                input.yaw = if is_left { heading + best.angle - 90.0 } else { heading - best.angle + 90.0 };
                input.moves[1] = if is_left { -400.0 } else { 400.0 };
                input.keys = Keys { left: is_left, right: !is_left, ..Keys::default() };
                state.velocity = PHYSICS.fly(state.velocity, &PHYSICS.wish(&input, false), 10.0);
            }
            state.input = Some(input);
            (0..3).for_each(|axis| state.origin[axis] += state.velocity[axis] * 0.01);
            if state.origin[2] < 0.0 {
                (state.on_ground, state.origin[2], state.velocity[2]) = (Some(true), 0.0, 0.0);
            }
            jump = jump.or(tracker.push(state.clone()).jump);
        }
        let jump = jump.unwrap();
        assert_eq!((jump.kind, jump.jumped, jump.end, jump.air_steps), (JumpKind::Long, true, End::Ground, 67));
        assert!(jump.efficiency.is_some_and(|efficiency| (efficiency - 100.0).abs() < 0.5), "{jump:?}");
        assert!(jump.explained == Some(100.0) && jump.angle_error.is_some_and(|error| error < 0.1) && jump.loss < 0.01, "{jump:?}");
        assert_eq!((jump.strafe_count, jump.idle_steps, jump.overlap_steps, jump.jump_presses), (Some(7), Some(1), Some(0), Some(1)));
        assert!((jump.gain - (jump.speed_max - jump.speed_before)).abs() < 0.01 && jump.distance_kz <= Some(jump.distance + 32.0));
        assert_eq!(jump.strafes.iter().map(|strafe| strafe.steps).sum::<u32>(), 65);
    }
}
