//! A recording frame by frame, in the vocabulary of all games (`docs/formats/goldsrc.md`, "Frames").

mod columns;
mod fill;
mod index;
mod known;
mod models;
mod terms;

use model::{Damage, DamageKind, Frame, FrameOptions, Milliseconds, Subject, Value, When};
use replay::{Choice, Key, Pace};
use wire::Error;

use crate::body::{self, Eyes};
use crate::container::{Macro, MacroKind, Step};
use crate::match_clock::MatchClock;
use crate::message::Message;
use crate::moment;
use crate::names::clean;
use crate::playback::{Outcome, Playback};
use crate::recording::Recording;
use crate::roster::Roster;
use crate::time::milliseconds;
use crate::unreadable::Unreadable;
use fill::Filler;
pub(crate) use index::Index;
use index::Keyframe;

/// A walk over the frames of a recording: every frame of entities while playing that can be rebuilt. It can be stopped anywhere,
/// cloned, and sent to another thread.
///
/// ```
/// use model::{Frame, FrameOptions};
///
/// # let bytes = goldsrc::properties::tiny_recording();
/// let recording = goldsrc::Recording::open(&bytes, Some("dem"), wire::Limits::default())?;
/// let mut frames = recording.frames(FrameOptions::default());
/// let mut frame = Frame::default();
/// assert!(frames.next_into(&mut frame));
/// let own = frame.player(0).unwrap();
/// assert_eq!((own.name.as_ref().unwrap().clean.as_str(), own.health), ("Gordon", Some(100)));
/// # Ok::<(), wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    recording: Recording<'a>,
    playback: Playback<'a>,
    pace: Pace,
    filler: Filler,
    /// The field of view that the client wrote down last.
    fov: Option<f32>,
    match_clock: MatchClock,
    /// Frames so far.
    count: u32,
    /// Levels that frames followed, and whether another one has begun.
    levels: u32,
    new_level: bool,
    damage: Vec<Damage>,
    unreadable: Unreadable,
    /// Frames are missing since the last one.
    lost: bool,
    /// The frames that frames were deltas against since somebody last looked, by their low bytes.
    bases: Vec<u8>,
    /// A frame that is due before the walk goes on: the one that was sought.
    due: Option<At>,
    done: bool,
}

/// A frame that was looked for: where it stands, and what is known after it.
pub(crate) struct Looked<'f, 'a> {
    pub message: u32,
    pub time: Milliseconds,
    pub server_time: Milliseconds,
    pub playback: &'f Playback<'a>,
    pub roster: &'f Roster,
}

/// Bases that are noted between two looks at them.
const MOST_BASES: usize = 64;

/// Where a frame stands, and what its data block says of the client's eyes.
#[derive(Debug, Clone, Copy)]
struct At {
    number: u32,
    message: u32,
    level: u32,
    time: Milliseconds,
    server_time: Milliseconds,
    match_time: Option<Milliseconds>,
    eyes: Option<Eyes>,
}

impl<'a> Recording<'a> {
    /// The frames of the recording, as `options` ask for them. Where the messages are not known (demo protocol 4)
    /// there are none, and [`damage`](Frames::damage) says so.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        Frames::new(self, &options)
    }
}

impl<'a> Frames<'a> {
    fn new(recording: &Recording<'a>, options: &FrameOptions) -> Self {
        let known = recording.dialect().messages.is_some();
        let unknown = (!known).then(|| Error::unsupported("the messages of this network protocol are not known, and frames are among them").at_offset(8));
        Frames {
            recording: recording.clone(),
            playback: Playback::new(recording),
            pace: Pace::new(options),
            filler: Filler::new(options, &clean(recording.container.header.game_name())),
            fov: None,
            match_clock: MatchClock::default(),
            count: 0,
            levels: 0,
            new_level: false,
            damage: unknown.into_iter().map(|error| Damage::of(&error, DamageKind::Unsupported)).collect(),
            unreadable: Unreadable::default(),
            lost: false,
            bases: Vec::new(),
            due: None,
            done: false,
        }
    }

    /// Puts the next frame into `frame`. Returns whether there was one.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if let Some(at) = self.due.take() {
            self.fill(at, frame);
            return true;
        }
        while !self.done {
            let Some(at) = self.advance() else {
                self.done = true;
                break;
            };
            match self.pace.choose(at.time, at.server_time, at.match_time) {
                Choice::Take => {
                    self.fill(at, frame);
                    return true;
                }
                Choice::Skip => {}
                Choice::Done => self.done = true,
            }
        }
        false
    }

    /// Goes to the last frame at or before `when`, or the first frame for earlier times; it is the next one then, whatever the
    /// options' times say. Returns whether there is one. The first time this walks over the whole recording and makes an index of it,
    /// which takes at most a twentieth of the recording's size; from then on it is quick.
    pub fn seek(&mut self, when: When) -> bool {
        let shared = self.recording.index.clone();
        let index = shared.get_or_make(|| index::index(self));
        let Some(target) = self.search(Some(index), when) else { return false };
        // what jumped shows by the frame before it
        let mut before = Frame::default();
        if let Some(at) = self.enter(index.before_frame(target)) {
            self.fill(at, &mut before);
        }
        while let Some(at) = self.advance() {
            if at.number == target {
                self.due = Some(at);
                return true;
            }
            self.fill(at, &mut before);
        }
        false
    }

    /// The same for a question that may be the only one: without an index at first. Leaves the walk behind the frame.
    pub(crate) fn look(&mut self, when: When) -> Option<Looked<'_, 'a>> {
        let shared = self.recording.index.clone();
        let index = shared.for_question(|| index::index(self));
        let target = self.search(index, when)?;
        let mut found = self.enter(index.and_then(|index| index.before_frame(target + 1)));
        while found.is_none_or(|at| at.number < target) {
            found = Some(self.advance()?);
        }
        let At { message, time, server_time, .. } = found?;
        Some(Looked { message, time, server_time, playback: &self.playback, roster: self.filler.roster() })
    }

    /// The number of the frame that a time means. Which it is shows by the frame behind it.
    fn search(&mut self, index: Option<&Index>, when: When) -> Option<u32> {
        let late = |at: &At| match when {
            When::Demo(wanted) => at.time > wanted,
            When::Server(wanted) => at.server_time > wanted,
        };
        let mut target = self.enter(index.and_then(|index| index.before(when))).map(|at| at.number);
        while let Some(at) = self.advance() {
            let late = late(&at);
            if !late || target.is_none() {
                target = Some(at.number);
            }
            if late {
                break;
            }
        }
        target
    }

    /// Bytes that the index takes, once there is one.
    pub fn index_bytes(&self) -> usize {
        self.recording.index.get().map_or(0, Index::bytes)
    }

    /// Goes to a keyframe and returns its frame, or goes to the start.
    fn enter(&mut self, key: Option<&Key<Keyframe>>) -> Option<At> {
        let Some(Key { keyframe, .. }) = key else {
            self.rewind();
            return None;
        };
        let listed = self.playback.enter(&keyframe.place);
        self.filler.enter(&keyframe.known);
        if listed {
            self.filler.list(&self.playback.state);
        }
        (self.fov, self.match_clock, self.levels) = (keyframe.fov, keyframe.match_clock, keyframe.levels);
        (self.count, self.new_level, self.lost) = (keyframe.at.number + 1, false, false);
        self.pace.jump();
        self.bases.clear();
        (self.due, self.done) = (None, false);
        Some(keyframe.at)
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        let mut pace = self.pace.clone();
        pace.jump();
        let filler = self.filler.restarted(&clean(self.recording.container.header.game_name()));
        let start = Frames::new(&self.recording, &FrameOptions::default());
        *self = Frames { pace, filler, ..start };
    }

    /// The walk as it is, without the recording's bytes, until more of them are there: see [`resume`](Self::resume).
    ///
    /// ```
    /// # let bytes = goldsrc::properties::tiny_recording();
    /// let open = |bytes| goldsrc::Recording::open(bytes, Some("dem"), wire::Limits::default());
    /// let mut frames = open(&bytes[..1500])?.frames(model::FrameOptions::default()).pause();
    /// let mut count = 0;
    /// for end in [2500, bytes.len()] {
    ///     let mut walk = frames.resume(&bytes[..end], end == bytes.len());
    ///     count += walk.by_ref().count();
    ///     frames = walk.pause();
    /// }
    /// assert_eq!(count, open(&bytes)?.frames(model::FrameOptions::default()).count());
    /// # Ok::<(), wire::Error>(())
    /// ```
    pub fn pause(self) -> Frames<'static> {
        self.resume(&[], false)
    }

    /// The same walk over the recording as it is now: the bytes from its start, of which those that were there are the first. `last`
    /// says that it is complete; until then a macro that is not waits, and there need be no directory.
    pub fn resume(self, bytes: &[u8], last: bool) -> Frames<'_> {
        let recording = self.recording.over(bytes, last);
        Frames {
            playback: self.playback.over(&recording),
            recording,
            pace: self.pace,
            filler: self.filler,
            fov: self.fov,
            match_clock: self.match_clock,
            count: self.count,
            levels: self.levels,
            new_level: self.new_level,
            damage: self.damage,
            unreadable: self.unreadable,
            lost: self.lost,
            bases: self.bases,
            due: self.due,
            done: false,
        }
    }

    /// A field of the last frame by the game's own name (`origin[0]`, `sequence`, `physinfo`), of the recording player as of
    /// `clientdata_t`; absent where there is no such player or entity in view, or no such field.
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let (state, context) = (&self.playback.state, self.playback.context()?);
        let own = self.filler.own_slot(state, context);
        match subject {
            Subject::View => moment::client_field(state, context, field),
            Subject::Player(slot) if own == Some(slot) => moment::client_field(state, context, field).or_else(|| self.entity_field(u32::from(slot) + 1, field)),
            Subject::Player(slot) => self.entity_field(u32::from(slot) + 1, field),
            Subject::Entity(number) => self.entity_field(number, field),
        }
    }

    fn entity_field(&self, number: u32, field: &str) -> Option<Value> {
        let (state, context) = (&self.playback.state, self.playback.context()?);
        let entity = state.frame().iter().find(|entity| u32::from(entity.number) == number)?;
        moment::field(state, context, entity.structure, entity.row, field)
    }

    /// The damage met so far.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    fn note(&mut self, damage: Damage) {
        if self.damage.len() < self.recording.limits.damage_entries {
            self.damage.push(damage);
        }
    }

    /// Plays on to the next frame.
    fn advance(&mut self) -> Option<At> {
        loop {
            let (number, segment, window) = match self.playback.next()? {
                Step::Macro { number, segment, window } => (number, segment, window),
                Step::Damage(damage) => {
                    self.note(damage);
                    continue;
                }
            };
            match window.kind {
                MacroKind::ClientData => self.fov = body::fov(&window).or(self.fov),
                MacroKind::Data => {
                    if let Some(at) = self.block(number, segment, &window) {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, number: u32, segment: usize, window: &Macro<'a>) -> Option<At> {
        let (filler, clock, bases, mut level, mut listed) = (&mut self.filler, &mut self.match_clock, &mut self.bases, false, false);
        let (outcome, read) = self.playback.play(window, |context, message, _| {
            filler.message(context, message);
            clock.message(context, message);
            match message {
                Message::ServerInfo(_) => level = true,
                Message::ResourceList(_) => listed = true,
                Message::DeltaPacketEntities(update) if bases.len() < MOST_BASES => bases.push(update.delta_sequence),
                Message::ClientData(data) if bases.len() < MOST_BASES => bases.extend(data.body.as_ref().and_then(|body| body.delta_sequence)),
                _ => {}
            }
        });
        if listed {
            self.filler.list(&self.playback.state);
        }
        self.new_level |= level;
        if let Err(error) = read {
            self.unread(&error, number, window);
        }
        match outcome {
            Outcome::Nothing => return None,
            Outcome::Lost(stumble) => {
                if !std::mem::replace(&mut self.lost, true) {
                    let error = Error::malformed(stumble.text()).at_offset(window.offset as u64).inside("macro", Some(number));
                    self.note(Damage::of(&error, DamageKind::MissingBase));
                }
                return None;
            }
            Outcome::Frame => self.lost = false,
        }
        if !self.playback.is_played(segment) {
            return None;
        }
        if std::mem::take(&mut self.new_level) {
            self.levels += 1;
            self.filler.forget();
        }
        let time = self.playback.context().map_or(0.0, |context| context.time);
        self.count += 1;
        Some(At {
            number: self.count - 1,
            message: number,
            level: self.levels.saturating_sub(1),
            time: self.playback.now(),
            server_time: milliseconds(time),
            match_time: self.match_clock.at(time),
            eyes: body::eyes(window, self.recording.dialect()),
        })
    }

    #[cold]
    fn unread(&mut self, error: &Error, number: u32, window: &Macro) {
        if self.unreadable.again(error, number).is_none() {
            self.unreadable.first(error, self.damage.len());
            let damage = self.playback.broken(error, number, window);
            self.note(damage);
        }
    }

    fn fill(&mut self, at: At, frame: &mut Frame) {
        frame.clear();
        (frame.number, frame.message, frame.level) = (at.number, at.message, at.level);
        (frame.time, frame.server_time, frame.match_time) = (at.time, at.server_time, at.match_time);
        if let Some(context) = self.playback.context() {
            self.filler.fill(&self.playback.state, context, at.eyes, self.fov, frame);
        }
    }
}

impl Iterator for Frames<'_> {
    type Item = Frame;

    /// The next frame by itself. [`next_into`](Frames::next_into) takes one that is there already and is faster.
    fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        self.next_into(&mut frame).then_some(frame)
    }
}
