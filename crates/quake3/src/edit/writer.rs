//! Messages on their way into a new recording (`docs/formats/quake3.md`, "Editing").

use model::{Action, Edited, Fate};
use wire::Error;

use super::fit::fitted;
use super::numbers::{Numbered, Numbers, numbered};
use super::source::Source;
use crate::Recording;
use crate::canonical;
use crate::container::{END_MARK, Frame, Frames, Framing, Piece};
use crate::dialect::Dialect;
use crate::message::{Gamestate, Message, Operation, ServerCommand, Snapshot};
use crate::state::{Outcome, State};

/// Writes messages as they were wherever a player of the new recording understands them, and tells snapshots anew whose base
/// that player does not have.
pub(super) struct Writer {
    dialect: &'static Dialect,
    framing: Framing,
    /// The recording so far.
    pub bytes: Vec<u8>,
    /// Snapshots that a player has, by sequence modulo their number.
    held: [Option<i32>; KEPT],
    latest: Option<i32>,
    /// The numbers of commands that a player has.
    pub numbers: Numbers,
    /// Where messages begin.
    start: usize,
    /// Snapshots told anew.
    pub rebased: u32,
    /// Messages of which parts had to go ahead.
    pub parted: u32,
    /// Commands that are missing, in whose place empty ones stand.
    pub filled: u32,
    /// What could not be kept.
    pub left_out: LeftOut,
}

/// How many snapshots engines keep.
pub(super) const KEPT: usize = 32;

/// What a new recording does not have of the old one because engines cannot make use of it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct LeftOut {
    /// Messages that cannot be read.
    pub broken: u32,
    /// Snapshots whose base is missing.
    pub baseless: u32,
    /// Messages of levels whose gamestate is broken or missing.
    pub homeless: u32,
}

impl Writer {
    /// A recording in the manner of `recording`, whose prologue it gets.
    pub fn like(recording: &Recording<'_>) -> Self {
        let mut writer = Writer {
            dialect: recording.dialect(),
            framing: Framing::Plain,
            bytes: Vec::new(),
            held: [None; KEPT],
            latest: None,
            numbers: Numbers::default(),
            start: 0,
            rebased: 0,
            parted: 0,
            filled: 0,
            left_out: LeftOut::default(),
        };
        if let Some(Piece::Prologue(range)) = Frames::new(recording.bytes()).next() {
            writer.framing = Framing::Mirrored;
            writer.bytes.extend_from_slice(&recording.bytes()[range.start as usize..range.end as usize]);
            writer.start = writer.bytes.len();
        }
        writer
    }

    /// Writes another dialect than that of the recording it is like.
    pub fn speak(&mut self, dialect: &'static Dialect) {
        self.dialect = dialect;
    }

    /// Lets the message that `source` read last happen, and writes what a player needs of it.
    pub fn pass(&mut self, source: &mut Source<'_>, frame: &Frame) -> Result<(), Error> {
        self.pass_changed(source, frame, false)
    }

    /// As [`pass`](Self::pass); `changed` says that the message is no longer what was read.
    pub fn pass_changed(&mut self, source: &mut Source<'_>, frame: &Frame, mut changed: bool) -> Result<(), Error> {
        let broken = source.playback.error.is_some();
        let begins = source.playback.message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
        if begins && !broken {
            self.forget();
        }
        let usable = !broken && (begins || source.gamestate.is_some());
        let mut baseless = 0;
        changed |= source.apply_with(frame, &mut |state, snapshot, outcome| {
            if !usable || outcome != Outcome::Applied {
                if outcome == Outcome::Applied {
                    self.lose(frame.sequence);
                } else {
                    baseless += 1;
                }
                return Fate::Drop;
            }
            changed |= self.settle(state, snapshot);
            Fate::Keep
        });
        if !usable {
            let count = if broken { &mut self.left_out.broken } else { &mut self.left_out.homeless };
            *count += 1;
            self.numbers.touched = true;
            return Ok(());
        }
        self.left_out.baseless += baseless;
        changed |= self.number(&mut source.playback.message);
        if !changed {
            self.put(frame.sequence, source.playback.data(frame));
            return Ok(());
        }
        if source.playback.message.operations.is_empty() && source.playback.message.late_voice.is_empty() && source.playback.message.rest.len() < 2 {
            return Ok(());
        }
        self.tell(frame.sequence, &mut source.playback.message)
    }

    /// Numbers the commands of a message, and puts empty ones where some are missing. Returns whether that changed anything.
    pub fn number(&mut self, message: &mut Message) -> bool {
        let mut numbered = numbered(message);
        let missing = self.numbers.pass(&mut numbered);
        let mut changed = !missing.is_empty();
        for Numbered { at, number, .. } in numbered {
            if let Operation::Gamestate(Gamestate { command_sequence: before, .. }) | Operation::ServerCommand(ServerCommand { sequence: before, .. }) =
                &mut message.operations[at]
            {
                changed |= std::mem::replace(before, number) != number;
            }
        }
        self.filled += missing.len() as u32;
        for (at, sequence) in missing.into_iter().rev() {
            message.operations.insert(at, Operation::ServerCommand(ServerCommand { sequence, text: Vec::new() }));
        }
        changed
    }

    /// Makes sure that a player can work out the current snapshot of `state`, which `tree` tells. Returns whether `tree` had to
    /// change.
    pub fn settle(&mut self, state: &State, tree: &mut Snapshot) -> bool {
        let Some(new) = state.snapshot() else { return false };
        let sequence = new.sequence;
        let fits = new.base.is_none_or(|base| self.has(base));
        if !fits {
            let near = self.latest.filter(|&base| self.has(base) && (1..KEPT as i64).contains(&(i64::from(sequence) - i64::from(base))));
            let told = near.and_then(|base| canonical::against(state, Some(base))).or_else(|| canonical::against(state, None));
            if let Some(told) = told {
                *tree = Snapshot { client_command: tree.client_command, ..told };
            }
            self.rebased += 1;
        }
        self.hold(sequence);
        !fits
    }

    fn has(&self, sequence: i32) -> bool {
        self.held[sequence as usize % KEPT] == Some(sequence)
    }

    /// A snapshot that the new recording does not have: what is told against its number does not mean one of the same number
    /// that the new recording had before.
    pub fn lose(&mut self, sequence: i32) {
        if self.has(sequence) {
            self.held[sequence as usize % KEPT] = None;
        }
    }

    /// What engines do when a snapshot comes: those that never came are no bases.
    fn hold(&mut self, sequence: i32) {
        if let Some(latest) = self.latest {
            let (from, to) = (i64::from(latest) + 1, i64::from(sequence));
            for missed in from.max(to - (KEPT as i64 - 1))..to {
                self.held[missed as usize % KEPT] = None;
            }
        }
        self.held[sequence as usize % KEPT] = Some(sequence);
        self.latest = Some(sequence);
    }

    /// A gamestate: a player has no snapshot any more.
    pub fn forget(&mut self) {
        self.held = [None; KEPT];
        self.latest = None;
    }

    /// Numbers the commands of a message that was made or changed, and writes it.
    pub fn write(&mut self, sequence: i32, message: &mut Message) -> Result<(), Error> {
        self.number(message);
        self.tell(sequence, message)
    }

    /// Writes a message whose commands are numbered, in parts where engines would not read it in one.
    pub fn tell(&mut self, sequence: i32, message: &mut Message) -> Result<(), Error> {
        let parts = fitted(message, self.dialect, self.bytes.len() == self.start)?;
        self.parted += u32::from(parts.len() > 1);
        for data in parts {
            self.put(sequence, &data);
        }
        Ok(())
    }

    /// Writes a message as it is.
    pub fn put(&mut self, sequence: i32, data: &[u8]) {
        Frame { number: 0, offset: 0, sequence, length: 0, framing: self.framing }.write(data, &mut self.bytes);
    }

    /// The whole recording, with its end.
    pub fn finish(mut self, recording: &Recording<'_>, actions: Vec<Action>) -> Edited {
        self.bytes.extend_from_slice(&END_MARK);
        self.finish_as_is(recording, actions)
    }

    /// The whole recording, whose end has been written where it has one.
    pub fn finish_as_is(self, recording: &Recording<'_>, mut actions: Vec<Action>) -> Edited {
        let LeftOut { broken, baseless, homeless } = self.left_out;
        let kinds = [
            (broken, Action::MessagesLeftOutUnreadable { messages: u64::from(broken) }),
            (homeless, Action::MessagesLeftOutHomeless { messages: u64::from(homeless) }),
            (baseless, Action::SnapshotsLeftOutBaseless { messages: u64::from(baseless) }),
            (self.rebased, Action::SnapshotsReencoded { messages: u64::from(self.rebased) }),
            (self.parted, Action::MessagesSplit { messages: u64::from(self.parted) }),
        ];
        actions.extend(kinds.into_iter().filter(|(count, _)| *count > 0).map(|(_, action)| action));
        if self.filled > 0 {
            actions.push(Action::CommandsFilled { commands: u64::from(self.filled) });
        }
        if self.bytes == recording.bytes() {
            actions.clear();
        }
        Edited { bytes: self.bytes, extension: recording.extension(), actions, losses: Vec::new() }
    }
}
