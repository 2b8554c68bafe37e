//! Keyframes (`docs/formats/quake2.md`, "Frames"): the packed state after a frame, with the earlier frames that later ones are deltas
//! against.

use super::Walk;
use super::server_info::ServerInfo;
use crate::state::{Packed, State};
use crate::walk::Checkpoint;

/// The expected size of a keyframe in bytes, before there is one.
pub(super) const TYPICAL: usize = 8000;
/// The number of frames after which no frame is a delta against one before the keyframe. Engines keep 16.
const KEPT: u64 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) checkpoint: Checkpoint,
    pub(super) server_info: ServerInfo,
}

/// A future keyframe, while the frames that later ones need are collected.
pub struct Draft {
    key: Keyframe,
    state: State,
    needed: Vec<i32>,
}

impl fragreel_model::replay::Draft<Walk<'_>> for Draft {
    fn at(walk: &mut Walk<'_>, before: Option<&Keyframe>) -> Option<Self> {
        walk.bases.clear();
        let state = &walk.playback.state;
        let checkpoint = walk.playback.checkpoint(Packed::of(state, &[], before.map(|key| &key.checkpoint.state)));
        Some(Draft { key: Keyframe { checkpoint, server_info: walk.server_info.clone() }, state: state.clone(), needed: Vec::new() })
    }

    fn follow(&mut self, walk: &mut Walk<'_>) -> bool {
        let state = &walk.playback.state;
        let continues = self.state.levels == state.levels && state.clock.frames() - self.state.clock.frames() < KEPT;
        self.needed.extend(walk.bases.drain(..).filter(|_| continues));
        continues
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
