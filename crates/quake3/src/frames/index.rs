//! Keyframes: places where a walk can start (`docs/formats/quake3-events.md`, "Frames").
//!
//! A keyframe holds the state at a frame in few bytes: the place of the level's gamestate, the strings that changed since, and the encoded
//! snapshots that later ones are deltas against.

use std::sync::Arc;

use fragreel_model::replay::{Clock, Key, Source};

use super::Walk;
use crate::container::{self, Frame};
use crate::encode::canonical;
use crate::message::{Message, Operation};
use crate::state::{STRINGS, SnapshotState, State};
use crate::walk::{Input, Playback};

/// The expected size of a keyframe in bytes, before there is one.
pub(super) const TYPICAL: usize = 6000;
/// How many snapshots engines keep; older ones are no delta bases.
const KEPT: i64 = 32;

#[derive(Debug)]
pub struct Keyframe {
    clock: Clock,
    place: container::Frames<'static>,
    gamestate: Frame,
    strings: Vec<(u16, Arc<[u8]>)>,
    command_sequence: i32,
    big_string: Box<[u8]>,
    /// Full snapshots by sequence, and whether they are uncertain; that of the frame comes last.
    snapshots: Vec<(i32, bool, Box<[u8]>)>,
}

/// A keyframe that still waits for the snapshots that later ones need.
pub struct Draft {
    key: Keyframe,
    levels: u32,
    state: State,
    sequence: i32,
    needed: Vec<i32>,
}

impl fragreel_model::replay::Draft<Walk<'_>> for Draft {
    /// `None` where the gamestate is missing.
    fn at(walk: &mut Walk<'_>, before: Option<&Keyframe>) -> Option<Self> {
        let (state, gamestate) = (&walk.playback.state, walk.gamestate?);
        Some(Draft {
            key: Keyframe {
                clock: walk.clock,
                place: walk.playback.place().over(&[], true),
                gamestate,
                strings: strings(walk, gamestate, before),
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

    fn follow(&mut self, walk: &mut Walk<'_>) -> bool {
        let Some(snapshot) = walk.playback.state.snapshot() else { return true };
        let goes_on = self.levels == walk.levels && i64::from(snapshot.sequence) - i64::from(self.sequence) < KEPT;
        if let Some(base) = snapshot.base.filter(|base| goes_on && *base < self.sequence && !self.needed.contains(base)) {
            self.needed.push(base);
        }
        goes_on
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
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
fn strings(walk: &Walk<'_>, gamestate: Frame, before: Option<&Keyframe>) -> Vec<(u16, Arc<[u8]>)> {
    let (state, begun) = (&walk.playback.state, begun(&walk.input, gamestate));
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

/// Moves a walk to a keyframe. Returns false where the keyframe cannot be decoded.
pub(super) fn enter(walk: &mut Walk<'_>, Key { at, keyframe: key, .. }: &Key<Keyframe>) -> bool {
    walk.rewind();
    if !key.enter(&mut walk.playback, &walk.input) {
        return false;
    }
    walk.clock = key.clock;
    (walk.count, walk.levels) = (at.number + 1, at.level + 1);
    walk.gamestate = Some(key.gamestate);
    walk.enter_level();
    true
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
