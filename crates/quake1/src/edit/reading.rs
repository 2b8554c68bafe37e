//! One pass over a recording for editing: every block with its messages as trees, with who they are for and when.

use std::borrow::Cow;

use wire::Error;

use crate::Recording;
use crate::clock::Clock;
use crate::container::{Block, Framing, Target};
use crate::dialect::Dialect;
use crate::events::target_of;
use crate::message::hidden::HiddenBlocks;
use crate::message::{Message, PacketHeader};
use crate::recording::is_frame;
use crate::walk::{Addressee, Decoder, Item, Step, Walk};

use super::writing::length;

/// A block, taken apart.
#[derive(Debug, Clone)]
pub struct Unit<'a> {
    /// The window over the file.
    pub block: Block<'a>,
    /// Whom it is for, with "as the block before" resolved; none for blocks without data.
    pub target: Option<Target>,
    /// The netchan header.
    pub header: Option<PacketHeader>,
    /// The messages as far as they can be read.
    pub messages: Vec<Message>,
    /// Hidden blocks instead of messages.
    pub hidden: Option<HiddenBlocks>,
    /// What was not taken apart: the rest of the data.
    pub tail: Cow<'a, [u8]>,
    /// Why not.
    pub error: Option<Error>,
}

impl Unit<'_> {
    /// The packet's number, without its reliable bit.
    pub fn sequence(&self) -> u32 {
        self.header.map_or(0, |header| header.sequence & 0x7fff_ffff)
    }

    /// Whether it is a block of NetQuake without a byte: id's engine and its descendants take it for the file's end.
    pub fn stops_engines(&self) -> bool {
        matches!(self.block.framing, Framing::NetQuake { .. }) && self.block.data.is_empty()
    }

    /// Whether it brings a new view of the world or of a player.
    pub fn is_frame(&self) -> bool {
        self.messages.iter().any(|message| is_frame(message) || matches!(message, Message::ViewPlayer(_)))
    }
}

/// What is next.
#[derive(Debug)]
pub enum Next<'a> {
    /// A block.
    Unit(Box<Unit<'a>>),
    /// Bytes that are no block, and why.
    Broken(Error, (u64, u64)),
}

/// The pass.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    walk: Walk<'a>,
    decoder: Decoder,
    addressee: Addressee,
    /// The clocks after the last block.
    pub clock: Clock,
}

impl<'a> Reading<'a> {
    /// From the start.
    pub fn new(recording: &Recording<'a>) -> Self {
        Reading { walk: recording.walk(), decoder: Decoder::new(recording.container()), addressee: Addressee::default(), clock: Clock::default() }
    }

    /// The rules in force after the last block.
    pub fn dialect(&self) -> &Dialect {
        &self.decoder.dialect
    }

    /// Whether the next block is of the same moment on the recording's clock.
    pub fn lingers_here(&self) -> bool {
        matches!(self.walk.clone().next(), Some(Step::Block(block)) if self.clock.lingers_here(&block.framing))
    }

    /// Whether the next block, or the next frame where messages tell the time, is of the same moment as the last.
    pub fn lingers(&self) -> bool {
        let Some(Step::Block(block)) = self.walk.clone().next() else { return false };
        self.clock.lingers(&block.framing).unwrap_or_else(|| {
            let mut ahead = self.clone();
            while let Some(next) = ahead.next(|_, _, _| {}) {
                if matches!(next, Next::Unit(unit) if unit.is_frame()) {
                    return ahead.clock.server == self.clock.server;
                }
            }
            false
        })
    }

    /// The next block. `hear` gets each of its messages, with the rules by which it was read.
    pub fn next(&mut self, mut hear: impl FnMut(&Dialect, &Message, &Heard)) -> Option<Next<'a>> {
        let block = match self.walk.next()? {
            Step::Block(block) => block,
            Step::Broken(error, skipped) => return Some(Next::Broken(error, skipped)),
        };
        self.clock.block(&block.framing);
        let target = target_of(&block.framing).map(|target| self.addressee.resolve(target));
        let mut heard = Heard { target: target.unwrap_or_default(), sequence: 0 };
        let (mut header, mut messages, mut hidden) = (None, Vec::new(), None);
        let (mut opaque, mut last) = (None, 0);
        let clock = &mut self.clock;
        let result = self.decoder.decode(&block, |d, item, at| {
            last = at;
            match item {
                Item::Header(read) => {
                    heard.sequence = read.sequence & 0x7fff_ffff;
                    header = Some(read);
                }
                Item::Message(message) => {
                    clock.message(message);
                    hear(d, message, &heard);
                    messages.push(message.clone());
                }
                Item::Hidden(blocks) => hidden = Some(blocks.clone()),
                Item::Opaque(_) => opaque = Some(at),
            }
        });
        let mut unit = Unit { target, header, messages, hidden, tail: Cow::Borrowed(&[]), error: result.err(), block };
        if let Some(at) = opaque {
            unit.tail = Cow::Borrowed(&unit.block.data[at..]);
        } else if unit.error.is_some() {
            // the message that cannot be read starts where the last one that could be ends
            let good = match (unit.messages.last_mut(), unit.header) {
                (Some(message), _) => last + length(&self.decoder.dialect, message),
                (None, Some(_)) => PacketHeader::BYTES,
                (None, None) => 0,
            };
            unit.tail = Cow::Borrowed(unit.block.data.get(good..).unwrap_or_default());
        }
        Some(Next::Unit(Box::new(unit)))
    }
}

/// How a message came.
#[derive(Debug, Clone, Copy)]
pub struct Heard {
    /// For whom.
    pub target: Target,
    /// In which packet.
    pub sequence: u32,
}
