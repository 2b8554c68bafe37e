//! A recording as something to be shown: its frames by time, and the state of the game at the one that is shown.

use delta::interleaved::Row;
use live::Growing;
use model::Milliseconds;

use crate::container::{Frame, Frames, Piece};
use crate::dialect::{Dialect, Line};
use crate::fields::{find, q3};
use crate::message::{Message, Operation};
use crate::state::{Command, Outcome, PlayerState, State};

/// A recording, with its frames in order.
#[derive(Debug, Clone)]
pub struct Film {
    bytes: Growing,
    dialect: &'static Dialect,
    /// The pieces that are next to be looked at, and the messages before.
    pieces: Frames<'static>,
    messages: Vec<Frame>,
    frames: Vec<FrameAt>,
    /// Messages that begin levels.
    levels: Vec<usize>,
    /// Who goes ahead to see what there is.
    scout: Option<Box<Playhead>>,
    index: Index,
}

#[derive(Debug, Clone, Copy)]
struct FrameAt {
    message: usize,
    time: i64,
}

/// What one message of the recording came to.
#[derive(Debug, Clone, Default)]
pub(super) struct Beat {
    /// A level begins.
    pub level: bool,
    /// Commands that were new.
    pub commands: Vec<Vec<u8>>,
    /// A frame.
    pub frame: bool,
}

/// A frame with all that it says, at the clock of those who watch it.
#[derive(Debug, Clone)]
pub(super) struct Shot {
    pub server_time: i32,
    pub flags: u8,
    pub area_mask: Vec<u8>,
    pub player: PlayerState,
    pub entities: Vec<(u16, Row)>,
}

impl Film {
    /// Takes a recording. Says why it cannot be shown.
    pub fn new(bytes: Vec<u8>, dialect: &'static Dialect) -> Result<Self, &'static str> {
        // Voice differs between them, which nobody is sent.
        let same = Dialect::of(68).is_some_and(|common| common.entity == dialect.entity && common.player == dialect.player && common.layout == dialect.layout);
        if dialect.line != Line::Quake3 || !same {
            return Err("only recordings of the protocols 66 to 71 can be shown");
        }
        let mut film = Film {
            bytes: Growing::whole(bytes),
            dialect,
            pieces: Frames::new(&[]),
            messages: Vec::new(),
            frames: Vec::new(),
            levels: Vec::new(),
            scout: Some(Box::new(Playhead { state: State::new(dialect), message: Message::default(), next: 0, frame: 0 })),
            index: Index::default(),
        };
        film.scout();
        // What stands before the first gamestate cannot be shown.
        let first = film.levels.first().copied().ok_or("there is no gamestate in the recording")?;
        film.frames.retain(|frame| frame.message >= first);
        if film.frames.is_empty() {
            return Err("there is no whole snapshot in the recording");
        }
        Ok(film)
    }

    /// More of a recording that grows.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.feed(bytes);
        self.scout();
    }

    /// Goes through what is new, and notes where levels and frames are.
    fn scout(&mut self) {
        let Some(mut scout) = self.scout.take() else { return };
        let mut pieces = self.pieces.over(self.bytes.bytes(), self.bytes.is_last());
        self.messages.extend(pieces.by_ref().filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None }));
        self.pieces = pieces.over(&[], false);
        while scout.next < self.messages.len() {
            let message = scout.next;
            let beat = scout.step(self);
            if beat.level {
                self.index.level();
                self.levels.push(message);
                self.levels.dedup();
            }
            if beat.frame
                && let Some(snapshot) = scout.state.snapshot()
            {
                let time = self.index.frame(i64::from(snapshot.server_time));
                self.frames.push(FrameAt { message, time });
            }
        }
        self.scout = Some(scout);
    }

    /// The time of the last frame since the first.
    pub fn length(&self) -> Milliseconds {
        Milliseconds(self.frames.last().map_or(0, |last| last.time))
    }

    /// The protocol that it was recorded in.
    pub fn protocol(&self) -> u16 {
        self.dialect.protocol
    }

    /// The server's clock at the first frame.
    pub(super) fn first_server_time(&self) -> i64 {
        self.index.first.unwrap_or(0)
    }

    /// The first frame that is not before a time; the last one when all are.
    pub(super) fn find(&self, time: i64) -> usize {
        self.frames.partition_point(|frame| frame.time < time).min(self.frames.len() - 1)
    }

    /// When a frame is.
    pub(super) fn time(&self, frame: usize) -> Option<i64> {
        self.frames.get(frame).map(|frame| frame.time)
    }

    /// The level's first message, for a frame.
    fn level(&self, frame: usize) -> usize {
        let message = self.frames[frame].message;
        self.levels[self.levels.partition_point(|&level| level <= message).saturating_sub(1)]
    }
}

/// When frames are.
#[derive(Debug, Clone, Default)]
struct Index {
    /// The server time that counts as zero in this level, and where the level begins in the recording.
    origin: Option<i64>,
    begins: i64,
    last: Option<i64>,
    latest: i64,
    first: Option<i64>,
}

impl Index {
    fn level(&mut self) {
        (self.origin, self.begins) = (None, self.latest);
    }

    /// The time of a frame since the first one.
    fn frame(&mut self, now: i64) -> i64 {
        self.first.get_or_insert(now);
        // The server's clock may begin again some time after the level.
        if self.last.replace(now).is_some_and(|last| now < last) {
            self.level();
        }
        self.latest = self.latest.max(self.begins + now - *self.origin.get_or_insert(now));
        self.latest
    }
}

/// A place in a recording.
#[derive(Debug, Clone)]
pub(super) struct Playhead {
    pub state: State,
    message: Message,
    /// The message that is next.
    next: usize,
    /// The frame that is next.
    pub frame: usize,
}

impl Playhead {
    /// Before the first level.
    pub fn new(film: &Film) -> Self {
        let next = film.levels.first().copied().unwrap_or(0);
        Playhead { state: State::new(film.dialect), message: Message::default(), next, frame: 0 }
    }

    /// Goes to a frame, which is shown then.
    pub fn seek(&mut self, film: &Film, frame: usize) {
        let (start, last) = (film.level(frame), film.frames[frame].message);
        if start > self.next || film.frames[frame].message < self.next {
            (self.state, self.next) = (State::new(film.dialect), start);
        }
        while self.next <= last {
            self.step(film);
        }
        self.frame = frame + 1;
    }

    /// Whether this message has the next frame or comes before it.
    pub fn step_to_frame(&mut self, film: &Film) -> Vec<Beat> {
        let mut beats = Vec::new();
        let Some(frame) = film.frames.get(self.frame) else { return beats };
        while self.next <= frame.message {
            beats.push(self.step(film));
        }
        self.frame += 1;
        beats
    }

    fn step(&mut self, film: &Film) -> Beat {
        let mut beat = Beat::default();
        let Some(frame) = film.messages.get(self.next) else {
            self.next += 1;
            return beat;
        };
        self.next += 1;
        let data = &film.bytes.bytes()[frame.data_offset() as usize..][..frame.length as usize];
        // What is broken ends the message; what came before it counts.
        let _ = self.message.read(data, film.dialect);
        for operation in &self.message.operations {
            match operation {
                Operation::Gamestate(gamestate) => {
                    self.state.apply_gamestate(gamestate);
                    beat.level = true;
                }
                Operation::ServerCommand(command) => {
                    let is_new = self.state.apply_command(command) != Command::Repeated;
                    beat.commands.extend(is_new.then(|| command.text.clone()));
                }
                Operation::Snapshot(snapshot) => beat.frame |= self.state.apply_snapshot(frame.sequence, snapshot) == Outcome::Applied,
                _ => {}
            }
        }
        beat
    }
}

const ENTITY_TIME: usize = find(&q3::ENTITY, "pos.trTime");
const ENTITY_TYPE: usize = find(&q3::ENTITY, "pos.trType");
const TURN_TIME: usize = find(&q3::ENTITY, "apos.trTime");
const TURN_TYPE: usize = find(&q3::ENTITY, "apos.trType");
const TIMES: [usize; 2] = [find(&q3::ENTITY, "time"), find(&q3::ENTITY, "time2")];
const COMMAND_TIME: usize = find(&q3::PLAYER, "commandTime");
const MOVE_FLAGS: usize = find(&q3::PLAYER, "pm_flags");
/// Which of a player's arrays says until when he has what powers.
const POWERS: usize = 3;
/// Whoever follows a player does not move him: the game shows his view as it is.
const FOLLOWS: u32 = 4096;
/// A power without an end, such as a flag.
const FOR_EVER: u32 = i32::MAX as u32;
/// The view is not anybody's yet.
const NOT_ACTIVE: u8 = 2;

impl Shot {
    /// The current frame of `state`, with its times shifted.
    pub fn of(state: &State, shift: i32) -> Option<Self> {
        let snapshot = state.snapshot()?;
        let move_by = |word: &mut u32| *word = word.wrapping_add(shift as u32);
        let mut player = snapshot.player;
        move_by(&mut player.row[COMMAND_TIME]);
        player.row[MOVE_FLAGS] |= FOLLOWS;
        player.arrays[POWERS].iter_mut().filter(|until| **until != 0 && **until != FOR_EVER).for_each(move_by);
        let mut entities: Vec<(u16, Row)> = state.entities().map(|(number, row)| (number, *row)).collect();
        entities.sort_by_key(|entity| entity.0);
        entities.dedup_by_key(|entity| entity.0);
        for (_, row) in &mut entities {
            // Things that rest, and those that are only interpolated, have no time.
            for (kind, time) in [(ENTITY_TYPE, ENTITY_TIME), (TURN_TYPE, TURN_TIME)] {
                if row[kind] > 1 {
                    move_by(&mut row[time]);
                }
            }
            for time in TIMES {
                if row[time] != 0 {
                    move_by(&mut row[time]);
                }
            }
        }
        Some(Shot {
            server_time: snapshot.server_time.wrapping_add(shift),
            flags: snapshot.flags & !NOT_ACTIVE,
            area_mask: snapshot.area_mask.clone(),
            player,
            entities,
        })
    }
}
