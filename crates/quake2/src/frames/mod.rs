//! The frames of a recording, in the vocabulary of all games (`docs/formats/quake2.md`, "Frames").

mod fill;
mod happenings;
mod index;
mod looks;
mod models;
mod server_info;
mod sounds;

use std::sync::Arc;

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{Key, LazyIndex, Source};
use fragreel_model::{Damage, EntityKinds, Frame, FrameOptions, Happenings, Look, Subject, Value};

use crate::container::Window;
use crate::message::{Body, Message, MvdBody, MvdMessage, Parcel};
use crate::state::{Effect, Packed, State};
use crate::walk::describe;
use crate::walk::findings::Findings;
use crate::walk::{At, Input, Playback, Visitor, WalkOptions};
use fill::Filler;
use happenings::Collector;
use index::{Draft, Keyframe};
use server_info::ServerInfo;

pub(crate) type Index = fragreel_model::replay::Index<Keyframe>;

/// An iterator over every frame that can be rebuilt. Can be paused, cloned, and sent to another thread.
///
/// ```
/// use fragreel_model::{Frame, FrameOptions};
/// use fragreel_quake2::Recording;
///
/// let bytes = &*std::fs::read("../../samples/quake2/yq2dm_Alice.dm2").unwrap();
/// let recording = Recording::open(bytes, Some("dm2"), fragreel_base::wire::Limits::default())?;
/// let mut frames = recording.frames(FrameOptions::default().hz(1.0));
/// let mut frame = Frame::default();
/// while frames.next_into(&mut frame) {
///     let view = frame.view.as_ref().unwrap();
///     // The view belongs to a player in the list.
///     let own = frame.player(view.slot.unwrap()).unwrap();
///     assert!(own.origin.is_some());
/// }
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
///
/// To follow a growing recording, use [`pause`](fragreel_model::replay::Frames::pause) and [`resume`](fragreel_model::replay::Frames::resume):
///
/// ```
/// # let bytes = &*std::fs::read("../../samples/quake2/yq2dm_Alice.dm2").unwrap();
/// let open = |bytes| fragreel_quake2::Recording::open(bytes, Some("dm2"), fragreel_base::wire::Limits::default());
/// let mut frames = open(&bytes[..20_000])?.frames(fragreel_model::FrameOptions::default()).pause();
/// let mut count = 0;
/// for end in [40_000, bytes.len()] {
///     let mut walk = frames.resume(&bytes[..end], end == bytes.len());
///     count += walk.by_ref().count();
///     frames = walk.pause();
/// }
/// assert_eq!(count, open(&bytes[..])?.frames(fragreel_model::FrameOptions::default()).count());
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
pub type Frames<'a> = fragreel_model::replay::Frames<FrameWalk<'a>, Keyframe>;

/// The state of the iterator.
#[derive(Debug, Clone)]
pub struct FrameWalk<'a> {
    input: Input<'a>,
    playback: Playback<'a>,
    filler: Filler,
    server_info: ServerInfo,
    findings: Findings,
    damage: Vec<Damage>,
    /// Delta bases used since they were last drained.
    bases: Vec<i32>,
    collector: Collector,
}

/// The frames of `input` that `options` ask for. `index` is shared by all walks over it.
pub(crate) fn frames<'a>(input: &Input<'a>, index: &Arc<LazyIndex<Index>>, options: &FrameOptions) -> Frames<'a> {
    Frames::new(FrameWalk::new(input, options), index, options)
}

impl<'a> FrameWalk<'a> {
    fn new(input: &Input<'a>, options: &FrameOptions) -> Self {
        let players_only = options.players_only && options.entities == EntityKinds::NONE && !options.happenings;
        FrameWalk {
            input: *input,
            playback: input.playback(WalkOptions { parcels: options.happenings, players_only, ..input.walk_options() }),
            filler: Filler::new(options),
            collector: Collector::new(Happenings::new(options)),
            server_info: ServerInfo::default(),
            findings: Findings::new(input.limits.damage_entries),
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

    /// The position of the frame in this block.
    fn here(&self, block: u32) -> fragreel_model::replay::At {
        let (clock, levels) = (&self.playback.state.clock, self.playback.state.levels);
        fragreel_model::replay::At {
            number: clock.frames().saturating_sub(1) as u32,
            message: block,
            level: levels.saturating_sub(1),
            time: clock.time(),
            server_time: clock.server_time(),
            match_time: self.server_info.match_time(clock.time()),
        }
    }
}

impl<'a> Source for FrameWalk<'a> {
    type Keyframe = Keyframe;
    type Draft = Draft;
    type Over<'b> = FrameWalk<'b>;

    const TYPICAL: usize = index::TYPICAL;

    /// Skips frames that cannot be read.
    fn advance(&mut self) -> Option<fragreel_model::replay::At> {
        loop {
            let known = self.findings.added;
            let mut visitor = FrameVisitor {
                frame: None,
                strings_changed: false,
                level: false,
                server_info: &mut self.server_info,
                findings: &mut self.findings,
                bases: &mut self.bases,
                collector: Some(&mut self.collector).filter(|collector| collector.list.is_wanted()),
            };
            let more = self.playback.step(&mut visitor);
            let FrameVisitor { frame, strings_changed, level, .. } = visitor;
            if strings_changed {
                self.filler.level();
                if self.collector.list.is_wanted() {
                    self.collector.strings(&self.playback.state);
                }
            }
            if level {
                self.filler.forget();
            }
            if self.findings.added > known {
                self.findings.show(&mut self.damage);
            }
            if let Some(block) = frame {
                if self.collector.list.is_wanted() {
                    self.collector.frame(&self.playback.state);
                }
                return Some(self.here(block));
            }
            if !more {
                return None;
            }
        }
    }

    fn fill(&mut self, at: &fragreel_model::replay::At, frame: &mut Frame) {
        frame.restart();
        at.mark(frame);
        frame.uncertain = self.playback.state.is_uncertain();
        self.filler.fill(&self.playback.state, &self.server_info, frame);
    }

    fn pass(&mut self, at: &fragreel_model::replay::At, frame: &mut Frame) {
        self.fill(at, frame);
    }

    /// Finds a field by its name in the format document: `pm_flags`, `stats`, `skinnum`.
    fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let state = &self.playback.state;
        let player = |slot: Option<u16>| state.players().find(|(number, _)| slot.is_none_or(|slot| i32::from(*number) == i32::from(slot)));
        let entity = |number: u32| {
            let mut found = None;
            state.entities(|of, row| found = found.or((u32::from(of) == number).then_some(*row)));
            describe::entity_field(state, number as u16, &found?, field)
        };
        match subject {
            Subject::View => player(None).and_then(|(number, player)| describe::player_field(state, number, player, field)),
            Subject::Player(slot) => match player(Some(slot)) {
                Some((number, player)) => describe::player_field(state, number, player, field),
                None => entity(u32::from(slot) + 1),
            },
            Subject::Entity(number) => entity(number),
        }
    }

    fn looks(&mut self, looks: &mut Vec<Look>) {
        self.filler.looks(&self.playback.state, looks);
    }

    fn happenings(&mut self) -> &mut Happenings {
        &mut self.collector.list
    }

    fn damage(&self) -> &[Damage] {
        &self.damage
    }

    fn rewind(&mut self) {
        self.playback = self.input.playback(self.playback.options());
        self.server_info = ServerInfo::default();
        self.filler.forget();
        self.filler.level();
        self.collector.light();
        self.bases.clear();
        self.damage.clear();
        self.findings = Findings::new(self.input.limits.damage_entries);
    }

    fn enter(&mut self, Key { keyframe, .. }: &Key<Keyframe>) -> bool {
        self.rewind();
        self.playback.restore(&keyframe.checkpoint);
        self.server_info = keyframe.server_info.clone();
        true
    }

    fn indexing(&self) -> Self {
        // later walks may want other entities
        let mut walk = self.clone();
        walk.playback = self.input.playback(WalkOptions { players_only: false, ..self.playback.options() });
        walk.rewind();
        walk
    }

    fn over<'b>(self, chunk: Chunk<'b>) -> FrameWalk<'b> {
        FrameWalk { input: self.input.over(chunk.bytes()), playback: self.playback.over_chunk(chunk), ..self }
    }

    fn needed(&self) -> u64 {
        self.playback.needed() as u64
    }

    fn offset(&self) -> u64 {
        self.playback.offset()
    }
}

/// The maximum number of bases to note before they are drained.
const MAX_BASES: usize = 64;

/// Stops the walk at every complete frame.
struct FrameVisitor<'f> {
    frame: Option<u32>,
    /// Whether strings changed that the filler caches.
    strings_changed: bool,
    /// Whether a level began.
    level: bool,
    server_info: &'f mut ServerInfo,
    findings: &'f mut Findings,
    bases: &'f mut Vec<i32>,
    /// What collects sounds and effects, where they are asked for.
    collector: Option<&'f mut Collector>,
}

impl FrameVisitor<'_> {
    fn effect(&mut self, effect: Effect, state: &State) {
        match effect {
            Effect::Level => {
                (self.strings_changed, self.level) = (true, true);
                self.server_info.level();
            }
            Effect::LevelUnannounced => {
                self.level = true;
                self.server_info.level();
            }
            Effect::String(index) => {
                let strings = state.dialect.strings;
                self.strings_changed |= index < strings.lights || (strings.playerskins..strings.general).contains(&index);
                if (strings.lights..strings.items).contains(&index)
                    && let Some(collector) = &mut self.collector
                {
                    collector.light();
                }
            }
            _ => {}
        }
    }
}

impl Visitor for FrameVisitor<'_> {
    fn block(&mut self, block: u32, window: Window<'_>) {
        self.findings.block(block, window.data_offset + window.data.len() as u64);
    }

    fn message(&mut self, at: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        self.effect(effect, state);
        if let Some(collector) = &mut self.collector {
            collector.message(message, state);
        }
        if let Body::Frame(frame) = &message.body
            && self.bases.last() != Some(&frame.delta)
            && self.bases.len() < MAX_BASES
        {
            self.bases.push(frame.delta);
        }
        match &message.body {
            Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) | Body::LevelRestart(_) => self.strings_changed = true,
            Body::Frame(_) | Body::PacketEntities(_) if effect == Effect::Frame => {
                self.findings.frame(state.is_uncertain());
                self.frame = Some(at.block);
            }
            Body::Print(print) => self.server_info.print(&print.text.0, state.clock.time()),
            Body::Layout(layout) => self.server_info.layout(&layout.0),
            _ => {}
        }
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, _: &[u8], effect: Effect, state: &State) {
        self.effect(effect, state);
        match &message.body {
            MvdBody::Frame(_) | MvdBody::ServerData(_) => {
                self.findings.frame(state.is_uncertain());
                self.frame = Some(at.block);
            }
            MvdBody::Print(print) => self.server_info.print(&print.text.0, state.clock.time()),
            MvdBody::Sound(sound) => {
                if let Some(collector) = &mut self.collector {
                    collector.sound(sound, state);
                }
            }
            _ => {}
        }
    }

    fn parcel(&mut self, _: At, _: &Parcel, message: &mut Message, _: &[u8], state: &State) {
        if let Some(collector) = &mut self.collector {
            collector.message(message, state);
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.findings.add(damage);
    }

    fn done(&self) -> bool {
        self.frame.is_some()
    }
}

impl fragreel_model::replay::Draft<FrameWalk<'_>> for Draft {
    fn at(walk: &mut FrameWalk<'_>, before: Option<&Keyframe>) -> Option<Self> {
        walk.bases.clear();
        let state = &walk.playback.state;
        let checkpoint = walk.playback.checkpoint(Packed::of(state, &[], before.map(|key| &key.checkpoint.state)));
        Some(Draft { key: Keyframe { checkpoint, server_info: walk.server_info.clone() }, state: state.clone(), needed: Vec::new() })
    }

    fn follow(&mut self, walk: &mut FrameWalk<'_>) -> bool {
        let state = &walk.playback.state;
        let continues = self.state.levels == state.levels && state.clock.frames() - self.state.clock.frames() < index::KEPT;
        self.needed.extend(walk.bases.drain(..).filter(|_| continues));
        continues
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, state, mut needed } = self;
        needed.sort_unstable();
        needed.dedup();
        let like = before.map(|key| &key.checkpoint.state);
        key.checkpoint.state = Packed::of(&state, &needed, like);
        let size = key.checkpoint.bytes_beside(like) + key.server_info.bytes();
        (key, size)
    }
}
