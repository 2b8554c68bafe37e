//! Macros, the records of a segment (`docs/formats/goldsrc.md`, "Macros").

use fragreel_base::wire::{Chunk, Error, Limits};

use crate::dialect::{Dialect, MacroTable};

/// Bytes before a macro's body: type, time and frame.
pub(crate) const HEAD_BYTES: usize = 9;

/// A macro's type as the file spells it; what it means depends on the demo protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MacroType(pub u8);

/// What a macro holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MacroKind {
    /// A data block: view, sequence information, messages. 0 while loading, 1 while playing.
    Data,
    /// Playing starts: time and frames count from here.
    Start,
    /// A command that the player's client sent.
    Command,
    /// The client's own position.
    ClientData,
    /// The entry ends.
    End,
    /// An event that the client played by prediction.
    Event,
    /// A weapon animation that the client played by prediction.
    WeaponAnim,
    /// A sound that the client started itself.
    Sound,
    /// Bytes that the client DLL asked to keep.
    Buffer,
    /// Demo protocol 4: the view and one packet.
    Packet,
    /// Demo protocol 4: sequence information on its own.
    Sequence,
    /// Demo protocol 4: a frame is complete.
    Frame,
}

impl MacroKind {
    /// All of them, in the order of their declaration.
    pub const ALL: [MacroKind; 12] = [
        MacroKind::Data,
        MacroKind::Start,
        MacroKind::Command,
        MacroKind::ClientData,
        MacroKind::End,
        MacroKind::Event,
        MacroKind::WeaponAnim,
        MacroKind::Sound,
        MacroKind::Buffer,
        MacroKind::Packet,
        MacroKind::Sequence,
        MacroKind::Frame,
    ];

    /// Its type under a table, if the table has it. Blocks and packets have one for loading and one for playing.
    pub fn id(self, table: MacroTable, playing: bool) -> Option<MacroType> {
        const MOST: u8 = 9;
        let mut types = (0..=MOST).map(MacroType).filter(|id| id.kind(table) == Some(self));
        let first = types.next();
        if playing { types.next().or(first) } else { first }
    }

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            MacroKind::Data => "data",
            MacroKind::Start => "start",
            MacroKind::Command => "command",
            MacroKind::ClientData => "client_data",
            MacroKind::End => "end",
            MacroKind::Event => "event",
            MacroKind::WeaponAnim => "weapon_anim",
            MacroKind::Sound => "sound",
            MacroKind::Buffer => "buffer",
            MacroKind::Packet => "packet",
            MacroKind::Sequence => "sequence",
            MacroKind::Frame => "frame",
        }
    }
}

impl MacroType {
    /// What it means under a table; absent for types that the table does not have.
    #[inline]
    pub fn kind(self, table: MacroTable) -> Option<MacroKind> {
        use MacroKind as K;
        Some(match (table, self.0) {
            (MacroTable::Five, 0 | 1) => K::Data,
            (MacroTable::Five, 2) => K::Start,
            (MacroTable::Five, 3) => K::Command,
            (MacroTable::Five, 4) => K::ClientData,
            (MacroTable::Five, 5) => K::End,
            (MacroTable::Five, 6) => K::Event,
            (MacroTable::Five, 7) => K::WeaponAnim,
            (MacroTable::Five, 8) => K::Sound,
            (MacroTable::Five, 9) => K::Buffer,
            (MacroTable::Four, 0 | 1) => K::Packet,
            (MacroTable::Four, 2) => K::Start,
            (MacroTable::Four, 3) => K::Sequence,
            (MacroTable::Four, 4) => K::Frame,
            (MacroTable::Four, 5) => K::Command,
            (MacroTable::Four, 6) => K::ClientData,
            (MacroTable::Four, 7) => K::Buffer,
            (MacroTable::Four, 8) => K::End,
            _ => return None,
        })
    }

    /// The type that ends an entry under a table.
    pub fn end(table: MacroTable) -> MacroType {
        match table {
            MacroTable::Five => MacroType(5),
            MacroTable::Four => MacroType(8),
        }
    }
}

/// A window over one macro.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Macro<'a> {
    /// Its type.
    pub id: MacroType,
    /// What the type means.
    pub kind: MacroKind,
    /// Seconds; while playing since the start macro.
    pub time: f32,
    /// The recorder's frame.
    pub frame: i32,
    /// Where its head starts in the file.
    pub offset: usize,
    /// What follows the head.
    pub body: &'a [u8],
}

impl Macro<'_> {
    /// Where its body starts in the file.
    pub fn body_offset(&self) -> usize {
        self.offset + HEAD_BYTES
    }

    /// The byte after its last.
    pub fn end(&self) -> usize {
        self.body_offset() + self.body.len()
    }
}

/// A macro with bytes of its own: it stays when the chunk that held it passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MacroCopy {
    /// The macro without its body.
    head: Macro<'static>,
    body: Vec<u8>,
}

impl MacroCopy {
    pub(crate) fn window(&self) -> Macro<'_> {
        Macro { body: &self.body, ..self.head }
    }
}

impl From<&Macro<'_>> for MacroCopy {
    fn from(&Macro { id, kind, time, frame, offset, body }: &Macro<'_>) -> Self {
        MacroCopy { head: Macro { id, kind, time, frame, offset, body: &[] }, body: body.to_vec() }
    }
}

/// The macro at `at` of a recording, which must end at or before `limit`.
#[inline(always)]
pub(crate) fn find_in<'a>(chunk: Chunk<'a>, at: usize, limit: usize, dialect: &Dialect, limits: &Limits) -> Result<Macro<'a>, NoMacro> {
    let from = at.checked_sub(chunk.start()).ok_or(NoMacro::Head)?;
    let found = find(chunk.bytes(), from, limit.saturating_sub(chunk.start()), dialect, limits)?;
    Ok(Macro { offset: at, ..found })
}

/// Why there is no macro at an offset. It has no text, because a search tries every byte.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NoMacro {
    Head,
    Type(MacroType),
    /// Bytes left where the length should be.
    Length(usize),
    /// The length, and where it stands in the body.
    Wild(i32, usize),
    Body,
}

impl NoMacro {
    #[cold]
    pub(super) fn error(self, at: usize, limit: usize) -> Error {
        let body = (at + HEAD_BYTES) as u64;
        let short = |what: &str| Error::malformed(format!("the segment ends at {limit}, inside {what}")).at_offset(at as u64);
        match self {
            NoMacro::Head => short("the macro's head"),
            NoMacro::Type(id) => Error::malformed(format!("there is no macro of type {}", id.0)).at_offset(at as u64),
            NoMacro::Length(left) => Error::malformed("the file ends inside the macro's length").at_bit(8 * left as u64).in_message_at(body),
            NoMacro::Wild(length, field) => Error::malformed(format!("a length of {length} is impossible")).at_bit(8 * field as u64).in_message_at(body),
            NoMacro::Body => short("the macro's body"),
        }
    }
}

/// The macro at `at`, which must end at or before `limit`.
#[inline(always)]
pub(crate) fn find<'a>(bytes: &'a [u8], at: usize, limit: usize, dialect: &Dialect, limits: &Limits) -> Result<Macro<'a>, NoMacro> {
    let limit = limit.min(bytes.len());
    let head = bytes.get(at..limit).and_then(|rest| rest.first_chunk::<HEAD_BYTES>());
    let &[id, t0, t1, t2, t3, f0, f1, f2, f3] = head.ok_or(NoMacro::Head)?;
    let id = MacroType(id);
    let kind = id.kind(dialect.macros).ok_or(NoMacro::Type(id))?;
    let rest = &bytes[at + HEAD_BYTES..limit];
    let body = rest.get(..body_bytes(kind, rest, dialect, limits)?).ok_or(NoMacro::Body)?;
    Ok(Macro { id, kind, time: f32::from_le_bytes([t0, t1, t2, t3]), frame: i32::from_le_bytes([f0, f1, f2, f3]), offset: at, body })
}

/// Bytes of a macro's body; `rest` starts with it.
#[inline(always)]
fn body_bytes(kind: MacroKind, rest: &[u8], dialect: &Dialect, limits: &Limits) -> Result<usize, NoMacro> {
    let counted = |at: usize, most: usize| -> Result<usize, NoMacro> {
        let field = rest.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or(NoMacro::Length(rest.len()))?;
        let length = i32::from_le_bytes(*field);
        match usize::try_from(length) {
            Ok(length) if length <= most => Ok(at + 4 + length),
            _ => Err(NoMacro::Wild(length, at)),
        }
    };
    let network = limits.message_bytes.min(MAX_MESSAGE);
    match kind {
        MacroKind::Data => counted(dialect.info_bytes() + SEQUENCE_BYTES, network),
        MacroKind::Packet => counted(24, network),
        MacroKind::Start | MacroKind::End | MacroKind::Frame => Ok(0),
        MacroKind::Command => Ok(64),
        MacroKind::ClientData => Ok(dialect.client_data_bytes()),
        MacroKind::Event => Ok(84),
        MacroKind::WeaponAnim => Ok(8),
        MacroKind::Sound => Ok(counted(4, MAX_BUFFER)? + 16),
        MacroKind::Buffer => counted(0, MAX_BUFFER),
        MacroKind::Sequence => Ok(SEQUENCE_BYTES),
    }
}

/// Bytes of sequence information.
pub(crate) const SEQUENCE_BYTES: usize = 28;
/// The engine's largest network message.
pub(crate) const MAX_MESSAGE: usize = 65_536;
/// No recorder keeps larger buffers or names.
pub(crate) const MAX_BUFFER: usize = 65_536;
