//! Players of whom only places are recorded: velocities by their differences. In Quake, jumps by their sound, landings by the end of the fall.

use std::collections::VecDeque;

use fragreel_model::{Happening, Milliseconds, Subject};
use fragreel_movement::{Phase, State};

/// The sound of a jump.
const JUMP: &str = "sound/player/plyrjmp8.wav";
/// The vertical speed that a jump gives, and gravity.
const JUMP_SPEED: f32 = 270.0;
const GRAVITY: f32 = 800.0;
/// A fall that is slower by this much has ended, in units a second.
const STOPPED: f32 = 120.0;
/// A rise that is faster by this much is a push.
const PUSHED: f32 = 120.0;
/// Speeds are those over this time, in milliseconds.
const WINDOW: i64 = 50;

/// A player who is followed by places.
#[derive(Default)]
pub(super) struct Inferred {
    /// The vertical speed that he should have, while he is in the air.
    fall: Option<f32>,
    trail: VecDeque<(Milliseconds, [f32; 3])>,
    /// Whether the velocity of the state before was known.
    was_known: bool,
}

impl Inferred {
    /// Adds the velocity where it is not stated: over the last places. Returns whether it is known. `state` is cut if it was not known before.
    pub(super) fn velocity(&mut self, state: &mut State, before: Option<[f32; 3]>) -> bool {
        if state.is_cut || state.phase != Phase::Normal || state.msec <= 0.0 {
            (self.fall, self.trail, self.was_known) = (None, VecDeque::new(), state.is_velocity_stated);
            self.trail.push_back((state.time, state.origin));
            state.is_cut = true;
            return state.is_velocity_stated;
        }
        if state.is_velocity_stated {
            return true;
        }
        self.trail.push_back((state.time, state.origin));
        while self.trail.get(1).is_some_and(|(time, _)| (state.time - *time).0 >= WINDOW) {
            self.trail.pop_front();
        }
        let Some((time, place)) = self.trail.front().filter(|(time, _)| (state.time - *time).0 >= WINDOW) else { return false };
        let passed = (state.time - *time).0 as f32 * 0.001;
        state.velocity = [0, 1, 2].map(|axis| (state.origin[axis] - place[axis]) / passed);
        if let Some(before) = before {
            state.velocity[2] = (state.origin[2] - before[2]) / (state.msec * 0.001);
        }
        state.is_cut = !std::mem::replace(&mut self.was_known, true);
        true
    }

    /// Adds ground contact.
    pub(super) fn ground(&mut self, state: &mut State, before: Option<[f32; 3]>, happenings: &[Happening]) {
        state.jumped =
            happenings.iter().any(|one| one.subject == Some(Subject::Player(state.slot)) && one.sound.as_ref().is_some_and(|sound| &*sound.file == JUMP));
        let seconds = state.msec * 0.001;
        if state.is_cut || seconds <= 0.0 {
            state.on_ground = Some(true);
            return;
        }
        let rise = before.map(|before| (state.origin[2] - before[2]) / seconds);
        if state.jumped {
            self.fall = Some(JUMP_SPEED - GRAVITY * seconds);
        } else if let (Some(fall), Some(rise)) = (self.fall, rise) {
            let expected = fall - GRAVITY * seconds;
            self.fall = match rise - expected {
                more if expected < 0.0 && more > STOPPED && rise < PUSHED => None,
                more if more > PUSHED => Some(rise),
                // a ceiling stops a rise
                more if more < -STOPPED && expected > 0.0 => Some(rise.min(0.0)),
                _ => Some(expected),
            };
        }
        state.on_ground = Some(self.fall.is_none());
    }
}
