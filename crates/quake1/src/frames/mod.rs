//! The recording frame by frame in the vocabulary of all games (`docs/formats/quake1.md`, "Frames").

mod entity;
mod index;
mod names;
mod player;
mod terms;

use model::{Damage, EntityKinds, Fields, Frame, FrameOptions, Milliseconds, Subject, Value, View, When};
use replay::{Choice, Key, Pace};

use crate::Recording;
use crate::events::MatchWatch;
use crate::message::Message;
use crate::playback::{Playback, Scene, brings_frame};
use crate::recording::{record_of_entity, record_of_player};
use crate::state::Game;
use crate::walk::{Item, Step};
pub(crate) use index::Index;
use index::Keyframe;
use names::Names;

/// A walk over the frames of a recording. See [`Recording::frames`].
///
/// A frame is what is in sight after a block of a client's recording, and after all blocks of one moment of a multi-view one.
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    recording: Recording<'a>,
    playback: Playback<'a>,
    options: FrameOptions,
    pace: Pace,
    names: Names,
    /// The number of the next frame.
    number: u32,
    /// Where players and entities were in the frame before, by entity number, in rising order.
    before: Vec<(u32, [f32; 3])>,
    /// Those who jumped since the last frame that was given.
    jumped: Vec<u32>,
    /// The clock of the match.
    watch: MatchWatch,
    /// The block of a frame of which more blocks may follow.
    open: Option<u32>,
    /// A frame that was sought and is yet to be given.
    sought: Option<At>,
    ended: bool,
}

/// Where a frame stands.
#[derive(Debug, Clone, Copy)]
struct At {
    number: u32,
    message: u32,
    time: Milliseconds,
    server: Milliseconds,
}

/// Where a view is above a player's origin, where nothing says so.
const VIEW_HEIGHT: f32 = 22.0;
/// The same for a dead player of QuakeWorld.
const DEAD_VIEW_HEIGHT: f32 = -16.0;
/// Units on an axis that nothing moves in one frame but by a teleporter: NetQuake's engines interpolate no further.
const FARTHEST_ON_AN_AXIS: f32 = 100.0;
/// Units that ezQuake interpolates no further than.
const FARTHEST: f32 = 150.0;

impl<'a> Recording<'a> {
    /// A walk over its frames.
    ///
    /// ```
    /// # fn main() -> Result<(), wire::Error> {
    /// # let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/quake1/match_e1m1.mvd")).unwrap();
    /// let recording = quake1::Recording::open(&bytes, Some("mvd"), wire::Limits::default())?;
    /// let mut farthest = 0.0f32;
    /// for frame in recording.frames(model::FrameOptions::default().hz(1.0)) {
    ///     for player in frame.players.iter().filter(|player| player.alive == Some(true)) {
    ///         farthest = farthest.max(player.origin.map_or(0.0, |origin| origin[0].abs()));
    ///     }
    /// }
    /// assert!(farthest > 400.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        Frames {
            recording: self.clone(),
            playback: Playback::new(self, true),
            options,
            pace: Pace::new(&options),
            names: Names::default(),
            number: 0,
            before: Vec::new(),
            jumped: Vec::new(),
            watch: MatchWatch::default(),
            open: None,
            sought: None,
            ended: false,
        }
    }
}

impl<'a> Frames<'a> {
    /// Goes on to the next frame, which takes the place of the one in `frame`. `false` at the end.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if let Some(at) = self.sought.take() {
            self.fill(frame, at);
            return true;
        }
        while let Some(at) = self.step() {
            match self.pace.choose(at.time, at.server, self.watch.clock.at(at.time)) {
                Choice::Take => {
                    self.fill(frame, at);
                    return true;
                }
                Choice::Skip => {}
                Choice::Done => self.ended = true,
            }
        }
        false
    }

    /// Goes to the last frame at or before a time, or to the first: it is the one that is given next, whatever the options' times
    /// say. Returns whether there is one. The first time this walks over the whole recording and makes an index of it, which takes at
    /// most a twentieth of the recording's size; from then on it is quick.
    pub fn seek(&mut self, when: When) -> bool {
        let shared = self.recording.index.clone();
        let index = shared.get_or_make(|| index::index(self));
        self.go(Some(index), when)
    }

    /// The same for a question that may be the only one. Returns the frame's last block, and what is known after it.
    pub(crate) fn look(&mut self, when: When) -> Option<(u32, &Playback<'a>)> {
        let shared = self.recording.index.clone();
        let index = shared.for_question(|| index::index(self));
        if self.go(index, when) { self.sought.map(|at| (at.message, &self.playback)) } else { None }
    }

    fn go(&mut self, index: Option<&Index>, when: When) -> bool {
        if let When::Demo(wanted) = when
            && self.playback.is_multi_view()
            && let Some(at) = self.reach(index, wanted)
        {
            self.sought = Some(at);
            return true;
        }
        let target = self.search(index.and_then(|index| index.before(when)), when);
        let Some(target) = target else { return false };
        self.enter(index.and_then(|index| index.before_frame(target)));
        while let Some(at) = self.step() {
            if at.number == target {
                self.sought = Some(at);
                return true;
            }
            // who jumped before is no news to those who come here
            self.jumped.clear();
        }
        false
    }

    /// Goes from the keyframe before a time straight to its frame, in a multi-view recording, whose blocks say when they are. `None` where
    /// the block behind the frame does not show that it is the last before the time; then it is elsewhere.
    fn reach(&mut self, index: Option<&Index>, wanted: Milliseconds) -> Option<At> {
        self.enter(index.and_then(|index| index.before(When::Demo(wanted))));
        while !self.playback.is_followed_after(wanted) {
            let at = self.step().filter(|at| at.time <= wanted)?;
            if self.playback.is_followed_after(wanted) {
                return Some(at);
            }
            // who jumped before is no news to those who come here
            self.jumped.clear();
        }
        None
    }

    /// The number of the frame that a time means, not before a keyframe. Which it is shows by the frame behind it.
    fn search(&self, key: Option<&Key<Keyframe>>, when: When) -> Option<u32> {
        let mut playback = Playback::new(&self.recording, false);
        let mut target = None;
        if let Some(key) = key {
            playback.enter(&key.keyframe.place, self.recording.bytes);
            target = Some(key.number);
        }
        let (mut number, mut open) = (target.map_or(0, |number| number + 1), None);
        while next_moment(&mut playback, &mut open, |_, _| {}).is_some() {
            let late = match when {
                When::Demo(wanted) => playback.clock.demo > wanted,
                When::Server(wanted) => playback.clock.server > wanted,
            };
            if !late || target.is_none() {
                target = Some(number);
            }
            if late {
                break;
            }
            number += 1;
        }
        target
    }

    /// Bytes that the index takes, once there is one.
    pub fn index_bytes(&self) -> usize {
        self.recording.index.get().map_or(0, Index::bytes)
    }

    /// Goes to a keyframe, or to the start.
    fn enter(&mut self, key: Option<&Key<Keyframe>>) {
        self.rewind();
        let Some(key) = key else { return };
        let Keyframe { place, watch, before } = &key.keyframe;
        self.playback.enter(place, self.recording.bytes);
        self.number = key.number + 1;
        self.watch.clone_from(watch);
        self.before.extend_from_slice(before);
    }

    /// The walk as it stands, without the recording: to be gone on with by [`resume`](Self::resume) when there are more bytes.
    ///
    /// ```
    /// use model::FrameOptions;
    /// use quake1::Recording;
    ///
    /// let file = include_bytes!("../../../../samples/quake1/match_e1m1.mvd");
    /// let mut bytes = file[..30_000].to_vec();
    /// let mut walk = Recording::open(&bytes, Some("mvd"), wire::Limits::default())?.frames(FrameOptions::default()).pause();
    /// let mut seen = 0;
    /// for chunk in file[30_000..].chunks(30_000) {
    ///     // so far
    ///     let mut frames = walk.resume(&bytes, false);
    ///     seen += frames.by_ref().count();
    ///     walk = frames.pause();
    ///     bytes.extend_from_slice(chunk);
    /// }
    /// seen += walk.resume(&bytes, true).count();
    /// let recording = Recording::open(file, Some("mvd"), wire::Limits::default())?;
    /// assert_eq!(seen, recording.frames(FrameOptions::default()).count());
    /// # Ok::<(), wire::Error>(())
    /// ```
    pub fn pause(self) -> Frames<'static> {
        self.resume(&[], false)
    }

    /// The same walk over the recording as it is now: the bytes from its start, of which those that were there are the first. `last`
    /// says that it is complete; until then a block that is not waits, and so does a frame of which more blocks may follow.
    pub fn resume<'b>(self, bytes: &'b [u8], last: bool) -> Frames<'b> {
        Frames {
            recording: self.recording.over(bytes),
            playback: self.playback.resume(bytes, last),
            options: self.options,
            pace: self.pace,
            names: self.names,
            number: self.number,
            before: self.before,
            jumped: self.jumped,
            watch: self.watch,
            open: self.open,
            sought: self.sought,
            ended: self.ended,
        }
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        *self = self.recording.frames(self.options);
    }

    /// A field as the game has it, by the name that `state` gives it, of the frame that was given last.
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let (game, d) = (&self.playback.game, self.playback.dialect());
        let record = match subject {
            Subject::View => record_of_player(game, d, game.own?)?,
            Subject::Player(slot) => record_of_player(game, d, slot.try_into().ok()?)?,
            Subject::Entity(number) => record_of_entity(game, &game.world.entity(d, number)?),
        };
        record.find(field).cloned()
    }

    /// What could not be read so far.
    pub fn damage(&self) -> &[Damage] {
        &self.playback.findings.kept
    }

    /// The game after the frame that was given last.
    pub fn game(&self) -> &Game {
        &self.playback.game
    }

    /// Takes in the next frame.
    fn step(&mut self) -> Option<At> {
        if self.ended {
            return None;
        }
        let watch = &mut self.watch;
        let message = next_moment(&mut self.playback, &mut self.open, |scene, message| watch.message(message, scene.came.target, scene.clock.demo))?;
        self.follow_jumps();
        self.number += 1;
        let clock = &self.playback.clock;
        Some(At { number: self.number - 1, message, time: clock.demo, server: clock.server })
    }

    /// Notes who is elsewhere than a step away.
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
        let mut now: Vec<(u32, [f32; 3])> = Vec::with_capacity(self.before.len());
        player::each_place(game, d, |slot, origin| now.push((u32::from(slot) + 1, origin)));
        if self.options.entities != EntityKinds::NONE {
            let players = now.len();
            game.world.each(d, |seen| {
                if now[..players].binary_search_by_key(&seen.number, |(number, _)| *number).is_err() {
                    now.push((seen.number, seen.origin));
                }
            });
            now.sort_by_key(|(number, _)| *number);
        }
        for (number, origin) in &now {
            let before = self.before.binary_search_by_key(number, |(known, _)| *known);
            if before.is_ok_and(|at| jumps(&self.before[at].1, origin)) && !self.jumped.contains(number) {
                self.jumped.push(*number);
            }
        }
        self.before = now;
    }

    fn fill(&mut self, frame: &mut Frame, at: At) {
        frame.clear();
        let game = &self.playback.game;
        let d = self.playback.dialect();
        (frame.number, frame.message, frame.level) = (at.number, at.message, game.levels.saturating_sub(1));
        (frame.time, frame.server_time, frame.match_time) = (at.time, at.server, self.watch.clock.at(at.time));
        let fields = self.options.fields;
        let own_angles = self.playback.view_angles.filter(|_| !d.is_multi_view());
        self.names.of_level(game);
        for slot in player::slots(game, d) {
            let player = frame.add_player(slot.into());
            let angles = own_angles.filter(|_| Some(slot) == game.own);
            player::fill(player, game, d, fields, slot, angles, &mut self.names);
            player.teleported = self.jumped.contains(&(u32::from(slot) + 1));
        }
        if fields.has(Fields::VIEW) && !d.is_multi_view() {
            frame.view = view(game, d, own_angles, &frame.players, |number| self.jumped.contains(&number));
        }
        if self.options.entities != EntityKinds::NONE {
            let (kinds, jumped) = (self.options.entities, &self.jumped);
            entity::each(game, d, kinds, fields, &mut self.names, |mut entity| {
                entity.teleported = jumped.contains(&entity.number);
                frame.entities.push(entity);
            });
        }
        self.jumped.clear();
    }
}

/// Plays the next frame and returns its last block, or none at the end. A moment of a multi-view recording ends where the next begins;
/// `open` is the last block of one whose end is not known yet. `show` gets each message before it happens.
fn next_moment(playback: &mut Playback<'_>, open: &mut Option<u32>, mut show: impl FnMut(&Scene<'_>, &Message)) -> Option<u32> {
    let by_moments = playback.is_multi_view();
    while open.is_none() || (by_moments && playback.lingers()) {
        let Some(step) = playback.next_block() else { break };
        let Step::Block(block) = step else { continue };
        let mut framed = false;
        // what cannot be read is among the findings
        let _ = playback.play(&block, |scene, item| {
            if let Item::Message(message) = item {
                show(scene, message);
                scene.apply(message);
                framed |= brings_frame(message);
            }
        });
        if (framed && !playback.signing_on) || open.is_some() {
            *open = Some(block.number);
        }
    }
    if by_moments && !playback.knows_next() {
        return None;
    }
    open.take()
}

/// The view of a client.
fn view(game: &Game, d: &crate::dialect::Dialect, angles: Option<[f32; 3]>, players: &[model::PlayerFrame], jumped: impl Fn(u32) -> bool) -> Option<View> {
    let own = game.own;
    let number = if d.is_netquake() { game.view_entity? } else { u32::from(own?) + 1 };
    let slot = if d.is_netquake() { crate::state::viewed_slot(number, game.level.max_clients) } else { own };
    let mut origin = match slot {
        Some(slot) => player::place(game, d, slot)?,
        None => game.world.entity(d, number)?.origin,
    };
    let dead = players.iter().any(|player| Some(player.slot) == own.map(u16::from) && player.alive == Some(false));
    origin[2] += match (game.view_height(), d.is_netquake()) {
        (Some(height), _) => height,
        (None, false) if dead => DEAD_VIEW_HEIGHT,
        (None, _) if slot.is_some() => VIEW_HEIGHT,
        _ => 0.0,
    };
    let mut view = View::new(slot.map(u16::from), origin, angles.unwrap_or_default());
    view.teleported = jumped(number);
    Some(view)
}

impl Iterator for Frames<'_> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        self.next_into(&mut frame).then_some(frame)
    }
}
