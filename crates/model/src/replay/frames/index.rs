//! Where a walk can go on, and which frames the server's clock shows.

use crate::Milliseconds;

use super::{At, Draft, Frames, Source};
use crate::replay::{Key, Keyframes};

/// The keyframes of a recording, and the runs of its server's clock.
#[derive(Debug)]
pub struct Index<K> {
    pub(super) keys: Keyframes<K>,
    runs: Vec<Run>,
}

/// Frames over which the server's clock does not start again: the first and the last.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: At,
    last: At,
}

impl<K> Index<K> {
    /// Walks over a recording once.
    pub(super) fn of<S: Source<Keyframe = K>>(source: &S) -> Self {
        let mut walk = source.indexing();
        let mut index = Index { keys: Keyframes::expecting(S::TYPICAL), runs: Vec::new() };
        let mut open: Option<(At, Milliseconds, S::Draft)> = None;
        let mut highest = Milliseconds(i64::MIN);
        while let Some(at) = walk.advance() {
            highest = highest.max(at.server_time);
            match index.runs.last_mut().filter(|run| run.last.server_time <= at.server_time) {
                Some(run) => run.last = at,
                None => index.runs.push(Run { first: at, last: at }),
            }
            if open.as_mut().is_some_and(|(.., draft)| !draft.follow(&mut walk)) {
                index.close::<S>(open.take(), walk.offset());
            }
            if open.is_none() && index.keys.wants(walk.offset()) {
                open = S::Draft::at(&mut walk, index.keys.last()).map(|draft| (at, highest, draft));
            }
        }
        index.close::<S>(open, walk.offset());
        index
    }

    fn close<S: Source<Keyframe = K>>(&mut self, open: Option<(At, Milliseconds, S::Draft)>, here: u64) {
        let Some((at, highest, draft)) = open else { return };
        let (keyframe, bytes) = draft.finish(self.keys.last());
        self.keys.add(Key { at, highest, keyframe }, bytes, here);
    }

    /// The last keyframe whose frame came with this message of the container, or an earlier one.
    pub fn upto(&self, message: u32) -> Option<&Key<K>> {
        self.keys.upto(message)
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.keys.bytes() + size_of_val(&self.runs[..])
    }

    /// The last frame until a time of the server's; of several runs of its clock that show the time, in the last that comes nearest.
    pub(super) fn on_server_clock<S: Source<Keyframe = K>>(&self, walk: &mut Frames<S, K>, time: Milliseconds) -> Option<At> {
        let found = self.runs.iter().filter(|run| run.first.server_time <= time);
        let found = found.filter_map(|run| if run.last.server_time <= time { Some(run.last) } else { self.within(run, walk, time) });
        found.max_by_key(|at| (at.server_time, at.number))
    }

    fn within<S: Source<Keyframe = K>>(&self, run: &Run, walk: &mut Frames<S, K>, time: Milliseconds) -> Option<At> {
        // a keyframe of the run that is not past the time, or else one before the run
        let mut key = self.keys.before_frame(run.last.number.saturating_add(1));
        while let Some(last) = key.filter(|key| key.at.number >= run.first.number && key.at.server_time > time) {
            key = self.keys.before_frame(last.at.number);
        }
        walk.last_until(key, |at| at.number < run.first.number || at.server_time <= time)
    }
}
