//! Places in a recording from which a walk goes on (`docs/formats/quake2.md`, "Frames"): the state after a frame in few bytes, with the
//! earlier frames that later ones are deltas against.

use model::{Milliseconds, When};
use replay::{Key, Keyframes};

use super::Frames;
use super::heard::Heard;
use crate::playback::Place;
use crate::state::{Packed, State};

/// Bytes that a keyframe is expected to take before there is one.
const TYPICAL: usize = 8000;
/// Frames behind which none is a delta against one before the keyframe: engines keep 16.
const KEPT: u64 = 64;

/// The keyframes of a recording, and its levels.
#[derive(Debug)]
pub(crate) struct Index {
    keys: Keyframes<Keyframe>,
    levels: Vec<Level>,
}

#[derive(Debug)]
pub(super) struct Keyframe {
    pub place: Place,
    pub heard: Heard,
    server: Milliseconds,
}

/// Frames over which the server's clock does not start again: numbers and server times of the first and the last.
#[derive(Debug, Clone, Copy)]
struct Level {
    first: u32,
    last: u32,
    from: Milliseconds,
    to: Milliseconds,
}

/// A frame that becomes a keyframe once it is known which frames later ones need.
struct Draft {
    key: Key<Keyframe>,
    state: State,
    needed: Vec<i32>,
}

impl Index {
    /// Walks over a recording once.
    pub(super) fn of(frames: &Frames<'_>) -> Self {
        let mut walk = frames.clone();
        walk.rewind();
        let mut index = Index { keys: Keyframes::expecting(TYPICAL), levels: Vec::new() };
        let mut draft: Option<Draft> = None;
        let mut highest = Milliseconds(i64::MIN);
        while walk.advance().is_some() {
            let state = &walk.playback.state;
            let (number, server) = (walk.number(), state.clock.server_time());
            highest = highest.max(server);
            match index.levels.last_mut().filter(|level| level.to <= server) {
                Some(level) => (level.last, level.to) = (number, server),
                None => index.levels.push(Level { first: number, last: number, from: server, to: server }),
            }
            if let Some(open) = &mut draft {
                let goes_on = open.state.levels == state.levels && state.clock.frames() - open.state.clock.frames() < KEPT;
                open.needed.extend(walk.bases.iter().filter(|_| goes_on));
                if !goes_on {
                    index.close(draft.take(), walk.playback.offset());
                }
            }
            walk.bases.clear();
            if draft.is_none() && index.keys.wants(walk.playback.offset()) {
                let place = walk.playback.place(Packed::of(state, &[], index.keys.last().map(|key| &key.place.state)));
                let keyframe = Keyframe { place, heard: walk.heard.clone(), server };
                let key = Key { number, time: state.clock.time(), highest, keyframe };
                draft = Some(Draft { key, state: state.clone(), needed: Vec::new() });
            }
        }
        index.close(draft, walk.playback.offset());
        index
    }

    fn close(&mut self, draft: Option<Draft>, here: u64) {
        let Some(Draft { mut key, state, mut needed }) = draft else { return };
        needed.sort_unstable();
        needed.dedup();
        let like = self.keys.last().map(|key| &key.place.state);
        key.keyframe.place.state = Packed::of(&state, &needed, like);
        let size = key.keyframe.place.bytes_beside(like) + key.keyframe.heard.bytes();
        self.keys.add(key, size, here);
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.keys.bytes() + self.levels.len() * size_of::<Level>()
    }

    /// The last keyframe before a frame.
    pub(super) fn before_frame(&self, number: u32) -> Option<&Key<Keyframe>> {
        self.keys.before_frame(number)
    }

    /// Of several levels that show a server's time, the last that is nearest.
    fn find_on_server_clock(&self, walk: &mut Frames<'_>, wanted: Milliseconds) -> Option<u32> {
        let mut best: Option<(Milliseconds, u32)> = None;
        for level in self.levels.iter().filter(|level| level.from <= wanted) {
            let found = if level.to <= wanted { Some((level.last, level.to)) } else { self.find_in(walk, level, wanted) };
            best = best.max(found.map(|(number, server)| (server, number)));
        }
        best.map(|(_, number)| number)
    }

    fn find_in(&self, walk: &mut Frames<'_>, level: &Level, wanted: Milliseconds) -> Option<(u32, Milliseconds)> {
        // a keyframe of the level that is not past the time, or else one before the level
        let mut key = self.keys.before_frame(level.last + 1);
        while let Some(last) = key.filter(|key| key.number >= level.first && key.keyframe.server > wanted) {
            key = self.keys.before_frame(last.number);
        }
        last_until(walk, key, |walk| walk.number() < level.first || walk.playback.state.clock.server_time() <= wanted)
    }
}

/// The number of the frame that a time means; 0 for the first.
pub(super) fn find(index: Option<&Index>, walk: &mut Frames<'_>, when: When) -> u32 {
    match when {
        When::Demo(wanted) => {
            let key = index.and_then(|index| index.keys.before(when));
            last_until(walk, key, |walk| walk.playback.state.clock.time() <= wanted).map_or(0, |(number, _)| number)
        }
        When::Server(wanted) => index.and_then(|index| index.find_on_server_clock(walk, wanted)).unwrap_or(0),
    }
}

/// The number and the server's time of the last frame behind a keyframe, or else its own, up to which something holds.
fn last_until(walk: &mut Frames<'_>, key: Option<&Key<Keyframe>>, holds: impl Fn(&Frames<'_>) -> bool) -> Option<(u32, Milliseconds)> {
    walk.enter(key);
    let mut last = key.map(|key| (key.number, key.keyframe.server));
    while walk.advance().is_some() && holds(walk) {
        last = Some((walk.number(), walk.playback.state.clock.server_time()));
    }
    last
}
