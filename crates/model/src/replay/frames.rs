//! A walk over the frames of a recording: what it is asked for, where it goes on, and what a time means, for all families alike.

mod at;
mod index;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use fragreel_base::wire::Chunk;

use crate::{Damage, Frame, FrameOptions, Happening, Happenings, Look, Milliseconds, Subject, Value, When};

use crate::replay::{Choice, Key, LazyIndex, Sampler};
pub use at::At;
pub use index::Index;

/// What a family gives of a walk over its frames. [`Frames`] is the rest.
pub trait Source: Clone {
    /// What a walk needs to go on behind a frame, in few bytes.
    type Keyframe;
    /// A keyframe in the making.
    type Draft: Draft<Self>;
    /// The same over other bytes.
    type Over<'b>: Source<Keyframe = Self::Keyframe>;

    /// Bytes that a keyframe is expected to take before there is one.
    const TYPICAL: usize;

    /// Plays on to the next frame.
    fn advance(&mut self) -> Option<At>;
    /// Puts the frame that the walk stands at into `frame`.
    fn fill(&mut self, at: &At, frame: &mut Frame);
    /// Leaves the frame that the walk stands at behind, on the way to one that was sought: what jumped shows by the frame before. `frame` may be
    /// used for it.
    fn pass(&mut self, _at: &At, _frame: &mut Frame) {}
    /// Whether no frame behind the one that the walk stands at is at or before a time on the recording's clock; `None` where only playing on shows.
    fn is_last_until(&self, _time: Milliseconds) -> Option<bool> {
        None
    }
    /// A field of the frame that the walk stands at, by the game's own name.
    fn raw(&self, subject: Subject, field: &str) -> Option<Value>;
    /// Adds what is drawn at the frame that the walk stands at, once it was put into a frame.
    fn looks(&mut self, looks: &mut Vec<Look>);
    /// What happened on the way, where that is asked for.
    fn happenings(&mut self) -> &mut Happenings;
    /// The damage met so far.
    fn damage(&self) -> &[Damage];

    /// Goes back to the start.
    fn rewind(&mut self);
    /// Goes to a keyframe, so that the next frame is the one behind it. Returns whether it could; if not, the walk has to be rewound.
    fn enter(&mut self, key: &Key<Self::Keyframe>) -> bool;
    /// The same walk over another chunk of the recording.
    fn over<'b>(self, chunk: Chunk<'b>) -> Self::Over<'b>;

    /// A walk from the start that notices whatever a keyframe holds.
    fn indexing(&self) -> Self {
        let mut walk = self.clone();
        walk.rewind();
        walk
    }
    /// Bytes of the recording behind the walk.
    fn offset(&self) -> u64;
    /// The first byte that the next chunk must hold.
    fn needed(&self) -> u64 {
        self.offset()
    }
}

/// A frame that becomes a keyframe once it is known which frames later ones are deltas against.
pub trait Draft<S: Source>: Sized {
    /// What is known at the frame that the walk stands at. `before` is the last keyframe that there is. `None` where none can be made.
    fn at(walk: &mut S, before: Option<&S::Keyframe>) -> Option<Self>;
    /// Notes which frames the one that the walk stands at needs. Returns whether later ones may still need any from before the draft.
    fn follow(&mut self, walk: &mut S) -> bool;
    /// The keyframe, and the bytes that it takes beside the one before.
    fn finish(self, before: Option<&S::Keyframe>) -> (S::Keyframe, usize);
}

/// A walk over the frames of a recording: every frame that can be rebuilt. It can be stopped anywhere, cloned, and sent to another thread.
#[derive(Debug)]
pub struct Frames<S, K> {
    source: S,
    /// The keyframes, which all walks over the recording share. The first seek makes them.
    index: Arc<LazyIndex<Index<K>>>,
    pace: Sampler,
    /// A frame that is due before the walk goes on: the one that was sought.
    due: Option<At>,
    /// Whether the bytes that the walk has give no more.
    done: bool,
    /// Whether the options ask for no later frame.
    over: bool,
}

/// Frames after which a walk is copied, at least.
const COPY_AFTER: u32 = 256;

impl<K, S: Source<Keyframe = K>> Frames<S, K> {
    /// The frames of a walk that stands at the start, as `options` ask for them. `index` is shared by all walks over the recording.
    pub fn new(source: S, index: &Arc<LazyIndex<Index<K>>>, options: &FrameOptions) -> Self {
        Frames { source, index: index.clone(), pace: Sampler::new(options), due: None, done: false, over: false }
    }

    /// What the family knows of the frame that the walk stands at.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Puts the next frame into `frame`, whose room is used again. Returns whether there was one.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if let Some(at) = self.due.take() {
            self.source.fill(&at, frame);
            return true;
        }
        while !self.done && !self.over {
            let Some(at) = self.source.advance() else {
                self.done = true;
                break;
            };
            match self.pace.choose(&at) {
                Choice::Take => {
                    self.source.fill(&at, frame);
                    return true;
                }
                Choice::Skip => {}
                Choice::Done => self.over = true,
            }
        }
        false
    }

    /// Passes over the frames before a time since the first frame, from here on until the walk seeks or is rewound: nothing is put into a frame for them.
    pub fn skip_until(&mut self, time: Milliseconds) {
        self.pace.skip_until(time);
    }

    /// Goes to the last frame at or before `when`, or the first frame for earlier times; it is the next one then, whatever the options'
    /// times say. Where several levels show a time of the server's, the last that comes nearest is meant. Returns whether there is one. The first time this
    /// walks over the whole recording and makes an index of it, which takes at most a twentieth of the recording's size; from then on it is quick.
    pub fn seek(&mut self, when: When) -> bool {
        let shared = self.index.clone();
        let index = shared.get_or_make(|| Index::of(&self.source));
        let found = self.go(Some(index), when, true);
        // nothing of what happened on the way to the frame
        self.source.happenings().keep_level();
        found
    }

    /// The same for a question that may be the only one: without an index at first, where the recording's clock is meant. The walk stands at the
    /// frame then; what jumped since the one before is not known.
    pub fn look(&mut self, when: When) -> Option<At> {
        let shared = self.index.clone();
        let index = match when {
            When::Demo(_) => shared.for_question(|| Index::of(&self.source)),
            // which of several levels is meant shows by all of them
            When::Server(_) => Some(shared.get_or_make(|| Index::of(&self.source))),
        };
        let found = match (index, when) {
            (None, When::Demo(time)) => self.walk_until(time),
            _ => self.go(index, when, false),
        };
        if found { self.due } else { None }
    }

    /// Goes to the last frame until a time from the start. Which it is shows by the one behind it; so that nothing is played twice but a little, a copy
    /// of the walk stays behind (a state takes 1.1 walks instead of two).
    fn walk_until(&mut self, time: Milliseconds) -> bool {
        self.enter(None);
        let (mut behind, mut found) = ((self.source.clone(), None), None);
        let mut next = COPY_AFTER;
        while let Some(at) = self.source.advance().filter(|at| at.time <= time) {
            found = Some(at);
            if at.number >= next {
                behind = (self.source.clone(), found);
                next = at.number.saturating_add(COPY_AFTER.max(at.number / 16));
            }
        }
        let target = found.map_or(0, |at| at.number);
        (self.source, self.due) = behind;
        while self.due.is_none_or(|at| at.number < target) {
            self.due = self.source.advance();
            if self.due.is_none() {
                return false;
            }
        }
        true
    }

    fn go(&mut self, index: Option<&Index<S::Keyframe>>, when: When, passing: bool) -> bool {
        let mut frame = Frame::default();
        if let When::Demo(time) = when
            && self.reach(index, time, &mut frame)
        {
            return true;
        }
        let target = self.search(index, when);
        let mut at = self.enter(index.and_then(|index| index.keys.before_frame(if passing { target } else { target.saturating_add(1) })));
        loop {
            if let Some(at) = at {
                if at.number >= target {
                    self.due = Some(at);
                    return true;
                }
                if passing {
                    self.source.pass(&at, &mut frame);
                }
            }
            at = self.source.advance();
            if at.is_none() {
                return false;
            }
        }
    }

    /// Goes straight to the last frame until a time, where what follows says that it is the last.
    fn reach(&mut self, index: Option<&Index<S::Keyframe>>, time: Milliseconds, frame: &mut Frame) -> bool {
        if self.source.is_last_until(time).is_none() {
            return false;
        }
        self.enter(index.and_then(|index| index.keys.before(When::Demo(time))));
        while self.source.is_last_until(time) == Some(false) {
            let Some(at) = self.source.advance().filter(|at| at.time <= time) else { return false };
            if self.source.is_last_until(time) == Some(true) {
                self.due = Some(at);
                return true;
            }
            self.source.pass(&at, frame);
        }
        false
    }

    /// The number of the frame that a time means: the first where it is before all.
    fn search(&mut self, index: Option<&Index<S::Keyframe>>, when: When) -> u32 {
        let found = match when {
            When::Demo(time) => self.last_until(index.and_then(|index| index.keys.before(when)), |at| at.time <= time),
            When::Server(time) => index.and_then(|index| index.on_server_clock(self, time)),
        };
        found.map_or(0, |at| at.number)
    }

    /// The last frame behind a keyframe, or else its own, up to which something holds.
    fn last_until(&mut self, key: Option<&Key<S::Keyframe>>, holds: impl Fn(&At) -> bool) -> Option<At> {
        let mut last = self.enter(key);
        while let Some(at) = self.source.advance().filter(&holds) {
            last = Some(at);
        }
        last
    }

    /// Goes to a keyframe and returns its frame, or goes to the start.
    fn enter(&mut self, key: Option<&Key<S::Keyframe>>) -> Option<At> {
        (self.due, self.done, self.over) = (None, false, false);
        self.pace.jump();
        let entered = key.filter(|key| self.source.enter(key));
        if entered.is_none() {
            self.source.rewind();
        }
        self.source.happenings().clear();
        entered.map(|key| key.at)
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        self.enter(None);
    }

    /// The walk as it stands, without the recording: to be gone on with by [`resume`](Self::resume) when there are more bytes.
    pub fn pause(self) -> Frames<S::Over<'static>, K> {
        self.resume(&[], false)
    }

    /// The same walk over the recording as it is now: the bytes from its start, beginning with those that were there. `last` says that it
    /// is complete; until then what is not complete waits, and so does a frame that may get more.
    pub fn resume<'b>(self, bytes: &'b [u8], last: bool) -> Frames<S::Over<'b>, K> {
        self.resume_in(Chunk::growing(bytes, last))
    }

    /// The same walk over the next chunk of a recording, which holds its bytes from [`needed`](Self::needed) on. It only goes forward.
    pub fn resume_in<'b>(self, chunk: Chunk<'b>) -> Frames<S::Over<'b>, K> {
        Frames { source: self.source.over(chunk), index: Arc::default(), pace: self.pace, due: self.due, done: false, over: self.over }
    }

    /// The first byte that the next chunk must hold.
    pub fn needed(&self) -> u64 {
        self.source.needed()
    }

    /// True if the options ask for no later frame.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// A field of the last frame by the game's own name, as the family's `state_at` has it; `None` where there is no such player or entity in view, or
    /// no such field.
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        self.source.raw(subject, field)
    }

    /// Puts the models and poses of the last frame into `looks`, whose room is used again.
    pub fn looks(&mut self, looks: &mut Vec<Look>) {
        looks.clear();
        self.source.looks(looks);
    }

    /// Puts what happened since the last call into `happenings`, whose room is used again: nothing, where the options do not ask for it. Between two calls
    /// at most [`Happenings::MOST`] are kept.
    pub fn happenings(&mut self, happenings: &mut Vec<Happening>) {
        happenings.clear();
        self.source.happenings().take_into(happenings);
    }

    /// The damage met so far.
    pub fn damage(&self) -> &[Damage] {
        self.source.damage()
    }

    /// Bytes that the index takes, once there is one.
    pub fn index_bytes(&self) -> usize {
        self.index.get().map_or(0, Index::bytes)
    }
}

impl<S: Clone, K> Clone for Frames<S, K> {
    fn clone(&self) -> Self {
        Frames { source: self.source.clone(), index: self.index.clone(), pace: self.pace.clone(), due: self.due, done: self.done, over: self.over }
    }
}

impl<K, S: Source<Keyframe = K>> Iterator for Frames<S, K> {
    type Item = Frame;

    /// The next frame by itself. [`next_into`](Frames::next_into) takes one that is there already and is faster.
    fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        self.next_into(&mut frame).then_some(frame)
    }
}
