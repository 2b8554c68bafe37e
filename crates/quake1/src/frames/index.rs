//! Moments of a recording from which a walk can go on (`docs/formats/quake1.md`, "Frames").
//!
//! A keyframe holds the game after a frame, as far as later frames need it; levels, baselines and what people say of themselves are
//! shared between keyframes.

use model::{Milliseconds, When};

use super::{At, Frames};
use crate::container::Container;
use crate::events::MatchWatch;
use crate::playback::Place;

/// Keyframes take at most one byte of this many of the recording.
const SHARE: usize = 20;
/// Bytes of the recording between keyframes, at least.
const SPACING: u64 = 32 * 1024;
/// Bytes that a keyframe is expected to take before there is one.
const TYPICAL: usize = 2000;
/// How many packets clients keep: what lies further back is no delta base.
const KEPT: u32 = 64;

/// The keyframes of a recording, by time.
#[derive(Debug, Default)]
pub(super) struct Index {
    keys: Vec<Keyframe>,
    bytes: usize,
    /// The largest keyframe.
    largest: usize,
}

#[derive(Debug)]
pub(super) struct Keyframe {
    pub at: At,
    /// The highest server time up to here.
    highest: Milliseconds,
    pub place: Place,
    pub watch: MatchWatch,
    pub before: Box<[(u32, [f32; 3])]>,
}

/// A frame that becomes a keyframe once it is known which packets later ones start from.
struct Draft {
    key: Keyframe,
    sequence: u32,
    needed: Vec<u32>,
}

impl Index {
    /// Walks over a recording once.
    pub(super) fn of(frames: &Frames<'_>) -> Self {
        let mut walk = frames.clone();
        walk.rewind();
        let packets = walk.recording.container() == Container::QuakeWorld;
        let mut index = Index::default();
        let mut draft: Option<Draft> = None;
        let (mut next, mut highest) = (SPACING, Milliseconds(i64::MIN));
        while let Some(at) = walk.step() {
            walk.jumped.clear();
            highest = highest.max(at.server);
            let game = &walk.playback.game;
            let newest = game.world.qw_newest().sequence.unwrap_or_default();
            if let Some(open) = &mut draft {
                let goes_on = packets && open.key.place.game.levels == game.levels && newest.wrapping_sub(open.sequence) < KEPT;
                open.needed.extend(game.world.qw_from().filter(|_| goes_on));
                if !goes_on {
                    index.close(draft.take(), walk.playback.offset());
                }
            }
            let here = walk.playback.offset();
            // another keyframe takes about what the largest so far did
            let affordable = (index.bytes + index.largest.max(TYPICAL)) * SHARE <= here as usize;
            if draft.is_none() && here >= next && affordable {
                next = here + SPACING;
                let key = Keyframe { at, highest, place: walk.playback.place(), watch: walk.watch.clone(), before: walk.before.clone().into() };
                draft = Some(Draft { key, sequence: newest, needed: Vec::new() });
            }
        }
        index.close(draft, walk.playback.offset());
        index
    }

    fn close(&mut self, draft: Option<Draft>, here: u64) {
        let Some(Draft { mut key, needed, .. }) = draft else { return };
        key.place.game = key.place.game.packed(&needed);
        let like = self.keys.last().map(|before| &before.place.game);
        let size = size_of::<Keyframe>() + size_of_val(&key.before[..]) + key.place.game.bytes_beside(like);
        self.largest = self.largest.max(size);
        if (self.bytes + size) * SHARE <= here as usize {
            self.bytes += size;
            self.keys.push(key);
        }
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last keyframe that is not behind what a time means.
    pub(super) fn before(&self, when: When) -> Option<&Keyframe> {
        let count = match when {
            When::Demo(wanted) => self.keys.partition_point(|key| key.at.time <= wanted),
            // the first frame past the time ends the search, so it must not lie before the keyframe
            When::Server(wanted) => self.keys.partition_point(|key| key.highest <= wanted),
        };
        self.keys.get(count.checked_sub(1)?)
    }

    /// The last keyframe before a frame.
    pub(super) fn before_frame(&self, number: u32) -> Option<&Keyframe> {
        self.keys.get(self.keys.partition_point(|key| key.at.number < number).checked_sub(1)?)
    }
}
