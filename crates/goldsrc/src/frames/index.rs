//! Keyframes, from which a walk can continue (`docs/formats/goldsrc.md`, "Frames"). A keyframe refers to the blocks that start the level. It
//! holds the changes since then, packed, and the earlier frames that later deltas need.

use super::players::PackedPlayers;
use crate::container::body::Eyes;
use crate::state::State;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::Checkpoint;

/// Expected bytes of a keyframe, before one has been measured.
pub(super) const TYPICAL: usize = 12_000;
/// How many frames back a delta may refer.
pub(super) const KEPT: u32 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) checkpoint: Checkpoint,
    pub(super) players: PackedPlayers,
    pub(super) fov: Option<f32>,
    pub(super) eyes: Option<Eyes>,
    pub(super) match_clock: MatchClock,
    pub(super) levels: u32,
}

impl Keyframe {
    /// The position of the walk, with its state.
    pub(crate) fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }
}

/// A future keyframe, until the walk knows which frames later deltas need.
pub struct Draft {
    pub(super) key: Keyframe,
    pub(super) state: State,
    pub(super) needed: Vec<u8>,
}
