//! Quake III's point of view: the player state, with DeFRaG's keys.

use fragreel_model::{Subject, Value};
use fragreel_movement::{Game, Input, Keys, KeysSource, Phase, Physics, Source, State};

use crate::Frames;

/// The slot of `stats` with DeFRaG's keys, and its bits.
const KEYS: usize = 13;
const FORWARD: i64 = 1;
const BACK: i64 = 2;
const LEFT: i64 = 8;
const RIGHT: i64 = 16;
const JUMP: i64 = 32;
const CROUCH: i64 = 64;
const ATTACK: i64 = 256;
const WALK: i64 = 512;
/// A move of a key, and of one while walking.
const FULL: f32 = 127.0;
const SLOW: f32 = 64.0;
/// `pm_flags`: crouching, and DeFRaG's mark of CPM.
const DUCKED: i64 = 1;
const CPM: i64 = 32768;
/// `pm_type` of a player who moves.
const NORMAL: i64 = 0;
/// A longer time has several commands, at 76 frames a second and more.
const LONGEST_COMMAND: i64 = 13;

/// The view in the frame before.
#[derive(Default)]
pub(super) struct Quake3 {
    command_time: Option<(u16, i64)>,
    /// Whether the level is DeFRaG's, where that is known.
    is_defrag: Option<(u32, bool)>,
}

impl Quake3 {
    /// Adds what the player state says. Returns whether it is a new state.
    pub(super) fn fill(&mut self, frames: &Frames, state: &mut State) -> bool {
        let raw = |field: &str| frames.raw(Subject::View, field);
        let whole = |field: &str| raw(field).and_then(|value| value.as_int());
        let Some(time) = whole("commandTime") else { return true };
        let passed = self.command_time.replace((state.slot, time)).filter(|(slot, _)| *slot == state.slot).map(|(_, before)| time - before);
        if passed == Some(0) {
            return false;
        }
        let passed = passed.filter(|passed| (1..=1000).contains(passed));
        if let Some(passed) = passed {
            state.msec = passed as f32;
        }
        let flags = whole("pm_flags").unwrap_or_default();
        state.ducked = Some(flags & DUCKED != 0);
        if whole("pm_type").is_some_and(|kind| kind != NORMAL) {
            state.phase = Phase::Other;
        }
        let yaw = raw("viewangles").and_then(|value| value.as_vector());
        let defrag = self.is_defrag(frames, state.level);
        let speed = whole("speed").map_or(320.0, |speed| speed as f32);
        let is_cpm = flags & CPM != 0;
        state.physics = defrag.then_some(Physics {
            game: if is_cpm { Game::Cpm } else { Game::Vq3 },
            gravity: whole("gravity").map_or(800.0, |gravity| gravity as f32),
            max_speed: speed,
            accelerate: if is_cpm { 15.0 } else { 10.0 },
            air_accelerate: 1.0,
            friction: if is_cpm { 8.0 } else { 6.0 },
            stop_speed: 100.0,
            water_friction: 0.0,
            water_accelerate: 0.0,
            is_whole: true,
            tolerance: 0.0,
        });
        let Some([pitch, yaw, _]) = yaw else { return true };
        let mut input = Input { pitch, yaw, msec: state.msec, ..Input::default() };
        if let Some(keys) = raw("stats").filter(|_| defrag).and_then(|value| element(&value, KEYS)) {
            let held = |bit: i64| keys & bit != 0;
            let by = if held(WALK) { SLOW } else { FULL };
            let pair = |one: i64, other: i64, by: f32| by * (f32::from(u8::from(held(one))) - f32::from(u8::from(held(other))));
            input.moves = [pair(FORWARD, BACK, by), pair(RIGHT, LEFT, by), pair(JUMP, CROUCH, FULL)];
            let (forward, back, left, right) = (held(FORWARD), held(BACK), held(LEFT), held(RIGHT));
            input.keys = Keys { forward, back, left, right, jump: held(JUMP), duck: held(CROUCH), attack: held(ATTACK) };
            input.source = KeysSource::Stats;
            let is_single = passed.is_some_and(|passed| passed <= LONGEST_COMMAND);
            input.commands = is_single.then_some(1);
            if is_single {
                state.source = Source::Command;
            }
        } else if let Some(direction) = whole("movementDir") {
            input.source = KeysSource::Direction;
            input.keys = Keys {
                forward: matches!(direction, 0 | 1 | 7),
                back: matches!(direction, 3..=5),
                left: matches!(direction, 1..=3),
                right: matches!(direction, 5..=7),
                ..Keys::default()
            };
        }
        state.input = Some(input);
        true
    }

    /// DeFRaG names itself in the server's info.
    fn is_defrag(&mut self, frames: &Frames, level: u32) -> bool {
        if let Some((known, is_defrag)) = self.is_defrag
            && known == level
        {
            return is_defrag;
        }
        let is_defrag = frames.raw(Subject::View, "defrag").and_then(|value| value.as_int()) == Some(1);
        self.is_defrag = Some((level, is_defrag));
        is_defrag
    }
}

fn element(value: &Value, at: usize) -> Option<i64> {
    match value {
        Value::Ints(all) => all.get(at).copied(),
        _ => None,
    }
}
