//! The frames of a recording, in the vocabulary of all games (`docs/formats/goldsrc.md`, "Frames").

mod columns;
mod fill;
mod happenings;
mod index;
mod models;
mod players;
mod terms;

use std::ops::Range;
use std::sync::Arc;

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::replay::{At, Key, LazyIndex, Source};
use fragreel_model::{Damage, DamageKind, Frame, FrameOptions, Happenings, Look, Subject, Value};

use crate::container::body::{self, Eyes};
use crate::container::{Macro, MacroKind, Step};
use crate::game_text::clean;
use crate::message::Message;
use crate::message::context::Context;
use crate::state::{ApplyError, State, field};
use crate::walk::findings::Findings;
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::{FrameOutcome, Playback, Visitor};
use crate::walk::roster::Roster;
use crate::walk::time::milliseconds;
use fill::Filler;
use happenings::Collector;
use index::{Draft, Keyframe};

pub(crate) type Index = fragreel_model::replay::Index<Keyframe>;

/// A walk over the played frames of a recording. It can be stopped anywhere, cloned, and sent to another thread.
///
/// ```
/// use fragreel_model::{Frame, FrameOptions};
///
/// # let bytes = fragreel_goldsrc::properties::tiny_recording();
/// let recording = fragreel_goldsrc::Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default())?;
/// let mut frames = recording.frames(FrameOptions::default());
/// let mut frame = Frame::default();
/// assert!(frames.next_into(&mut frame));
/// let own = frame.player(0).unwrap();
/// assert_eq!((own.name.as_ref().unwrap().clean.as_str(), own.health), ("Gordon", Some(100)));
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
///
/// For a recording that is still being written, [`pause`](fragreel_model::replay::Frames::pause) the walk and [`resume`](fragreel_model::replay::Frames::resume) it over
/// more bytes:
///
/// ```
/// # let bytes = fragreel_goldsrc::properties::tiny_recording();
/// let open = |bytes| fragreel_goldsrc::Recording::open(bytes, Some("dem"), fragreel_base::wire::Limits::default());
/// let mut frames = open(&bytes[..1500])?.frames(fragreel_model::FrameOptions::default()).pause();
/// let mut count = 0;
/// for end in [2500, bytes.len()] {
///     let mut walk = frames.resume(&bytes[..end], end == bytes.len());
///     count += walk.by_ref().count();
///     frames = walk.pause();
/// }
/// assert_eq!(count, open(&bytes)?.frames(fragreel_model::FrameOptions::default()).count());
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
pub type Frames<'a> = fragreel_model::replay::Frames<FrameWalk<'a>, Keyframe>;

/// The walk behind [`Frames`].
#[derive(Debug, Clone)]
pub struct FrameWalk<'a> {
    input: Input<'a>,
    playback: Playback<'a>,
    filler: Filler,
    /// The field of view that the client recorded last.
    fov: Option<f32>,
    /// The client's view in the last data block.
    eyes: Option<Eyes>,
    match_clock: MatchClock,
    /// Frames so far.
    count: u32,
    /// Levels with frames so far, and whether another level has begun.
    levels: u32,
    new_level: bool,
    findings: Findings,
    /// The last frame is uncertain.
    uncertain: bool,
    /// Low bytes of the delta bases used since the last keyframe took them.
    bases: Vec<u8>,
    collector: Collector,
}

/// Limit for those.
const MAX_BASES: usize = 64;

/// The frames of a recording, with what `options` ask for.
pub(crate) fn frames<'a>(input: &Input<'a>, index: &Arc<LazyIndex<Index>>, options: &FrameOptions) -> Frames<'a> {
    Frames::new(FrameWalk::new(input, options), index, options)
}

impl<'a> FrameWalk<'a> {
    fn new(input: &Input<'a>, options: &FrameOptions) -> Self {
        let known = input.dialect().messages.is_some();
        let unknown = (!known).then(|| Error::unsupported("the messages of this network protocol are not known, and frames are among them").at_offset(8));
        let damage = unknown.into_iter().map(|error| Damage::of(&error, DamageKind::Unsupported)).collect();
        FrameWalk {
            input: input.clone(),
            playback: Playback::new(input),
            filler: Filler::new(options, &clean(input.container.header.game_name())),
            fov: None,
            eyes: None,
            match_clock: MatchClock::default(),
            count: 0,
            levels: 0,
            new_level: false,
            findings: Findings::new(damage, input.limits.damage_entries),
            uncertain: false,
            bases: Vec::new(),
            collector: Collector::new(Happenings::new(options)),
        }
    }

    /// The walk, after the frame.
    pub(crate) fn playback(&self) -> &Playback<'a> {
        &self.playback
    }

    /// The players.
    pub(crate) fn roster(&self) -> &Roster {
        self.filler.roster()
    }

    fn entity_field(&self, number: u32, field: &str) -> Option<Value> {
        let (state, context) = (&self.playback.state, self.playback.context()?);
        let entity = state.frame().iter().find(|entity| u32::from(entity.number) == number)?;
        field::field(state, context, entity.structure, entity.row, field)
    }

    fn block(&mut self, number: u32, segment: usize, window: &Macro<'a>) -> Option<At> {
        let mut listener = Listener {
            filler: &mut self.filler,
            collector: Some(&mut self.collector).filter(|collector| collector.list.is_wanted()),
            clock: &mut self.match_clock,
            bases: &mut self.bases,
            level: false,
            listed: false,
        };
        let (outcome, read) = self.playback.visit(window, &mut listener);
        let (level, listed) = (listener.level, listener.listed);
        if listed {
            self.filler.list(&self.playback.state);
        }
        self.new_level |= level;
        if let Err(error) = read {
            self.findings.add_unreadable(&self.playback, &error, number, window);
        }
        match outcome {
            FrameOutcome::Absent => return None,
            FrameOutcome::Uncertain(cause) => {
                if !std::mem::replace(&mut self.uncertain, true) {
                    let why = cause.unwrap_or(ApplyError::MissingBase).text();
                    let text = format!("{why}; from here on, frames are decoded against the last known state, up to the next full frame");
                    let error = Error::malformed(text).at_offset(window.offset as u64).inside("macro", Some(number));
                    self.findings.add(Damage::of(&error, DamageKind::MissingBase));
                }
            }
            FrameOutcome::Rebuilt => self.uncertain = false,
        }
        if !self.playback.is_played(segment) {
            return None;
        }
        if std::mem::take(&mut self.new_level) {
            self.levels += 1;
            self.filler.forget();
        }
        if self.collector.list.is_wanted()
            && let Some(context) = self.playback.context()
        {
            self.collector.frame(&self.playback.state, context, self.playback.now());
        }
        let time = self.playback.server_time();
        self.count += 1;
        self.eyes = body::eyes(window, self.input.dialect());
        Some(At {
            number: self.count - 1,
            message: number,
            level: self.levels.saturating_sub(1),
            time: self.playback.now(),
            server_time: milliseconds(time),
            match_time: self.match_clock.at(time),
        })
    }
}

/// Takes what frames show from the messages of a block.
struct Listener<'w> {
    filler: &'w mut Filler,
    collector: Option<&'w mut Collector>,
    clock: &'w mut MatchClock,
    bases: &'w mut Vec<u8>,
    /// The block begins a level, or lists its resources.
    level: bool,
    listed: bool,
}

impl Visitor for Listener<'_> {
    #[inline(always)]
    fn needs_no_deltas(&self) -> bool {
        // what happens shows in the messages
        self.collector.is_none()
    }

    #[inline]
    fn delta(&mut self, base: u8) {
        if self.bases.len() < MAX_BASES {
            self.bases.push(base);
        }
    }

    #[inline]
    fn before(&mut self, _: &State, context: &Context, message: &mut Message, _: Range<usize>) {
        self.filler.message(context, message);
        if let Some(collector) = &mut self.collector {
            collector.message(context, message);
        }
        self.clock.message(context, message);
        match message {
            Message::ServerInfo(_) => self.level = true,
            Message::ResourceList(_) => self.listed = true,
            Message::DeltaPacketEntities(update) => self.delta(update.delta_sequence),
            Message::ClientData(data) => {
                if let Some(base) = data.body.as_ref().and_then(|body| body.delta_sequence) {
                    self.delta(base);
                }
            }
            _ => {}
        }
    }
}

impl<'a> Source for FrameWalk<'a> {
    type Keyframe = Keyframe;
    type Draft = Draft;
    type Over<'b> = FrameWalk<'b>;

    const TYPICAL: usize = index::TYPICAL;

    fn advance(&mut self) -> Option<At> {
        loop {
            let fov = &mut self.fov;
            self.playback.pass(|window| {
                if window.kind == MacroKind::ClientData {
                    *fov = body::fov(window).or(*fov);
                }
                window.kind != MacroKind::Data
            });
            let (number, segment, window) = match self.playback.next()? {
                Step::Macro { number, segment, window } => (number, segment, window),
                Step::Damage(damage) => {
                    self.findings.add(damage);
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

    fn fill(&mut self, at: &At, frame: &mut Frame) {
        frame.restart();
        at.mark(frame);
        frame.uncertain = self.playback.state.is_uncertain();
        match self.playback.context() {
            Some(context) => self.filler.fill(&self.playback.state, context, self.eyes, self.fov, frame),
            None => frame.end_players(0),
        }
    }

    fn pass(&mut self, at: &At, frame: &mut Frame) {
        self.fill(at, frame);
    }

    /// By the game's own name: `origin[0]`, `sequence`, `physinfo`; of the recording player as of `clientdata_t`.
    fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let (state, context) = (&self.playback.state, self.playback.context()?);
        let own = self.filler.own_slot(state, context);
        match subject {
            Subject::View => field::client_field(state, context, field),
            Subject::Player(slot) if own == Some(slot) => field::client_field(state, context, field).or_else(|| self.entity_field(u32::from(slot) + 1, field)),
            Subject::Player(slot) => self.entity_field(u32::from(slot) + 1, field),
            Subject::Entity(number) => self.entity_field(number, field),
        }
    }

    fn looks(&mut self, looks: &mut Vec<Look>) {
        if let Some(context) = self.playback.context() {
            self.filler.looks(&self.playback.state, context, looks);
        }
    }

    fn happenings(&mut self) -> &mut Happenings {
        &mut self.collector.list
    }

    fn damage(&self) -> &[Damage] {
        self.findings.list()
    }

    fn rewind(&mut self) {
        let filler = self.filler.restarted(&clean(self.input.container.header.game_name()));
        self.collector.forget();
        let collector = self.collector.clone();
        *self = FrameWalk { filler, collector, ..FrameWalk::new(&self.input, &FrameOptions::default()) };
    }

    fn enter(&mut self, Key { at, keyframe, .. }: &Key<Keyframe>) -> bool {
        let listed = self.playback.enter(&keyframe.checkpoint);
        self.filler.enter(&keyframe.players);
        self.collector.forget();
        if listed {
            self.filler.list(&self.playback.state);
        }
        (self.fov, self.eyes, self.match_clock) = (keyframe.fov, keyframe.eyes, keyframe.match_clock);
        (self.count, self.levels, self.new_level) = (at.number + 1, keyframe.levels, false);
        self.uncertain = self.playback.state.is_uncertain();
        self.bases.clear();
        true
    }

    fn over<'b>(self, chunk: Chunk<'b>) -> FrameWalk<'b> {
        let input = self.input.of_chunk(chunk);
        FrameWalk { playback: self.playback.over(&input), input, ..self }
    }

    fn offset(&self) -> u64 {
        self.playback.offset()
    }
}

impl fragreel_model::replay::Draft<FrameWalk<'_>> for Draft {
    fn at(walk: &mut FrameWalk<'_>, _: Option<&Keyframe>) -> Option<Self> {
        walk.bases.clear();
        let state = &walk.playback.state;
        let checkpoint = walk.playback.checkpoint(state.packed(&[]))?;
        let key =
            Keyframe { checkpoint, players: walk.filler.packed_players(), fov: walk.fov, eyes: walk.eyes, match_clock: walk.match_clock, levels: walk.levels };
        Some(Draft { key, state: state.clone(), needed: Vec::new() })
    }

    fn follow(&mut self, walk: &mut FrameWalk<'_>) -> bool {
        let goes_on = self.key.levels == walk.levels && walk.playback.state.sequence().wrapping_sub(self.state.sequence()) < index::KEPT;
        self.needed.extend(walk.bases.drain(..).filter(|_| goes_on));
        goes_on
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        let Draft { mut key, state, mut needed } = self;
        needed.sort_unstable();
        needed.dedup();
        *key.checkpoint.state_mut() = state.packed(&needed);
        let size = key.checkpoint.bytes_beside(before.map(|key| &key.checkpoint)) + key.players.bytes();
        (key, size)
    }
}
