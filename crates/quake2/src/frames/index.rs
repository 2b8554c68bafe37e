//! Keyframes (`docs/formats/quake2.md`, "Frames"): the packed state after a frame, with the earlier frames that later ones are deltas
//! against.

use super::server_info::ServerInfo;
use crate::state::State;
use crate::walk::Checkpoint;

/// The expected size of a keyframe in bytes, before there is one.
pub(super) const TYPICAL: usize = 8000;
/// The number of frames after which no frame is a delta against one before the keyframe. Engines keep 16.
pub(super) const KEPT: u64 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) checkpoint: Checkpoint,
    pub(super) server_info: ServerInfo,
}

/// A future keyframe, while the frames that later ones need are collected.
pub struct Draft {
    pub(super) key: Keyframe,
    pub(super) state: State,
    pub(super) needed: Vec<i32>,
}
