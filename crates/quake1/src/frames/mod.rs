//! The recording frame by frame in the vocabulary of all games (`docs/formats/quake1.md`, "Frames").

mod entity;
mod names;
mod player;
mod terms;

use model::{Damage, EntityKinds, Fields, Frame, FrameOptions, Subject, Value, View, When};
use replay::{Choice, Pace};

use crate::Recording;
use crate::container::Container;
use crate::playback::{Beat, Playback, Played};
use crate::recording::{Findings, broken, record_of_entity, record_of_player, unreadable};
use crate::state::Game;
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
    findings: Findings,
    /// The number and block of the last frame that was read.
    last: Option<(u32, u32)>,
    /// The same, when it was sought and is yet to be given.
    sought: Option<(u32, u32)>,
    ended: bool,
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
            findings: Findings::default(),
            last: None,
            sought: None,
            ended: false,
        }
    }
}

impl<'a> Frames<'a> {
    /// Goes on to the next frame, which takes the place of the one in `frame`. `false` at the end.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if let Some((number, message)) = self.sought.take() {
            self.fill(frame, number, message);
            return true;
        }
        while let Some((number, message)) = self.step() {
            let clock = &self.playback.clock;
            match self.pace.choose(clock.demo, clock.server, None) {
                Choice::Take => {
                    self.fill(frame, number, message);
                    return true;
                }
                Choice::Skip => {}
                Choice::Done => self.ended = true,
            }
        }
        false
    }

    /// Goes to the last frame at or before a time, or to the first: it is the one that is given next, whatever the options' times
    /// say. Returns whether there is one.
    pub fn seek(&mut self, when: When) -> bool {
        self.sought = None;
        let Ok(wanted) = self.recording.find_frame(when) else {
            self.ended = true;
            return false;
        };
        if self.ended || self.last.is_some_and(|(_, message)| message >= wanted) {
            self.rewind();
        }
        self.pace = Pace::new(&self.options);
        while let Some(found) = self.step() {
            if found.1 >= wanted {
                self.sought = Some(found);
                return true;
            }
        }
        false
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
        &self.findings.kept
    }

    /// The game after the frame that was given last.
    pub fn game(&self) -> &Game {
        &self.playback.game
    }

    /// Takes in the next frame: its number, and its last block's.
    fn step(&mut self) -> Option<(u32, u32)> {
        if self.ended {
            return None;
        }
        let mut message = None;
        while message.is_none() || (self.recording.container() == Container::MultiView && self.playback.lingers()) {
            let Some(beat) = self.playback.next() else { break };
            match beat {
                Beat::Broken(error, (from, to)) => {
                    self.findings.add(broken(&error, from, to, self.recording.bytes.len()), &self.recording.limits);
                }
                Beat::Block(Played { block, is_frame, error }) => {
                    if let Some(error) = error {
                        self.findings.add(unreadable(&error, &block), &self.recording.limits);
                    }
                    if is_frame || message.is_some() {
                        message = Some(block.number);
                    }
                }
            }
        }
        self.ended = message.is_none();
        let message = message?;
        self.follow_jumps();
        self.number += 1;
        self.last = Some((self.number - 1, message));
        self.last
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

    fn fill(&mut self, frame: &mut Frame, number: u32, message: u32) {
        frame.clear();
        (frame.number, frame.message) = (number, message);
        let (game, clock) = (&self.playback.game, &self.playback.clock);
        let d = self.playback.dialect();
        frame.level = game.levels.saturating_sub(1);
        (frame.time, frame.server_time) = (clock.demo, clock.server);
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
