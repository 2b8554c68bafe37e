//! Moments of a recording from which a walk can go on (`docs/formats/quake1.md`, "Frames").
//!
//! A keyframe holds the game after a frame, as far as later frames need it; levels, baselines and what people say of themselves are
//! shared between keyframes.

use crate::container::Container;
use crate::frames::FrameWalk;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::SavedPosition;

/// Bytes that a keyframe is expected to take before there is one.
pub(super) const TYPICAL: usize = 2000;
/// How many packets clients keep: what lies further back is no delta base.
const KEPT: u32 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) position: SavedPosition,
    pub(super) match_clock: MatchClock,
    pub(super) before: Box<[(u32, [f32; 3])]>,
}

impl Keyframe {
    /// Where it is, with the game as it is there.
    pub(crate) fn position(&self) -> &SavedPosition {
        &self.position
    }
}

/// A frame that becomes a keyframe once it is known which packets later ones start from.
pub struct Draft {
    key: Keyframe,
    sequence: u32,
    needed: Vec<u32>,
}

impl replay::Draft<FrameWalk<'_>> for Draft {
    fn at(walk: &mut FrameWalk<'_>, _: Option<&Keyframe>) -> Option<Self> {
        let key = Keyframe { position: walk.playback.position(), match_clock: walk.match_clock.clone(), before: walk.before.clone().into() };
        Some(Draft { key, sequence: newest(walk), needed: Vec::new() })
    }

    fn follow(&mut self, walk: &mut FrameWalk<'_>) -> bool {
        let game = &walk.playback.game;
        let packets = walk.input.container == Container::QuakeWorld;
        let goes_on = packets && self.key.position.game.levels == game.levels && newest(walk).wrapping_sub(self.sequence) < KEPT;
        self.needed.extend(game.world.qw_from().filter(|_| goes_on));
        goes_on
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, needed, .. } = self;
        key.position.game = key.position.game.packed(&needed);
        let size = size_of_val(&key.before[..]) + key.position.game.bytes_beside(before.map(|before| &before.position.game));
        (key, size)
    }
}

/// The newest packet's number.
fn newest(walk: &FrameWalk<'_>) -> u32 {
    walk.playback.game.world.qw_newest().sequence.unwrap_or_default()
}
