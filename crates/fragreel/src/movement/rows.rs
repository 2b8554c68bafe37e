//! A state for each player of a frame.

use std::collections::BTreeMap;

use fragreel_model::{Family, Frame, Happening, Milliseconds, PlayerFrame};
use fragreel_movement::{Phase, Source, State};

use super::inferred::Inferred;
use super::quake3::Quake3;
use crate::{Frames, Recording};

/// Players out of sight for longer, in milliseconds, are cut.
const LONGEST_GAP: i64 = 1000;
/// Quicker than that, nobody moves between two places: units a second. `sv_maxvelocity` is 2000 on each axis.
const FASTEST: f32 = 4000.0;
/// And a place's grain.
const SLACK: f32 = 16.0;

/// What is known of the frames before.
pub(super) struct Context<'r> {
    family: Family,
    #[cfg(feature = "goldsrc")]
    half_life: Option<super::half_life::HalfLife<'r>>,
    #[cfg(feature = "quake1")]
    quakeworld: Option<super::quakeworld::QuakeWorld<'r>>,
    quake3: Quake3,
    seen: BTreeMap<u16, Seen>,
    inferred: BTreeMap<u16, Inferred>,
}

/// A player in the last frame with him.
#[derive(Clone, Copy)]
struct Seen {
    time: Milliseconds,
    origin: [f32; 3],
    is_alive: bool,
}

impl<'r> Context<'r> {
    pub(super) fn of(recording: &'r Recording) -> Self {
        Context {
            family: recording.family(),
            #[cfg(feature = "goldsrc")]
            half_life: super::half_life::HalfLife::of(recording),
            #[cfg(feature = "quake1")]
            quakeworld: super::quakeworld::QuakeWorld::of(recording),
            quake3: Quake3::default(),
            seen: BTreeMap::new(),
            inferred: BTreeMap::new(),
        }
    }

    /// Shows the states of a frame.
    pub(super) fn frame(&mut self, frames: &Frames, frame: &Frame, happenings: &[Happening], show: &mut dyn FnMut(State)) {
        let own = frame.view.as_ref().and_then(|view| view.slot);
        for player in &frame.players {
            if player.spectator == Some(true) {
                self.seen.remove(&player.slot);
                continue;
            }
            let Some(origin) = player.origin.filter(|origin| origin.iter().all(|axis| axis.is_finite())) else { continue };
            let is_alive = player.alive != Some(false);
            let seen = Seen { time: frame.time, origin, is_alive };
            let before = self.seen.insert(player.slot, seen);
            let mut state = State {
                slot: player.slot,
                name: player.name.clone(),
                team: player.team.clone(),
                level: frame.level,
                message: frame.message,
                time: frame.time,
                server_time: frame.server_time,
                match_time: frame.match_time,
                uncertain: frame.uncertain,
                msec: before.map_or(0.0, |before| (frame.time - before.time).0 as f32),
                origin,
                velocity: player.velocity.unwrap_or_default(),
                is_velocity_stated: player.velocity.is_some(),
                on_ground: player.on_ground,
                is_ground_stated: player.on_ground.is_some(),
                ducked: player.crouching,
                phase: if is_alive { Phase::Normal } else { Phase::Other },
                is_cut: player.teleported || before.is_none_or(|before| is_break(&before, &seen)),
                source: if player.velocity.is_some() { Source::Snapshot } else { Source::Positions },
                ..State::default()
            };
            self.fill(frames, frame, own, player, before, happenings, &mut state, show);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "what a frame says of one player")]
    fn fill(
        &mut self,
        frames: &Frames,
        frame: &Frame,
        own: Option<u16>,
        player: &PlayerFrame,
        before: Option<Seen>,
        happenings: &[Happening],
        state: &mut State,
        show: &mut dyn FnMut(State),
    ) {
        let is_own = own == Some(player.slot);
        let since = before.map(|before| before.origin);
        match self.family {
            #[cfg(feature = "goldsrc")]
            Family::GoldSrc => {
                if let Some(half_life) = self.half_life.as_mut().filter(|_| is_own) {
                    half_life.states(frames, frame, state, show);
                    return;
                }
            }
            #[cfg(feature = "quake1")]
            Family::Quake1 => {
                if let Some(quakeworld) = self.quakeworld.as_mut().filter(|_| is_own) {
                    quakeworld.state(frames, state, show);
                    return;
                }
                if state.on_ground.is_none() {
                    let inferred = self.inferred.entry(state.slot).or_default();
                    if !inferred.velocity(state, since) {
                        return;
                    }
                    inferred.ground(state, since, happenings);
                    show(std::mem::take(state));
                    return;
                }
            }
            Family::Quake3 if is_own && !self.quake3.fill(frames, state) => return,
            _ => {}
        }
        let _ = (frame, happenings);
        if !state.is_velocity_stated && !self.inferred.entry(state.slot).or_default().velocity(state, since) {
            return;
        }
        if state.msec > 0.0 || before.is_none() {
            show(std::mem::take(state));
        }
    }

    /// The recording is over.
    pub(super) fn end(&mut self, show: &mut dyn FnMut(State)) {
        #[cfg(feature = "quake1")]
        if let Some(quakeworld) = &mut self.quakeworld {
            quakeworld.end(show);
        }
        let _ = show;
    }
}

fn is_break(before: &Seen, now: &Seen) -> bool {
    let passed = (now.time - before.time).0;
    let way = crate::geometry::distance(before.origin, now.origin);
    !(0..=LONGEST_GAP).contains(&passed) || before.is_alive != now.is_alive || way > FASTEST * passed as f32 * 0.001 + SLACK
}
