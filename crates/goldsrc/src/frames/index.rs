//! Places in a recording from which a walk goes on (`docs/formats/goldsrc.md`, "Frames"): where the blocks are that a level begins with,
//! and, in few bytes, what changed since, with the earlier frames that later ones are deltas against.

use super::FrameSource;
use super::known::PackedPlayers;
use crate::container::body::Eyes;
use crate::state::State;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::Checkpoint;

/// Bytes that a keyframe is expected to take before there is one.
pub(super) const TYPICAL: usize = 12_000;
/// How many frames deltas may refer back to.
const KEPT: u32 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) checkpoint: Checkpoint,
    pub(super) known: PackedPlayers,
    pub(super) fov: Option<f32>,
    pub(super) eyes: Option<Eyes>,
    pub(super) match_clock: MatchClock,
    pub(super) levels: u32,
}

impl Keyframe {
    /// Where it is, with the state there.
    pub(crate) fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }
}

/// A frame that becomes a keyframe once it is known which frames later ones need.
pub struct Draft {
    key: Keyframe,
    state: State,
    needed: Vec<u8>,
}

impl replay::Draft<FrameSource<'_>> for Draft {
    fn at(walk: &mut FrameSource<'_>, _: Option<&Keyframe>) -> Option<Self> {
        walk.bases.clear();
        let state = &walk.playback.state;
        let checkpoint = walk.playback.checkpoint(state.packed(&[]))?;
        let key = Keyframe { checkpoint, known: walk.filler.known(), fov: walk.fov, eyes: walk.eyes, match_clock: walk.match_clock, levels: walk.levels };
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
        let size = key.checkpoint.bytes_beside(before.map(|key| &key.checkpoint)) + key.known.bytes();
        (key, size)
    }
}
