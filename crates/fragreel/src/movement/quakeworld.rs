//! QuakeWorld's recorder: the state that a packet has, and the command that the server acknowledges with it.

use std::iter::Peekable;

use fragreel_model::{Family, Subject, UserCommand};
use fragreel_movement::{Game, Input, Keys, KeysSource, Phase, Physics, Source, State};

use crate::{Frames, Recording};

/// How exactly the physics must give a velocity: both are cut to whole numbers.
const TOLERANCE: f32 = 2.0;
/// To the waist, to the eyes.
const DEPTHS: [f32; 2] = [2.0, 3.0];
/// A rise of this vertical speed is a jump.
const JUMP: f32 = 150.0;

/// The commands that were recorded, a little ahead of the packets.
pub(super) struct QuakeWorld<'r> {
    commands: Peekable<Box<dyn Iterator<Item = UserCommand> + 'r>>,
    acknowledged: Option<i64>,
    /// The state before, whose ground contact follows from the next, and the vertical speed before it.
    waiting: Option<(State, f32)>,
    was_grounded: bool,
    velocity: Option<[f32; 3]>,
    in_water: bool,
}

impl<'r> QuakeWorld<'r> {
    /// Nothing where the recording has no commands of its own.
    pub(super) fn of(recording: &'r Recording) -> Option<Self> {
        if recording.family() != Family::Quake1 {
            return None;
        }
        let commands: Box<dyn Iterator<Item = UserCommand> + 'r> = Box::new(recording.usercmds().ok()?.take_while(|command| command.slot.is_none()));
        let mut commands = commands.peekable();
        commands.peek()?;
        Some(QuakeWorld { commands, acknowledged: None, waiting: None, was_grounded: false, velocity: None, in_water: false })
    }

    /// Takes in the state of a packet, and shows the one before.
    pub(super) fn state(&mut self, frames: &Frames, state: &State, show: &mut dyn FnMut(State)) {
        let number = |field: &str| frames.raw(Subject::View, field).and_then(|value| value.as_float());
        let acknowledged = frames.raw(Subject::View, "acknowledged").and_then(|value| value.as_int());
        let before = self.acknowledged;
        self.acknowledged = acknowledged.or(before);
        let mut state = state.clone();
        let (mut count, mut msec, mut last) = (0_u32, 0.0, None);
        if let Some(until) = acknowledged {
            while let Some(command) = self.commands.next_if(|command| command.packet.is_some_and(|packet| i64::from(packet) <= until)) {
                if before.is_some_and(|before| command.packet.is_some_and(|packet| i64::from(packet) > before)) {
                    count += 1;
                    msec += f32::from(command.msec);
                }
                last = Some(command);
            }
        }
        let is_numbered = before.zip(acknowledged).is_some();
        if is_numbered && before == acknowledged && !state.is_cut {
            // The server has run no command since: the state is the one before.
            return;
        }
        let expected = before.zip(acknowledged).map(|(before, now)| now - before);
        let is_complete = expected == Some(i64::from(count));
        if let Some(command) = last.filter(|_| is_complete && count > 0) {
            state.msec = msec;
            let moves = [command.forward_move, command.side_move, command.up_move];
            let held = |name: &str| command.buttons.contains(&name);
            state.input = Some(Input {
                commands: Some(count),
                msec,
                pitch: command.pitch,
                yaw: command.yaw,
                moves,
                keys: Keys {
                    forward: moves[0] > 0.0,
                    back: moves[0] < 0.0,
                    left: moves[1] < 0.0,
                    right: moves[1] > 0.0,
                    jump: held("jump"),
                    duck: false,
                    attack: held("attack"),
                },
                source: KeysSource::Command,
            });
            if count == 1 {
                state.source = Source::Command;
            }
        }
        // Some servers state zeros, and move players by other values.
        let is_stated = |(accelerate, gravity): (f32, f32)| accelerate > 0.0 && gravity > 0.0 && number("movevars.maxspeed").is_some_and(|most| most > 0.0);
        let gravity = number("movevars.gravity").zip(number("movevars.entgravity")).map(|(all, own)| all * own);
        state.physics = number("movevars.accelerate").zip(gravity).filter(|stated| is_stated(*stated)).map(|(accelerate, gravity)| Physics {
            game: Game::Quake,
            gravity,
            max_speed: number("movevars.maxspeed").unwrap_or(320.0),
            accelerate,
            air_accelerate: accelerate,
            friction: number("movevars.friction").unwrap_or(4.0),
            stop_speed: number("movevars.stopspeed").unwrap_or(100.0),
            water_friction: number("movevars.waterfriction").unwrap_or(4.0),
            water_accelerate: number("movevars.wateraccelerate").unwrap_or(10.0),
            is_whole: false,
            tolerance: TOLERANCE,
        });
        self.look_for_water(&mut state);
        self.show_waiting(Some(state.velocity[2]), show);
        let rise = state.velocity[2];
        self.waiting = Some((state, rise));
    }

    /// Water is not stated: it is where its physics explains the velocity, and that of the air does not.
    fn look_for_water(&mut self, state: &mut State) {
        let before = self.velocity.replace(state.velocity).filter(|_| !state.is_cut);
        if let Some((before, (physics, input))) = before.zip(state.physics.zip(state.input)).filter(|_| state.source == Source::Command) {
            let is_near = |computed: [f32; 3]| (0..3).all(|axis| (computed[axis] - state.velocity[axis]).abs() <= TOLERANCE);
            let flies = is_near(physics.fly(before, &physics.wish(&input, false), input.msec));
            if flies {
                self.in_water = false;
            } else if DEPTHS.iter().any(|depth| is_near(physics.swim(before, &input, *depth))) {
                self.in_water = before[2] != 0.0 || state.velocity[2] != 0.0;
            }
        }
        if state.is_cut {
            self.in_water = false;
        }
        if self.in_water && state.phase == Phase::Normal {
            state.phase = Phase::Water;
        }
    }

    /// Shows the last state.
    pub(super) fn end(&mut self, show: &mut dyn FnMut(State)) {
        self.show_waiting(None, show);
    }

    /// Ground contact is seldom stated. A player on the ground has no vertical speed; at the top of a flight that lasts one state only.
    fn show_waiting(&mut self, next: Option<f32>, show: &mut dyn FnMut(State)) {
        let Some((mut state, rise)) = self.waiting.take() else { return };
        if state.on_ground.is_none() {
            let stays = next.is_some_and(|next| next == 0.0 || next > JUMP);
            state.on_ground = Some(rise == 0.0 && (stays || self.was_grounded));
        }
        self.was_grounded = state.on_ground == Some(true);
        show(state);
    }
}
