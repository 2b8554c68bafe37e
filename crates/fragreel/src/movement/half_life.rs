//! Half-Life's recorder: a state for each data block, from the client's own prediction.

use std::iter::Peekable;

use fragreel_model::{Frame, Milliseconds, Subject, UserCommand, Value};
use fragreel_movement::{Game, Input, Keys, KeysSource, Phase, Physics, Source, State};

use crate::{Frames, Recording};

/// `movetype` of a player on a ladder, and of those who walk.
const ON_LADDER: i64 = 5;
const WALKING: i64 = 3;
/// How exactly the physics must give a velocity.
const TOLERANCE: f32 = 0.5;
/// Deep enough to swim.
const WAIST: i32 = 2;
/// The longest time that one command can state, in milliseconds.
const LONGEST_COMMAND: f32 = 255.0;

/// The commands that were recorded, a little ahead of the frames.
pub(super) struct HalfLife<'r> {
    commands: Peekable<Box<dyn Iterator<Item = UserCommand> + 'r>>,
    /// The client's frame of the last command.
    last: Option<(i32, Milliseconds)>,
    has_begun: bool,
}

impl<'r> HalfLife<'r> {
    /// Nothing where the recording has no commands: HLTV.
    pub(super) fn of(recording: &'r Recording) -> Option<Self> {
        if recording.family() != fragreel_model::Family::GoldSrc {
            return None;
        }
        let commands: Box<dyn Iterator<Item = UserCommand> + 'r> = Box::new(recording.usercmds().ok()?.filter(|command| command.predicted.is_some()));
        let mut commands = commands.peekable();
        commands.peek()?;
        Some(HalfLife { commands, last: None, has_begun: false })
    }

    /// The states up to a frame. `now` is what the frame says of the player.
    pub(super) fn states(&mut self, frames: &Frames, frame: &Frame, now: &State, show: &mut dyn FnMut(State)) {
        let whole = |subject, field: &str| frames.raw(subject, field).and_then(|value| as_float(&value));
        while let Some(command) = self.commands.next_if(|command| command.message <= frame.message) {
            let Some(after) = command.predicted.as_deref() else { continue };
            let number = command.frame.unwrap_or_default();
            // Several packets of one client frame repeat its command.
            if self.last.is_some_and(|(last, _)| last == number) {
                continue;
            }
            let frames_passed = self.last.map(|(last, _)| i64::from(number) - i64::from(last));
            let passed = self.last.map(|(_, time)| (frame.time - time).0 as f32);
            self.last = Some((number, frame.time));
            let client_speed = whole(Subject::View, "maxspeed").filter(|speed| *speed > 1.0);
            let movement = whole(Subject::Entity(u32::from(now.slot) + 1), "movetype").map(|kind| kind as i64);
            let stamina = whole(Subject::View, "fuser2").filter(|stamina| *stamina >= 0.0);
            let physics = Physics {
                game: Game::HalfLife,
                gravity: after.gravity,
                max_speed: client_speed.map_or(after.max_speed, |speed| speed.min(after.max_speed)),
                accelerate: after.accelerate,
                air_accelerate: after.air_accelerate,
                friction: after.friction,
                stop_speed: after.stop_speed,
                water_friction: 0.0,
                water_accelerate: 0.0,
                is_whole: false,
                tolerance: TOLERANCE,
            };
            let is_single = frames_passed == Some(1);
            let held = |name: &str| command.buttons.contains(&name);
            let msec = f32::from(command.msec);
            let input = Input {
                commands: frames_passed.and_then(|frames| u32::try_from(frames).ok()),
                msec,
                pitch: command.pitch,
                yaw: command.yaw + after.punch_angle[1],
                moves: [command.forward_move, command.side_move, command.up_move],
                keys: Keys {
                    forward: held("forward"),
                    back: held("back"),
                    left: held("moveleft"),
                    right: held("moveright"),
                    jump: held("jump"),
                    duck: held("duck"),
                    attack: held("attack"),
                },
                source: KeysSource::Command,
            };
            let phase = match movement {
                _ if now.phase == Phase::Other => Phase::Other,
                Some(ON_LADDER) => Phase::Ladder,
                _ if after.water_level >= WAIST => Phase::Water,
                Some(kind) if kind != WALKING => Phase::Other,
                _ => Phase::Normal,
            };
            let is_cut = !std::mem::replace(&mut self.has_begun, true) || now.is_cut || frames_passed.is_none_or(|frames| frames <= 0);
            show(State {
                message: command.message,
                msec: if is_single { msec } else { passed.unwrap_or(msec).min(LONGEST_COMMAND * 4.0).max(msec) },
                origin: after.origin,
                velocity: after.velocity,
                is_velocity_stated: true,
                on_ground: Some(after.on_ground),
                is_ground_stated: true,
                phase,
                is_cut,
                stamina,
                input: Some(input),
                physics: Some(physics),
                source: if is_single { Source::Command } else { Source::Snapshot },
                ..now.clone()
            });
        }
    }
}

fn as_float(value: &Value) -> Option<f32> {
    value.as_float().filter(|value| value.is_finite())
}
