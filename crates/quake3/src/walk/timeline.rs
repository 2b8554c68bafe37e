//! Which frames and levels a recording has, by time.

use fragreel_model::Milliseconds;
use fragreel_model::replay::FrameAt;

use super::match_clock::{MatchClock, is_before_round};
use super::{Input, Playback, Step};
use crate::game::Game;
use crate::message::Depth;

/// A level of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Level {
    /// The message that holds its gamestate.
    pub message: u32,
    /// Serverinfo and systeminfo at its start.
    pub strings: [Vec<u8>; 2],
    /// Whether another recording begins with it, behind the end marker of the one before.
    pub is_appended: bool,
}

/// The frames and levels of a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    /// Snapshots that can be decoded; their key is the sequence of the message. Levels whose gamestate is broken or missing have no
    /// frames.
    pub line: fragreel_model::replay::Timeline,
    pub levels: Vec<Level>,
    /// The number of messages.
    pub messages: u32,
}

impl Timeline {
    /// Reads a recording from start to end.
    pub(crate) fn of(input: &Input<'_>) -> Self {
        let mut playback = Playback::new(input, Depth::Whole);
        let mut timeline = Timeline::default();
        let mut clock = fragreel_model::replay::Clock::default();
        let mut match_clock = MatchClock::default();
        let mut before_round = false;
        // whether the last gamestate was whole
        let mut whole_level = false;
        let (mut broken, mut speaks, mut applied, mut begun) = (false, false, None, 0u32);
        let mut ended = false;
        // detected again when the strings change that it depends on
        let mut game: Option<Game> = None;
        while let Some(step) = playback.step() {
            match step {
                Step::Message { error, .. } => {
                    timeline.messages += 1;
                    (broken, speaks, applied, begun) = (error.is_some(), false, None, 0);
                }
                Step::Level { .. } => {
                    (speaks, whole_level) = (true, !broken);
                    begun += 1;
                    game = None;
                }
                Step::Command { state, .. } => {
                    speaks = true;
                    if state.changed_string().is_some_and(|index| Game::depends_on(state.dialect(), index)) {
                        game = None;
                    }
                }
                Step::End(_) => ended = true,
                Step::Snapshot { state, outcome, .. } => {
                    applied = state.snapshot().filter(|_| outcome.is_shown()).map(|snapshot| snapshot.server_time);
                }
                Step::MessageEnd { frame, state, .. } => {
                    for _ in 0..begun {
                        let strings = [0, 1].map(|index| state.string(index).to_vec());
                        timeline.levels.push(Level { message: frame.number, strings, is_appended: std::mem::take(&mut ended) });
                        clock.level();
                    }
                    if speaks && whole_level {
                        let game = game.get_or_insert_with(|| Game::of_state(state));
                        match_clock = MatchClock::of(state, game);
                        before_round = is_before_round(state, game);
                    }
                    if let (Some(server), true, false) = (applied, whole_level, broken) {
                        timeline.line.frames.push(FrameAt {
                            message: frame.number,
                            key: i64::from(frame.sequence),
                            level: (timeline.levels.len() as u32).saturating_sub(1),
                            server: Milliseconds(i64::from(server)),
                            demo: clock.at(i64::from(server)),
                            in_match: match_clock.at(server),
                            before_round,
                        });
                    }
                }
                Step::Operation(_) | Step::Opaque { .. } | Step::Prologue => {}
            }
        }
        timeline
    }
}
