//! Messages as lossless trees, decoded without any state (`docs/formats/quake3.md`, "Messages").
//!
//! [`Message::read`] and [`Message::write`] run the same functions in two directions. Read many messages into one value: it keeps its buffers.

mod command;
mod download;
mod entity;
mod gamestate;
mod heads;
mod operations;
mod partial;
mod player;
mod snapshot;
mod values;
mod voice;

pub use command::ServerCommand;
pub use download::Download;
pub(crate) use entity::LAST;
pub use entity::{Baseline, Change, EntityDelta};
pub use gamestate::{ConfigString, Gamestate, GamestateItem};
pub(crate) use operations::operations;
pub(crate) use partial::{FEW, FewValues, Left, PartialDelta, PartialReader, PartialSink, SnapshotHead};
pub use player::{ArrayDelta, PlayerDelta};
pub use snapshot::Snapshot;
pub(crate) use values::EntitySink;
pub use voice::Voice;

use fragreel_base::delta::FieldSet;
use fragreel_base::wire::{Error, ReadAhead, ReadBits, ReadHuffman, Trace, Wire, WriteBits, WriteHuffman};
use fragreel_base::{declare_messages, match_message};

use crate::dialect::{Dialect, Layout};

/// The content of one server packet.
#[derive(Debug, Clone, Default)]
pub struct Message {
    /// The last client command that the server received, where the dialect has it.
    pub acknowledged: u32,
    /// The operations, in order.
    pub operations: Vec<Operation>,
    /// Before protocol 66: the bits between each operation and the next byte boundary, 0 from stock servers and where absent.
    pub gaps: Vec<u8>,
    /// The operation that closed the list; `None` where the data just ends (before protocol 66).
    pub end: Option<u8>,
    /// Voice data behind the end, as ioquake3 sent it in 2008 for clients without voice support.
    pub late_voice: Vec<Voice>,
    /// The bits between the end and the next byte boundary.
    pub padding: u8,
    /// Whole bytes behind that. Engines leave one stale byte when the end falls on a boundary; tools hide data here.
    pub rest: Vec<u8>,
    /// Buffers of earlier messages.
    #[doc(hidden)]
    pub spare: Spare,
}

/// Operations that allocate, kept for their buffers.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Spare {
    #[expect(clippy::vec_box, reason = "the boxes themselves go back into operations")]
    snapshots: Vec<Box<Snapshot>>,
    commands: Vec<ServerCommand>,
}

/// Equal when they encode the same. Buffers do not count.
impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        let parts = |message: &Self| (message.acknowledged, message.end, message.padding);
        parts(self) == parts(other)
            && self.operations == other.operations
            && self.gaps == other.gaps
            && self.late_voice == other.late_voice
            && self.rest == other.rest
    }
}

/// Numbers of the operations.
pub mod op {
    /// Never sent as an operation; ends messages and gamestates before protocol 66.
    pub(crate) const BAD: u8 = 0;
    /// `nop`.
    pub const NOP: u8 = 1;
    /// `gamestate`.
    pub(crate) const GAMESTATE: u8 = 2;
    /// A configstring, inside a gamestate.
    pub(crate) const CONFIGSTRING: u8 = 3;
    /// A baseline, inside a gamestate.
    pub(crate) const BASELINE: u8 = 4;
    /// `serverCommand`.
    pub(crate) const SERVER_COMMAND: u8 = 5;
    /// `download`.
    pub const DOWNLOAD: u8 = 6;
    /// `snapshot`.
    pub const SNAPSHOT: u8 = 7;
    /// The end.
    pub const EOF: u8 = 8;
    /// `voipSpeex`.
    pub(crate) const VOICE_SPEEX: u8 = 9;
    /// `voipOpus`.
    pub(crate) const VOICE_OPUS: u8 = 10;
}

operations! { declare_messages {
    /// One operation.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Operation;
    /// Which operation.
    pub enum OperationKind: u8;
} }

impl OperationKind {
    /// The operation of this number.
    #[inline]
    pub fn of(number: u8) -> Option<OperationKind> {
        OperationKind::ALL.iter().copied().find(|kind| kind.numbers()[0] == number)
    }
}

impl Operation {
    /// The operation's number.
    #[inline]
    pub fn number(&self) -> u8 {
        self.kind().numbers()[0]
    }

    /// An operation with default values.
    fn of_number(number: u8) -> Self {
        OperationKind::of(number).map_or(Operation::Nop, OperationKind::empty)
    }

    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        operations! { match_message { self as Operation, coder(w, dialect) else Ok(()) } }
    }
}

/// How far to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// To the last bit.
    Whole,
    /// To the last bit, without the spelling of values: enough for states. Such a message cannot be written.
    Values,
    /// To the last bit, without the spelling of values, and forgets all fields of entities but these, and those of the player: enough for kills.
    /// Such a message cannot be written. Before protocol 66, and in broken messages, everything is kept.
    Fields(FieldSet),
    /// Up to the head of the first snapshot: enough for `info`, chat, and configstrings. Servers put reliable commands before the snapshot. Such a
    /// message cannot be written.
    Commands,
}

impl Message {
    /// Decodes a message and replaces the content of `self`. On damage, `self` holds the part before it.
    pub fn read(&mut self, data: &[u8], dialect: &Dialect) -> Result<(), Error> {
        self.read_to(data, dialect, Depth::Whole)
    }

    /// Decodes a message to this depth.
    pub fn read_to(&mut self, data: &[u8], dialect: &Dialect, depth: Depth) -> Result<(), Error> {
        match dialect.layout {
            Layout::Coded => self.read_from(&mut ReadHuffman::new(data), data, dialect, depth),
            Layout::Plain => self.read_from(&mut ReadBits::new(data), data, dialect, depth),
        }
    }

    /// Decodes the message in the first `length` bytes of `data`, fast if it is sound. It may look at the bytes behind them, but does not use them.
    pub fn read_ahead(&mut self, data: &[u8], length: usize, dialect: &Dialect, depth: Depth) -> Result<(), Error> {
        let message = &data[..length];
        if dialect.layout == Layout::Coded && self.read_from(&mut ReadAhead::new(data, length), message, dialect, depth).is_ok() {
            if let Depth::Fields(wanted) = depth {
                self.keep(wanted);
            }
            return Ok(());
        }
        self.read_to(message, dialect, depth)
    }

    /// Decodes a message and returns the bits of each field, up to the damage if there is any.
    pub fn explain(&mut self, data: &[u8], dialect: &Dialect) -> (Vec<fragreel_base::wire::Span>, Result<(), Error>) {
        self.explain_only(data, dialect, None)
    }

    /// Like [`explain`](Self::explain), but only for the updates of `entity` if there is one.
    pub(crate) fn explain_only(&mut self, data: &[u8], dialect: &Dialect, entity: Option<u32>) -> (Vec<fragreel_base::wire::Span>, Result<(), Error>) {
        fn run<R: Wire<Error = Error> + Clone>(
            message: &mut Message,
            trace: Trace<R>,
            data: &[u8],
            dialect: &Dialect,
        ) -> (Vec<fragreel_base::wire::Span>, Result<(), Error>) {
            let mut trace = trace;
            let result = message.read_from(&mut trace, data, dialect, Depth::Whole);
            (trace.into_parts().0, result)
        }
        match dialect.layout {
            Layout::Coded => run(self, Trace::new(ReadHuffman::new(data)).only(entity), data, dialect),
            Layout::Plain => run(self, Trace::new(ReadBits::new(data)).only(entity), data, dialect),
        }
    }

    /// Encodes the message. A decoded message gives the same bytes.
    pub fn write(&mut self, dialect: &Dialect) -> Vec<u8> {
        self.write_into(Vec::new(), dialect)
    }

    /// Like [`write`](Self::write), into a buffer whose memory is reused.
    pub(crate) fn write_into(&mut self, buffer: Vec<u8>, dialect: &Dialect) -> Vec<u8> {
        let (mut bytes, _) = self.encode(buffer, dialect);
        bytes.extend_from_slice(&self.rest);
        bytes
    }

    /// Encodes a new or changed message as stock servers do: with one more byte where the end falls on a byte boundary, because engines miss the
    /// end otherwise. Data hidden behind the end stays.
    pub fn write_anew(&mut self, dialect: &Dialect) -> Vec<u8> {
        self.padding = 0;
        self.gaps.clear();
        let (mut bytes, on_boundary) = self.encode(Vec::new(), dialect);
        if self.rest.len() > 1 {
            bytes.extend_from_slice(&self.rest);
        } else if on_boundary && dialect.layout == Layout::Coded {
            bytes.push(0);
        }
        bytes
    }

    /// The bytes up to the end, and whether the end falls on a byte boundary.
    fn encode(&mut self, buffer: Vec<u8>, dialect: &Dialect) -> (Vec<u8>, bool) {
        match dialect.layout {
            Layout::Coded => {
                let mut writer = WriteHuffman::with_buffer(buffer);
                let Ok(on_boundary) = self.code(&mut writer, dialect, Depth::Whole).and_then(|()| self.code_close(&mut writer, dialect));
                (writer.finish(), on_boundary)
            }
            Layout::Plain => {
                let mut writer = WriteBits::with_buffer(buffer);
                let Ok(on_boundary) = self.code(&mut writer, dialect, Depth::Whole).and_then(|()| self.code_close(&mut writer, dialect));
                (writer.finish(), on_boundary)
            }
        }
    }

    /// Reads the message through any wire that reads, up to its end: not the late voice, the padding, and the rest behind it. So packers are
    /// driven.
    pub fn read_through<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        self.clear();
        self.code(w, dialect, Depth::Whole)
    }

    fn read_from<R: Wire + Clone>(&mut self, r: &mut R, data: &[u8], dialect: &Dialect, depth: Depth) -> Result<(), R::Error> {
        self.clear();
        self.code(r, dialect, depth)?;
        if depth == Depth::Commands {
            return r.checkpoint();
        }
        self.read_close(r, data, dialect)
    }

    /// Reads the bits and bytes behind the end.
    #[inline]
    fn read_close<R: Wire + Clone>(&mut self, r: &mut R, data: &[u8], dialect: &Dialect) -> Result<(), R::Error> {
        if dialect.layout == Layout::Coded {
            self.read_late_voice(r);
        }
        r.enter("padding");
        self.padding = r.align(0)? as u8;
        r.checkpoint()?;
        self.rest.extend_from_slice(&data[(r.position() / 8) as usize..]);
        Ok(())
    }

    /// Forgets all fields of entities but these, and those of the player.
    fn keep(&mut self, wanted: FieldSet) {
        for operation in &mut self.operations {
            if let Operation::Snapshot(snapshot) = operation {
                snapshot.player.spelling.sent = FieldSet::EMPTY;
                snapshot.entities.iter_mut().for_each(|entity| entity.spelling.sent.0 &= wanted.0);
            }
        }
    }

    /// Removes all content and keeps the buffers.
    pub(crate) fn clear(&mut self) {
        self.shorten(0);
        self.clear_around();
    }

    /// Removes all content but the operations.
    #[inline]
    fn clear_around(&mut self) {
        self.acknowledged = 0;
        self.gaps.clear();
        self.end = None;
        self.late_voice.clear();
        self.padding = 0;
        self.rest.clear();
    }

    /// The acknowledgement, the operations and the end.
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect, depth: Depth) -> Result<(), W::Error> {
        if dialect.acknowledges {
            self.acknowledged = w.field("reliableAcknowledge", self.acknowledged, 32)?;
        }
        let mut at = 0;
        loop {
            let more = dialect.layout == Layout::Coded || w.more(at < self.operations.len() || self.end.is_some());
            if !more {
                self.end = None;
                break;
            }
            let number = self.operations.get(at).map_or(self.end.unwrap_or(op::EOF), Operation::number);
            let number = w.field("operation", u32::from(number), 8)? as u8;
            w.note(|| OperationKind::of(number).map(OperationKind::name).unwrap_or(if number == op::EOF { "EOF" } else { "?" }).to_owned());
            if number == op::EOF || (number == op::BAD && dialect.layout == Layout::Plain) {
                self.end = Some(number);
                break;
            }
            let Some(name) = OperationKind::of(number).map(OperationKind::name) else {
                w.expect(false, "no operation has this number")?;
                break;
            };
            if W::READING {
                self.add_operation(number);
            }
            let operation = &mut self.operations[at];
            at += 1;
            if let (Depth::Commands, Operation::Snapshot(snapshot)) = (depth, &mut *operation) {
                w.scope(name, None, |w| snapshot.code_head(w, dialect))?;
                break;
            }
            let result = w.scope(name, None, |w| operation.code(w, dialect));
            // the strings of a broken gamestate before the damage are useful
            if W::READING && result.is_err() && !matches!(operation, Operation::Gamestate(_)) {
                self.shorten(at - 1);
            }
            result?;
            w.checkpoint()?;
            if dialect.layout == Layout::Plain {
                w.enter("alignment");
                let gap = w.align(u32::from(self.gaps.get(at - 1).copied().unwrap_or(0)))? as u8;
                if W::READING {
                    self.gaps.push(gap);
                }
            }
        }
        Ok(())
    }

    /// An operation of this number, with the buffers of an earlier one where there is one.
    pub(crate) fn add_operation(&mut self, number: u8) {
        self.operations.push(match number {
            op::SNAPSHOT => Operation::Snapshot(self.spare.snapshots.pop().unwrap_or_default()),
            op::SERVER_COMMAND => Operation::ServerCommand(self.spare.commands.pop().unwrap_or_default()),
            _ => Operation::of_number(number),
        });
    }

    /// Truncates the operations, and keeps the buffers of the others.
    pub(crate) fn shorten(&mut self, length: usize) {
        while self.operations.len() > length {
            match self.operations.pop() {
                Some(Operation::Snapshot(snapshot)) if self.spare.snapshots.len() < 4 => self.spare.snapshots.push(snapshot),
                Some(Operation::ServerCommand(command)) if self.spare.commands.len() < 64 => self.spare.commands.push(command),
                _ => {}
            }
        }
    }

    /// Codes the bits behind the end, for writers. Returns whether the end falls on a byte boundary.
    fn code_close<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<bool, W::Error> {
        for voice in &mut self.late_voice {
            voice.code_late(w)?;
        }
        if !self.late_voice.is_empty() {
            w.bits(u32::from(op::EOF), 8)?;
        }
        debug_assert!(dialect.layout == Layout::Coded || self.late_voice.is_empty());
        let on_boundary = w.position().is_multiple_of(8);
        w.align(u32::from(self.padding)).map(|_| on_boundary)
    }

    /// Reads voice data behind the end, if the bytes there are that: an announcement, voice, and another end. Other bytes are left, since the byte
    /// behind the end is often junk.
    fn read_late_voice<R: Wire + Clone>(&mut self, r: &mut R) {
        if self.end != Some(op::EOF) || !r.more(true) {
            return;
        }
        let mut ahead = r.clone();
        let found = ahead.scope("late voice", None, |ahead| {
            let mut found = Vec::new();
            loop {
                let mut voice = Voice::default();
                voice.code_late(ahead)?;
                found.push(voice);
                // each packet is announced by itself; an end closes them
                let mut peek = ahead.clone();
                if peek.field("operation", 0, 8)? as u8 == op::EOF {
                    *ahead = peek;
                    return ahead.checkpoint().map(|()| found);
                }
            }
        });
        if let Ok(found) = found {
            self.late_voice = found;
            *r = ahead;
        }
    }
}
