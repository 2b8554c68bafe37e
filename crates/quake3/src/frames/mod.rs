//! The frames of a recording, in the vocabulary of all games (`docs/formats/quake3-events.md`, "Frames").

mod announcer;
mod fill;
mod happenings;
mod index;
mod looks;
mod pellets;
mod places;
mod sounds;
mod terms;

use std::sync::Arc;

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{At, Clock, Findings, Key, LazyIndex, Source};
use fragreel_model::{Damage, DamageKind, Frame, FrameOptions, Happenings, Look, Milliseconds, Subject, Value};

use crate::container::Frame as Block;
use crate::game::Game;
use crate::message::{Depth, Message, Operation, Snapshot};
use crate::state::{Command, SnapshotState, State, values};
use crate::walk::{Input, MatchClock, Playback, RunTime, Step, begins_level, broken_message, early_end, opaque_bytes, snapshot_finding};
use fill::Filler;
use happenings::Collector;
use index::{Draft, Keyframe};

pub(crate) type Index = fragreel_model::replay::Index<Keyframe>;

/// A walk over the frames of a recording: all snapshots that can be decoded. You can stop it anywhere, clone it, and send it to another
/// thread.
///
/// ```
/// use fragreel_model::{FrameOptions, Frame};
/// use fragreel_quake3::Recording;
///
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let recording = Recording::open(bytes, Some("dm_71"), fragreel_base::wire::Limits::default())?;
/// let mut frames = recording.frames(FrameOptions::default().hz(1.0));
/// let mut frame = Frame::default();
/// while frames.next_into(&mut frame) {
///     let view = frame.view.as_ref().unwrap();
///     // the recording player is one of the players
///     let own = frame.player(view.slot.unwrap()).unwrap();
///     assert!(own.health.is_some());
/// }
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
///
/// For a recording that is still being written, use [`pause`](fragreel_model::replay::Frames::pause) and [`resume`](fragreel_model::replay::Frames::resume):
///
/// ```
/// use fragreel_model::FrameOptions;
/// use fragreel_quake3::Recording;
///
/// let file = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let mut bytes = file[..20_000].to_vec();
/// let mut walk = {
///     let recording = Recording::open(&bytes, Some("dm_71"), fragreel_base::wire::Limits::default())?;
///     recording.frames(FrameOptions::default()).pause()
/// };
/// let mut seen = 0;
/// for chunk in file[20_000..].chunks(30_000) {
///     // so far
///     let mut frames = walk.resume(&bytes, false);
///     seen += frames.by_ref().count();
///     walk = frames.pause();
///     bytes.extend_from_slice(chunk);
/// }
/// seen += walk.resume(&bytes, true).count();
/// let recording = Recording::open(file, Some("dm_71"), fragreel_base::wire::Limits::default())?;
/// assert_eq!(seen, recording.frames(FrameOptions::default()).count());
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
pub type Frames<'a> = fragreel_model::replay::Frames<FrameWalk<'a>, Keyframe>;

/// The state of a walk over frames.
#[derive(Debug, Clone)]
pub struct FrameWalk<'a> {
    input: Input<'a>,
    playback: Playback<'a>,
    filler: Filler,
    clock: Clock,
    match_clock: MatchClock,
    game: Game,
    /// The number of frames so far.
    count: u32,
    levels: u32,
    damage: Vec<Damage>,
    findings: Findings,
    /// The end marker before the next message.
    end: Option<u64>,
    /// The message of the level's gamestate.
    gamestate: Option<Block>,
    collector: Collector,
}

/// A walk from the start of `input`. `index` is shared with its copies.
pub(crate) fn frames<'a>(input: &Input<'a>, index: &Arc<LazyIndex<Index>>, options: &FrameOptions) -> Frames<'a> {
    Frames::new(FrameWalk::new(input, options), index, options)
}

impl<'a> FrameWalk<'a> {
    fn new(input: &Input<'a>, options: &FrameOptions) -> Self {
        FrameWalk {
            input: input.clone(),
            playback: Playback::new(input, Depth::Values),
            filler: Filler::new(input.dialect, options),
            clock: Clock::default(),
            match_clock: MatchClock::default(),
            game: Game::of(input.dialect.line, b"", b"", b""),
            count: 0,
            levels: 0,
            damage: Vec::new(),
            findings: Findings::default(),
            end: None,
            gamestate: None,
            collector: Collector::new(Happenings::new(options), input.dialect),
        }
    }

    /// The state after the frame.
    pub(crate) fn state(&self) -> &State {
        &self.playback.state
    }

    fn entity_row(&self, number: u32) -> Option<&fragreel_base::delta::interleaved::Row> {
        self.playback.state.entities().find(|(of, _)| u32::from(*of) == number).map(|(_, row)| row)
    }

    fn note(&mut self, finding: Option<Damage>) {
        if let Some(damage) = finding
            && self.damage.len() < self.input.limits.damage_entries
        {
            self.damage.push(damage);
        }
    }

    /// Reads game and players from the state.
    fn enter_level(&mut self) {
        self.game = Game::of_state(&self.playback.state);
        self.filler.level(&self.playback.state, &self.game);
        self.match_clock = MatchClock::of(&self.playback.state, &self.game);
    }
}

/// The last snapshot of a message, as sent.
fn last_snapshot(message: &Message) -> Option<&Snapshot> {
    message.operations.iter().rev().find_map(|operation| if let Operation::Snapshot(snapshot) = operation { Some(&**snapshot) } else { None })
}

/// The message that is being applied.
#[derive(Default)]
struct Current {
    frame: Option<Block>,
    /// The server time of its snapshot.
    server: Option<i32>,
    strings_changed: bool,
}

impl<'a> Source for FrameWalk<'a> {
    type Keyframe = Keyframe;
    type Draft = Draft;
    type Over<'b> = FrameWalk<'b>;

    const TYPICAL: usize = index::TYPICAL;

    fn advance(&mut self) -> Option<At> {
        let mut current = Current::default();
        loop {
            let Some(step) = self.playback.step() else {
                if self.playback.chunk().hides_more() {
                    return None;
                }
                let finding = self.findings.close();
                self.note(finding);
                return None;
            };
            let finding = match step {
                Step::Message { frame, message, error } => {
                    current = Current { frame: Some(frame), ..Current::default() };
                    let early = self.end.take().filter(|_| !begins_level(message)).and_then(|offset| self.findings.cause(early_end(offset)));
                    if let Some(damage) = early
                        && self.damage.len() < self.input.limits.damage_entries
                    {
                        self.damage.push(damage);
                    }
                    error.and_then(|error| self.findings.cause(broken_message(error, &frame)))
                }
                Step::Level { state, .. } => {
                    self.game = Game::of_state(state);
                    self.filler.level(state, &self.game);
                    self.clock.level();
                    self.levels += 1;
                    self.gamestate = current.frame;
                    self.collector.forget();
                    (current.server, current.strings_changed) = (None, true);
                    None
                }
                Step::Command { state, result: Command::New, .. } => {
                    if let Some(index) = state.changed_string() {
                        self.filler.string(state, &self.game, index);
                        current.strings_changed = true;
                    }
                    None
                }
                Step::Snapshot { state, snapshot, outcome } => {
                    if outcome.is_shown() {
                        current.server = Some(snapshot.server_time);
                    }
                    current.frame.and_then(|frame| snapshot_finding(&mut self.findings, state, outcome, &frame))
                }
                Step::MessageEnd { frame, state, message, .. } => {
                    if current.strings_changed {
                        self.match_clock = MatchClock::of(state, &self.game);
                    }
                    let Some(server) = current.server else { continue };
                    let at = At {
                        number: self.count,
                        message: frame.number,
                        level: self.levels.saturating_sub(1),
                        time: self.clock.at(i64::from(server)),
                        server_time: Milliseconds(i64::from(server)),
                        match_time: self.match_clock.at(server),
                    };
                    self.count += 1;
                    if self.collector.list.is_wanted()
                        && let Some(tree) = last_snapshot(message)
                    {
                        self.collector.snapshot(state, tree, &self.game, &self.filler.terms, at.time);
                    }
                    return Some(at);
                }
                Step::Opaque { fault, .. } if fault.kind == DamageKind::TrailingData => None,
                Step::Opaque { range, fault } => self.findings.cause(opaque_bytes(&range, fault)),
                Step::End(range) => {
                    self.end = Some(range.start);
                    None
                }
                Step::Command { .. } | Step::Operation | Step::Prologue => None,
            };
            self.note(finding);
        }
    }

    fn fill(&mut self, at: &At, frame: &mut Frame) {
        frame.restart();
        at.mark(frame);
        frame.uncertain = self.playback.state.snapshot().is_some_and(SnapshotState::is_uncertain);
        self.filler.fill(&self.playback.state, &self.game, frame);
    }

    /// By the engine's own name: `pos.trBase[0]`, `origin`, `stats`.
    fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let state = &self.playback.state;
        let snapshot = state.snapshot()?;
        let dialect = state.dialect();
        let own = self.filler.view_slot(&snapshot.player);
        match subject {
            Subject::View if field == "defrag" => Some(Value::Int(RunTime::of(state).is_some().into())),
            Subject::View => values::player_field(dialect, &snapshot.player, field),
            Subject::Player(slot) if u32::from(slot) == own => values::player_field(dialect, &snapshot.player, field),
            Subject::Player(slot) => values::field(dialect.entity, self.entity_row(u32::from(slot))?, field),
            Subject::Entity(number) => values::field(dialect.entity, self.entity_row(number)?, field),
        }
    }

    fn looks(&mut self, looks: &mut Vec<Look>) {
        self.filler.looks(&self.playback.state, looks);
    }

    fn happenings(&mut self) -> &mut Happenings {
        &mut self.collector.list
    }

    fn damage(&self) -> &[Damage] {
        &self.damage
    }

    fn rewind(&mut self) {
        self.playback = Playback::new(&self.input, Depth::Values);
        self.filler.forget();
        self.collector.forget();
        (self.clock, self.match_clock) = (Clock::default(), MatchClock::default());
        (self.count, self.levels, self.gamestate) = (0, 0, None);
        self.damage.clear();
        (self.findings, self.end) = (Findings::default(), None);
    }

    fn enter(&mut self, key: &Key<Keyframe>) -> bool {
        self.rewind();
        let Key { at, keyframe: key, .. } = key;
        if !key.enter(&mut self.playback, &self.input) {
            return false;
        }
        self.clock = key.clock;
        (self.count, self.levels) = (at.number + 1, at.level + 1);
        self.gamestate = Some(key.gamestate);
        self.enter_level();
        true
    }

    fn over<'b>(self, chunk: Chunk<'b>) -> FrameWalk<'b> {
        FrameWalk { input: self.input.with_bytes(chunk.bytes()), playback: self.playback.over(chunk), ..self }
    }

    fn offset(&self) -> u64 {
        self.playback.place().offset()
    }
}

impl fragreel_model::replay::Draft<FrameWalk<'_>> for Draft {
    /// `None` where the gamestate is missing.
    fn at(walk: &mut FrameWalk<'_>, before: Option<&Keyframe>) -> Option<Self> {
        let (state, gamestate) = (&walk.playback.state, walk.gamestate?);
        Some(Draft {
            key: Keyframe {
                clock: walk.clock,
                place: walk.playback.place().over(&[], true),
                gamestate,
                strings: index::strings(state, &walk.input, gamestate, before),
                command_sequence: state.command_sequence(),
                big_string: state.big_string().into(),
                snapshots: Vec::new(),
            },
            levels: walk.levels,
            sequence: state.snapshot()?.sequence,
            state: state.clone(),
            needed: Vec::new(),
        })
    }

    fn follow(&mut self, walk: &mut FrameWalk<'_>) -> bool {
        let Some(snapshot) = walk.playback.state.snapshot() else { return true };
        let goes_on = self.levels == walk.levels && i64::from(snapshot.sequence) - i64::from(self.sequence) < index::KEPT;
        if let Some(base) = snapshot.base.filter(|base| goes_on && *base < self.sequence && !self.needed.contains(base)) {
            self.needed.push(base);
        }
        goes_on
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        self.encoded(before)
    }
}
