//! A recording frame by frame, in the vocabulary of all games (`docs/formats/quake2.md`, "Frames").

mod fill;
mod heard;
mod index;
mod looks;
mod roster;

use model::{Damage, Frame, FrameOptions, Subject, Value, When};
use replay::{Choice, Key, Pace};

use crate::Recording;
use crate::container::Window;
use crate::findings::Findings;
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::moment;
use crate::playback::{At, Manner, Playback, Visitor};
use crate::state::{Effect, State};
use fill::Filler;
use heard::Heard;
pub(crate) use index::Index;
use index::Keyframe;

/// A walk over the frames of a recording: every frame that can be rebuilt. It can be stopped anywhere, cloned, and sent to another
/// thread.
///
/// ```
/// use model::{Frame, FrameOptions};
/// use quake2::Recording;
///
/// let bytes = include_bytes!("../../../samples/quake2/yq2dm_Alice.dm2");
/// let recording = Recording::open(bytes, Some("dm2"), wire::Limits::default())?;
/// let mut frames = recording.frames(FrameOptions::default().hz(1.0));
/// let mut frame = Frame::default();
/// while frames.next_into(&mut frame) {
///     let view = frame.view.as_ref().unwrap();
///     // whose view it is, is a player like the others
///     let own = frame.player(view.slot.unwrap()).unwrap();
///     assert!(own.origin.is_some());
/// }
/// # Ok::<(), wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    recording: Recording<'a>,
    playback: Playback<'a>,
    pace: Pace,
    filler: Filler,
    heard: Heard,
    findings: Findings,
    damage: Vec<Damage>,
    /// The frames that frames were deltas against since somebody last looked.
    bases: Vec<i32>,
    /// A frame that is due before the walk goes on: the one that was sought.
    due: Option<u32>,
    done: bool,
}

impl<'a> Recording<'a> {
    /// The frames of the recording, as `options` ask for them.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        let manner = Manner { parcels: false, ..self.manner() };
        Frames {
            recording: self.clone(),
            playback: self.playback(manner),
            pace: Pace::new(&options),
            filler: Filler::new(&options),
            heard: Heard::default(),
            findings: Findings::new(self.limits().damage_entries),
            damage: Vec::new(),
            bases: Vec::new(),
            due: None,
            done: false,
        }
    }
}

impl<'a> Frames<'a> {
    /// Puts the next frame into `frame`. Returns whether there was one.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if let Some(message) = self.due.take() {
            self.fill(message, frame);
            return true;
        }
        while !self.done {
            let Some(message) = self.advance() else {
                self.done = true;
                break;
            };
            let clock = &self.playback.state.clock;
            match self.pace.choose(clock.time(), clock.server_time(), self.heard.match_time(clock.time())) {
                Choice::Take => {
                    self.fill(message, frame);
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
        let index = shared.get_or_make(|| Index::of(self));
        self.go(Some(index), when)
    }

    /// The same for a question that may be the only one.
    pub(crate) fn look(&mut self, when: When) -> Option<(u32, &State)> {
        let shared = self.recording.index.clone();
        let index = match when {
            When::Demo(_) => shared.for_question(|| Index::of(self)),
            // which of several levels is meant shows by all of them
            When::Server(_) => Some(shared.get_or_make(|| Index::of(self))),
        };
        if self.go(index, when) { self.due.map(|message| (message, &self.playback.state)) } else { None }
    }

    fn go(&mut self, index: Option<&Index>, when: When) -> bool {
        let wanted = index::find(index, self, when);
        let key = index.and_then(|index| index.before_frame(wanted));
        self.enter(key);
        // what jumped shows by the frame before
        let mut before = Frame::default();
        if key.is_some() {
            self.fill(0, &mut before);
        }
        while let Some(message) = self.advance() {
            if self.number() >= wanted {
                self.due = Some(message);
                return true;
            }
            self.fill(message, &mut before);
        }
        false
    }

    /// Whether any frame has begun so far.
    pub(crate) fn has_begun(&self) -> bool {
        self.playback.state.clock.frames() > 0
    }

    /// Bytes that the index takes, once there is one.
    pub fn index_bytes(&self) -> usize {
        self.recording.index.get().map_or(0, Index::bytes)
    }

    /// Goes to a keyframe, or to the start.
    fn enter(&mut self, key: Option<&Key<Keyframe>>) {
        self.rewind();
        if let Some(Key { keyframe, .. }) = key {
            self.playback.enter(&keyframe.place);
            self.heard = keyframe.heard.clone();
        }
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        self.playback = self.recording.playback(Manner { parcels: false, ..self.recording.manner() });
        self.heard = Heard::default();
        self.pace.jump();
        self.filler.forget();
        self.filler.level();
        self.bases.clear();
        (self.due, self.done) = (None, false);
        self.damage.clear();
        self.findings = Findings::new(self.recording.limits().damage_entries);
    }

    /// The number of the last frame.
    fn number(&self) -> u32 {
        self.playback.state.clock.frames().saturating_sub(1) as u32
    }

    /// The walk as it is, without the recording's bytes, until more of them are there: see [`resume`](Self::resume).
    ///
    /// ```
    /// # let bytes = include_bytes!("../../../samples/quake2/yq2dm_Alice.dm2");
    /// let open = |bytes| quake2::Recording::open(bytes, Some("dm2"), wire::Limits::default());
    /// let mut frames = open(&bytes[..20_000])?.frames(model::FrameOptions::default()).pause();
    /// let mut count = 0;
    /// for end in [40_000, bytes.len()] {
    ///     let mut walk = frames.resume(&bytes[..end], end == bytes.len());
    ///     count += walk.by_ref().count();
    ///     frames = walk.pause();
    /// }
    /// assert_eq!(count, open(&bytes[..])?.frames(model::FrameOptions::default()).count());
    /// # Ok::<(), wire::Error>(())
    /// ```
    pub fn pause(self) -> Frames<'static> {
        self.resume(&[], false)
    }

    /// The same walk over the recording as it is now: the bytes from its start, of which those that were there are the first. `last`
    /// says that it is complete; until then a block that is not waits.
    pub fn resume(self, bytes: &[u8], last: bool) -> Frames<'_> {
        Frames {
            recording: self.recording.over(bytes),
            playback: self.playback.over(bytes, last),
            pace: self.pace,
            filler: self.filler,
            heard: self.heard,
            findings: self.findings,
            damage: self.damage,
            bases: self.bases,
            due: self.due,
            done: false,
        }
    }

    /// A field of the last frame by its name in the format document (`pm_flags`, `stats`, `skinnum`); `None` where there is no such
    /// player or entity in view, or no such field.
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let state = &self.playback.state;
        let player = |slot: Option<u16>| state.players().find(|(number, _)| slot.is_none_or(|slot| i32::from(*number) == i32::from(slot)));
        let entity = |number: u32| {
            let mut found = None;
            state.entities(|of, row| found = found.or((u32::from(of) == number).then_some(*row)));
            moment::entity_field(state, number as u16, &found?, field)
        };
        match subject {
            Subject::View => player(None).and_then(|(number, player)| moment::player_field(state, number, player, field)),
            Subject::Player(slot) => match player(Some(slot)) {
                Some((number, player)) => moment::player_field(state, number, player, field),
                None => entity(u32::from(slot) + 1),
            },
            Subject::Entity(number) => entity(number),
        }
    }

    /// The damage met so far.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Plays on to the next frame that can be rebuilt. Returns the block that it is in.
    fn advance(&mut self) -> Option<u32> {
        loop {
            let known = self.findings.added;
            let mut catch = Catch { frame: None, anew: false, level: false, heard: &mut self.heard, findings: &mut self.findings, bases: &mut self.bases };
            let more = self.playback.step(&mut catch);
            let Catch { frame, anew, level, .. } = catch;
            if anew {
                self.filler.level();
            }
            if level {
                self.filler.forget();
            }
            if self.findings.added > known {
                self.damage = self.findings.clone().finish();
            }
            if frame.is_some() {
                return frame;
            }
            if !more {
                return None;
            }
        }
    }

    fn fill(&mut self, message: u32, frame: &mut Frame) {
        let state = &self.playback.state;
        frame.clear();
        (frame.number, frame.message) = (state.clock.frames().saturating_sub(1) as u32, message);
        frame.level = state.levels.saturating_sub(1);
        (frame.time, frame.server_time) = (state.clock.time(), state.clock.server_time());
        frame.match_time = self.heard.match_time(frame.time);
        self.filler.fill(state, &self.heard, frame);
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

/// Bases that are noted between two looks at them.
const MOST_BASES: usize = 64;

/// Stops the walk at every complete frame.
struct Catch<'f> {
    frame: Option<u32>,
    /// Strings changed that the filler keeps something of.
    anew: bool,
    /// A level began.
    level: bool,
    heard: &'f mut Heard,
    findings: &'f mut Findings,
    bases: &'f mut Vec<i32>,
}

impl Catch<'_> {
    fn effect(&mut self, effect: Effect, state: &State) {
        match effect {
            Effect::Level => {
                (self.anew, self.level) = (true, true);
                self.heard.level();
            }
            Effect::LevelUnannounced => {
                self.level = true;
                self.heard.level();
            }
            Effect::String(index) => {
                let strings = state.dialect.strings;
                self.anew |= index < strings.lights || (strings.playerskins..strings.general).contains(&index);
            }
            _ => {}
        }
    }
}

impl Visitor for Catch<'_> {
    fn block(&mut self, block: u32, window: Window<'_>) {
        self.findings.block(block, window.data_offset + window.data.len() as u64);
    }

    fn message(&mut self, at: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        self.effect(effect, state);
        if let Body::Frame(frame) = &message.body
            && self.bases.last() != Some(&frame.delta)
            && self.bases.len() < MOST_BASES
        {
            self.bases.push(frame.delta);
        }
        match &message.body {
            Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) | Body::LevelRestart(_) => self.anew = true,
            Body::Frame(_) | Body::PacketEntities(_) if effect == Effect::Frame => {
                self.findings.frame();
                self.frame = Some(at.block);
            }
            Body::Print(print) => self.heard.print(&print.text.0, state.clock.time()),
            Body::Layout(layout) => self.heard.layout(&layout.0),
            _ => {}
        }
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, _: &[u8], effect: Effect, state: &State) {
        self.effect(effect, state);
        match &message.body {
            MvdBody::Frame(_) | MvdBody::ServerData(_) => self.frame = Some(at.block),
            MvdBody::Print(print) => self.heard.print(&print.text.0, state.clock.time()),
            _ => {}
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.findings.add(damage);
    }

    fn done(&self) -> bool {
        self.frame.is_some()
    }
}
