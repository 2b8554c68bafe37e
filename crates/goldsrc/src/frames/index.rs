//! Keyframes, from which a walk can continue (`docs/formats/goldsrc.md`, "Frames"). A keyframe refers to the blocks that start the level. It
//! holds the changes since then, packed, and the earlier frames that later deltas need.

use super::FrameSource;
use super::players::PackedPlayers;
use crate::container::body::Eyes;
use crate::state::State;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::Checkpoint;

/// Expected bytes of a keyframe, before one has been measured.
pub(super) const TYPICAL: usize = 12_000;
/// How many frames back a delta may refer.
const KEPT: u32 = 64;

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
    key: Keyframe,
    state: State,
    needed: Vec<u8>,
}

impl fragreel_model::replay::Draft<FrameSource<'_>> for Draft {
    fn at(walk: &mut FrameSource<'_>, _: Option<&Keyframe>) -> Option<Self> {
        walk.bases.clear();
        let state = &walk.playback.state;
        let checkpoint = walk.playback.checkpoint(state.packed(&[]))?;
        let key =
            Keyframe { checkpoint, players: walk.filler.packed_players(), fov: walk.fov, eyes: walk.eyes, match_clock: walk.match_clock, levels: walk.levels };
        Some(Draft { key, state: state.clone(), needed: Vec::new() })
    }

    fn follow(&mut self, walk: &mut FrameSource<'_>) -> bool {
        let goes_on = self.key.levels == walk.levels && walk.playback.state.sequence().wrapping_sub(self.state.sequence()) < KEPT;
        self.needed.extend(walk.bases.drain(..).filter(|_| goes_on));
        goes_on
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, state, mut needed } = self;
        needed.sort_unstable();
        needed.dedup();
        *key.checkpoint.state_mut() = state.packed(&needed);
        let size = key.checkpoint.bytes_beside(before.map(|key| &key.checkpoint)) + key.players.bytes();
        (key, size)
    }
}
