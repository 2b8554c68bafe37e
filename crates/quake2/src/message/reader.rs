//! Reads blocks message by message, reusing one tree per kind.

use std::ops::Range;

use fragreel_base::wire::{Error, ReadBytes, Wire};

use super::skim::Skimmer;
use super::{Body, Context, Message, MessageKind};
use crate::dialect::{Dialect, Numbering};

/// Why a block could not be read to its end.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Where the message starts that could not be read. What is before it was delivered.
    pub at: usize,
    /// Why; its bit counts from the block's first.
    pub error: Error,
}

/// Reads blocks. Keeps the context from block to block, and memory from message to message.
#[derive(Debug, Clone)]
pub struct Reader {
    /// What the messages so far announced.
    pub context: Context,
    slots: Vec<Message>,
    skimmer: Skimmer,
    skim: bool,
    players_only: bool,
}

impl Reader {
    /// A reader at the start of a recording of this dialect.
    pub fn new(dialect: Dialect) -> Self {
        Reader { context: Context::new(dialect), slots: Vec::new(), skimmer: Skimmer::default(), skim: false, players_only: false }
    }

    /// Passes over player states and entities wherever the dialect allows it cheaply; they are then not delivered.
    #[must_use]
    pub fn skimming(mut self, skim: bool) -> Self {
        self.skim = skim;
        self
    }

    /// Delivers no entities that are no players, wherever the dialect allows that.
    #[must_use]
    pub(crate) fn of_players(mut self, players_only: bool) -> Self {
        self.players_only = players_only;
        self
    }

    /// Reads a block's messages in order. `sink` gets each with the bytes it fills; its answer says whether to go on.
    #[inline]
    pub fn block(&mut self, data: &[u8], sink: impl FnMut(&mut Message, Range<usize>, &Context) -> bool) -> Result<(), Failure> {
        // The rerelease's entities announce whether they are solid, and those of a message that cannot be read must not count.
        let before = self.context.dialect.floats.then(|| self.context.clone());
        let read = self.messages(data, sink);
        if let (Err(failure), Some(before)) = (&read, before) {
            self.context.restore(&before);
            let _ = self.messages(&data[..failure.at], |_, _, _| true);
        }
        read
    }

    /// Reads messages through any wire that reads, until it has no more. So packers are driven.
    pub fn read_through<R: Wire<Error = Error>>(&mut self, r: &mut R) -> Result<(), Error> {
        while r.more(false) {
            let head = head(r, &self.context)?;
            let message = slot(&mut self.slots, head.op);
            message.unicast = head.unicast;
            r.scope(head.op.name(), None, |r| message.body.code(r, &mut self.context, head.high))?;
            self.context.learn(&message.body);
        }
        Ok(())
    }

    #[inline]
    fn messages(&mut self, data: &[u8], mut sink: impl FnMut(&mut Message, Range<usize>, &Context) -> bool) -> Result<(), Failure> {
        let mut r = ReadBytes::new(data);
        while r.more(false) {
            let start = r.offset();
            let fail = |error: Error| Failure { at: start, error };
            let head = head(&mut r, &self.context).map_err(fail)?;
            if self.skim
                && matches!(head.op, MessageKind::PlayerInfo | MessageKind::PacketEntities)
                && self.skimmer.pass(&mut r, head.op, &self.context.dialect).map_err(fail)?
            {
                continue;
            }
            let message = slot(&mut self.slots, head.op);
            message.unicast = head.unicast;
            let cx = &mut self.context;
            let may_be_fast = head.op == MessageKind::PlayerInfo || self.players_only && head.op == MessageKind::PacketEntities;
            if !(may_be_fast && read_fast(&mut r, cx, &mut message.body)) {
                r.scope(head.op.name(), None, |r| message.body.code(r, cx, head.high)).map_err(fail)?;
                if self.players_only
                    && let Body::PacketEntities(list) = &mut message.body
                {
                    list.keep_players(cx);
                }
            }
            cx.learn(&message.body);
            if !sink(message, start..r.offset(), cx) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Reads a player, or the players among entities, faster than the coder. Returns false and reads nothing if that is not possible.
#[inline(never)]
fn read_fast(r: &mut ReadBytes<'_>, cx: &mut Context, body: &mut Body) -> bool {
    let mut ahead = r.clone();
    let read = match body {
        Body::PlayerInfo(player) => player.read_classic(&mut ahead, cx),
        Body::PacketEntities(list) => list.read_players(&mut ahead, cx),
        _ => None,
    };
    if read.is_some() {
        *r = ahead;
    }
    read.is_some()
}

fn slot(slots: &mut Vec<Message>, op: MessageKind) -> &mut Message {
    let at = op as usize;
    while slots.len() <= at {
        slots.push(Message::new(Body::Nop));
    }
    let message = &mut slots[at];
    if message.body.kind() != op {
        message.body = op.empty();
    }
    message
}

/// A message's number, taken apart.
pub(crate) struct Head {
    pub op: MessageKind,
    pub unicast: Option<u8>,
    pub high: u8,
}

/// Reads a message's number and, in Relay recordings, the client it is for.
#[inline]
pub(crate) fn head<R: Wire<Error = Error>>(r: &mut R, cx: &Context) -> Result<Head, Error> {
    r.enter("number");
    let byte = r.bits(0, 8)? as u8;
    let dialect = &cx.dialect;
    let high_bits = matches!(dialect.numbering, Numbering::R1q2 | Numbering::Q2pro);
    let (number, high) = if high_bits { (byte & 31, byte >> 5) } else { (byte, 0) };
    let (number, unicast) = if dialect.unicasts() && number & 0x80 != 0 { (number & 0x7f, Some(r.field("client", 0, 8)? as u8)) } else { (number, None) };
    let Some(op) = MessageKind::of(dialect.numbering, number).filter(|&op| high == 0 || op == MessageKind::Frame) else {
        return Err(unknown(byte, dialect, r.position() - 8));
    };
    Ok(Head { op, unicast, high })
}

#[cold]
fn unknown(byte: u8, dialect: &Dialect, bit: u64) -> Error {
    let error = match (dialect.numbering, byte) {
        (Numbering::TestRelease, _) => Error::unsupported("the messages of the test release (protocol 25) are not described anywhere"),
        (Numbering::R1q2, 23) => Error::unsupported("R1Q2's player updates depend on the frame shown and are not decoded"),
        (_, 19) => Error::unsupported("deltapacketentities was never written by any engine"),
        _ => Error::malformed(format!("message number {byte} does not exist in this dialect")),
    };
    error.at_bit(bit)
}

/// Reads messages into trees of their own, as compressed packets hold them.
pub(super) fn messages(data: &[u8], cx: &mut Context) -> Result<Vec<Message>, Error> {
    let mut r = ReadBytes::new(data);
    let mut list = Vec::new();
    while r.more(false) {
        let head = head(&mut r, cx)?;
        let mut body = head.op.empty();
        body.code(&mut r, cx, head.high)?;
        cx.learn(&body);
        list.push(Message { unicast: head.unicast, body });
    }
    Ok(list)
}
