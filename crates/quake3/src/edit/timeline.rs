//! Which frames and levels a recording has.

use model::{Fate, Milliseconds};
use replay::FrameAt;

use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::events::MatchClock;
use crate::game::Game;
use crate::message::Operation;
use crate::state::Outcome;

/// A level of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Level {
    /// The message that holds its gamestate.
    pub message: u32,
    /// Serverinfo and systeminfo at its start.
    pub strings: [Vec<u8>; 2],
}

/// The frames and levels of a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    /// Snapshots that can be worked out; their key is the message's sequence. Those of a level whose gamestate is broken or missing
    /// are no frames.
    pub line: replay::Timeline,
    pub levels: Vec<Level>,
    /// How many messages there are.
    pub messages: u32,
}

impl Recording<'_> {
    /// Its timeline, made when an edit first needs it.
    pub(super) fn timeline(&self) -> &Timeline {
        self.timeline.get_or_init(|| Timeline::of(self))
    }
}

impl Timeline {
    /// Reads a recording from start to end.
    fn of(recording: &Recording<'_>) -> Self {
        let mut source = Source::new(recording);
        let mut timeline = Timeline::default();
        let mut clock = replay::Clock::default();
        let mut match_clock = MatchClock::default();
        let mut before_round = false;
        while let Some(piece) = source.next() {
            let Piece::Message(frame) = piece else { continue };
            timeline.messages += 1;
            let speaks = source.playback.message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_) | Operation::ServerCommand(_)));
            let (levels, mut applied) = (source.levels, None);
            source.apply_with(&frame, &mut |state, _, outcome| {
                applied = state.snapshot().filter(|_| outcome == Outcome::Applied).map(|snapshot| snapshot.server_time);
                Fate::Keep
            });
            for _ in levels..source.levels {
                let strings = [0, 1].map(|index| source.playback.state.string(index).to_vec());
                timeline.levels.push(Level { message: frame.number, strings });
                clock.level();
            }
            if speaks && source.gamestate.is_some() {
                let game = Game::of_state(&source.playback.state);
                match_clock = MatchClock::of(&source.playback.state, &game);
                before_round = game.counts_down_to_round(&source.playback.state);
            }
            if let (Some(server), true, None) = (applied, source.gamestate.is_some(), &source.playback.error) {
                timeline.line.frames.push(FrameAt {
                    message: frame.number,
                    key: i64::from(frame.sequence),
                    level: source.levels.saturating_sub(1),
                    server: Milliseconds(i64::from(server)),
                    demo: clock.at(i64::from(server)),
                    in_match: match_clock.at(server),
                    before_round,
                });
            }
        }
        timeline
    }
}
