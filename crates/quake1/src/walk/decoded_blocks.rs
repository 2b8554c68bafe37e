//! Blocks with their messages decoded to trees, for edits and live servers.

use std::borrow::Cow;

use fragreel_base::wire::{Chunk, Error};

use crate::container::{Block, Framing, Target};
use crate::dialect::Dialect;
use crate::message::hidden::HiddenBlocks;
use crate::message::{Message, PacketHeader};
use crate::walk::blocks::NextBlock;
use crate::walk::clock::Clock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::playback::{Delivery, Playback, brings_frame, target_of};

use crate::message::encoded_length;

/// A block with its decoded contents.
#[derive(Debug, Clone)]
pub struct DecodedBlock<'a> {
    /// The block in the file.
    pub block: Block<'a>,
    /// The addressee, with "same as before" resolved. `None` for blocks without data.
    pub target: Option<Target>,
    /// The netchan header.
    pub header: Option<PacketHeader>,
    /// The messages up to the first that cannot be read.
    pub messages: Vec<Message>,
    /// Hidden blocks, if the block has them instead of messages.
    pub hidden: Option<HiddenBlocks>,
    /// The undecoded rest of the data.
    pub tail: Cow<'a, [u8]>,
    /// The error that left `tail` undecoded.
    pub error: Option<Error>,
    /// True if clients drop the packet, because it came late or twice.
    pub dropped: bool,
}

impl DecodedBlock<'_> {
    /// The packet's number, without its reliable bit.
    pub fn sequence(&self) -> u32 {
        self.header.map_or(0, |header| header.sequence & 0x7fff_ffff)
    }

    /// True for an empty NetQuake block. id's engine and its descendants take one for the end of the file.
    pub(crate) fn stops_engines(&self) -> bool {
        matches!(self.block.framing, Framing::NetQuake { .. }) && self.block.data.is_empty()
    }

    /// True if it updates the world or a player.
    pub(crate) fn is_frame(&self) -> bool {
        !self.dropped && self.messages.iter().any(brings_frame)
    }
}

/// The next part of a recording.
#[derive(Debug)]
pub enum NextDecoded<'a> {
    /// A block.
    Block(Box<DecodedBlock<'a>>),
    /// Bytes outside of any block: the error, and their range.
    Broken(Error, (u64, u64)),
}

/// Decodes a recording block by block. It applies no message: callers keep the games that they need.
#[derive(Debug, Clone)]
pub struct DecodedBlocks<'a> {
    playback: Playback<'a>,
}

impl<'a> DecodedBlocks<'a> {
    /// Starts at the first block.
    pub fn new(recording: &Input<'a>) -> Self {
        DecodedBlocks { playback: Playback::new(recording, true).with_dropped() }
    }

    /// Continues over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> DecodedBlocks<'b> {
        DecodedBlocks { playback: self.playback.over(chunk) }
    }

    /// The bytes that it decodes.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.playback.chunk()
    }

    /// The byte at which the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.playback.offset()
    }

    /// The clocks after the last block.
    pub fn clock(&self) -> &Clock {
        &self.playback.clock
    }

    /// The dialect after the last block.
    pub fn dialect(&self) -> &Dialect {
        self.playback.dialect()
    }

    /// See [`Playback::frames_stand_alone`].
    pub(crate) fn frames_stand_alone(&self) -> bool {
        self.playback.frames_stand_alone()
    }

    /// See [`Playback::set_skim`].
    pub(crate) fn set_skim(&mut self, skim: bool) {
        self.playback.set_skim(skim);
    }

    /// True during the signon of a multi-view recording.
    pub(crate) fn is_signing_on(&self) -> bool {
        self.playback.signing_on
    }

    /// True if another block follows.
    pub(crate) fn has_next(&self) -> bool {
        self.playback.peek().is_some()
    }

    /// True if the next block has the same time on the demo clock.
    pub(crate) fn same_demo_time_as_next(&self) -> bool {
        self.playback.same_time_as_next()
    }

    /// True if the next block has the same time as the last. If messages state the time, the next frame decides.
    pub(crate) fn same_time_as_next(&self) -> bool {
        let Some(block) = self.playback.peek() else { return false };
        self.clock().is_same_time(&block.framing).unwrap_or_else(|| {
            let mut ahead = self.clone();
            while let Some(next) = ahead.next(|_, _, _| {}) {
                if matches!(next, NextDecoded::Block(unit) if unit.is_frame()) {
                    return ahead.clock().server == self.clock().server;
                }
            }
            false
        })
    }

    /// Decodes the next block. Calls `take` with each message and the dialect that it was read in, except those of dropped packets.
    pub fn next(&mut self, take: impl FnMut(&Dialect, &Message, &Delivery)) -> Option<NextDecoded<'a>> {
        self.next_with(|_| true, take)
    }

    /// Like [`next`](Self::next). The block has only the trees that `keeps` wants, so it can be copied but not encoded.
    pub(crate) fn next_with(&mut self, keeps: impl Fn(&Message) -> bool, take: impl FnMut(&Dialect, &Message, &Delivery)) -> Option<NextDecoded<'a>> {
        let step = self.playback.next_block()?;
        Some(self.take_apart(step, keeps, take))
    }

    fn take_apart<'b>(
        &mut self,
        step: NextBlock<'b>,
        keeps: impl Fn(&Message) -> bool,
        mut take: impl FnMut(&Dialect, &Message, &Delivery),
    ) -> NextDecoded<'b> {
        let block = match step {
            NextBlock::Block(block) => block,
            NextBlock::Broken(error, skipped) => return NextDecoded::Broken(error, skipped),
        };
        let (mut header, mut messages, mut hidden) = (None, Vec::new(), None);
        let (mut opaque, mut last, mut dropped) = (None, 0, false);
        let result = self.playback.play(&block, |context, item| {
            last = context.at;
            dropped = context.delivery.dropped;
            match item {
                Item::Header(read) => header = Some(read),
                Item::Message(message) => {
                    if !dropped {
                        take(context.dialect, message, &context.delivery);
                    }
                    if keeps(message) {
                        messages.push(message.clone());
                    }
                }
                Item::Hidden(blocks) => hidden = Some(blocks.clone()),
                Item::Opaque(_) => opaque = Some(context.at),
            }
        });
        let target = target_of(&block.framing).map(|target| self.playback.addressed(target));
        let mut unit = DecodedBlock { target, header, messages, hidden, tail: Cow::Borrowed(&[]), error: result.err(), dropped, block };
        if let Some(at) = opaque {
            unit.tail = Cow::Borrowed(&unit.block.data[at..]);
        } else if unit.error.is_some() {
            // the message that cannot be read starts where the last one that could be ends
            let good = match (unit.messages.last_mut(), unit.header) {
                (Some(message), _) => last + encoded_length(self.dialect(), message),
                (None, Some(_)) => PacketHeader::BYTES,
                (None, None) => 0,
            };
            unit.tail = Cow::Borrowed(unit.block.data.get(good..).unwrap_or_default());
        }
        NextDecoded::Block(Box::new(unit))
    }
}

/// For recordings that are still being written. `bytes` is the file so far. Set `last` once no more bytes will arrive.
impl DecodedBlocks<'static> {
    /// Starts at the first block. Each call gets the file again.
    pub fn of_growing(recording: &Input<'_>) -> Self {
        DecodedBlocks { playback: Playback::new(recording, true).with_dropped().resume(&[], false) }
    }

    /// Like [`next`](Self::next).
    pub fn next_in<'b>(&mut self, bytes: &'b [u8], last: bool, take: impl FnMut(&Dialect, &Message, &Delivery)) -> Option<NextDecoded<'b>> {
        let step = self.playback.next_block_in(bytes, last)?;
        Some(self.take_apart(step, |_| true, take))
    }

    /// Like [`same_demo_time_as_next`](Self::same_demo_time_as_next).
    pub fn same_time_as_next_in(&self, bytes: &[u8], last: bool) -> bool {
        self.playback.peek_in(bytes, last).is_some_and(|block| self.clock().is_same_demo_time(&block.framing))
    }
}
