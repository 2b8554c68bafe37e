//! A recording frame by frame, in the vocabulary of all games (`docs/formats/quake3-events.md`, "Frames").

mod fill;
mod index;
mod places;
mod roster;

use model::{Damage, Frame, FrameOptions, Milliseconds, Subject, Value, When};
use replay::{Choice, Clock, Findings, Pace};

use crate::Recording;
use crate::container::{Frame as Block, Piece};
use crate::events::MatchClock;
use crate::game::Game;
use crate::message::{Depth, Operation};
use crate::playback::{Playback, broken_message, container_damage, missing_base};
use crate::recording::moment;
use crate::state::{Command, Outcome, State};
use fill::Filler;
pub(crate) use index::Index;

/// A walk over the frames of a recording: every snapshot that can be worked out. It can be stopped anywhere, cloned, and sent to
/// another thread.
///
/// ```
/// use model::{FrameOptions, Frame};
/// use quake3::Recording;
///
/// let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
/// let recording = Recording::open(bytes, Some("dm_71"), wire::Limits::default())?;
/// let mut frames = recording.frames(FrameOptions::default().hz(1.0));
/// let mut frame = Frame::default();
/// while frames.next_into(&mut frame) {
///     let view = frame.view.as_ref().unwrap();
///     // whose view it is, is a player like the others
///     let own = frame.player(view.slot.unwrap()).unwrap();
///     assert!(own.health.is_some());
/// }
/// # Ok::<(), wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    recording: Recording<'a>,
    playback: Playback<'a>,
    pace: Pace,
    filler: Filler,
    clock: Clock,
    match_clock: MatchClock,
    game: Game,
    /// Frames so far.
    count: u32,
    levels: u32,
    damage: Vec<Damage>,
    findings: Findings,
    /// The message of the level's gamestate.
    gamestate: Option<Block>,
    /// The highest server time so far.
    highest: i32,
    /// A frame that is due before the walk goes on: the one that was sought.
    due: Option<At>,
    done: bool,
}

/// Where a frame stands.
#[derive(Debug, Clone, Copy)]
struct At {
    number: u32,
    message: u32,
    level: u32,
    time: Milliseconds,
    server: i32,
    /// The highest server time up to this frame.
    highest: i32,
}

impl<'a> Recording<'a> {
    /// The frames of the recording, as `options` ask for them.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        Frames::new(self, &options)
    }
}

impl<'a> Frames<'a> {
    fn new(recording: &Recording<'a>, options: &FrameOptions) -> Self {
        Frames {
            recording: recording.clone(),
            playback: Playback::new(recording, Depth::Values),
            pace: Pace::new(options),
            filler: Filler::new(recording.dialect(), options),
            clock: Clock::default(),
            match_clock: MatchClock::default(),
            game: Game::of(recording.dialect().line, b"", b"", b""),
            count: 0,
            levels: 0,
            damage: Vec::new(),
            findings: Findings::default(),
            gamestate: None,
            highest: i32::MIN,
            due: None,
            done: false,
        }
    }

    /// Puts the next frame into `frame`. Returns whether there was one.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if let Some(at) = self.due.take() {
            self.fill(at, frame);
            return true;
        }
        while !self.done {
            let Some(at) = self.advance() else {
                self.done = true;
                break;
            };
            match self.pace.choose(at.time, Milliseconds(i64::from(at.server)), self.match_clock.at(at.server)) {
                Choice::Take => {
                    self.fill(at, frame);
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

    /// The same for a question that may be the only one. Returns the frame's time and message, and the state.
    pub(crate) fn look(&mut self, when: When) -> Option<(Milliseconds, u32, &State)> {
        let shared = self.recording.index.clone();
        let index = shared.for_question(|| Index::of(self));
        if self.go(index, when) { self.due.map(|at| (at.time, at.message, &self.playback.state)) } else { None }
    }

    fn go(&mut self, index: Option<&Index>, when: When) -> bool {
        // which frame it is shows by the one behind it
        let Some(target) = self.search(index, when) else { return false };
        let mut at = self.enter(index, when);
        while at.is_none_or(|at| at.message < target) {
            at = self.advance();
            if at.is_none() {
                return false;
            }
        }
        self.due = at;
        true
    }

    /// Goes to a keyframe and returns its frame, or goes to the start.
    fn enter(&mut self, index: Option<&Index>, when: When) -> Option<At> {
        self.rewind();
        index.and_then(|index| index.enter(self, when))
    }

    /// Bytes that the index takes, once there is one.
    pub fn index_bytes(&self) -> usize {
        self.recording.index.get().map_or(0, Index::bytes)
    }

    /// The message of the frame that a time means.
    fn search(&mut self, index: Option<&Index>, when: When) -> Option<u32> {
        let mut found = self.enter(index, when).map(|at| at.message);
        while let Some(at) = self.advance() {
            let late = match when {
                When::Demo(wanted) => at.time > wanted,
                When::Server(wanted) => i64::from(at.server) > wanted.0,
            };
            if !late || found.is_none() {
                found = Some(at.message);
            }
            if late {
                break;
            }
        }
        found
    }

    /// The walk as it stands, without the recording: to be gone on with by [`resume`](Self::resume) when there are more bytes.
    ///
    /// ```
    /// use model::FrameOptions;
    /// use quake3::Recording;
    ///
    /// let file = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
    /// let mut bytes = file[..20_000].to_vec();
    /// let mut walk = {
    ///     let recording = Recording::open(&bytes, Some("dm_71"), wire::Limits::default())?;
    ///     recording.frames(FrameOptions::default()).pause()
    /// };
    /// let mut seen = 0;
    /// for chunk in file[20_000..].chunks(30_000) {
    ///     // so far
    ///     let mut frames = walk.resume(&bytes, false);
    ///     seen += frames.by_ref().count();
    ///     walk = frames.pause();
    ///     bytes.extend_from_slice(chunk);
    /// }
    /// seen += walk.resume(&bytes, true).count();
    /// let recording = Recording::open(file, Some("dm_71"), wire::Limits::default())?;
    /// assert_eq!(seen, recording.frames(FrameOptions::default()).count());
    /// # Ok::<(), wire::Error>(())
    /// ```
    pub fn pause(self) -> Frames<'static> {
        self.resume(&[], false)
    }

    /// The same walk over the recording as it is now: the bytes from its start, of which those that were there are the first. `last`
    /// says that it is complete; until then a message that is not waits.
    pub fn resume<'b>(self, bytes: &'b [u8], last: bool) -> Frames<'b> {
        Frames {
            recording: self.recording.over(bytes),
            playback: self.playback.resume(bytes, last),
            pace: self.pace,
            filler: self.filler,
            clock: self.clock,
            match_clock: self.match_clock,
            game: self.game,
            count: self.count,
            levels: self.levels,
            damage: self.damage,
            findings: self.findings,
            gamestate: self.gamestate,
            highest: self.highest,
            due: self.due,
            done: false,
        }
    }

    /// Goes back to the start.
    pub fn rewind(&mut self) {
        self.playback = Playback::new(&self.recording, Depth::Values);
        self.pace.jump();
        self.filler.forget();
        (self.clock, self.match_clock) = (Clock::default(), MatchClock::default());
        (self.count, self.levels, self.due, self.done) = (0, 0, None, false);
        (self.gamestate, self.highest) = (None, i32::MIN);
        self.damage.clear();
        self.findings = Findings::default();
    }

    /// A field of the last frame by the engine's own name (`pos.trBase[0]`, `origin`, `stats`); `None` where there is no such
    /// player or entity in view, or no such field.
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        let state = &self.playback.state;
        let snapshot = state.snapshot()?;
        let dialect = state.dialect();
        let own = self.filler.view_slot(&snapshot.player);
        match subject {
            Subject::View => moment::player_field(dialect, &snapshot.player, field),
            Subject::Player(slot) if u32::from(slot) == own => moment::player_field(dialect, &snapshot.player, field),
            Subject::Player(slot) => moment::field(dialect.entity, self.entity_row(u32::from(slot))?, field),
            Subject::Entity(number) => moment::field(dialect.entity, self.entity_row(number)?, field),
        }
    }

    fn entity_row(&self, number: u32) -> Option<&delta::interleaved::Row> {
        self.playback.state.entities().find(|(of, _)| u32::from(*of) == number).map(|(_, row)| row)
    }

    /// The damage met so far.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    fn note(&mut self, finding: Option<Damage>) {
        if let Some(damage) = finding
            && self.damage.len() < self.recording.limits().damage_entries
        {
            self.damage.push(damage);
        }
    }

    /// Plays on to the next frame.
    fn advance(&mut self) -> Option<At> {
        loop {
            let Some(piece) = self.playback.next() else {
                let finding = self.findings.close();
                self.note(finding);
                return None;
            };
            let frame = match piece {
                Piece::Message(frame) => frame,
                Piece::Opaque(range, fault) => {
                    let damage = container_damage(fault.kind, range.start, fault.rule).skipping(range.start, range.end);
                    let finding = self.findings.cause(damage);
                    self.note(finding);
                    continue;
                }
                Piece::Prologue(_) | Piece::End(_) => continue,
            };
            if let Some(error) = &self.playback.error {
                let finding = self.findings.cause(broken_message(error, &frame));
                self.note(finding);
            }
            let mut server = None;
            let mut missing = None;
            let (state, message) = (&mut self.playback.state, &self.playback.message);
            let mut spoken = false;
            for operation in &message.operations {
                match operation {
                    Operation::Gamestate(gamestate) => {
                        state.apply_gamestate(gamestate);
                        self.game = Game::of_state(state);
                        self.filler.level(state, &self.game);
                        self.clock.level();
                        self.levels += 1;
                        self.gamestate = Some(frame);
                        (server, spoken) = (None, true);
                    }
                    Operation::ServerCommand(command) => {
                        if state.apply_command(command) == Command::New
                            && let Some(index) = state.changed_string()
                        {
                            self.filler.string(state, &self.game, index);
                            spoken = true;
                        }
                    }
                    Operation::Snapshot(snapshot) => match state.apply_snapshot(frame.sequence, snapshot) {
                        Outcome::Applied => server = Some(snapshot.server_time),
                        Outcome::MissingBase(rule) => missing = Some(rule),
                    },
                    _ => {}
                }
            }
            if spoken {
                self.match_clock = MatchClock::of(state, &self.game);
            }
            if let Some(missing) = missing {
                let finding = self.findings.consequence(missing_base(missing, &frame));
                self.note(finding);
            }
            let Some(server) = server else { continue };
            let finding = self.findings.close();
            self.note(finding);
            self.highest = self.highest.max(server);
            let at = At {
                highest: self.highest,
                number: self.count,
                message: frame.number,
                level: self.levels.saturating_sub(1),
                time: self.clock.at(i64::from(server)),
                server,
            };
            self.count += 1;
            return Some(at);
        }
    }

    /// The game and who plays it, from the state.
    fn enter_level(&mut self) {
        self.game = Game::of_state(&self.playback.state);
        self.filler.level(&self.playback.state, &self.game);
        self.match_clock = MatchClock::of(&self.playback.state, &self.game);
    }

    fn fill(&mut self, at: At, frame: &mut Frame) {
        frame.restart();
        (frame.number, frame.message, frame.level) = (at.number, at.message, at.level);
        (frame.time, frame.server_time) = (at.time, Milliseconds(i64::from(at.server)));
        frame.match_time = self.match_clock.at(at.server);
        self.filler.fill(&self.playback.state, &self.game, frame);
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
