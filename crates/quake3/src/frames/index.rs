//! Moments of a recording from which a walk can go on (`docs/formats/quake3-events.md`, "Frames").
//!
//! A keyframe holds what a walk knows at a frame, as small as it can be said: where the level's gamestate is, the strings that are not
//! that gamestate's, and, encoded, the few snapshots that later ones are deltas against.

use std::sync::Arc;

use model::{Milliseconds, When};
use replay::{Clock, Key, Keyframes};

use super::{At, Frames};
use crate::canonical;
use crate::container::{self, Frame};
use crate::message::{Message, Operation};
use crate::state::{STRINGS, State};

/// Bytes that a keyframe is expected to take before there is one.
const TYPICAL: usize = 6000;
/// How many snapshots engines keep: what lies further back is no delta base.
const KEPT: i64 = 32;

/// The keyframes of a recording.
#[derive(Debug)]
pub(crate) struct Index(Keyframes<Keyframe>);

#[derive(Debug)]
struct Keyframe {
    at: At,
    clock: Clock,
    place: container::Frames<'static>,
    gamestate: Frame,
    strings: Vec<(u16, Arc<[u8]>)>,
    command_sequence: i32,
    big_string: Box<[u8]>,
    /// Snapshots in full by sequence, the frame's own last.
    snapshots: Vec<(i32, Box<[u8]>)>,
}

/// A frame that becomes a keyframe once it is known which snapshots later ones need.
struct Draft {
    key: Keyframe,
    state: State,
    sequence: i32,
    needed: Vec<i32>,
}

impl Index {
    /// Walks over a recording once.
    pub(super) fn of(frames: &Frames<'_>) -> Self {
        let mut walk = frames.clone();
        walk.rewind();
        let mut index = Index(Keyframes::expecting(TYPICAL));
        let mut draft: Option<Draft> = None;
        while let Some(at) = walk.advance() {
            let Some(snapshot) = walk.playback.state.snapshot() else { continue };
            let (sequence, base) = (snapshot.sequence, snapshot.base);
            if let Some(open) = &mut draft {
                let goes_on = open.key.at.level == at.level && i64::from(sequence) - i64::from(open.sequence) < KEPT;
                if let Some(base) = base.filter(|base| goes_on && *base < open.sequence && !open.needed.contains(base)) {
                    open.needed.push(base);
                }
                if !goes_on {
                    index.close(draft.take(), walk.playback.place().offset());
                }
            }
            if draft.is_none() && index.0.wants(walk.playback.place().offset()) {
                draft = walk.gamestate.map(|gamestate| Draft {
                    key: Keyframe {
                        at,
                        clock: walk.clock,
                        place: walk.playback.place().over(&[], true),
                        gamestate,
                        strings: index.strings(&walk, gamestate),
                        command_sequence: walk.playback.state.command_sequence(),
                        big_string: walk.playback.state.big_string().into(),
                        snapshots: Vec::new(),
                    },
                    state: walk.playback.state.clone(),
                    sequence,
                    needed: Vec::new(),
                });
            }
        }
        index.close(draft, walk.playback.place().offset());
        index
    }

    /// The strings that are not those of the gamestate; those of the keyframe before are shared.
    fn strings(&self, walk: &Frames<'_>, gamestate: Frame) -> Vec<(u16, Arc<[u8]>)> {
        let (state, begun) = (&walk.playback.state, begun(walk, gamestate));
        let before = self.0.last().filter(|key| key.gamestate == gamestate);
        let changed = (0..STRINGS).filter(|&index| state.string(index) != begun.string(index));
        changed
            .map(|index| {
                let text = state.string(index);
                let known = before.and_then(|key| key.strings.iter().find(|(at, known)| usize::from(*at) == index && **known == *text));
                (index as u16, known.map_or_else(|| Arc::from(text), |(_, known)| known.clone()))
            })
            .collect()
    }

    fn close(&mut self, draft: Option<Draft>, here: u64) {
        let Some(Draft { mut key, state, sequence, mut needed }) = draft else { return };
        needed.sort_unstable();
        needed.push(sequence);
        for sequence in needed {
            // a base that is not there was no base
            let Some(snapshot) = canonical::whole(&state, sequence) else { continue };
            let mut message = Message { operations: vec![Operation::Snapshot(Box::new(snapshot))], end: Some(crate::message::op::EOF), ..Message::default() };
            key.snapshots.push((sequence, message.write_anew(state.dialect()).into()));
        }
        let shared = self.0.last().map_or(&[][..], |key| &key.strings);
        let own = key.strings.iter().filter(|(_, text)| !shared.iter().any(|(_, known)| Arc::ptr_eq(known, text)));
        let text: usize = own.map(|(_, text)| text.len() + 16).sum();
        let entries = key.strings.len() * size_of::<(u16, Arc<[u8]>)>();
        let snapshots: usize = key.snapshots.iter().map(|(_, bytes)| bytes.len() + size_of::<(i32, Box<[u8]>)>()).sum();
        let size = text + entries + snapshots + key.big_string.len();
        let highest = Milliseconds(key.at.highest.into());
        self.0.add(Key { number: key.at.number, time: key.at.time, highest, keyframe: key }, size, here);
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Brings a walk that was just rewound as near to a time as a keyframe is. Its frame is returned: it is the next one, should none
    /// later be meant.
    pub(super) fn enter(&self, walk: &mut Frames<'_>, when: When) -> Option<At> {
        let key = &self.0.before(when)?.keyframe;
        let mut state = begun(walk, key.gamestate);
        state.restore(key.strings.iter().map(|(index, text)| (usize::from(*index), &**text)), key.command_sequence, &key.big_string);
        let mut message = Message::default();
        for (sequence, bytes) in &key.snapshots {
            message.read(bytes, state.dialect()).ok()?;
            for operation in &message.operations {
                if let Operation::Snapshot(snapshot) = operation {
                    state.apply_snapshot(*sequence, snapshot);
                }
            }
        }
        walk.playback.jump(&key.place, state);
        walk.clock = key.clock;
        (walk.count, walk.levels, walk.highest) = (key.at.number + 1, key.at.level + 1, key.at.highest);
        walk.gamestate = Some(key.gamestate);
        walk.enter_level();
        Some(key.at)
    }
}

/// The state that a level begins with.
fn begun(walk: &Frames<'_>, gamestate: Frame) -> State {
    let mut state = State::new(walk.recording.dialect());
    let mut message = Message::default();
    let _ = message.read(container::data(walk.recording.bytes(), &gamestate), walk.recording.dialect());
    for operation in &message.operations {
        if let Operation::Gamestate(gamestate) = operation {
            state.apply_gamestate(gamestate);
        }
    }
    state
}
