//! Strafes: the parts of a jump in which the moves go to one side of the velocity.

use fragreel_model::Milliseconds;
use serde::Serialize;

use crate::side::Side;
use crate::step::Step;

/// A strafe within a jump.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strafe {
    /// Its number within the jump, from 1.
    pub strafe: u32,
    /// To which side of the velocity the moves go.
    pub side: Side,
    /// The keys that were held in most of its steps: `A`, `WA`.
    pub keys: String,
    /// The first step, since the recording's first frame.
    pub time: Milliseconds,
    /// The container's message of the first step.
    #[serde(skip)]
    pub message: u32,
    /// The number of steps.
    pub steps: u32,
    /// Milliseconds that it lasts.
    pub duration: f32,
    /// Its share of the jump's steps in percent.
    pub share: f32,
    /// The horizontal speed before its first step.
    pub speed_from: f32,
    /// The horizontal speed after its last.
    pub speed_to: f32,
    /// The sum of rises of speed.
    pub gain: f32,
    /// The sum of falls of speed.
    pub loss: f32,
    /// The sum of the greatest gains of its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_gain: Option<f32>,
    /// The gain in percent of that, losses taken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f32>,
    /// Steps with rising speed in percent.
    pub sync: f32,
    /// How far the wished direction is from the best, in degrees, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_error: Option<f32>,
    /// The sum of turns of the view, in degrees.
    pub turn: f32,
    /// The fastest turn, in degrees a second.
    pub turn_peak: f32,
    /// Steps with both side keys held.
    pub overlap_steps: u32,
    /// Steps without any move.
    pub idle_steps: u32,
}

/// The strafes of the steps of a jump. Steps without moves belong to the strafe before.
pub(crate) fn strafes(steps: &[Step]) -> Vec<Strafe> {
    let mut found: Vec<(Side, usize, usize)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match (step.side(), found.last_mut()) {
            (Some(side), Some((last, _, end))) if *last == side => *end = at + 1,
            (None, Some((_, _, end))) => *end = at + 1,
            (Some(side), _) => found.push((side, at, at + 1)),
            (None, None) => {}
        }
    }
    found.into_iter().enumerate().map(|(at, (side, from, to))| strafe(at as u32 + 1, side, &steps[from..to], steps.len())).collect()
}

fn strafe(number: u32, side: Side, steps: &[Step], all: usize) -> Strafe {
    let figures = Figures::of(steps, steps.len() as u32);
    let (first, last) = (&steps[0], &steps[steps.len() - 1]);
    let mut keys: Vec<(String, u32)> = Vec::new();
    for letters in steps.iter().filter_map(|step| step.state.input.map(|input| input.keys.moving().letters())) {
        match keys.iter_mut().find(|(known, _)| *known == letters) {
            Some((_, count)) => *count += 1,
            None => keys.push((letters, 1)),
        }
    }
    let keys = keys.into_iter().rev().max_by_key(|(_, count)| *count).map_or_else(String::new, |(keys, _)| keys);
    Strafe {
        strafe: number,
        side,
        keys,
        time: first.state.time,
        message: first.state.message,
        steps: steps.len() as u32,
        duration: figures.duration,
        share: steps.len() as f32 * 100.0 / all.max(1) as f32,
        speed_from: first.speed_before,
        speed_to: last.speed,
        gain: figures.gain,
        loss: figures.loss,
        best_gain: figures.best_gain,
        efficiency: figures.efficiency,
        sync: figures.sync,
        angle_error: figures.angle_error,
        turn: figures.turn.unwrap_or_default(),
        turn_peak: figures.turn_peak,
        overlap_steps: figures.overlap_steps,
        idle_steps: figures.idle_steps,
    }
}

/// What a stretch of steps adds up to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) duration: f32,
    pub(crate) gain: f32,
    pub(crate) loss: f32,
    pub(crate) best_gain: Option<f32>,
    pub(crate) efficiency: Option<f32>,
    pub(crate) sync: f32,
    pub(crate) sync_keys: Option<f32>,
    pub(crate) sync_turn: Option<f32>,
    pub(crate) angle_error: Option<f32>,
    pub(crate) turn: Option<f32>,
    pub(crate) turn_peak: f32,
    pub(crate) overlap_steps: u32,
    pub(crate) idle_steps: u32,
    pub(crate) explained: Option<f32>,
}

impl Figures {
    /// The figures of some steps. `time` is the number of steps that they last.
    pub(crate) fn of(steps: &[Step], time: u32) -> Figures {
        let mut figures = Figures::default();
        let (mut rising, mut keyed, mut keyed_rising, mut sided, mut turned) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
        let (mut known, mut explained, mut judged, mut won, mut best, mut errors, mut error) = (0_u32, 0_u32, 0_u32, 0.0, 0.0, 0_u32, 0.0);
        for step in steps {
            let gain = step.gain();
            figures.duration += step.state.msec;
            figures.gain += gain.max(0.0);
            figures.loss += (-gain).max(0.0);
            rising += u32::from(gain > 0.0);
            if let Some(turn) = step.turn {
                *figures.turn.get_or_insert(0.0) += turn.abs();
                if step.state.msec > 0.0 {
                    figures.turn_peak = figures.turn_peak.max(turn.abs() * 1000.0 / step.state.msec);
                }
            }
            if let Some(is_explained) = step.explained {
                known += 1;
                explained += u32::from(is_explained);
            }
            if step.efficiency().is_some() {
                judged += 1;
                won += gain;
                best += step.best_gain.unwrap_or_default();
            }
            if let Some(off) = step.angle_error().filter(|_| step.explained != Some(false)) {
                errors += 1;
                error += off;
            }
            let Some(input) = step.state.input else { continue };
            let moves = input.keys.moving();
            figures.overlap_steps += u32::from(moves.left && moves.right);
            figures.idle_steps += u32::from(input.moves[0] == 0.0 && input.moves[1] == 0.0);
            if moves.forward || moves.back || moves.left || moves.right {
                keyed += 1;
                keyed_rising += u32::from(gain > 0.0);
            }
            if let Some(turn) = step.turn.filter(|_| moves.left != moves.right) {
                sided += 1;
                turned += u32::from(turn != 0.0 && (turn > 0.0) == moves.left);
            }
        }
        let percent = |part: u32, whole: u32| (whole > 0).then(|| part as f32 * 100.0 / whole as f32);
        figures.sync = percent(rising, time).unwrap_or_default();
        figures.sync_keys = percent(keyed_rising, keyed);
        figures.sync_turn = percent(turned, sided);
        figures.explained = percent(explained, known);
        if judged > 0 && best > 0.0 {
            (figures.best_gain, figures.efficiency) = (Some(best), Some(won / best * 100.0));
        }
        figures.angle_error = (errors > 0).then(|| error / errors as f32);
        figures
    }
}
