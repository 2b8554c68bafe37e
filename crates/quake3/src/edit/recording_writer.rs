//! Writes the messages of a new recording (`docs/formats/quake3.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::{Action, DeltaBase, Edited, Fate};

use super::source::Source;
use crate::Recording;
use crate::container::{END_MARK, Frame, Frames, Framing, Piece};
use crate::dialect::Dialect;
use crate::encode::{FrameEncoder, encode_in_parts};
use crate::message::{Gamestate, Message, Operation, ServerCommand};
use crate::state::{Outcome, SnapshotState};
use crate::walk::{CommandNumbers, Input, NumberedOperation, numbered_operations};

/// Writes a new recording. Messages keep their bytes where a client of the new recording can decode them; snapshots whose base it lacks
/// are re-encoded.
pub(super) struct RecordingWriter {
    dialect: &'static Dialect,
    framing: Framing,
    /// The recording so far.
    pub bytes: Vec<u8>,
    pub frames: FrameEncoder,
    /// The numbers of commands that a client has.
    pub numbers: CommandNumbers,
    /// Where messages begin.
    start: usize,
    /// Messages that were too long and became several.
    pub split_messages: u32,
    /// Missing commands that empty ones replace.
    pub filled: u32,
    /// Snapshots whose base is missing, and that were decoded from the last known one.
    pub carried: u32,
    /// Those, and the ones that build on them.
    pub uncertain: u32,
    /// What could not be kept.
    pub left_out: LeftOut,
}

/// Counts of what the new recording lacks because engines cannot use it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct LeftOut {
    /// Messages that cannot be read.
    pub broken: u32,
    /// Snapshots whose base is missing.
    pub without_base: u32,
    /// Messages of levels whose gamestate is broken or missing.
    pub without_level: u32,
}

impl RecordingWriter {
    /// A recording with the dialect and the prologue of `recording`.
    pub(super) fn for_source(recording: &Recording<'_>) -> Self {
        Self::for_input(&recording.input)
    }

    /// The same for the recording that begins with the bytes of `input`.
    pub(super) fn for_input(input: &Input<'_>) -> Self {
        let mut writer = RecordingWriter {
            dialect: input.dialect,
            framing: Framing::Plain,
            bytes: Vec::new(),
            frames: FrameEncoder::new(),
            numbers: CommandNumbers::default(),
            start: 0,
            split_messages: 0,
            filled: 0,
            carried: 0,
            uncertain: 0,
            left_out: LeftOut::default(),
        };
        if let Some(Piece::Prologue(range)) = Frames::new(input.bytes).next() {
            writer.framing = Framing::Mirrored;
            writer.bytes.extend_from_slice(&input.bytes[range.start as usize..range.end as usize]);
            writer.start = writer.bytes.len();
        }
        writer
    }

    /// Sets the dialect to write, where it is not that of the source.
    pub(super) fn set_dialect(&mut self, dialect: &'static Dialect) {
        self.dialect = dialect;
    }

    /// Applies the last message of `source`, and writes it.
    pub(super) fn pass(&mut self, source: &mut Source<'_>, frame: &Frame) -> Result<(), Error> {
        self.pass_changed(source, frame, false)
    }

    /// Like [`pass`](Self::pass). Set `changed` where the message differs from its bytes.
    pub(super) fn pass_changed(&mut self, source: &mut Source<'_>, frame: &Frame, mut changed: bool) -> Result<(), Error> {
        let broken = source.playback.error.is_some();
        let begins = source.begins_level();
        if begins && !broken {
            self.frames.clear();
        }
        let usable = !broken && (begins || source.signon.gamestate.is_some());
        let (mut without_base, mut carried, mut uncertain) = (0, 0, 0);
        changed |= source.apply_with(frame, &mut |state, snapshot, outcome| {
            if !usable || !outcome.is_shown() {
                if outcome.is_shown() {
                    self.frames.remove(frame.sequence);
                } else {
                    without_base += 1;
                }
                return Fate::Drop;
            }
            carried += u32::from(matches!(outcome, Outcome::Carried(_)));
            uncertain += u32::from(state.snapshot().is_some_and(SnapshotState::is_uncertain));
            changed |= self.frames.reencode_if_base_missing(state, snapshot);
            Fate::Keep
        });
        if !usable {
            let count = if broken { &mut self.left_out.broken } else { &mut self.left_out.without_level };
            *count += 1;
            self.numbers.touched = true;
            return Ok(());
        }
        self.left_out.without_base += without_base;
        (self.carried, self.uncertain) = (self.carried + carried, self.uncertain + uncertain);
        changed |= self.renumber_commands(&mut source.playback.message);
        if !changed {
            self.write_bytes(frame.sequence, source.playback.data(frame));
            return Ok(());
        }
        if source.playback.message.operations.is_empty() && source.playback.message.late_voice.is_empty() && source.playback.message.rest.len() < 2 {
            return Ok(());
        }
        self.write_numbered(frame.sequence, &mut source.playback.message)
    }

    /// Whether no message was written yet.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.len() == self.start
    }

    /// Renumbers the commands of a message, and fills gaps with empty ones. Returns whether the message changed.
    pub(super) fn renumber_commands(&mut self, message: &mut Message) -> bool {
        let mut numbered = numbered_operations(message);
        let missing = self.numbers.pass(&mut numbered);
        let mut changed = !missing.is_empty();
        for NumberedOperation { at, number, .. } in numbered {
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

    /// Renumbers the commands of a new or changed message, and writes it.
    pub(super) fn write(&mut self, sequence: i32, message: &mut Message) -> Result<(), Error> {
        self.renumber_commands(message);
        self.write_numbered(sequence, message)
    }

    /// Writes a message whose commands are numbered; as several where it is too long for engines.
    pub(super) fn write_numbered(&mut self, sequence: i32, message: &mut Message) -> Result<(), Error> {
        let parts = encode_in_parts(message, self.dialect, self.is_empty())?;
        self.split_messages += u32::from(parts.len() > 1);
        for data in parts {
            self.write_bytes(sequence, &data);
        }
        Ok(())
    }

    /// Writes the bytes of a message.
    pub(super) fn write_bytes(&mut self, sequence: i32, data: &[u8]) {
        Frame { number: 0, offset: 0, sequence, length: 0, framing: self.framing }.write(data, &mut self.bytes);
    }

    /// The complete recording, with an end marker.
    pub(super) fn finish(mut self, recording: &Recording<'_>, actions: Vec<Action>) -> Edited {
        self.bytes.extend_from_slice(&END_MARK);
        self.finish_as_is(recording, actions)
    }

    /// The complete recording, whose end marker is written where it has one.
    pub(super) fn finish_as_is(self, recording: &Recording<'_>, actions: Vec<Action>) -> Edited {
        without_needless_actions(self.finish_changed(&recording.input, actions), recording)
    }

    /// The same for a recording whose bytes are not those of the source, which begins with the bytes of `input`.
    pub(super) fn finish_changed(self, input: &Input<'_>, mut actions: Vec<Action>) -> Edited {
        let LeftOut { broken, without_base, without_level } = self.left_out;
        let kinds = [
            (broken, Action::MessagesLeftOutUnreadable { messages: u64::from(broken) }),
            (without_level, Action::MessagesLeftOutHomeless { messages: u64::from(without_level) }),
            (without_base, Action::SnapshotsLeftOutBaseless { messages: u64::from(without_base) }),
            (self.carried, Action::FramesCarriedOn { frames: u64::from(self.carried), uncertain: u64::from(self.uncertain) }),
            (
                self.frames.reencoded - self.carried.min(self.frames.reencoded),
                Action::FramesReencoded { frames: u64::from(self.frames.reencoded - self.carried.min(self.frames.reencoded)), base: DeltaBase::CutOff },
            ),
            (self.split_messages, Action::Split { count: u64::from(self.split_messages), of: "message" }),
        ];
        actions.extend(kinds.into_iter().filter(|(count, _)| *count > 0).map(|(_, action)| action));
        if self.filled > 0 {
            actions.push(Action::CommandsFilled { commands: u64::from(self.filled) });
        }
        Edited { bytes: self.bytes, extension: input.extension(), actions, losses: Vec::new() }
    }
}

/// The same recording; without actions where its bytes are those of its source.
pub(super) fn without_needless_actions(mut edited: Edited, source: &Recording<'_>) -> Edited {
    if edited.bytes == source.bytes() {
        edited.actions.clear();
    }
    edited
}
