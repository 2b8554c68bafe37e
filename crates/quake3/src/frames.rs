//! A recording frame by frame, in the vocabulary of all games (`docs/formats/quake3-events.md`, "Frames").

mod fill;
mod index;
mod places;
mod roster;

use std::sync::Arc;

use model::{Damage, Frame, FrameOptions, Milliseconds, Subject, Value};
use replay::{At, Clock, Findings, Key, LazyIndex, Source};

use crate::Recording;
use crate::container::{Frame as Block, Piece};
use crate::events::MatchClock;
use crate::game::Game;
use crate::message::{Depth, Operation};
use crate::playback::{Playback, broken_message, container_damage, missing_base};
use crate::recording::moment;
use crate::state::{Command, Outcome, State};
use fill::Filler;
use index::{Draft, Keyframe};
pub(crate) type Index = replay::Index<Keyframe>;

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
///
/// A recording that still grows is gone on with by [`pause`](replay::Frames::pause) and [`resume`](replay::Frames::resume):
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
pub type Frames<'a> = replay::Frames<Walk<'a>>;

/// What a walk over the frames of these games knows.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    recording: Recording<'a>,
    playback: Playback<'a>,
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
            playback: Playback::new(recording, Depth::Values),
            filler: Filler::new(recording.dialect(), options),
            clock: Clock::default(),
            match_clock: MatchClock::default(),
            game: Game::of(recording.dialect().line, b"", b"", b""),
            count: 0,
            levels: 0,
            damage: Vec::new(),
            findings: Findings::default(),
            gamestate: None,
        }
    }

    /// The state after the frame.
    pub(crate) fn state(&self) -> &State {
        &self.playback.state
    }

    fn entity_row(&self, number: u32) -> Option<&delta::interleaved::Row> {
        self.playback.state.entities().find(|(of, _)| u32::from(*of) == number).map(|(_, row)| row)
    }

    fn note(&mut self, finding: Option<Damage>) {
        if let Some(damage) = finding
            && self.damage.len() < self.recording.limits().damage_entries
        {
            self.damage.push(damage);
        }
    }

    /// The game and who plays it, from the state.
    fn enter_level(&mut self) {
        self.game = Game::of_state(&self.playback.state);
        self.filler.level(&self.playback.state, &self.game);
        self.match_clock = MatchClock::of(&self.playback.state, &self.game);
    }
}

impl<'a> Source for Walk<'a> {
    type Keyframe = Keyframe;
    type Draft = Draft;
    type Over<'b> = Walk<'b>;

    const TYPICAL: usize = index::TYPICAL;

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
            let at = At {
                number: self.count,
                message: frame.number,
                level: self.levels.saturating_sub(1),
                time: self.clock.at(i64::from(server)),
                server_time: Milliseconds(i64::from(server)),
                match_time: self.match_clock.at(server),
            };
            self.count += 1;
            return Some(at);
        }
    }

    fn fill(&mut self, at: &At, frame: &mut Frame) {
        frame.restart();
        at.mark(frame);
        self.filler.fill(&self.playback.state, &self.game, frame);
    }

    /// By the engine's own name: `pos.trBase[0]`, `origin`, `stats`.
    fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
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

    fn damage(&self) -> &[Damage] {
        &self.damage
    }

    fn rewind(&mut self) {
        self.playback = Playback::new(&self.recording, Depth::Values);
        self.filler.forget();
        (self.clock, self.match_clock) = (Clock::default(), MatchClock::default());
        (self.count, self.levels, self.gamestate) = (0, 0, None);
        self.damage.clear();
        self.findings = Findings::default();
    }

    fn enter(&mut self, key: &Key<Keyframe>) -> bool {
        index::enter(self, key)
    }

    fn over<'b>(self, bytes: &'b [u8], last: bool) -> Walk<'b> {
        Walk { recording: self.recording.over(bytes), playback: self.playback.resume(bytes, last), ..self }
    }

    fn shared_index(&self) -> Arc<LazyIndex<Index>> {
        self.recording.index.clone()
    }

    fn offset(&self) -> u64 {
        self.playback.place().offset()
    }
}
