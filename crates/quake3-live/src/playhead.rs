//! A recording that a server plays: its frames by time, and the state at the current one.

use fragreel_base::delta::interleaved::Row;
use fragreel_live::Growing;
use fragreel_model::Milliseconds;

use fragreel_quake3::container::{Frame, Frames, Piece};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::fields::{find, q3};
use fragreel_quake3::message::{Message, Operation};
use fragreel_quake3::state::{Command, Effect, PlayerState, State};

/// A recording that plays: its frames by time, and the state at the current one.
#[derive(Debug, Clone)]
pub struct Playhead {
    frames: FrameIndex,
    position: Position,
}

impl Playhead {
    /// Indexes a recording. Fails, with the reason, on other protocols than 66 to 71, and without a gamestate or a snapshot.
    pub fn new(bytes: Vec<u8>, dialect: &'static Dialect) -> Result<Self, &'static str> {
        let frames = FrameIndex::new(bytes, dialect)?;
        let next = frames.levels.first().copied().unwrap_or(0);
        Ok(Playhead { position: Position::new(dialect, next), frames })
    }

    /// Adds bytes to a recording that grows.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.frames.bytes.feed(bytes);
        self.frames.extend();
    }

    /// The time of the last frame since the first.
    pub fn length(&self) -> Milliseconds {
        Milliseconds(self.frames.frames.last().map_or(0, |last| last.time))
    }

    /// The protocol that it was recorded in.
    pub fn protocol(&self) -> u16 {
        self.frames.dialect.protocol
    }

    /// The state at the current frame.
    pub(super) fn state(&self) -> &State {
        &self.position.state
    }

    /// The number of the next frame.
    pub(super) fn next_frame(&self) -> usize {
        self.position.frame
    }

    /// The server's clock at the first frame.
    pub(super) fn first_server_time(&self) -> i64 {
        self.frames.clock.first.unwrap_or(0)
    }

    /// The first frame at or after a time; the last frame for later times.
    pub(super) fn find(&self, time: i64) -> usize {
        let frames = &self.frames.frames;
        frames.partition_point(|frame| frame.time < time).min(frames.len() - 1)
    }

    /// The time of a frame.
    pub(super) fn time(&self, frame: usize) -> Option<i64> {
        self.frames.frames.get(frame).map(|frame| frame.time)
    }

    /// Moves to a frame.
    pub(super) fn seek(&mut self, frame: usize) {
        let (frames, position) = (&self.frames, &mut self.position);
        let (start, last) = (frames.level(frame), frames.frames[frame].message);
        if start > position.next || last < position.next {
            (position.state, position.next) = (State::new(frames.dialect), start);
        }
        while position.next <= last {
            position.step(frames);
        }
        position.frame = frame + 1;
    }

    /// Plays to the next frame. Returns a step for each message up to it.
    pub(super) fn step_to_frame(&mut self) -> Vec<MessageStep> {
        let mut steps = Vec::new();
        let (frames, position) = (&self.frames, &mut self.position);
        let Some(frame) = frames.frames.get(position.frame) else { return steps };
        while position.next <= frame.message {
            steps.push(position.step(frames));
        }
        position.frame += 1;
        steps
    }
}

/// The frames and levels of a recording that may grow.
#[derive(Debug, Clone)]
struct FrameIndex {
    bytes: Growing,
    dialect: &'static Dialect,
    /// The pieces that are not indexed yet, and the messages before.
    pieces: Frames<'static>,
    messages: Vec<Frame>,
    frames: Vec<FrameAt>,
    /// The messages that begin levels.
    levels: Vec<usize>,
    /// The position up to which the recording is indexed.
    indexed: Option<Box<Position>>,
    clock: FrameClock,
}

#[derive(Debug, Clone, Copy)]
struct FrameAt {
    message: usize,
    time: i64,
}

/// What one message did.
#[derive(Debug, Clone, Default)]
pub(super) struct MessageStep {
    /// A level begins.
    pub level: bool,
    /// The commands that were new.
    pub commands: Vec<Vec<u8>>,
    /// It has a frame.
    pub frame: bool,
}

/// A frame to send, with its times on the viewers' clock.
#[derive(Debug, Clone)]
pub(super) struct OutgoingFrame {
    pub server_time: i32,
    pub flags: u8,
    pub area_mask: Vec<u8>,
    pub player: PlayerState,
    pub entities: Vec<(u16, Row)>,
}

impl FrameIndex {
    fn new(bytes: Vec<u8>, dialect: &'static Dialect) -> Result<Self, &'static str> {
        // the protocols differ in voice, which no viewer is sent
        let same = Dialect::of(68).is_some_and(|common| common.entity == dialect.entity && common.player == dialect.player && common.layout == dialect.layout);
        if !dialect.targets.contains(&68) || !same {
            return Err("only recordings of protocols 66 to 71 can be served");
        }
        let mut index = FrameIndex {
            bytes: Growing::whole(bytes),
            dialect,
            pieces: Frames::new(&[]),
            messages: Vec::new(),
            frames: Vec::new(),
            levels: Vec::new(),
            indexed: Some(Box::new(Position::new(dialect, 0))),
            clock: FrameClock::default(),
        };
        index.extend();
        // frames before the first gamestate cannot be decoded
        let first = index.levels.first().copied().ok_or("there is no gamestate in the recording")?;
        index.frames.retain(|frame| frame.message >= first);
        if index.frames.is_empty() {
            return Err("the recording has no complete snapshot");
        }
        Ok(index)
    }

    /// Indexes the bytes that are new.
    fn extend(&mut self) {
        let Some(mut position) = self.indexed.take() else { return };
        let mut pieces = self.pieces.over(self.bytes.bytes(), self.bytes.is_last());
        self.messages.extend(pieces.by_ref().filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None }));
        self.pieces = pieces.over(&[], false);
        while position.next < self.messages.len() {
            let message = position.next;
            let step = position.step(self);
            if step.level {
                self.clock.level();
                self.levels.push(message);
                self.levels.dedup();
            }
            if step.frame
                && let Some(snapshot) = position.state.snapshot()
            {
                let time = self.clock.frame(i64::from(snapshot.server_time));
                self.frames.push(FrameAt { message, time });
            }
        }
        self.indexed = Some(position);
    }

    /// The first message of a frame's level.
    fn level(&self, frame: usize) -> usize {
        let message = self.frames[frame].message;
        self.levels[self.levels.partition_point(|&level| level <= message).saturating_sub(1)]
    }
}

/// Assigns times to frames.
#[derive(Debug, Clone, Default)]
struct FrameClock {
    /// The server time that is zero in this level, and the recording's time at its start.
    origin: Option<i64>,
    begins: i64,
    last: Option<i64>,
    latest: i64,
    first: Option<i64>,
}

impl FrameClock {
    fn level(&mut self) {
        (self.origin, self.begins) = (None, self.latest);
    }

    /// The time of a frame since the first one.
    fn frame(&mut self, now: i64) -> i64 {
        self.first.get_or_insert(now);
        // the server's clock may restart some time after the level
        if self.last.replace(now).is_some_and(|last| now < last) {
            self.level();
        }
        self.latest = self.latest.max(self.begins + now - *self.origin.get_or_insert(now));
        self.latest
    }
}

/// A place in a recording, with the state there.
#[derive(Debug, Clone)]
struct Position {
    state: State,
    message: Message,
    /// The next message.
    next: usize,
    /// The next frame.
    frame: usize,
}

impl Position {
    fn new(dialect: &'static Dialect, next: usize) -> Self {
        Position { state: State::new(dialect), message: Message::default(), next, frame: 0 }
    }

    fn step(&mut self, frames: &FrameIndex) -> MessageStep {
        let mut step = MessageStep::default();
        let Some(frame) = frames.messages.get(self.next) else {
            self.next += 1;
            return step;
        };
        self.next += 1;
        let data = &frames.bytes.bytes()[frame.data_offset() as usize..][..frame.length as usize];
        // of a broken message, the part before the damage counts
        let _ = self.message.read(data, frames.dialect);
        for operation in &self.message.operations {
            match (operation, self.state.apply(frame.sequence, operation)) {
                (_, Effect::Level) => step.level = true,
                (Operation::ServerCommand(command), Effect::Command(Command::New | Command::Part)) => step.commands.push(command.text.clone()),
                (_, Effect::Snapshot(outcome)) => step.frame |= outcome.is_shown(),
                _ => {}
            }
        }
        step
    }
}

const ENTITY_TIME: usize = find(&q3::ENTITY, "pos.trTime");
const ENTITY_TYPE: usize = find(&q3::ENTITY, "pos.trType");
const TURN_TIME: usize = find(&q3::ENTITY, "apos.trTime");
const TURN_TYPE: usize = find(&q3::ENTITY, "apos.trType");
const TIMES: [usize; 2] = [find(&q3::ENTITY, "time"), find(&q3::ENTITY, "time2")];
const COMMAND_TIME: usize = find(&q3::PLAYER, "commandTime");
const MOVE_FLAGS: usize = find(&q3::PLAYER, "pm_flags");
const CLIENT: usize = find(&q3::PLAYER, "clientNum");
/// How many players a game has.
const PLAYERS: u32 = 64;
/// The player's array with the times at which power-ups end.
const POWERUPS: usize = 3;
/// Set in the view of a player who follows another: the game does not predict it.
const FOLLOWS: u32 = 4096;
/// A power-up without an end, such as a flag.
const ENDLESS: u32 = i32::MAX as u32;
/// The client is not in the game yet.
const NOT_ACTIVE: u8 = 2;

impl OutgoingFrame {
    /// The current frame of `state`, with its times shifted.
    pub(super) fn of(state: &State, shift: i32) -> Option<Self> {
        let snapshot = state.snapshot()?;
        let move_by = |word: &mut u32| *word = word.wrapping_add(shift as u32);
        let mut player = snapshot.player;
        move_by(&mut player.row[COMMAND_TIME]);
        player.row[MOVE_FLAGS] |= FOLLOWS;
        // clients read beyond their table of players
        if player.row[CLIENT] >= PLAYERS {
            player.row[CLIENT] = 0;
        }
        player.arrays[POWERUPS].iter_mut().filter(|until| **until != 0 && **until != ENDLESS).for_each(move_by);
        let mut entities: Vec<(u16, Row)> = state.entities().map(|(number, row)| (number, *row)).collect();
        entities.sort_by_key(|entity| entity.0);
        entities.dedup_by_key(|entity| entity.0);
        for (_, row) in &mut entities {
            // stationary and interpolated trajectories have no time
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
        Some(OutgoingFrame {
            server_time: snapshot.server_time.wrapping_add(shift),
            flags: snapshot.flags & !NOT_ACTIVE,
            area_mask: snapshot.area_mask.clone(),
            player,
            entities,
        })
    }
}
