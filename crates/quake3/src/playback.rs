//! A recording from start to end: the loop that every question shares.

use model::{Damage, DamageKind};
use wire::Error;

use crate::container::{Frame, Frames, Piece};
use crate::dialect::Dialect;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Command, Outcome, State};

/// What a question wants to hear. Everything has a default that ignores it.
pub trait Listener {
    /// How far messages must be read. [`Depth::Commands`] skips what lies inside snapshots and leaves
    /// [`snapshot`](Self::snapshot) uncalled.
    const DEPTH: Depth = Depth::Whole;

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

/// Runs through `bytes` and tells `listener`. Returns the state at the end.
pub fn run<L: Listener>(bytes: &[u8], dialect: &'static Dialect, listener: &mut L) -> State {
    let mut state = State::new(dialect);
    let mut message = Message::default();
    let mut ended = false;
    for piece in Frames::new(bytes) {
        if !listener.goes_on() {
            return state;
        }
        match piece {
            Piece::Message(frame) => {
                let data = &bytes[frame.data_offset() as usize..];
                let result = message.read_ahead(data, frame.length as usize, dialect, L::DEPTH);
                tell(&frame, &message, &mut state, listener);
                if let Err(error) = result {
                    listener.damage(broken_message(&error, &frame));
                }
            }
            Piece::End(_) => ended = true,
            Piece::Opaque(range, fault) => {
                listener.damage(container_damage(fault.kind, range.start, fault.rule).skipping(range.start, range.end));
                ended |= fault.kind == DamageKind::Truncated;
            }
            Piece::Prologue(_) => {}
        }
    }
    if !ended && listener.goes_on() {
        listener.damage(container_damage(DamageKind::NoEndMarker, bytes.len() as u64, "the mark that ends a recording is missing"));
    }
    state
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

fn tell<L: Listener>(frame: &Frame, message: &Message, state: &mut State, listener: &mut L) {
    let server_time = message.operations.iter().find_map(|operation| match operation {
        Operation::Snapshot(snapshot) => Some(snapshot.server_time),
        _ => None,
    });
    listener.message(frame, server_time);
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
            Operation::Snapshot(snapshot) if L::DEPTH == Depth::Whole => match state.apply_snapshot(frame.sequence, snapshot) {
                Outcome::Applied => listener.snapshot(state, snapshot),
                Outcome::MissingBase(missing) => {
                    let mut damage = container_damage(DamageKind::MissingBase, frame.offset, missing.rule());
                    damage.path = format!("message {} › snapshot", frame.number);
                    listener.damage(damage.skipping(frame.offset, frame.end()));
                }
            },
            _ => {}
        }
    }
    listener.message_ends(state);
}
