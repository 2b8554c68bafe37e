//! How one player moved: speed and keys at each state, and the jumps with their strafes as `fragreel jumps` answers them.

use std::ops::ControlFlow;

use fragreel::movement::{Jump, Moved, Source, Step};
use fragreel::{Error, Recording};
use wasm_bindgen::prelude::*;

use crate::layout::{HELD, ON_GROUND, PLACED, Steps, TELEPORTED, bits_of};
use crate::tracks::{fact, taken};

/// The states of a player, column by column, and what happened off the ground.
///
/// The page asks for each column by the names in [`layout`](crate::layout).
#[wasm_bindgen]
pub struct Movement {
    steps: Steps,
    jumps: Vec<Jump>,
}

#[wasm_bindgen]
impl Movement {
    /// A column of numbers that may have a fraction.
    pub fn doubles(&mut self, column: &str) -> Result<Vec<f64>, JsError> {
        taken(self.steps.doubles(column))
    }

    /// A column of whole numbers.
    pub fn counts(&mut self, column: &str) -> Result<Vec<u32>, JsError> {
        taken(self.steps.counts(column))
    }

    /// Jumps and falls: a JSON array of what `jumps --all --json` prints.
    pub fn jumps(&self) -> Result<String, JsError> {
        crate::json(&self.jumps)
    }
}

impl Movement {
    /// Follows the player in a slot.
    ///
    /// # Errors
    /// For recordings whose frames are not understood.
    pub fn of(recording: &Recording, slot: u16) -> Result<Self, Error> {
        let (mut rows, mut jumps) = (Rows::default(), Vec::new());
        recording.movement(&mut |moved| {
            match moved {
                Moved::Step(step) if step.state.slot == slot => rows.push(step),
                Moved::Jump(jump) if jump.player.slot == Some(slot) => jumps.push(jump.clone()),
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(Movement { steps: rows.steps, jumps })
    }
}

/// The states of the steps so far.
#[derive(Default)]
struct Rows {
    steps: Steps,
    /// Time and speed of the last one.
    last: Option<(f64, f32)>,
}

impl Rows {
    /// Adds the state at the end of a step; where none of the last rows is its beginning, that, too.
    fn push(&mut self, step: &Step) {
        let state = &step.state;
        let time = state.time.0 as f64;
        let follows = self.last.is_some_and(|(last, speed)| speed.to_bits() == step.speed_before.to_bits() && is_soon(time - last, state.msec));
        let placed = if state.source == Source::Positions { PLACED } else { 0 };
        if !follows {
            // two rows of one time would be none of the last row
            let start = (time - f64::from(state.msec)).max(self.last.map_or(f64::NEG_INFINITY, |(last, _)| last));
            self.add(start, step.speed_before, TELEPORTED | placed, 0);
        }
        let (held, keys) = state.input.map_or((0, 0), |input| (HELD, bits_of(input.keys)));
        self.add(time, step.speed, fact(ON_GROUND, state.on_ground) | placed | held, keys);
        self.last = Some((time, step.speed));
    }

    fn add(&mut self, time: f64, speed: f32, bits: i32, keys: u32) {
        self.steps.times.push(time);
        self.steps.speeds.push(speed.into());
        self.steps.bits.push(bits as u32);
        self.steps.keys.push(keys);
    }
}

/// Whether this number of milliseconds is one step, which by its command or by the frames lasts `step`.
fn is_soon(passed: f64, step: f32) -> bool {
    passed <= f64::from(step) * 2.0 + 50.0
}
