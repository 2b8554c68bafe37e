//! Reads of a message only what kills need: its commands, the head of its snapshot, and a few fields of entities.

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::Kind;
use fragreel_base::wire::huffman::{Passing, Unsound};
use fragreel_base::wire::{Burst, ReadAhead, Reused, Wire};

use super::entity::{Change, LAST};
use super::heads::{EntityHead, SnapshotBytes};
use super::{ServerCommand, op};
use crate::dialect::{Dialect, Layout};
use crate::fields::Element;

/// How many fields of an entity are read.
pub(crate) const FEW: usize = 4;
/// The values of those fields.
pub(crate) type FewValues = [u16; FEW];

/// The head of a snapshot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SnapshotHead {
    /// The server's clock in milliseconds.
    pub server_time: i32,
    /// How many messages back the base lies; 0 for none.
    pub delta: u8,
}

/// What a message says of one entity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartialDelta {
    pub number: u16,
    pub change: Change,
    /// Which of the fields were sent, one bit each.
    pub sent: u8,
    /// The values of the sent ones; the others are 0.
    pub values: FewValues,
}

impl PartialDelta {
    /// The value of the first field, where it was sent.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<u16> {
        (self.sent & 1 != 0).then_some(self.values[0])
    }
}

/// Why a message is left to the reader of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// It begins a level.
    Level,
    /// It is damaged, or holds something that stock servers do not send.
    Unusual,
}

impl From<Unsound> for Left {
    fn from(_: Unsound) -> Self {
        Left::Unusual
    }
}

/// Takes the snapshot of a message while it is read. The message may turn out to be unsound behind it.
pub(crate) trait PartialSink {
    /// A snapshot begins. Returns whether its entities can be taken.
    fn begin(&mut self, head: SnapshotHead) -> bool;
    /// The next entity. They rise by number.
    fn change(&mut self, delta: &PartialDelta);
}

/// Reads messages of one dialect.
#[derive(Debug)]
pub(crate) struct PartialReader {
    dialect: &'static Dialect,
    entity: Passing<true>,
    player: Passing<false>,
    /// The place of each wanted field among the values.
    places: [u8; 64],
    /// The widths of the wanted fields.
    widths: [u8; FEW],
    /// The commands of the last message, without those that were executed before.
    pub commands: Reused<ServerCommand>,
}

impl PartialReader {
    /// A reader of these fields; `None` for dialects that are not Huffman-coded or lack one of them.
    pub(crate) fn new(dialect: &'static Dialect, fields: [usize; FEW]) -> Option<Self> {
        if dialect.layout != Layout::Coded {
            return None;
        }
        let (mut wanted, mut places, mut widths) = (FieldSet::EMPTY, [0; 64], [0; FEW]);
        for (place, &at) in fields.iter().enumerate() {
            let Kind::Uint(width @ ..=16) = dialect.entity.get(at)?.kind else { return None };
            wanted.insert(at);
            (places[at], widths[place]) = (place as u8, width);
        }
        let (entity, player) = (dialect.entity.passing(wanted), dialect.player.passing(FieldSet::EMPTY));
        Some(PartialReader { dialect, entity, player, places, widths, commands: Reused::default() })
    }

    /// Reads the message in the first `length` bytes of `data`, if it is sound and holds commands and one snapshot behind them, nothing else. The
    /// commands up to number `executed` are passed over.
    pub(crate) fn read(&mut self, data: &[u8], length: usize, executed: i32, sink: &mut impl PartialSink) -> Result<(), Left> {
        let mut r = ReadAhead::new(data, length);
        self.commands.cut(0);
        let mut has_snapshot = false;
        if self.dialect.acknowledges {
            r.pass_bytes(4);
        }
        loop {
            match r.bits(0, 8)? as u8 {
                op::EOF => return Ok(r.checkpoint()?),
                op::NOP => {}
                op::SERVER_COMMAND if !has_snapshot => self.command(&mut r, executed)?,
                op::SNAPSHOT if !has_snapshot => {
                    has_snapshot = true;
                    self.snapshot(&mut r, sink)?;
                }
                op::GAMESTATE if !has_snapshot => return Err(Left::Level),
                _ => return Err(Left::Unusual),
            }
            r.checkpoint()?;
        }
    }

    fn command(&mut self, r: &mut ReadAhead<'_>, executed: i32) -> Result<(), Unsound> {
        let command = self.commands.grow();
        command.code(r)?;
        if command.sequence <= executed {
            self.commands.cut(self.commands.len() - 1);
        }
        Ok(())
    }

    fn snapshot(&self, r: &mut ReadAhead<'_>, sink: &mut impl PartialSink) -> Result<(), Unsound> {
        if self.dialect.snapshot_command {
            r.pass_bytes(4);
        }
        let server_time = r.signed("serverTime", 0, 32)?;
        let SnapshotBytes { delta, areas, .. } = r.burst(SnapshotBytes::default())?;
        r.expect(areas <= 32 && sink.begin(SnapshotHead { server_time, delta }), "")?;
        r.pass_bytes(areas);
        self.player(r)?;
        r.hot(|r| self.entities(r, sink))
    }

    fn player(&self, r: &mut ReadAhead<'_>) -> Result<(), Unsound> {
        let end = r.bits(0, 8)? as usize;
        r.expect(end <= self.dialect.player.len(), "")?;
        r.pass_fields(&self.player, 0, end);
        if r.flag(false)? {
            for array in self.dialect.arrays {
                if r.flag(false)? {
                    let sent = r.bits(0, 16)?.count_ones() as usize;
                    r.pass_bytes(sent * if array.element == Element::Long { 4 } else { 2 });
                }
            }
        }
        r.checkpoint()
    }

    #[inline(always)]
    fn entities(&self, r: &mut ReadAhead<'_>, sink: &mut impl PartialSink) -> Result<(), Unsound> {
        let (mut least, most) = (0, self.dialect.entity.len() as u32);
        loop {
            let EntityHead { number, end } = r.burst(EntityHead::default())?;
            if number == u32::from(LAST) {
                return Ok(());
            }
            r.expect(number >= least, "")?;
            least = number + 1;
            let mut delta = PartialDelta { number: number as u16, change: Change::Changed, sent: 0, values: [0; FEW] };
            if end <= most {
                let (mut at, end) = (0, end as usize);
                loop {
                    at = r.pass_fields(&self.entity, at, end);
                    if at >= end {
                        break;
                    }
                    let place = usize::from(self.places[at & 63]) % FEW;
                    delta.values[place] = r.burst(Value { width: u32::from(self.widths[place]) })? as u16;
                    delta.sent |= 1 << place;
                    at += 1;
                }
                r.checkpoint()?;
            } else {
                r.expect(end >= EntityHead::REMOVED, "")?;
                delta.change = if end == EntityHead::REMOVED { Change::Removed } else { Change::Unchanged };
            }
            sink.change(&delta);
        }
    }
}

/// The value of a sent field: a flag, and up to 16 bits.
struct Value {
    width: u32,
}

impl<W: Wire> Burst<W> for Value {
    type Out = Result<u32, W::Error>;

    #[inline(always)]
    fn run(self, w: &mut W) -> Result<u32, W::Error> {
        if w.flag(false)? { w.bits(0, self.width) } else { Ok(0) }
    }
}
