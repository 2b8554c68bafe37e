//! Moments of a recording from which a walk can go on (`docs/formats/quake1.md`, "Frames").
//!
//! A keyframe holds the game after a frame, as far as later frames need it; levels, baselines and what people say of themselves are
//! shared between keyframes.

use model::{EntityKinds, FrameOptions, Milliseconds};
use replay::{Key, Keyframes};

use super::Frames;
use crate::container::Container;
use crate::events::MatchWatch;
use crate::playback::Place;

/// Bytes that a keyframe is expected to take before there is one.
const TYPICAL: usize = 2000;
/// How many packets clients keep: what lies further back is no delta base.
const KEPT: u32 = 64;

/// The keyframes of a recording.
pub(crate) type Index = Keyframes<Keyframe>;

#[derive(Debug)]
pub(crate) struct Keyframe {
    pub place: Place,
    pub watch: MatchWatch,
    pub before: Box<[(u32, [f32; 3])]>,
}

/// A frame that becomes a keyframe once it is known which packets later ones start from.
struct Draft {
    key: Key<Keyframe>,
    sequence: u32,
    needed: Vec<u32>,
}

/// Walks over a recording once.
pub(super) fn index(frames: &Frames<'_>) -> Index {
    // whoever asks for entities later wants to know where they were
    let mut walk = frames.recording.frames(FrameOptions::default().entities(EntityKinds::ALL));
    let packets = walk.recording.container() == Container::QuakeWorld;
    let mut index = Index::expecting(TYPICAL);
    let mut draft: Option<Draft> = None;
    let mut highest = Milliseconds(i64::MIN);
    while let Some(at) = walk.step() {
        walk.jumped.clear();
        highest = highest.max(at.server);
        let game = &walk.playback.game;
        let newest = game.world.qw_newest().sequence.unwrap_or_default();
        if let Some(open) = &mut draft {
            let goes_on = packets && open.key.keyframe.place.game.levels == game.levels && newest.wrapping_sub(open.sequence) < KEPT;
            open.needed.extend(game.world.qw_from().filter(|_| goes_on));
            if !goes_on {
                close(&mut index, draft.take(), walk.playback.offset());
            }
        }
        if draft.is_none() && index.wants(walk.playback.offset()) {
            let keyframe = Keyframe { place: walk.playback.place(), watch: walk.watch.clone(), before: walk.before.clone().into() };
            draft = Some(Draft { key: Key { number: at.number, time: at.time, highest, keyframe }, sequence: newest, needed: Vec::new() });
        }
    }
    close(&mut index, draft, walk.playback.offset());
    index
}

fn close(index: &mut Index, draft: Option<Draft>, here: u64) {
    let Some(Draft { mut key, needed, .. }) = draft else { return };
    let Keyframe { place, before, .. } = &mut key.keyframe;
    place.game = place.game.packed(&needed);
    let like = index.last().map(|before| &before.place.game);
    let size = size_of_val(&before[..]) + place.game.bytes_beside(like);
    index.add(key, size, here);
}
