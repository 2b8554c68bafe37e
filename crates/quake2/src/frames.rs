//! A recording frame by frame, in the vocabulary of all games (`docs/formats/quake2.md`, "Frames").

mod fill;
mod heard;
mod looks;
mod roster;

use std::sync::Arc;

use model::{Damage, Frame, FrameOptions, Milliseconds, Subject, Value, When};
use replay::{Choice, Pace};

use crate::Recording;
use crate::container::Window;
use crate::findings::Findings;
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::moment;
use crate::playback::{At, Manner, Playback, Visitor};
use crate::state::{Effect, State};
use fill::Filler;
use heard::Heard;

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
    /// Places to begin at when a time is sought, each with the frames before it.
    marks: Vec<Arc<Place>>,
    /// Bytes between marks.
    spacing: u64,
    /// A frame that is due before the walk goes on: the one that was sought.
    due: Option<u32>,
    done: bool,
}

/// A place in a walk.
#[derive(Debug)]
struct Place {
    /// The walk, without the recording's bytes.
    playback: Playback<'static>,
    heard: Heard,
    /// Where it is in the file.
    offset: u64,
    time: Milliseconds,
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
            marks: Vec::new(),
            spacing: MARKED,
            due: None,
            done: false,
        }
    }
}

/// Bytes of a recording between places that are remembered, at least: about what is decoded in a millisecond or two.
const MARKED: u64 = 512 * 1024;
/// The most that places take, as a share of the bytes between them.
const SHARE: u64 = 20;

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
    /// options' times say. Returns whether there is one.
    pub fn seek(&mut self, when: When) -> bool {
        let Some(wanted) = self.find(when) else { return false };
        self.go_before(wanted);
        let mut last = None;
        while let Some(message) = self.advance() {
            if self.playback.state.clock.frames() >= wanted {
                last = Some(message);
                break;
            }
        }
        self.due = last;
        last.is_some()
    }

    /// The number, from 1, of the frame that a time means.
    fn find(&mut self, when: When) -> Option<u64> {
        match when {
            When::Demo(time) => {
                let after = self.marks.partition_point(|mark| mark.time <= time);
                self.go_to(after.checked_sub(1));
            }
            When::Server(_) => self.rewind(),
        }
        let mut found: Option<(Milliseconds, u64)> = None;
        while self.advance().is_some() {
            let clock = &self.playback.state.clock;
            let (now, wanted) = match when {
                When::Demo(time) => (clock.time(), time),
                When::Server(time) => (clock.server_time(), time),
            };
            if now <= wanted || found.is_none() {
                // Of several levels that show the time, the last that is nearest, as `state` has it.
                if found.is_none_or(|(best, _)| now >= best || best > wanted) {
                    found = Some((now, clock.frames()));
                }
            } else if matches!(when, When::Demo(_)) {
                break;
            }
        }
        found.map(|(_, frame)| frame)
    }

    /// Goes to the last place remembered before a frame.
    fn go_before(&mut self, frame: u64) {
        let after = self.marks.partition_point(|mark| mark.playback.state.clock.frames() < frame);
        self.go_to(after.checked_sub(1));
    }

    fn go_to(&mut self, mark: Option<usize>) {
        (self.playback, self.heard) = match mark.map(|at| &self.marks[at]) {
            Some(mark) => (mark.playback.clone().over(self.recording.bytes(), true), mark.heard.clone()),
            None => (self.recording.playback(Manner { parcels: false, ..self.recording.manner() }), Heard::default()),
        };
        self.pace.jump();
        self.filler.forget();
        self.filler.level();
        (self.due, self.done) = (None, false);
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        self.go_to(None);
        self.damage.clear();
        self.findings = Findings::new(self.recording.limits().damage_entries);
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
            marks: self.marks,
            spacing: self.spacing,
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
            let mut catch = Catch { frame: None, anew: false, level: false, heard: &mut self.heard, findings: &mut self.findings };
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
                self.remember();
                return frame;
            }
            if !more {
                return None;
            }
        }
    }

    /// Remembers this place if it is far enough from the last.
    fn remember(&mut self) {
        let offset = self.playback.offset();
        let last = self.marks.last().map_or(0, |mark| mark.offset);
        if offset < last + self.spacing {
            return;
        }
        let size = self.playback.state.size() as u64;
        self.spacing = MARKED.max(size * SHARE);
        if offset >= last + self.spacing {
            let time = self.playback.state.clock.time();
            let playback = self.playback.clone().over(&[], true);
            self.marks.push(Arc::new(Place { playback, heard: self.heard.clone(), offset, time }));
        }
    }

    fn fill(&mut self, message: u32, frame: &mut Frame) {
        let state = &self.playback.state;
        frame.clear();
        (frame.number, frame.message) = ((state.clock.frames() - 1) as u32, message);
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

/// Stops the walk at every complete frame.
struct Catch<'f> {
    frame: Option<u32>,
    /// Strings changed that the filler keeps something of.
    anew: bool,
    /// A level began.
    level: bool,
    heard: &'f mut Heard,
    findings: &'f mut Findings,
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
