//! Places in a recording from which a walk goes on (`docs/formats/goldsrc.md`, "Frames"): where the blocks are that a level begins with,
//! and, in few bytes, what changed since, with the earlier frames that later ones are deltas against.

use model::Milliseconds;
use replay::{Key, Keyframes};

use super::known::Packed;
use super::{At, Frames};
use crate::match_clock::MatchClock;
use crate::playback::Place;
use crate::state::State;

/// Bytes that a keyframe is expected to take before there is one.
const TYPICAL: usize = 12_000;
/// How many frames deltas may refer back to.
const KEPT: u32 = 64;

/// The keyframes of a recording.
pub(crate) type Index = Keyframes<Keyframe>;

#[derive(Debug)]
pub(crate) struct Keyframe {
    pub(super) at: At,
    pub(super) place: Place,
    pub(super) known: Packed,
    pub(super) fov: Option<f32>,
    pub(super) match_clock: MatchClock,
    pub(super) levels: u32,
}

/// A frame that becomes a keyframe once it is known which frames later ones need.
struct Draft {
    key: Key<Keyframe>,
    state: State,
    needed: Vec<u8>,
}

/// Walks over a recording once.
pub(super) fn index(frames: &Frames<'_>) -> Index {
    let mut walk = frames.clone();
    walk.rewind();
    let mut index = Index::expecting(TYPICAL);
    let mut draft: Option<Draft> = None;
    let mut highest = Milliseconds(i64::MIN);
    while let Some(at) = walk.advance() {
        highest = highest.max(at.server_time);
        let state = &walk.playback.state;
        if let Some(open) = &mut draft {
            let goes_on = open.key.keyframe.levels == walk.levels && state.sequence().wrapping_sub(open.state.sequence()) < KEPT;
            open.needed.extend(walk.bases.iter().filter(|_| goes_on));
            if !goes_on {
                close(&mut index, draft.take(), walk.playback.offset());
            }
        }
        walk.bases.clear();
        if draft.is_none() && index.wants(walk.playback.offset()) {
            draft = walk.playback.place(state.packed(&[])).map(|place| {
                let keyframe = Keyframe { at, place, known: walk.filler.known(), fov: walk.fov, match_clock: walk.match_clock, levels: walk.levels };
                Draft { key: Key { number: at.number, time: at.time, highest, keyframe }, state: state.clone(), needed: Vec::new() }
            });
        }
    }
    close(&mut index, draft, walk.playback.offset());
    index
}

fn close(index: &mut Index, draft: Option<Draft>, here: u64) {
    let Some(Draft { mut key, state, mut needed }) = draft else { return };
    needed.sort_unstable();
    needed.dedup();
    *key.keyframe.place.state_mut() = state.packed(&needed);
    let size = key.keyframe.place.bytes_beside(index.last().map(|key| &key.place)) + key.keyframe.known.bytes();
    index.add(key, size, here);
}
