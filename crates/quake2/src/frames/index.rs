//! Places in a recording from which a walk goes on (`docs/formats/quake2.md`, "Frames"): the state after a frame in few bytes, with the
//! earlier frames that later ones are deltas against.

use super::Walk;
use super::server_info::ServerInfo;
use crate::state::{Packed, State};
use crate::walk::Checkpoint;

/// Bytes that a keyframe is expected to take before there is one.
pub(super) const TYPICAL: usize = 8000;
/// Frames behind which none is a delta against one before the keyframe: engines keep 16.
const KEPT: u64 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) checkpoint: Checkpoint,
    pub(super) server_info: ServerInfo,
}

/// A frame that becomes a keyframe once it is known which frames later ones need.
pub struct Draft {
    key: Keyframe,
    state: State,
    needed: Vec<i32>,
}

impl replay::Draft<Walk<'_>> for Draft {
    fn at(walk: &mut Walk<'_>, before: Option<&Keyframe>) -> Option<Self> {
        walk.bases.clear();
        let state = &walk.playback.state;
        let checkpoint = walk.playback.checkpoint(Packed::of(state, &[], before.map(|key| &key.checkpoint.state)));
        Some(Draft { key: Keyframe { checkpoint, server_info: walk.server_info.clone() }, state: state.clone(), needed: Vec::new() })
    }

    fn follow(&mut self, walk: &mut Walk<'_>) -> bool {
        let state = &walk.playback.state;
        let goes_on = self.state.levels == state.levels && state.clock.frames() - self.state.clock.frames() < KEPT;
        self.needed.extend(walk.bases.drain(..).filter(|_| goes_on));
        goes_on
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, state, mut needed } = self;
        needed.sort_unstable();
        needed.dedup();
        let like = before.map(|key| &key.checkpoint.state);
        key.checkpoint.state = Packed::of(&state, &needed, like);
        let size = key.checkpoint.bytes_beside(like) + key.server_info.bytes();
        (key, size)
    }
}
