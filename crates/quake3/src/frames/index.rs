//! Keyframes: places where a walk can start (`docs/formats/quake3-events.md`, "Frames").
//!
//! A keyframe holds the state at a frame in few bytes: the place of the level's gamestate, the strings that changed since, and the encoded
//! snapshots that later ones are deltas against.

use std::sync::Arc;

use fragreel_model::replay::Clock;

use crate::container::{self, Frame};
use crate::encode::canonical;
use crate::message::{Message, Operation};
use crate::state::{STRINGS, SnapshotState, State};
use crate::walk::{Input, Playback};

/// The expected size of a keyframe in bytes, before there is one.
pub(super) const TYPICAL: usize = 6000;
/// How many snapshots engines keep; older ones are no delta bases.
pub(super) const KEPT: i64 = 32;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) clock: Clock,
    pub(super) place: container::Frames<'static>,
    pub(super) gamestate: Frame,
    pub(super) strings: Vec<(u16, Arc<[u8]>)>,
    pub(super) command_sequence: i32,
    pub(super) big_string: Box<[u8]>,
    /// Full snapshots by sequence, and whether they are uncertain; that of the frame comes last.
    pub(super) snapshots: Vec<(i32, bool, Box<[u8]>)>,
}

/// A keyframe that still waits for the snapshots that later ones need.
pub struct Draft {
    pub(super) key: Keyframe,
    pub(super) levels: u32,
    pub(super) state: State,
    pub(super) sequence: i32,
    pub(super) needed: Vec<i32>,
}

impl Draft {
    /// Keeps the needed snapshots, encoded. Returns the keyframe and its size in bytes, without what `before` shares.
    pub(super) fn encoded(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, state, sequence, mut needed, .. } = self;
        needed.sort_unstable();
        needed.push(sequence);
        for sequence in needed {
            // a missing base was not decoded
            let Some(snapshot) = canonical::whole(&state, sequence) else { continue };
            let uncertain = state.kept(sequence).is_some_and(SnapshotState::is_uncertain);
            let mut message = Message { operations: vec![Operation::Snapshot(Box::new(snapshot))], end: Some(crate::message::op::EOF), ..Message::default() };
            key.snapshots.push((sequence, uncertain, message.write_anew(state.dialect()).into()));
        }
        let shared = before.map_or(&[][..], |key| &key.strings);
        let own = key.strings.iter().filter(|(_, text)| !shared.iter().any(|(_, known)| Arc::ptr_eq(known, text)));
        let text: usize = own.map(|(_, text)| text.len() + 16).sum();
        let entries = key.strings.len() * size_of::<(u16, Arc<[u8]>)>();
        let snapshots: usize = key.snapshots.iter().map(|(.., bytes)| bytes.len() + size_of::<(i32, bool, Box<[u8]>)>()).sum();
        let size = text + entries + snapshots + key.big_string.len();
        (key, size)
    }
}

/// The strings that changed since the gamestate; those of the keyframe before are shared.
pub(super) fn strings(state: &State, input: &Input<'_>, gamestate: Frame, before: Option<&Keyframe>) -> Vec<(u16, Arc<[u8]>)> {
    let begun = begun(input, gamestate);
    let before = before.filter(|key| key.gamestate == gamestate);
    let changed = (0..STRINGS).filter(|&index| state.string(index) != begun.string(index));
    changed
        .map(|index| {
            let text = state.string(index);
            let known = before.and_then(|key| key.strings.iter().find(|(at, known)| usize::from(*at) == index && **known == *text));
            (index as u16, known.map_or_else(|| Arc::from(text), |(_, known)| known.clone()))
        })
        .collect()
}

impl Keyframe {
    /// The message with the level's gamestate.
    pub(crate) fn gamestate(&self) -> Frame {
        self.gamestate
    }

    /// Whether a big configstring is incomplete here.
    pub(crate) fn is_inside_big_string(&self) -> bool {
        !self.big_string.is_empty()
    }

    /// Moves a playback of the same recording here. Returns false where the keyframe cannot be decoded.
    pub(crate) fn enter(&self, playback: &mut Playback<'_>, input: &Input<'_>) -> bool {
        let mut state = begun(input, self.gamestate);
        state.restore(self.strings.iter().map(|(index, text)| (usize::from(*index), &**text)), self.command_sequence, &self.big_string);
        let mut message = Message::default();
        for (sequence, uncertain, bytes) in &self.snapshots {
            if message.read(bytes, state.dialect()).is_err() {
                return false;
            }
            state.apply_message(*sequence, &message);
            if *uncertain {
                state.make_uncertain(*sequence);
            }
        }
        playback.jump(&self.place, state);
        true
    }
}

/// The state at the start of a level.
fn begun(input: &Input<'_>, gamestate: Frame) -> State {
    let mut state = State::new(input.dialect);
    let mut message = Message::default();
    let _ = message.read(container::data(input.bytes, &gamestate), input.dialect);
    for operation in message.operations.iter().filter(|operation| matches!(operation, Operation::Gamestate(_))) {
        state.apply(gamestate.sequence, operation);
    }
    state
}
