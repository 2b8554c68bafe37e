//! Reads a message of commands and one snapshot for a state: values without spelling, each entity straight over its base.

use fragreel_base::delta::interleaved::{Row, Spelling};
use fragreel_base::wire::huffman::Unsound;
use fragreel_base::wire::{ReadAhead, Wire};

use super::entity::{Change, LAST};
use super::heads::{EntityHead, SnapshotBytes};
use super::{Message, Operation, PlayerDelta, Snapshot, op};
use crate::dialect::{Dialect, Layout};

/// Takes the entities of a snapshot while it is read. The rest of the message may still turn out to be unsound.
pub(crate) trait EntitySink {
    /// A snapshot begins, with its base `delta` messages back. Returns whether its entities can be taken.
    fn begin(&mut self, delta: u8) -> bool;
    /// The next entity is removed.
    fn remove(&mut self, number: u16);
    /// The next entity stays. Returns whether there was room for it.
    fn keep(&mut self, number: u16) -> bool;
    /// The next entity changes. Returns its new row, which holds its base, if there is room for it.
    fn change(&mut self, number: u16) -> Option<&mut Row>;
}

impl Message {
    /// Decodes the message in the first `length` bytes of `data` as [`Depth::Values`](super::Depth::Values) does. The message must be sound, and must
    /// hold commands and one snapshot. `sink` must be able to take the snapshot, and its entities must rise by number.
    pub(crate) fn read_values(&mut self, data: &[u8], length: usize, dialect: &Dialect, sink: &mut impl EntitySink) -> Result<(), Unsound> {
        if dialect.layout != Layout::Coded {
            return Err(Unsound);
        }
        let (mut r, mut at, mut has_snapshot) = (ReadAhead::new(data, length), 0, false);
        self.clear_around();
        if dialect.acknowledges {
            self.acknowledged = r.bits(0, 32)?;
        }
        loop {
            let number = r.bits(0, 8)? as u8;
            if !matches!(number, op::SERVER_COMMAND | op::SNAPSHOT) {
                r.expect(number == op::EOF, "")?;
                break;
            }
            match self.reuse(at, number) {
                Some(Operation::ServerCommand(command)) => command.code(&mut r)?,
                Some(Operation::Snapshot(snapshot)) if !has_snapshot => {
                    snapshot.read_values(&mut r, dialect, sink)?;
                    has_snapshot = true;
                }
                _ => return Err(Unsound),
            }
            r.checkpoint()?;
            at += 1;
        }
        self.shorten(at);
        self.end = Some(op::EOF);
        self.read_close(&mut r, &data[..length], dialect)
    }

    /// The operation at `at`, which has this number: that of the message before, if it is of the kind. Most messages hold one snapshot and nothing else.
    #[inline(always)]
    fn reuse(&mut self, at: usize, number: u8) -> Option<&mut Operation> {
        let fits = match self.operations.get(at) {
            Some(Operation::ServerCommand(_)) => number == op::SERVER_COMMAND,
            Some(Operation::Snapshot(_)) => number == op::SNAPSHOT,
            _ => false,
        };
        if !fits {
            self.shorten(at);
            self.add_operation(number);
        }
        self.operations.get_mut(at)
    }
}

impl Snapshot {
    #[inline(always)]
    fn read_values(&mut self, r: &mut ReadAhead<'_>, dialect: &Dialect, sink: &mut impl EntitySink) -> Result<(), Unsound> {
        if dialect.snapshot_command {
            self.client_command = r.bits(0, 32)?;
        }
        self.server_time = r.signed("serverTime", 0, 32)?;
        let SnapshotBytes { delta, flags, areas } = r.burst(SnapshotBytes::default())?;
        (self.delta, self.flags) = (delta, flags);
        r.expect(areas <= 32 && sink.begin(delta), "")?;
        r.octets(&mut self.area_mask, areas)?;
        self.player.read_values(r, dialect)?;
        self.entities.cut(0);
        r.hot(|r| self.read_entities(r, dialect, sink))
    }

    #[inline(always)]
    fn read_entities(&mut self, r: &mut ReadAhead<'_>, dialect: &Dialect, sink: &mut impl EntitySink) -> Result<(), Unsound> {
        let (mut least, most) = (0, dialect.entity.len() as u32);
        loop {
            let EntityHead { number, end } = r.burst(EntityHead::default())?;
            if number == u32::from(LAST) {
                return Ok(());
            }
            r.expect(number >= least, "")?;
            least = number + 1;
            let number = number as u16;
            let delta = self.entities.grow();
            delta.number = number;
            if end <= most {
                delta.change = Change::Changed;
                let row = sink.change(number).ok_or(Unsound)?;
                let sent = dialect.entity.read_values::<true>(r, end as usize, |at, word| (row[at], delta.row[at]) = (word, word));
                delta.spelling = Spelling { end: end as u8, sent, ..Spelling::default() };
            } else if end == EntityHead::REMOVED {
                delta.change = Change::Removed;
                sink.remove(number);
            } else {
                r.expect(end == EntityHead::UNCHANGED && sink.keep(number), "")?;
                delta.change = Change::Unchanged;
            }
            r.checkpoint()?;
        }
    }
}

impl PlayerDelta {
    #[inline(always)]
    fn read_values(&mut self, r: &mut ReadAhead<'_>, dialect: &Dialect) -> Result<(), Unsound> {
        let end = r.bits(0, 8)? as usize;
        r.expect(end <= dialect.player.len(), "")?;
        let row = &mut self.row;
        let sent = r.hot(|r| dialect.player.read_values::<false>(r, end, |at, word| row[at] = word));
        self.spelling = Spelling { end: end as u8, sent, ..Spelling::default() };
        self.code_arrays(r, dialect)
    }
}
