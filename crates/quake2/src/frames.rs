//! A recording frame by frame, in the vocabulary of all games (`docs/formats/quake2.md`, "Frames").

mod fill;
mod heard;
mod index;
mod looks;
mod roster;

use std::sync::Arc;

use model::{Damage, Frame, FrameOptions, Subject, Value};
use replay::{Key, LazyIndex, Source};

use crate::Recording;
use crate::container::Window;
use crate::findings::Findings;
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::moment;
use crate::playback::{At, Manner, Playback, Visitor};
use crate::state::{Effect, State};
use fill::Filler;
use heard::Heard;
use index::{Draft, Keyframe};

pub(crate) type Index = replay::Index<Keyframe>;

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
///
/// A recording that still grows is gone on with by [`pause`](replay::Frames::pause) and [`resume`](replay::Frames::resume):
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
pub type Frames<'a> = replay::Frames<Walk<'a>>;

/// What a walk over the frames of these games knows.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    recording: Recording<'a>,
    playback: Playback<'a>,
    filler: Filler,
    heard: Heard,
    findings: Findings,
    damage: Vec<Damage>,
    /// The frames that frames were deltas against since somebody last looked.
    bases: Vec<i32>,
}

impl<'a> Recording<'a> {
    /// The frames of the recording, as `options` ask for them.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        Frames::new(Walk::new(self, &options), &options)
    }
}

impl<'a> Walk<'a> {
    fn new(recording: &Recording<'a>, options: &FrameOptions) -> Self {
        Walk {
            recording: recording.clone(),
            playback: recording.playback(Manner { parcels: false, ..recording.manner() }),
            filler: Filler::new(options),
            heard: Heard::default(),
            findings: Findings::new(recording.limits().damage_entries),
            damage: Vec::new(),
            bases: Vec::new(),
        }
    }

    /// The state after the frame.
    pub(crate) fn state(&self) -> &State {
        &self.playback.state
    }

    /// Whether any frame has begun so far.
    pub(crate) fn has_begun(&self) -> bool {
        self.playback.state.clock.frames() > 0
    }

    /// Where the frame stands that came with a block.
    fn here(&self, block: u32) -> replay::At {
        let (clock, levels) = (&self.playback.state.clock, self.playback.state.levels);
        replay::At {
            number: clock.frames().saturating_sub(1) as u32,
            message: block,
            level: levels.saturating_sub(1),
            time: clock.time(),
            server_time: clock.server_time(),
            match_time: self.heard.match_time(clock.time()),
        }
    }
}

impl<'a> Source for Walk<'a> {
    type Keyframe = Keyframe;
    type Draft = Draft;
    type Over<'b> = Walk<'b>;

    const TYPICAL: usize = index::TYPICAL;

    /// Frames whose delta base is missing are passed over.
    fn advance(&mut self) -> Option<replay::At> {
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
                self.findings.show(&mut self.damage);
            }
            if let Some(block) = frame {
                return Some(self.here(block));
            }
            if !more {
                return None;
            }
        }
    }

    fn fill(&mut self, at: &replay::At, frame: &mut Frame) {
        frame.restart();
        at.mark(frame);
        self.filler.fill(&self.playback.state, &self.heard, frame);
    }

    fn pass(&mut self, at: &replay::At, frame: &mut Frame) {
        self.fill(at, frame);
    }

    /// By its name in the format document: `pm_flags`, `stats`, `skinnum`.
    fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
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

    fn damage(&self) -> &[Damage] {
        &self.damage
    }

    fn rewind(&mut self) {
        self.playback = self.recording.playback(Manner { parcels: false, ..self.recording.manner() });
        self.heard = Heard::default();
        self.filler.forget();
        self.filler.level();
        self.bases.clear();
        self.damage.clear();
        self.findings = Findings::new(self.recording.limits().damage_entries);
    }

    fn enter(&mut self, Key { keyframe, .. }: &Key<Keyframe>) -> bool {
        self.rewind();
        self.playback.enter(&keyframe.place);
        self.heard = keyframe.heard.clone();
        true
    }

    fn over<'b>(self, bytes: &'b [u8], last: bool) -> Walk<'b> {
        Walk { recording: self.recording.over(bytes), playback: self.playback.over(bytes, last), ..self }
    }

    fn shared_index(&self) -> Arc<LazyIndex<Index>> {
        self.recording.index.clone()
    }

    fn offset(&self) -> u64 {
        self.playback.offset()
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
