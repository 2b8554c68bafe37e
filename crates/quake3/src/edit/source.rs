//! A recording on its way through an edit: message by message, with the state that its players have.

use model::Fate;

use crate::Recording;
use crate::container::{self, Frame, Piece};
use crate::message::{Depth, Gamestate, Message, Operation, ServerCommand, Snapshot};
use crate::playback::Playback;
use crate::state::{Command, Outcome, State};

/// A recording that is read piece by piece. [`next`](Self::next) reads a message, [`apply`](Self::apply) lets it happen, so that
/// an edit sees the state before and after.
#[derive(Clone)]
pub(super) struct Source<'a> {
    /// The message read last, and what those applied so far make of the game.
    pub playback: Playback<'a>,
    /// The numbers of the last gamestate, when one came and was whole: what follows a broken one cannot be relied on.
    pub gamestate: Option<Gamestate>,
    /// The operation that ended the message with the last gamestate.
    pub end: Option<u8>,
    /// How many gamestates came so far.
    pub levels: u32,
    /// Commands since the first part of a big configstring whose last part has not come.
    pub pending: Vec<ServerCommand>,
}

/// Gives sources that stand before messages of a recording. Asked in rising order, it walks over the recording once, however many
/// parts are made of it.
pub(super) struct Entrance<'a> {
    recording: Recording<'a>,
    source: Source<'a>,
}

impl<'a> Entrance<'a> {
    pub fn new(recording: &Recording<'a>) -> Self {
        Entrance { recording: recording.clone(), source: Source::new(recording) }
    }

    /// A source whose next message is this one.
    pub fn before(&mut self, message: u32) -> Source<'a> {
        if self.source.ahead().is_none_or(|ahead| ahead > message) {
            self.source = Source::new(&self.recording);
        }
        let behind = self.source.ahead().and_then(|ahead| ahead.checked_sub(1));
        if let Some((near, _)) = message.checked_sub(1).and_then(|before| Source::near(&self.recording, before, behind)) {
            self.source = near;
        }
        while self.source.ahead().is_some_and(|ahead| ahead < message) {
            if let Some(Piece::Message(frame)) = self.source.next() {
                self.source.apply(&frame);
            }
        }
        self.source.clone()
    }
}

/// Commands that engines keep; parts of a big string further apart are lost.
const KEPT_COMMANDS: usize = 64;

impl<'a> Source<'a> {
    pub fn new(recording: &Recording<'a>) -> Self {
        Source { playback: Playback::new(recording, Depth::Whole), gamestate: None, end: None, levels: 0, pending: Vec::new() }
    }

    /// One that has let the last keyframe's message up to `message` happen, when that is behind `beyond`, and the number of that message. `None`
    /// too where nobody has made an index of the recording.
    pub fn near(recording: &Recording<'a>, message: u32, beyond: Option<u32>) -> Option<(Self, u32)> {
        let key = recording.index.get()?.upto(message)?;
        let (at, keyframe) = (key.at, &key.keyframe);
        // the parts of a string go into an opening as they were sent
        if beyond >= Some(at.message) || keyframe.is_amid_string() {
            return None;
        }
        let mut source = Source::new(recording);
        let mut begun = Message::default();
        let whole = begun.read(container::data(recording.bytes(), &keyframe.gamestate()), recording.dialect()).is_ok();
        let sent = begun.operations.iter().rev().find_map(|operation| if let Operation::Gamestate(tree) = operation { Some(tree) } else { None })?;
        source.gamestate = whole.then(|| Gamestate { items: Vec::new(), ..*sent });
        (source.end, source.levels) = (begun.end, at.level + 1);
        keyframe.enter(&mut source.playback, recording).then_some((source, at.message))
    }

    /// The next piece; when it is a message, it is read.
    pub fn next(&mut self) -> Option<Piece> {
        self.playback.next()
    }

    /// The message that comes next.
    fn ahead(&self) -> Option<u32> {
        self.playback.place().clone().find_map(|piece| if let Piece::Message(frame) = piece { Some(frame.number) } else { None })
    }

    /// Lets the message read last happen.
    pub fn apply(&mut self, frame: &Frame) {
        self.apply_with(frame, &mut |_, _, _| Fate::Keep);
    }

    /// Lets the message read last happen. After each snapshot `seen` is shown the state, the snapshot as sent, which it may
    /// change, and what became of it; those that it drops are taken out of the message. Returns whether one was.
    pub fn apply_with(&mut self, frame: &Frame, seen: &mut dyn FnMut(&State, &mut Snapshot, Outcome) -> Fate) -> bool {
        let mut dropped = false;
        let (state, pending, gamestate, levels) = (&mut self.playback.state, &mut self.pending, &mut self.gamestate, &mut self.levels);
        let broken = self.playback.error.is_some();
        let (end, message_end) = (&mut self.end, self.playback.message.end);
        self.playback.message.operations.retain_mut(|operation| {
            match operation {
                Operation::Gamestate(tree) => {
                    state.apply_gamestate(tree);
                    *levels += 1;
                    *end = message_end;
                    *gamestate = (!broken).then(|| Gamestate { items: Vec::new(), ..*tree });
                    pending.clear();
                }
                Operation::ServerCommand(command) => match state.apply_command(command) {
                    Command::Part => {
                        if command.text.starts_with(b"bcs0") {
                            pending.clear();
                        }
                        pending.push(command.clone());
                    }
                    Command::New if command.text.starts_with(b"bcs2") => pending.clear(),
                    // what comes between the parts has been executed
                    Command::New if !pending.is_empty() => pending.push(ServerCommand { sequence: command.sequence, text: Vec::new() }),
                    _ => {}
                },
                Operation::Snapshot(snapshot) => {
                    let outcome = state.apply_snapshot(frame.sequence, snapshot);
                    if seen(state, snapshot, outcome) == Fate::Drop {
                        dropped = true;
                        return false;
                    }
                }
                _ => {}
            }
            true
        });
        if pending.len() > KEPT_COMMANDS {
            pending.clear();
        }
        dropped
    }
}
