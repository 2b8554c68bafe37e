//! A recording from start to end: the loop that every question shares.

use model::{Damage, DamageKind};
use replay::Findings;
use wire::Error;

use crate::Recording;
use crate::container::{self, Frame, Frames, Piece};
use crate::dialect::Dialect;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Command, Missing, Outcome, State};

/// What a question wants to hear. Everything has a default that ignores it.
pub trait Listener {
    /// How far messages must be read. [`Depth::Commands`] skips what lies inside snapshots and leaves
    /// [`snapshot`](Self::snapshot) uncalled.
    fn depth(&self) -> Depth {
        Depth::Values
    }

    /// A message begins. `server_time` is that of its snapshot, which is when clients execute its commands.
    fn message(&mut self, _frame: &Frame, _server_time: Option<i32>) {}
    /// A level begins; `state` has its strings and baselines.
    fn gamestate(&mut self, _state: &State, _gamestate: &Gamestate) {}
    /// A command that is new comes; called before `state` changes, so that the old string can be looked at.
    fn before_command(&mut self, _state: &State, _text: &[u8]) {}
    /// A command that is new came; `state.command_line()` is it, and `state` has its configstring.
    fn command(&mut self, _state: &State) {}
    /// A snapshot that could be worked out; `state.snapshot()` is it. `tree` is what was sent.
    fn snapshot(&mut self, _state: &State, _tree: &Snapshot) {}
    /// Everything that a message says has been told.
    fn message_ends(&mut self, _state: &State) {}
    /// Anything that is broken.
    fn damage(&mut self, _damage: Damage) {}
    /// Whether to go on with the next piece.
    fn goes_on(&self) -> bool {
        true
    }
}

/// A recording that is pulled message by message: [`next`](Self::next) reads one; whoever pulls applies it to
/// [`state`](Self::state).
#[derive(Debug, Clone)]
pub struct Playback<'a> {
    bytes: &'a [u8],
    dialect: &'static Dialect,
    frames: Frames<'a>,
    depth: Depth,
    /// The message read last.
    pub message: Message,
    /// Why the message read last cannot be read to its end.
    pub error: Option<Error>,
    /// What the messages applied so far make of the game.
    pub state: State,
}

impl<'a> Playback<'a> {
    /// A recording from its start.
    pub fn new(recording: &Recording<'a>, depth: Depth) -> Self {
        Self::over(recording.bytes(), recording.dialect(), depth)
    }

    fn over(bytes: &'a [u8], dialect: &'static Dialect, depth: Depth) -> Self {
        Playback { bytes, dialect, frames: Frames::new(bytes), depth, message: Message::default(), error: None, state: State::new(dialect) }
    }

    /// The next piece; when it is a message, it is read.
    #[expect(clippy::should_implement_trait, reason = "what was read stands in the fields")]
    pub fn next(&mut self) -> Option<Piece> {
        let piece = self.frames.next()?;
        if let Piece::Message(frame) = &piece {
            let data = &self.bytes[frame.data_offset() as usize..];
            self.error = self.message.read_ahead(data, frame.length as usize, self.dialect, self.depth).err();
        }
        Some(piece)
    }

    /// The time of the snapshot in the message read last. Of one that cannot be read to its end too, so that it does not depend on
    /// how far messages are read.
    fn server_time(&self, frame: &Frame) -> Option<i32> {
        let time = |message: &Message| {
            message.operations.iter().find_map(|operation| match operation {
                Operation::Snapshot(snapshot) => Some(snapshot.server_time),
                _ => None,
            })
        };
        time(&self.message).or_else(|| {
            self.error.as_ref()?;
            let mut head = Message::default();
            head.read_to(self.data(frame), self.dialect, Depth::Commands).ok()?;
            time(&head)
        })
    }

    /// The same walk over more bytes of the recording; see [`Frames::over`].
    pub(crate) fn resume<'b>(self, bytes: &'b [u8], last: bool) -> Playback<'b> {
        let frames = self.frames.over(bytes, last);
        Playback { bytes, dialect: self.dialect, frames, depth: self.depth, message: self.message, error: self.error, state: self.state }
    }

    /// Where the walk is.
    pub(crate) fn place(&self) -> &Frames<'a> {
        &self.frames
    }

    /// Goes on from another place, with the state that it has there.
    pub(crate) fn jump(&mut self, place: &Frames<'_>, state: State) {
        self.frames = place.over(self.bytes, true);
        self.state = state;
        self.error = None;
    }

    /// Goes on with other bytes, whatever came before.
    pub fn go_on(&mut self, bytes: &'a [u8]) {
        self.bytes = bytes;
        self.frames = Frames::new(bytes);
    }

    /// The bytes of a message.
    pub fn data(&self, frame: &Frame) -> &'a [u8] {
        container::data(self.bytes, frame)
    }
}

/// Runs through `bytes` for `listener`. Returns the state at the end.
pub fn run<L: Listener>(bytes: &[u8], dialect: &'static Dialect, listener: &mut L) -> State {
    let mut playback = Playback::over(bytes, dialect, listener.depth());
    let mut ended = false;
    let mut findings = Findings::default();
    while listener.goes_on()
        && let Some(piece) = playback.next()
    {
        match piece {
            Piece::Message(frame) => {
                let server_time = playback.server_time(&frame);
                listener.message(&frame, server_time);
                dispatch(&frame, &playback.message, &mut playback.state, &mut findings, listener);
                if let Some(error) = &playback.error {
                    report(findings.cause(broken_message(error, &frame)), listener);
                }
            }
            Piece::End(_) => ended = true,
            Piece::Opaque(range, fault) => {
                report(findings.cause(container_damage(fault.kind, range.start, fault.rule).skipping(range.start, range.end)), listener);
                ended |= fault.kind == DamageKind::Truncated;
            }
            Piece::Prologue(_) => {}
        }
    }
    report(findings.close(), listener);
    if !ended && listener.goes_on() {
        listener.damage(container_damage(DamageKind::NoEndMarker, bytes.len() as u64, "the mark that ends a recording is missing"));
    }
    playback.state
}

/// Damage of the container, outside of any message.
pub(crate) fn container_damage(kind: DamageKind, offset: u64, rule: &'static str) -> Damage {
    Damage { offset, bit: None, path: String::new(), kind, detail: String::from(rule), skipped: None }
}

/// Damage inside a message: what follows it in the message is passed over.
pub(crate) fn broken_message(error: &Error, frame: &Frame) -> Damage {
    let placed = error.clone().in_message_at(frame.data_offset()).inside("message", Some(frame.number));
    let from = placed.offset().unwrap_or(frame.offset);
    Damage::of(&placed, DamageKind::Message).skipping(from, frame.end())
}

fn report<L: Listener>(finding: Option<Damage>, listener: &mut L) {
    if let Some(damage) = finding {
        listener.damage(damage);
    }
}

/// Set in the snapshots that a server sends before the client is in the game.
const NOT_ACTIVE: u8 = 2;

/// The server's clock as engines watch it: they stop where it falls inside a level. What comes before the client is in the game is
/// not looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ServerTimes {
    last: Option<i32>,
}

impl ServerTimes {
    /// A level begins.
    pub(crate) fn level(&mut self) {
        self.last = None;
    }

    /// The time that a snapshot falls behind.
    pub(crate) fn fallen_behind(&self, snapshot: &Snapshot) -> Option<i32> {
        self.last.filter(|&last| snapshot.server_time < last)
    }

    /// A snapshot is shown.
    pub(crate) fn shown(&mut self, snapshot: &Snapshot) {
        if self.last.is_some() || snapshot.flags & NOT_ACTIVE == 0 {
            self.last = Some(snapshot.server_time);
        }
    }
}

/// A snapshot at which engines stop.
pub(crate) fn falling_time(frame: &Frame, snapshot: &Snapshot, before: i32) -> Damage {
    let mut damage = container_damage(DamageKind::Compatibility, frame.offset, "");
    damage.detail = format!("the snapshot's time {} is before that of the one before, {before}: engines stop here", snapshot.server_time);
    damage.path = format!("message {} › snapshot", frame.number);
    damage.skipping(frame.offset, frame.end())
}

/// A snapshot that cannot be worked out.
pub(crate) fn missing_base(missing: Missing, frame: &Frame) -> Damage {
    let mut damage = container_damage(DamageKind::MissingBase, frame.offset, missing.rule());
    damage.path = format!("message {} › snapshot", frame.number);
    damage.skipping(frame.offset, frame.end())
}

fn dispatch<L: Listener>(frame: &Frame, message: &Message, state: &mut State, findings: &mut Findings, listener: &mut L) {
    for operation in &message.operations {
        match operation {
            Operation::Gamestate(gamestate) => {
                state.apply_gamestate(gamestate);
                listener.gamestate(state, gamestate);
            }
            Operation::ServerCommand(command) => {
                if command.sequence > state.command_sequence() {
                    listener.before_command(state, &command.text);
                }
                if state.apply_command(command) == Command::New {
                    listener.command(state);
                }
            }
            Operation::Snapshot(snapshot) if listener.depth() != Depth::Commands => match state.apply_snapshot(frame.sequence, snapshot) {
                Outcome::Applied => {
                    report(findings.close(), listener);
                    listener.snapshot(state, snapshot);
                }
                Outcome::MissingBase(missing) => {
                    report(findings.consequence(missing_base(missing, frame)), listener);
                }
            },
            _ => {}
        }
    }
    listener.message_ends(state);
}
