//! Frames in the vocabulary of all games (`docs/formats/quake1.md`, "Frames").

mod entity;
mod fill;
mod happenings;
mod index;
mod looks;
mod models;
mod names;
mod player;
mod terms;

use std::collections::BTreeMap;
use std::sync::Arc;

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{At, Key, LazyIndex, Source};
use fragreel_model::{Damage, EntityKinds, Frame, FrameOptions, Happenings, Look, Milliseconds, Subject, Value};

use crate::container::Container;
use crate::message::Message;
use crate::state::Seen;
use crate::state::record::{record_of_entity, record_of_player};
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::{MessageContext, Playback};
use fill::Filler;
pub(crate) use index::Index;
use index::{Draft, Keyframe};

/// A walk over the frames of a recording. See [`Recording::frames`](crate::Recording::frames).
///
/// A frame shows the world after one block of a client's recording, or after all blocks with one time of a multi-view recording.
///
/// To follow a recording that still grows, use [`pause`](fragreel_model::replay::Frames::pause) and [`resume`](fragreel_model::replay::Frames::resume):
///
/// ```
/// use fragreel_model::FrameOptions;
/// use fragreel_quake1::Recording;
///
/// let file = &*std::fs::read("../../samples/quake1/match_e1m1.mvd").unwrap();
/// let mut bytes = file[..30_000].to_vec();
/// let mut walk = Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default())?.frames(FrameOptions::default()).pause();
/// let mut seen = 0;
/// for chunk in file[30_000..].chunks(30_000) {
///     // so far
///     let mut frames = walk.resume(&bytes, false);
///     seen += frames.by_ref().count();
///     walk = frames.pause();
///     bytes.extend_from_slice(chunk);
/// }
/// seen += walk.resume(&bytes, true).count();
/// let recording = Recording::open(file, Some("mvd"), fragreel_base::wire::Limits::default())?;
/// assert_eq!(seen, recording.frames(FrameOptions::default()).count());
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
pub type Frames<'a> = fragreel_model::replay::Frames<FrameWalk<'a>, Keyframe>;

/// The state of a walk over frames.
#[derive(Debug, Clone)]
pub struct FrameWalk<'a> {
    input: Input<'a>,
    playback: Playback<'a>,
    options: FrameOptions,
    filler: Filler,
    /// The number of the next frame.
    number: u32,
    /// The entities in sight, where something is asked of them.
    in_sight: Vec<Seen>,
    /// Positions of players and entities in the frame before, in rising order of entity numbers.
    before: Vec<(u32, [f32; 3])>,
    /// Room for the next of them.
    now: Vec<(u32, [f32; 3])>,
    /// Entities that were teleported since the last frame that was returned.
    jumped: Vec<u32>,
    /// The match clock.
    match_clock: MatchClock,
    /// The last block of a frame that may have more blocks.
    open: Option<u32>,
    happenings: Happenings,
    /// Entities whose weapons flash.
    flashing: Vec<u32>,
    /// The light styles that were reported.
    lights: Option<Arc<BTreeMap<u16, Vec<u8>>>>,
}

/// Units on one axis that only a teleporter moves an entity in one frame. NetQuake engines interpolate no further.
const FARTHEST_ON_AN_AXIS: f32 = 100.0;
/// Units that only a teleporter moves an entity in one frame. ezQuake interpolates no further.
const FARTHEST: f32 = 150.0;

/// Starts a walk over the frames of a recording. `index` is shared by all walks over it.
pub(crate) fn frames<'a>(input: &Input<'a>, index: &Arc<LazyIndex<Index>>, options: &FrameOptions) -> Frames<'a> {
    Frames::new(FrameWalk::new(input, *options), index, options)
}

impl<'a> FrameWalk<'a> {
    fn new(input: &Input<'a>, options: FrameOptions) -> Self {
        let playback = Playback::new(input, true);
        let players_only = options.players_only && options.entities == EntityKinds::NONE && !options.happenings;
        FrameWalk {
            input: input.clone(),
            playback: if players_only { playback.of_players() } else { playback },
            options,
            filler: Filler::default(),
            number: 0,
            in_sight: Vec::new(),
            before: Vec::new(),
            now: Vec::new(),
            jumped: Vec::new(),
            match_clock: MatchClock::default(),
            open: None,
            happenings: Happenings::new(&options),
            flashing: Vec::new(),
            lights: None,
        }
    }

    /// The playback after the frame.
    pub(crate) fn playback(&self) -> &Playback<'a> {
        &self.playback
    }

    /// What the connection and the level say of the recording player's movement.
    fn physics(&self, field: &str) -> Option<Value> {
        let vars = &self.playback.game.level.move_vars;
        let value = match field {
            "acknowledged" => return self.playback.acknowledged().map(Value::from),
            "movevars.gravity" => &vars.gravity,
            "movevars.entgravity" => &vars.entity_gravity,
            "movevars.stopspeed" => &vars.stop_speed,
            "movevars.maxspeed" => &vars.max_speed,
            "movevars.accelerate" => &vars.accelerate,
            "movevars.friction" => &vars.friction,
            "movevars.waterfriction" => &vars.water_friction,
            "movevars.wateraccelerate" => &vars.water_accelerate,
            _ => return None,
        };
        Some(value.value()).filter(|value| value.is_finite()).map(Value::from)
    }

    /// Whether every frame asks for the entities in sight.
    fn asks_for_entities(&self) -> bool {
        self.options.entities != EntityKinds::NONE || self.happenings.is_wanted()
    }

    /// Notes the entities in sight.
    fn look_around(&mut self) {
        let (game, d, in_sight) = (&self.playback.game, self.playback.dialect(), &mut self.in_sight);
        in_sight.clear();
        game.world.each(d, |seen| in_sight.push(seen));
    }

    /// Notes the entities that were teleported.
    fn follow_jumps(&mut self) {
        let (game, d) = (&self.playback.game, self.playback.dialect());
        let jumps = |from: &[f32; 3], to: &[f32; 3]| {
            let way = [0, 1, 2].map(|axis| (to[axis] - from[axis]).abs());
            if d.is_netquake() {
                way.iter().any(|axis| *axis > FARTHEST_ON_AN_AXIS)
            } else {
                way.iter().map(|axis| axis * axis).sum::<f32>() > FARTHEST * FARTHEST
            }
        };
        let mut now = std::mem::take(&mut self.now);
        now.clear();
        player::each_place(game, d, |slot, origin| now.push((u32::from(slot) + 1, origin)));
        if self.options.entities != EntityKinds::NONE {
            let players = now.len();
            for seen in &self.in_sight {
                if now[..players].binary_search_by_key(&seen.number, |(number, _)| *number).is_err() {
                    now.push((seen.number, seen.origin));
                }
            }
            // players without an entity come first, so the list may not be sorted
            if !now.is_sorted_by_key(|(number, _)| *number) {
                now.sort_by_key(|(number, _)| *number);
            }
        }
        let mut before = self.before.iter().peekable();
        for (number, origin) in &now {
            while before.next_if(|(known, _)| known < number).is_some() {}
            if before.peek().is_some_and(|(known, from)| known == number && jumps(from, origin)) && !self.jumped.contains(number) {
                self.jumped.push(*number);
            }
        }
        self.now = std::mem::replace(&mut self.before, now);
    }
}

impl<'a> Source for FrameWalk<'a> {
    type Keyframe = Keyframe;
    type Draft = Draft;
    type Over<'b> = FrameWalk<'b>;

    const TYPICAL: usize = index::TYPICAL;

    fn advance(&mut self) -> Option<At> {
        let (match_clock, happenings) = (&mut self.match_clock, &mut self.happenings);
        let message = next_moment(&mut self.playback, &mut self.open, |context, message| {
            match_clock.message(message, context.delivery.target, context.clock.demo);
            if happenings.is_wanted() && !context.refused && !context.delivery.dropped {
                happenings.set_time(context.clock.demo);
                happenings::message(context.game, context.dialect, message, happenings);
            }
        })?;
        if self.asks_for_entities() {
            self.look_around();
        }
        self.follow_jumps();
        if self.happenings.is_wanted() {
            self.happenings.set_time(self.playback.clock.demo);
            if self.lights.as_ref().is_none_or(|lights| !Arc::ptr_eq(lights, &self.playback.game.light_styles)) {
                let lights = self.playback.game.light_styles.clone();
                self.happenings.light_styles(lights.iter().map(|(style, pattern)| (*style, &pattern[..])));
                self.lights = Some(lights);
            }
            let game = &self.playback.game;
            let (statics, models) = (game.world.statics(), &mut self.filler.models);
            models.of_level(game);
            self.happenings.statics(game.levels, statics.count() as usize, |at| happenings::static_entity(models, game, statics.get(at)?));
            happenings::flashes(&self.playback.game, self.playback.dialect(), &self.in_sight, &mut self.flashing, &mut self.happenings);
        }
        self.number += 1;
        let (clock, levels) = (&self.playback.clock, self.playback.game.levels);
        Some(At {
            number: self.number - 1,
            message,
            level: levels.saturating_sub(1),
            time: clock.demo,
            server_time: clock.server,
            match_time: self.match_clock.at(clock.demo),
        })
    }

    fn fill(&mut self, at: &At, frame: &mut Frame) {
        frame.restart();
        at.mark(frame);
        self.filler.fill(&self.playback, &self.options, &self.in_sight, &self.jumped, frame);
        self.jumped.clear();
    }

    fn pass(&mut self, _: &At, _: &mut Frame) {
        // teleports of skipped frames do not count
        self.jumped.clear();
    }

    /// Blocks of a multi-view recording state their times.
    fn is_last_until(&self, time: Milliseconds) -> Option<bool> {
        self.playback.is_multi_view().then(|| self.playback.next_is_after(time))
    }

    fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let (game, d) = (&self.playback.game, self.playback.dialect());
        if subject == Subject::View
            && let Some(value) = self.physics(field)
        {
            return Some(value);
        }
        let record = match subject {
            Subject::View => record_of_player(game, d, game.own?)?,
            Subject::Player(slot) => record_of_player(game, d, slot.try_into().ok()?)?,
            Subject::Entity(number) => record_of_entity(game, d, &game.world.entity(d, number)?),
        };
        record.find(field).cloned()
    }

    fn looks(&mut self, looks: &mut Vec<Look>) {
        self.filler.models.of_level(&self.playback.game);
        if !self.asks_for_entities() {
            self.look_around();
        }
        looks::add(&self.playback.game, self.playback.dialect(), &self.in_sight, &mut self.filler.models, looks);
    }

    fn happenings(&mut self) -> &mut Happenings {
        &mut self.happenings
    }

    fn damage(&self) -> &[Damage] {
        &self.playback.findings.kept
    }

    fn rewind(&mut self) {
        *self = FrameWalk::new(&self.input, self.options);
    }

    fn enter(&mut self, Key { at, keyframe: Keyframe { position, match_clock, before }, .. }: &Key<Keyframe>) -> bool {
        self.rewind();
        self.playback.restore(position, self.input.bytes);
        self.number = at.number + 1;
        self.match_clock.clone_from(match_clock);
        self.before.extend_from_slice(before);
        true
    }

    fn over<'b>(self, chunk: Chunk<'b>) -> FrameWalk<'b> {
        FrameWalk { input: self.input.over(chunk.bytes()), playback: self.playback.over(chunk), ..self }
    }

    fn indexing(&self) -> Self {
        // later walks may want entities, and need their positions
        FrameWalk::new(&self.input, FrameOptions::default().entities(EntityKinds::ALL))
    }

    fn offset(&self) -> u64 {
        self.playback.offset()
    }
}

impl fragreel_model::replay::Draft<FrameWalk<'_>> for Draft {
    fn at(walk: &mut FrameWalk<'_>, _: Option<&Keyframe>) -> Option<Self> {
        Some(Draft::new(Keyframe { position: walk.playback.position(), match_clock: walk.match_clock.clone(), before: walk.before.clone().into() }))
    }

    fn follow(&mut self, walk: &mut FrameWalk<'_>) -> bool {
        self.follow_game(&walk.playback.game, walk.input.container == Container::QuakeWorld)
    }

    fn finish(self, before: Option<&Keyframe>) -> (Keyframe, usize) {
        self.into_keyframe(before)
    }
}

/// Plays the next frame and returns its last block, or `None` at the end. A multi-view frame ends where the next time begins;
/// `open` is the last block of a frame whose end is not known yet. Calls `show` with each message before it is applied.
fn next_moment(playback: &mut Playback<'_>, open: &mut Option<u32>, mut show: impl FnMut(&MessageContext<'_>, &Message)) -> Option<u32> {
    let by_moments = playback.is_multi_view();
    while open.is_none() || (by_moments && playback.same_time_as_next()) {
        let Some(step) = playback.next_block() else { break };
        let NextBlock::Block(block) = step else { continue };
        let mut framed = false;
        // errors are among the findings
        let _ = playback.play(&block, |context, item| {
            if let Item::Message(message) = item {
                show(context, message);
                context.apply(message);
                framed |= context.brings_frame(message);
            }
        });
        if (framed && !playback.signing_on) || open.is_some() {
            *open = Some(block.number);
        }
    }
    if by_moments && !playback.has_lookahead() {
        return None;
    }
    open.take()
}
