//! Which frames and levels a recording has, by time.

use fragreel_base::wire::Chunk;
use fragreel_model::Milliseconds;
use fragreel_model::replay::{Clock, Fed, FrameAt};

use super::match_clock::{MatchClock, is_before_round};
use super::{Input, Playback, Step};
use crate::game::Game;
use crate::message::Depth;
use crate::state::State;

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
        let mut walk = TimelineWalk::new(Playback::new(input, Depth::Whole), Timeline::default());
        walk.play();
        Timeline { messages: walk.progress.messages, ..walk.sink }
    }
}

/// Takes levels and frames as a walk comes to them.
pub(crate) trait TimelineSink {
    /// A level begins with this message. `state` has its strings.
    fn level(&mut self, message: u32, state: &State, is_appended: bool);
    /// A frame of the last level.
    fn frame(&mut self, frame: &FrameAt);
    /// Whether it needs nothing behind this message.
    fn is_over(&self, _message: u32) -> bool {
        false
    }
}

impl TimelineSink for Timeline {
    fn level(&mut self, message: u32, state: &State, is_appended: bool) {
        let strings = [0, 1].map(|index| state.string(index).to_vec());
        self.levels.push(Level { message, strings, is_appended });
    }

    fn frame(&mut self, frame: &FrameAt) {
        self.line.frames.push(*frame);
    }
}

/// The walk that finds levels and frames.
pub(crate) struct TimelineWalk<'a, S> {
    playback: Playback<'a>,
    progress: Progress,
    pub sink: S,
}

/// How far it came.
#[derive(Default)]
struct Progress {
    messages: u32,
    levels: u32,
    clock: Clock,
    match_clock: MatchClock,
    before_round: bool,
    /// Whether the last gamestate was whole.
    whole_level: bool,
    /// Of the current message: whether it is broken, whether it has commands or a gamestate, the time of its snapshot, and its gamestates.
    broken: bool,
    speaks: bool,
    applied: Option<i32>,
    begun: u32,
    /// Whether an end marker came before the next level.
    ended: bool,
    /// Detected again when the strings change that it depends on.
    game: Option<Game>,
    is_over: bool,
}

impl<'a, S: TimelineSink> TimelineWalk<'a, S> {
    /// A walk that stands at the start, as `playback` does.
    pub(crate) fn new(playback: Playback<'a>, sink: S) -> Self {
        TimelineWalk { playback, progress: Progress::default(), sink }
    }

    /// A walk that stands in the middle of a recording, behind this number of levels. `whole_level` says whether the gamestate of the last one is whole. Its
    /// clocks of the demo and the match start there.
    pub(crate) fn inside(playback: Playback<'a>, levels: u32, whole_level: bool, sink: S) -> Self {
        TimelineWalk { playback, progress: Progress { levels, whole_level, ..Progress::default() }, sink }
    }

    /// The number of messages so far.
    pub(crate) fn messages(&self) -> u32 {
        self.progress.messages
    }

    /// Plays what there is.
    pub(crate) fn play(&mut self) {
        let TimelineWalk { playback, progress, sink } = self;
        while !progress.is_over
            && let Some(step) = playback.step()
        {
            progress.take(step, sink);
        }
    }
}

impl Progress {
    #[inline(always)]
    fn take(&mut self, step: Step<'_>, sink: &mut impl TimelineSink) {
        match step {
            Step::Message { error, .. } => {
                self.messages += 1;
                (self.broken, self.speaks, self.applied, self.begun) = (error.is_some(), false, None, 0);
            }
            Step::Level { .. } => {
                (self.speaks, self.whole_level) = (true, !self.broken);
                self.begun += 1;
                self.game = None;
            }
            Step::Command { state, .. } => {
                self.speaks = true;
                if state.changed_string().is_some_and(|index| Game::depends_on(state.dialect(), index)) {
                    self.game = None;
                }
            }
            Step::End(_) => self.ended = true,
            Step::Snapshot { state, outcome, .. } => {
                self.applied = state.snapshot().filter(|_| outcome.is_shown()).map(|snapshot| snapshot.server_time);
            }
            Step::MessageEnd { frame, state, .. } => {
                for _ in 0..self.begun {
                    sink.level(frame.number, state, std::mem::take(&mut self.ended));
                    self.levels += 1;
                    self.clock.level();
                }
                if self.speaks && self.whole_level {
                    let game = self.game.get_or_insert_with(|| Game::of_state(state));
                    self.match_clock = MatchClock::of(state, game);
                    self.before_round = is_before_round(state, game);
                }
                if let (Some(server), true, false) = (self.applied, self.whole_level, self.broken) {
                    sink.frame(&FrameAt {
                        message: frame.number,
                        key: i64::from(frame.sequence),
                        level: self.levels.saturating_sub(1),
                        server: Milliseconds(i64::from(server)),
                        demo: self.clock.at(i64::from(server)),
                        in_match: self.match_clock.at(server),
                        before_round: self.before_round,
                    });
                }
                self.is_over = sink.is_over(frame.number);
            }
            Step::Operation | Step::Opaque { .. } | Step::Prologue => {}
        }
    }
}

impl<S: TimelineSink> Fed for TimelineWalk<'static, S> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let TimelineWalk { playback, progress, sink } = self;
        let mut walk = TimelineWalk { playback: playback.over(chunk), progress, sink };
        walk.play();
        let TimelineWalk { playback, progress, sink } = walk;
        TimelineWalk { playback: playback.over(Chunk::none()), progress, sink }
    }

    fn needed(&self) -> usize {
        self.playback.place().offset() as usize
    }

    fn is_over(&self) -> bool {
        self.progress.is_over
    }
}
