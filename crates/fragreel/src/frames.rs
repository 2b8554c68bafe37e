//! A recording frame by frame, whatever its family.

use std::fmt;

use bytes::Bytes;
use fragreel_base::wire::{Chunk, Error};
#[cfg(feature = "edit")]
use fragreel_model::Fields;
use fragreel_model::{Damage, Frame, FrameOptions, Happening, Look, Milliseconds, Subject, Value, When};
use self_cell::self_cell;

use crate::Recording;
use crate::family::Inner;
use crate::feeder::Feeder;

/// One line for each family whose frames can be walked over.
macro_rules! walks {
    ($($family:ident = $krate:ident if $feature:literal),* $(,)?) => {
        #[derive(Debug, Clone)]
        pub(crate) enum Walk<'a> {
            $(#[cfg(feature = $feature)] $family(Box<$krate::Frames<'a>>)),*
        }

        impl<'a> Walk<'a> {
            fn of(recording: &Inner<'a>, options: FrameOptions) -> Result<Self, Error> {
                match recording {
                    $(#[cfg(feature = $feature)] Inner::$family(recording) => Ok(Walk::$family(Box::new(recording.frames(options)))),)*
                }
            }

            fn next_into(&mut self, frame: &mut Frame) -> bool {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.next_into(frame)),* }
            }

            fn skip_until(&mut self, time: Milliseconds) {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.skip_until(time)),* }
            }

            fn seek(&mut self, when: When) -> bool {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.seek(when)),* }
            }

            fn rewind(&mut self) {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.rewind()),* }
            }

            fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.raw(subject, field)),* }
            }

            fn looks(&mut self, looks: &mut Vec<Look>) {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.looks(looks)),* }
            }

            fn happenings(&mut self, happenings: &mut Vec<Happening>) {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.happenings(happenings)),* }
            }

            fn damage(&self) -> &[Damage] {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.damage()),* }
            }

            fn resume_in<'b>(self, chunk: Chunk<'b>) -> Walk<'b> {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => Walk::$family(Box::new(frames.resume_in(chunk)))),* }
            }

            fn needed(&self) -> u64 {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.needed()),* }
            }

            fn is_over(&self) -> bool {
                match self { $(#[cfg(feature = $feature)] Walk::$family(frames) => frames.is_over()),* }
            }
        }
    };
}

walks! {
    Quake1 = fragreel_quake1 if "quake1",
    Quake3 = fragreel_quake3 if "quake3",
    Quake2 = fragreel_quake2 if "quake2",
    GoldSrc = fragreel_goldsrc if "goldsrc",
}

impl Recording {
    /// Walks over the frames of the recording: who and what was where, in the same terms for all games. Only what `options` ask for
    /// is worked out.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::model::{Fields, FrameOptions};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// // ten times a second, where everybody is
    /// let options = FrameOptions::default().hz(10.0).fields(Fields::ORIGIN);
    /// for frame in recording.frames(options)? {
    ///     for player in &frame.players {
    ///         if let (Some(name), Some([x, y, z])) = (&player.name, player.origin) {
    ///             println!("{}: {name} is at {x} {y} {z}", frame.time);
    ///         }
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for recordings whose frames are not understood.
    pub fn frames(&self, options: FrameOptions) -> Result<Frames, Error> {
        let walking = Walking::try_new(Over::Recording(self.clone()), |over| match over {
            Over::Recording(recording) => Walk::of(recording.inner(), options),
            _ => Err(Error::misuse("bytes alone are walked over from where a walk stands")),
        })?;
        Ok(Frames { walking, next: None, feeding: None })
    }
}

/// How many frames a recording has.
#[cfg(feature = "edit")]
pub(crate) fn count(recording: &Inner<'_>) -> Result<u64, Error> {
    let (mut walk, mut frame, mut count) = (Walk::of(recording, FrameOptions::default().fields(Fields::NONE))?, Frame::default(), 0);
    while walk.next_into(&mut frame) {
        count += 1;
    }
    Ok(count)
}

self_cell!(
    struct Walking {
        owner: Over,
        #[covariant]
        dependent: Walk,
    }
);

/// What a walk goes over.
enum Over {
    Recording(Recording),
    /// What there is so far of a recording that grows.
    Bytes(Bytes),
    /// A chunk, where it starts, and whether it is the last.
    Chunk(Vec<u8>, usize, bool),
}

impl Over {
    /// The bytes with their place.
    fn chunk(&self) -> Chunk<'_> {
        match self {
            Over::Recording(recording) => Chunk::whole(recording.bytes()),
            Over::Bytes(bytes) => Chunk::whole(bytes),
            Over::Chunk(bytes, from, last) => Chunk::part(*from, bytes, *last),
        }
    }
}

/// What the frames of a [`LongRecording`](crate::LongRecording) are read from.
struct Feeding {
    feeder: Feeder,
    failure: Option<Error>,
}

/// A walk over the frames of a recording, from [`Recording::frames`]. It keeps the recording open, so it can be stopped anywhere and sent to another
/// thread.
pub struct Frames {
    walking: Walking,
    /// A frame that was looked at ahead of its turn.
    next: Option<Box<Frame>>,
    /// What gives the next chunk, if the recording is not in memory.
    feeding: Option<Feeding>,
}

impl Frames {
    /// A walk that stands at the start of a recording, which comes in chunks.
    pub(crate) fn in_chunks(walk: Walk<'static>, feeder: Feeder) -> Result<Self, Error> {
        let (bytes, from, last) = feeder.owned(walk.needed() as usize, 0)?;
        let walking = Walking::new(Over::Chunk(bytes, from, last), |over| walk.resume_in(over.chunk()));
        Ok(Frames { walking, next: None, feeding: Some(Feeding { feeder, failure: None }) })
    }

    /// Goes on with the next chunk. Returns whether there is one.
    fn feed(&mut self) -> bool {
        let Some(feeding) = self.feeding.as_mut().filter(|feeding| feeding.failure.is_none()) else { return false };
        let (chunk, walk) = (self.walking.borrow_owner().chunk(), self.walking.borrow_dependent());
        if chunk.is_last() || walk.is_over() {
            return false;
        }
        match feeding.feeder.owned(walk.needed() as usize, chunk.end()) {
            Ok((bytes, from, last)) => {
                let walk = walk.clone().resume_in(Chunk::none());
                self.walking = Walking::new(Over::Chunk(bytes, from, last), |over| walk.resume_in(over.chunk()));
                true
            }
            Err(error) => {
                feeding.failure = Some(error);
                false
            }
        }
    }

    /// Why a [`LongRecording`](crate::LongRecording) could not be read further. `None` before the last frame.
    pub fn failure(&self) -> Option<&Error> {
        self.feeding.as_ref()?.failure.as_ref()
    }

    /// Puts the next frame into `frame`, whose room is used again. Returns whether there was one.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        match self.next.take() {
            Some(next) => {
                *frame = *next;
                true
            }
            None => loop {
                if self.walk(|walk| walk.next_into(frame)) {
                    return true;
                }
                if !self.feed() {
                    return false;
                }
            },
        }
    }

    /// Passes over the frames before a time since the first frame, from here on until the walk seeks or is rewound: the game is followed, but nothing is
    /// put into a frame.
    pub fn skip_until(&mut self, time: Milliseconds) {
        self.walk(|walk| walk.skip_until(time));
    }

    /// Goes to the last frame at or before `when`, or to the first one for earlier times. That frame comes next. Returns whether there is one. The
    /// walk over a [`LongRecording`](crate::LongRecording) only goes forward: it does not move, and returns `false`.
    pub fn seek(&mut self, when: When) -> bool {
        if self.feeding.is_some() {
            return false;
        }
        self.next = None;
        self.walk(|walk| walk.seek(when))
    }

    /// Goes back to the start, unless the recording is a [`LongRecording`](crate::LongRecording).
    pub fn rewind(&mut self) {
        if self.feeding.is_some() {
            return;
        }
        self.next = None;
        self.walking.with_dependent_mut(|_, walk| walk.rewind());
    }

    /// The walk as it stands, without the recording: to be gone on with by [`resume`](Self::resume) when a recording that grows has more bytes.
    ///
    /// ```
    /// use bytes::BytesMut;
    /// use fragreel::Recording;
    /// use fragreel::model::{Frame, FrameOptions};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = std::fs::read("../../samples/quake3/dm_bots.dm_71")?;
    /// let mut so_far = BytesMut::from(&file[..20_000]);
    /// let mut walk = Recording::open(so_far.clone(), "dm_bots.dm_71")?.frames(FrameOptions::default())?.pause();
    /// let (mut frame, mut count) = (Frame::default(), 0);
    /// for end in [20_000, 60_000, file.len()] {
    ///     so_far.extend_from_slice(&file[so_far.len()..end]);
    ///     let bytes = so_far.freeze();
    ///     let mut frames = walk.resume(bytes.clone(), end == file.len());
    ///     while frames.next_into(&mut frame) {
    ///         count += 1;
    ///     }
    ///     walk = frames.pause();
    ///     // Nobody else has the bytes, so this copies none.
    ///     so_far = BytesMut::from(bytes);
    /// }
    /// assert_eq!(count, Recording::open(file, "dm_bots.dm_71")?.frames(FrameOptions::default())?.count());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn pause(self) -> Self {
        self.resume(Bytes::new(), false)
    }

    /// The same walk over the recording as it is now: the bytes from its start, beginning with those that were there. `last` says that it
    /// is complete; until then what is not complete waits, and so does a frame that may get more.
    #[must_use]
    pub fn resume(self, bytes: impl Into<Bytes>, last: bool) -> Self {
        let walk = self.walking.borrow_dependent().clone();
        let walking = Walking::new(Over::Bytes(bytes.into()), |over| match over {
            Over::Recording(recording) => walk.resume_in(Chunk::growing(recording.bytes(), last)),
            Over::Bytes(bytes) => walk.resume_in(Chunk::growing(bytes, last)),
            Over::Chunk(..) => walk.resume_in(over.chunk()),
        });
        Frames { walking, next: self.next, feeding: None }
    }

    /// What the game looks like at a time since the first frame, between two frames as its engine draws it. Returns whether there is
    /// a frame at all. The walk goes on behind that time.
    ///
    /// ```
    /// use fragreel::model::{Frame, FrameOptions, Milliseconds};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let mut frame = Frame::default();
    /// assert!(recording.frames(FrameOptions::default())?.at(Milliseconds(5025), &mut frame));
    /// assert_eq!(frame.time, Milliseconds(5025));
    /// # Ok(())
    /// # }
    /// ```
    pub fn at(&mut self, time: Milliseconds, frame: &mut Frame) -> bool {
        if !self.seek(When::Demo(time)) {
            return false;
        }
        let mut before = Frame::default();
        if !self.next_into(&mut before) {
            return false;
        }
        let mut after = Frame::default();
        if before.time < time && self.walk(|walk| walk.next_into(&mut after)) {
            fragreel_model::replay::between(&before, &after, time, frame);
            self.next = Some(Box::new(after));
        } else {
            *frame = before;
        }
        true
    }

    /// A field of the last frame by the game's own name, as [`state_at`](Recording::state_at) has it.
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        self.walking.borrow_dependent().raw(subject, field)
    }

    /// Puts the models and poses of players and entities into `looks`, whose room is used again: those of the frame that
    /// [`next_into`](Self::next_into) returned last.
    ///
    /// ```
    /// use fragreel::model::{Frame, FrameOptions, Subject};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake2/yq2dm_Alice.dm2")?, "yq2dm_Alice.dm2")?;
    /// let mut frames = recording.frames(FrameOptions::default())?;
    /// let (mut frame, mut looks) = (Frame::default(), Vec::new());
    /// frames.next_into(&mut frame);
    /// frames.looks(&mut looks);
    /// let own = looks.iter().find(|look| look.subject == Subject::Player(0)).unwrap();
    /// assert_eq!(own.model.as_deref(), Some("players/male/tris.md2"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn looks(&mut self, looks: &mut Vec<Look>) {
        self.walk(|walk| walk.looks(looks));
    }

    /// Puts sounds, explosions and the like into `happenings`, whose room is used again: those since the last call, or since the walk sought. There are none
    /// unless the options ask for them.
    ///
    /// ```
    /// use fragreel::model::{Frame, FrameOptions, HappeningKind};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let mut frames = recording.frames(FrameOptions::default().happenings())?;
    /// let (mut frame, mut happenings, mut explosions) = (Frame::default(), Vec::new(), 0);
    /// while frames.next_into(&mut frame) {
    ///     frames.happenings(&mut happenings);
    ///     explosions += happenings.iter().filter(|one| one.kind == HappeningKind::Explosion && one.origin.is_some()).count();
    /// }
    /// assert!(explosions > 10);
    /// # Ok(())
    /// # }
    /// ```
    pub fn happenings(&mut self, happenings: &mut Vec<Happening>) {
        self.walk(|walk| walk.happenings(happenings));
    }

    /// The damage met so far; after the last frame, all of it.
    pub fn damage(&self) -> Vec<Damage> {
        self.walking.borrow_dependent().damage().to_vec()
    }

    fn walk<T>(&mut self, ask: impl FnOnce(&mut Walk<'_>) -> T) -> T {
        self.walking.with_dependent_mut(|_, walk| ask(walk))
    }
}

impl Iterator for Frames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        self.next_into(&mut frame).then_some(frame)
    }
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").field("damage", &self.damage()).finish_non_exhaustive()
    }
}
