//! Which frames a recording has, when they are, and which of them a range of time means.

use model::{Clock, Fate, Milliseconds, Range};
use wire::Error;

use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::events::MatchClock;
use crate::game::Game;
use crate::message::Operation;
use crate::state::Outcome;

/// A frame: a snapshot that can be worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameAt {
    /// The message that holds it.
    pub message: u32,
    /// That message's sequence.
    pub sequence: i32,
    /// The level, counted from 0.
    pub level: u32,
    /// The server's clock.
    pub server: i32,
    /// Time since the first frame.
    pub demo: Milliseconds,
    /// What the clock of the match shows while one runs.
    pub in_match: Option<Milliseconds>,
    /// Whether a countdown to a round runs.
    pub before_round: bool,
}

/// A level of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Level {
    /// The message that holds its gamestate.
    pub message: u32,
    /// Serverinfo and systeminfo at its start.
    pub strings: [Vec<u8>; 2],
}

/// The frames and levels of a recording.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    /// In stream order. Frames of a level whose gamestate is broken or missing are none.
    pub frames: Vec<FrameAt>,
    pub levels: Vec<Level>,
    /// How many messages there are.
    pub messages: u32,
}

impl Timeline {
    /// Reads a recording from start to end.
    pub fn of(recording: &Recording<'_>) -> Self {
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
                timeline.frames.push(FrameAt {
                    message: frame.number,
                    sequence: frame.sequence,
                    level: source.levels.saturating_sub(1),
                    server,
                    demo: clock.at(i64::from(server)),
                    in_match: match_clock.at(server),
                    before_round,
                });
            }
        }
        timeline
    }

    /// Whether a frame is the first of its level.
    pub fn starts_level(&self, frame: usize) -> bool {
        frame == 0 || self.frames[frame - 1].level != self.frames[frame].level
    }

    /// The frames of each match: where its clock runs, and the countdowns between its rounds.
    pub fn matches(&self) -> Vec<std::ops::Range<usize>> {
        let mut matches: Vec<std::ops::Range<usize>> = Vec::new();
        for run in self.clock_runs() {
            let counted_down = |gap: std::ops::Range<usize>| !gap.is_empty() && self.frames[gap].iter().all(|frame| frame.before_round);
            let same_level = |last: usize| self.frames[last].level == self.frames[run.start].level;
            match matches.last_mut().filter(|last| same_level(last.start) && counted_down(last.end..run.start)) {
                Some(current) => current.end = run.end,
                None => matches.push(run),
            }
        }
        matches
    }

    /// Frames over which the clock of the match goes on without a break. Rounds have clocks of their own.
    fn clock_runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            let Some(time) = frame.in_match else { continue };
            let goes_on = |last: &FrameAt| last.level == frame.level && last.in_match.is_some_and(|before| before <= time);
            match runs.last_mut().filter(|last| last.end == at && goes_on(&self.frames[at - 1])) {
                Some(current) => current.end = at + 1,
                None => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// The frames that a range means: from the last at or before its start, or else the first there is, to the last at or before
    /// its end.
    pub fn locate(&self, range: Range) -> Result<std::ops::Range<usize>, Error> {
        if range.to < range.from {
            return Err(Error::misuse(format!("a range from {} to {} ends before it starts", range.from, range.to)));
        }
        let found = match range.clock {
            Clock::Demo => vec![(0..self.frames.len(), FrameAt::demo as fn(&FrameAt) -> Milliseconds)],
            Clock::Server => self.server_runs().into_iter().map(|run| (run, FrameAt::server as fn(&FrameAt) -> Milliseconds)).collect(),
            Clock::Match => self.match_runs(range).into_iter().map(|run| (run, FrameAt::matched as fn(&FrameAt) -> Milliseconds)).collect(),
        };
        if self.frames.is_empty() {
            return Err(Error::malformed("there is no whole frame in the recording"));
        }
        if found.is_empty() {
            return Err(Error::misuse("no match runs in the recording: give times on another clock"));
        }
        let mut has = Vec::new();
        for (run, time) in found {
            let frames = &self.frames[run.clone()];
            let [Some(first), Some(last)] = [frames.first(), frames.last()].map(|frame| frame.map(time)) else { continue };
            has.push(format!("{first} to {last}"));
            if range.to < first || range.from > last {
                continue;
            }
            let from = frames.iter().position(|frame| time(frame) > range.from).map_or(frames.len(), |after| after.max(1)) - 1;
            let to = frames[from + 1..].iter().position(|frame| time(frame) > range.to).map_or(frames.len(), |after| from + 1 + after);
            return Ok(run.start + from..run.start + to);
        }
        Err(Error::misuse(format!("no frame is between {} and {}: there are frames from {}", range.from, range.to, has.join(", from "))))
    }

    /// Frames whose server times rise. Some servers start a new clock with each level.
    fn server_runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            match runs.last_mut().filter(|_| !(self.starts_level(at) && frame.server < self.frames[at - 1].server)) {
                Some(run) => run.end = at + 1,
                None => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// Runs of the match's clock, those in which both ends of the range lie first.
    fn match_runs(&self, range: Range) -> Vec<std::ops::Range<usize>> {
        let mut runs = self.clock_runs();
        let holds = |run: &std::ops::Range<usize>| {
            let ends = [run.start, run.end - 1].map(|at| self.frames[at].in_match);
            ends[0].is_some_and(|first| first <= range.from) && ends[1].is_some_and(|last| last >= range.to)
        };
        runs.sort_by_key(|run| !holds(run));
        runs
    }
}

impl FrameAt {
    fn demo(&self) -> Milliseconds {
        self.demo
    }

    fn server(&self) -> Milliseconds {
        Milliseconds(i64::from(self.server))
    }

    fn matched(&self) -> Milliseconds {
        self.in_match.unwrap_or_default()
    }
}
