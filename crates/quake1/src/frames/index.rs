//! Keyframes: places in a recording from which a walk can continue (`docs/formats/quake1.md`, "Frames").
//!
//! A keyframe holds the game after a frame, as far as later frames need it. Keyframes share levels, baselines and user info.

use crate::state::Game;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::SavedPosition;

/// The keyframes of a recording.
pub(crate) type Index = fragreel_model::replay::Index<Keyframe>;

/// The expected size of a keyframe in bytes, before there is one.
pub(super) const TYPICAL: usize = 2000;
/// Packets that clients keep. Older ones are never a delta base.
const KEPT: u32 = 64;

#[derive(Debug)]
pub struct Keyframe {
    pub(super) position: SavedPosition,
    pub(super) match_clock: MatchClock,
    pub(super) before: Box<[(u32, [f32; 3])]>,
}

impl Keyframe {
    /// The position in the recording, with the game there.
    pub(crate) fn position(&self) -> &SavedPosition {
        &self.position
    }
}

/// A frame that becomes a keyframe once it is known which packets are delta bases of later ones.
pub struct Draft {
    key: Keyframe,
    sequence: u32,
    needed: Vec<u32>,
}

impl Draft {
    pub(super) fn new(key: Keyframe) -> Self {
        let sequence = newest(&key.position.game);
        Draft { key, sequence, needed: Vec::new() }
    }

    /// Notes the delta bases of a later frame. Returns whether even later frames may need packets of this one; `packets` says whether
    /// the recording has any.
    pub(super) fn follow_game(&mut self, game: &Game, packets: bool) -> bool {
        let continues = packets && self.key.position.game.levels == game.levels && newest(game).wrapping_sub(self.sequence) < KEPT;
        self.needed.extend(game.world.qw_from().filter(|_| continues));
        continues
    }

    /// The keyframe, and its size in bytes beside the one before it.
    pub(super) fn into_keyframe(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, needed, .. } = self;
        key.position.game = key.position.game.packed(&needed);
        let size = size_of_val(&key.before[..]) + key.position.game.bytes_beside(before.map(|before| &before.position.game));
        (key, size)
    }
}

/// The newest packet's number.
fn newest(game: &Game) -> u32 {
    game.world.qw_newest().sequence.unwrap_or_default()
}
