//! The loop over a recording: reads messages, applies them to the state, and yields a step for each effect.

use std::ops::Range;

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::replay::Findings;
use fragreel_model::{Damage, DamageKind};

use super::Input;
use super::findings::{begins_level, broken_message, early_end, missing_end_marker, opaque_bytes, snapshot_finding};
use crate::container::{self, Fault, Frame, Frames, Piece};
use crate::dialect::Dialect;
use crate::message::{Depth, Gamestate, Message, Operation, ServerCommand, Snapshot};
use crate::state::{Command, Effect, Outcome, State};

/// What [`Playback::step`] did. Within a message, steps come in the order of its operations.
#[derive(Debug)]
pub(crate) enum Step<'p> {
    /// Read a message; nothing is applied yet. `error` says why it cannot be decoded to its end.
    Message { frame: Frame, message: &'p Message, error: Option<&'p Error> },
    /// Applied a gamestate: a level begins.
    Level { state: &'p State, gamestate: &'p Gamestate },
    /// Applied a reliable command.
    Command { state: &'p State, command: &'p ServerCommand, result: Command },
    /// Applied a snapshot; `snapshot` is its tree as sent.
    Snapshot { state: &'p State, snapshot: &'p Snapshot, outcome: Outcome },
    /// Passed an operation that carries no state.
    Operation,
    /// Applied the last operation of the message.
    MessageEnd { frame: Frame, state: &'p State, message: &'p Message, error: Option<&'p Error> },
    /// Skipped bytes that belong to no message.
    Opaque { range: Range<u64>, fault: Fault },
    /// Passed the end marker.
    End(Range<u64>),
    /// Passed the bytes before the first message (Urban Terror).
    Prologue,
}

/// A position in a recording, with the state of the game there. [`step`](Self::step) reads and applies; edits that change messages in
/// between use [`read`](Self::read) and apply by themselves.
#[derive(Debug, Clone)]
pub(crate) struct Playback<'a> {
    dialect: &'static Dialect,
    frames: Frames<'a>,
    depth: Depth,
    /// The message that is being applied, and its next operation.
    applying: Option<(Frame, usize)>,
    /// The last message.
    pub message: Message,
    /// Why the last message cannot be decoded to its end.
    pub error: Option<Error>,
    /// The state after the messages applied so far.
    pub state: State,
    /// The server time of the last snapshot of the level, and whether the snapshots before and behind contradict that of the last message.
    time: Option<i32>,
    contradicted: bool,
    /// The time of the first snapshot of the last message.
    message_time: Option<i32>,
}

/// Steps of the server's clock in milliseconds beyond which the snapshots behind are looked at.
const LONG_STEP: i64 = 10_000;
/// Milliseconds that may pass before a last snapshot, which nothing confirms.
const LONGEST_PAUSE: i64 = 60_000;
/// Milliseconds that a client may need to load a level, between the first snapshot and the next.
const LONGEST_LOADING: i64 = 600_000;
/// Milliseconds from one snapshot to the next that need no look at those behind.
const NEAR: i64 = 1_000;
/// How many messages are looked at: fewer than an edit moves, and more than a sector holds.
const LOOKED_AHEAD: usize = 16;

/// What is wrong with a snapshot's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contradiction {
    /// It is damaged.
    Time,
    /// The message stands elsewhere in the recording.
    Place,
}

impl<'a> Playback<'a> {
    /// Starts at the first byte. `depth` says how far messages are decoded.
    pub(crate) fn new(input: &Input<'a>, depth: Depth) -> Self {
        Self::of_bytes(input.bytes, input.dialect, depth)
    }

    /// Starts at the first of `bytes`.
    pub(crate) fn of_bytes(bytes: &'a [u8], dialect: &'static Dialect, depth: Depth) -> Self {
        let (message, state) = (Message::default(), State::new(dialect));
        Playback {
            dialect,
            frames: Frames::new(bytes),
            depth,
            applying: None,
            message,
            error: None,
            state,
            time: None,
            contradicted: false,
            message_time: None,
        }
    }

    /// The next piece, without decoding a message.
    #[inline(always)]
    pub(crate) fn next_piece(&mut self) -> Option<Piece> {
        self.frames.next()
    }

    /// Reads the next piece. A message is decoded into [`message`](Self::message), and not applied.
    #[inline(always)]
    pub(crate) fn read(&mut self) -> Option<Piece> {
        let before = self.chunk().hides_more().then(|| (self.frames.clone(), self.time));
        let piece = self.next_piece()?;
        if let Piece::Message(frame) = &piece {
            let data = self.chunk().from(frame.data_offset() as usize);
            if self.depth != Depth::Values || !self.decode(frame, data) {
                self.error = self.message.read_ahead(data, frame.length as usize, self.dialect, self.depth).err();
            }
            let is_known = self.check_time();
            if let Some(before) = before.filter(|_| !is_known) {
                (self.frames, self.time) = before;
                return None;
            }
        }
        Some(piece)
    }

    /// Reads a message and decodes its snapshot at once. Returns whether the message allows that.
    #[inline]
    fn decode(&mut self, frame: &Frame, data: &[u8]) -> bool {
        let mut decoding = self.state.decode(frame.sequence);
        let read = self.message.read_values(data, frame.length as usize, self.dialect, &mut decoding);
        if read.is_ok() {
            decoding.finish();
            self.error = None;
        }
        read.is_ok()
    }

    /// Checks the server time of the last message: one that the snapshots before and behind contradict is damage, and its snapshot is not applied.
    /// Returns false if the later snapshots that decide are in the next chunk.
    #[inline]
    fn check_time(&mut self) -> bool {
        (self.contradicted, self.message_time) = (false, None);
        for (at, operation) in self.message.operations.iter().enumerate() {
            match operation {
                Operation::Gamestate(_) => self.time = None,
                Operation::Snapshot(snapshot) => {
                    let now = snapshot.server_time;
                    let contradiction = if self.time.is_some_and(|before| is_near(before, now)) {
                        None
                    } else {
                        let Some(behind) = self.times_behind() else { return false };
                        self.contradiction(self.time, now, &behind)
                    };
                    if let Some(contradiction) = contradiction {
                        let before = self.time.map_or(String::new(), |before| format!("; the previous one has {before}"));
                        self.error.get_or_insert_with(|| Error::malformed(format!("the neighboring snapshots contradict the server time {now}{before}")));
                        // the commands of a message that stands elsewhere in the file come too early, or came already
                        self.message.shorten(if contradiction == Contradiction::Place { 0 } else { at });
                        self.contradicted = true;
                        return true;
                    }
                    self.time = Some(now);
                    self.message_time = self.message_time.or(self.time);
                }
                _ => {}
            }
        }
        true
    }

    /// How the snapshots behind contradict the time `now` of one that does not follow the one before closely: they go on from `before`, or nothing
    /// confirms a jump ahead.
    #[cold]
    fn contradiction(&self, before: Option<i32>, now: i32, behind: &[i32]) -> Option<Contradiction> {
        let falls_to = |next: i32| i64::from(now) - i64::from(next) > LONG_STEP;
        let is_time = match (before, behind) {
            (Some(before), [next, ..]) => !follows(before, now) && !follows(now, *next) && (follows(before, *next) || now > before && falls_to(*next)),
            // a recording that is still being written may go on
            (Some(before), []) => i64::from(now) - i64::from(before) > LONGEST_PAUSE && (self.chunk().is_last() || self.chunk().hides_more()),
            // the first of a level has only those behind it
            (None, [next, second, ..]) => follows(*next, *second) && (falls_to(*next) || i64::from(*next) - i64::from(now) > LONGEST_LOADING),
            (None, _) => false,
        };
        // a piece of the file that stands in another place: those behind it go on from the one before
        let is_elsewhere = before.is_some_and(|before| {
            let ahead = now > before && behind.iter().any(|next| (before..now).contains(next));
            let back = i64::from(before) - i64::from(now) > NEAR && behind.iter().any(|next| follows(before, *next));
            ahead || back
        });
        if is_time { Some(Contradiction::Time) } else { is_elsewhere.then_some(Contradiction::Place) }
    }

    /// The times of the next snapshots of the level that are near. `None` if the next chunk has more of them.
    #[cold]
    fn times_behind(&self) -> Option<Vec<i32>> {
        let (mut head, mut times, mut looked_at) = (Message::default(), Vec::new(), 0);
        let behind = self.frames.clone().filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None });
        for frame in behind.take(LOOKED_AHEAD) {
            looked_at += 1;
            if head.read_to(self.data(&frame), self.dialect, Depth::Commands).is_err() {
                continue;
            }
            for operation in &head.operations {
                match operation {
                    Operation::Gamestate(_) => return Some(times),
                    Operation::Snapshot(next) => times.push(next.server_time),
                    _ => {}
                }
            }
        }
        (looked_at == LOOKED_AHEAD || !self.chunk().hides_more()).then_some(times)
    }

    /// Applies the next operation of the current message, or reads the next piece. Inlined, because the caller takes the step apart at once.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Option<Step<'_>> {
        let Some((frame, at)) = self.applying else {
            return Some(match self.read()? {
                Piece::Message(frame) => {
                    self.applying = Some((frame, 0));
                    Step::Message { frame, message: &self.message, error: self.error.as_ref() }
                }
                Piece::Opaque(range, fault) => Step::Opaque { range, fault },
                Piece::End(range) => Step::End(range),
                Piece::Prologue(_) => Step::Prologue,
            });
        };
        let Some(operation) = self.message.operations.get(at) else {
            self.applying = None;
            return Some(Step::MessageEnd { frame, state: &self.state, message: &self.message, error: self.error.as_ref() });
        };
        self.applying = Some((frame, at + 1));
        let Some(effect) = apply(&mut self.state, self.depth, &frame, operation) else { return Some(Step::Operation) };
        let state = &self.state;
        Some(match (operation, effect) {
            (Operation::Gamestate(gamestate), _) => Step::Level { state, gamestate },
            (Operation::ServerCommand(command), Effect::Command(result)) => Step::Command { state, command, result },
            (Operation::Snapshot(snapshot), Effect::Snapshot(outcome)) => Step::Snapshot { state, snapshot, outcome },
            _ => Step::Operation,
        })
    }

    /// The time of the snapshot in the last message. A message that cannot be decoded to its end counts too, so that the time does not
    /// depend on the depth.
    fn server_time(&self, frame: &Frame) -> Option<i32> {
        self.message_time.or_else(|| {
            self.error.as_ref().filter(|_| !self.contradicted)?;
            let mut head = Message::default();
            head.read_to(self.data(frame), self.dialect, Depth::Commands).ok()?;
            head.operations.iter().find_map(|operation| match operation {
                Operation::Snapshot(snapshot) => Some(snapshot.server_time),
                _ => None,
            })
        })
    }

    /// The same position in another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> Playback<'b> {
        Playback { frames: self.frames.over_chunk(chunk), ..self }
    }

    /// The bytes that it plays.
    #[inline]
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.frames.chunk()
    }

    /// The position in the container.
    pub(crate) fn place(&self) -> &Frames<'a> {
        &self.frames
    }

    /// Jumps to another position, which has this state.
    pub(crate) fn jump(&mut self, place: &Frames<'_>, state: State) {
        self.frames = place.over_chunk(self.chunk());
        self.time = state.snapshot().map(|snapshot| snapshot.server_time);
        self.state = state;
        (self.applying, self.error) = (None, None);
    }

    /// Continues with other bytes, and keeps the state.
    pub(crate) fn continue_with(&mut self, bytes: &'a [u8]) {
        self.frames = Frames::new(bytes);
    }

    /// The bytes of a message.
    pub(crate) fn data(&self, frame: &Frame) -> &'a [u8] {
        container::data_in(self.chunk(), frame)
    }
}

/// Applies an operation of a message that was decoded to this depth. `None` for a snapshot if only its head was decoded.
#[inline(always)]
fn apply(state: &mut State, depth: Depth, frame: &Frame, operation: &Operation) -> Option<Effect> {
    let is_head = depth == Depth::Commands && matches!(operation, Operation::Snapshot(_));
    (!is_head).then(|| state.apply(frame.sequence, operation))
}

/// Whether a snapshot of the second time may follow one of the first without a closer look.
#[inline]
fn follows(before: i32, now: i32) -> bool {
    (0..=LONG_STEP).contains(&(i64::from(now) - i64::from(before)))
}

/// Whether a snapshot of the second time follows one of the first so closely that those behind need no look.
#[inline]
fn is_near(before: i32, now: i32) -> bool {
    (0..=NEAR).contains(&(i64::from(now) - i64::from(before)))
}

/// Callbacks of [`visit`]. The defaults ignore everything.
pub trait Visitor {
    /// How far messages are decoded. [`Depth::Commands`] skips the inside of snapshots and leaves [`snapshot`](Self::snapshot) uncalled.
    fn depth(&self) -> Depth {
        Depth::Values
    }

    /// A message begins. `server_time` is that of its snapshot, at which clients execute its commands.
    fn message(&mut self, _frame: &Frame, _server_time: Option<i32>) {}
    /// A level begins; `state` has its strings and baselines.
    fn gamestate(&mut self, _state: &State, _gamestate: &Gamestate) {}
    /// A command was executed; `state.command_line()` is its text, and `state` has its configstring.
    fn command(&mut self, _state: &State) {}
    /// A snapshot was decoded; `state.snapshot()` is the result, `tree` what was sent.
    fn snapshot(&mut self, _state: &State, _tree: &Snapshot) {}
    /// All of a message is applied.
    fn message_ends(&mut self, _state: &State) {}
    /// Something is broken.
    fn damage(&mut self, _damage: Damage) {}
    /// Whether to continue with the next piece.
    fn wants_more(&self) -> bool {
        true
    }
}

/// Plays `bytes` to the end and calls `visitor` for each step. Returns the state at the end.
pub fn visit<V: Visitor>(bytes: &[u8], dialect: &'static Dialect, visitor: &mut V) -> State {
    let mut visit = Visit::new(bytes, dialect, visitor.depth());
    while visitor.wants_more() && visit.step(visitor) {}
    visit.close(visitor);
    visit.playback.state
}

/// A message that a walk has not taken yet.
pub(crate) struct NextMessage<'a> {
    pub frame: Frame,
    behind: Frames<'a>,
}

/// A walk that calls a visitor message by message.
pub(crate) struct Visit<'a> {
    playback: Playback<'a>,
    findings: Findings,
    /// Whether the recording ended, and where its end marker is.
    ended: bool,
    end: Option<u64>,
}

impl<'a> Visit<'a> {
    /// A walk that stands at the start.
    pub(crate) fn new(bytes: &'a [u8], dialect: &'static Dialect, depth: Depth) -> Self {
        Visit { playback: Playback::of_bytes(bytes, dialect, depth), findings: Findings::default(), ended: false, end: None }
    }

    /// Plays the next message, or what stands between two. Returns whether there was anything.
    pub(crate) fn step<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        match self.playback.read() {
            Some(Piece::Message(frame)) => self.play(&frame, visitor),
            // engines and tools put seals there
            Some(Piece::Opaque(_, Fault { kind: DamageKind::TrailingData, .. })) => {}
            Some(Piece::Opaque(range, fault)) => {
                report(self.findings.cause(opaque_bytes(&range, fault)), visitor);
                self.ended |= fault.kind == DamageKind::Truncated;
            }
            Some(Piece::End(range)) => (self.ended, self.end) = (true, Some(range.start)),
            Some(Piece::Prologue(_)) => {}
            None => return false,
        }
        true
    }

    /// Plays the message that was read. All its steps at once take fewer instructions (docs/performance.md).
    #[inline(always)]
    fn play<V: Visitor>(&mut self, frame: &Frame, visitor: &mut V) {
        let Visit { playback, findings, ended, end } = self;
        if let Some(offset) = end.take() {
            *ended = false;
            if !begins_level(&playback.message) {
                report(findings.cause(early_end(offset)), visitor);
            }
        }
        visitor.message(frame, playback.server_time(frame));
        let Playback { message, state, depth, error, .. } = playback;
        for operation in &message.operations {
            match (operation, apply(state, *depth, frame, operation)) {
                (Operation::Gamestate(gamestate), Some(_)) => visitor.gamestate(state, gamestate),
                (_, Some(Effect::Command(Command::New))) => visitor.command(state),
                (Operation::Snapshot(snapshot), Some(Effect::Snapshot(outcome))) => {
                    report(snapshot_finding(findings, state, outcome, frame), visitor);
                    if outcome.is_shown() {
                        visitor.snapshot(state, snapshot);
                    }
                }
                _ => {}
            }
        }
        visitor.message_ends(state);
        if let Some(error) = error {
            report(findings.cause(broken_message(error, frame)), visitor);
        }
    }

    /// The next message with its bytes and those behind it, if there is one.
    #[inline]
    pub(crate) fn next_message(&self) -> Option<(NextMessage<'a>, &'a [u8])> {
        let mut behind = self.playback.frames.clone();
        let Some(Piece::Message(frame)) = behind.next() else { return None };
        Some((NextMessage { frame, behind }, self.playback.chunk().from(frame.data_offset() as usize)))
    }

    /// Whether an end marker was passed, so that what follows is damage or another recording.
    pub(crate) fn is_behind_end(&self) -> bool {
        self.end.is_some()
    }

    /// Whether a snapshot of this time may follow without a closer look.
    #[inline]
    pub(crate) fn may_follow(&self, server_time: i32) -> bool {
        self.playback.time.is_none_or(|before| is_near(before, server_time))
    }

    /// Passes over a message that the caller read and applies. `server_time` is that of its snapshot, which can be played.
    #[inline]
    pub(crate) fn pass<V: Visitor>(&mut self, message: NextMessage<'a>, server_time: Option<i32>, visitor: &mut V) -> &mut State {
        self.playback.frames = message.behind;
        visitor.message(&message.frame, server_time);
        if server_time.is_some() {
            self.playback.time = server_time;
            report(self.findings.close(), visitor);
        }
        &mut self.playback.state
    }

    /// The same walk over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> Visit<'b> {
        Visit { playback: self.playback.over(chunk), ..self }
    }

    /// The bytes that it plays.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.playback.chunk()
    }

    /// The first byte that the next chunk must hold.
    pub(crate) fn needed(&self) -> usize {
        self.playback.frames.offset() as usize
    }

    /// The state of the game.
    pub(crate) fn state(&self) -> &State {
        &self.playback.state
    }

    /// The state of the game, to be replaced by one that the caller played.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.playback.state
    }

    /// Reports what the end shows.
    pub(crate) fn close<V: Visitor>(&mut self, visitor: &mut V) {
        self.close_at(self.playback.chunk().end(), visitor);
    }

    /// The same for a recording of this length.
    pub(crate) fn close_at<V: Visitor>(&mut self, length: usize, visitor: &mut V) {
        report(self.findings.close(), visitor);
        if !self.ended && visitor.wants_more() {
            visitor.damage(missing_end_marker(length));
        }
    }
}

fn report<V: Visitor>(finding: Option<Damage>, visitor: &mut V) {
    if let Some(damage) = finding {
        visitor.damage(damage);
    }
}
