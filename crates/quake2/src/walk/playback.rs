//! Walks a recording from block to block and from message to message, with its state, for whoever asks.

use model::{Damage, DamageKind};

use super::input::Input;
use crate::container::{End, Window, dm2, mvd2};
use crate::detect::Framing;
use crate::message::{Body, Context, Message, MvdBody, MvdMessage, MvdReader, Reader};
use crate::state::{Detail, Effect, Packed, State};

/// Where a message stands.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// Number of the block or record, from 0.
    pub block: u32,
    /// Offset in the file of the message's first byte (of the parcel's, inside an MVD2's parcel).
    pub offset: u64,
}

/// Whoever looks on. Every method may be left out.
pub trait Visitor {
    /// A block begins.
    fn block(&mut self, _block: u32, _window: Window<'_>) {}
    /// A message was read and taken in. `bytes`: as it stands in the file.
    fn message(&mut self, _at: At, _message: &mut Message, _bytes: &[u8], _effect: Effect, _state: &State) {}
    /// A message of an MVD2 was read and taken in. The messages of a parcel follow through [`parcel`](Visitor::parcel).
    fn mvd_message(&mut self, _at: At, _message: &mut MvdMessage, _bytes: &[u8], _effect: Effect, _state: &State) {}
    /// A message from an MVD2's parcel.
    fn parcel(&mut self, _at: At, _parcel: &crate::message::Parcel, _message: &mut Message, _bytes: &[u8], _state: &State) {}
    /// A block was read to its end, or to where `rest` starts, which could not be read.
    fn block_end(&mut self, _block: u32, _window: Window<'_>, _rest: &[u8]) {}
    /// Something is broken.
    fn damage(&mut self, _damage: Damage) {}
    /// Whether enough was seen.
    fn done(&self) -> bool {
        false
    }
}

/// How a walk ended.
#[derive(Debug, Clone, Copy)]
pub struct WalkSummary {
    /// How the file ends; [`End::File`] too when the visitor had enough.
    pub end: End,
    /// Blocks seen.
    pub blocks: u32,
    /// Whether the visitor stopped it.
    pub stopped: bool,
}

/// How to walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkOptions {
    /// Pass over player states and entities.
    pub skim: bool,
    /// How much state to keep.
    pub detail: Detail,
    /// Put the last frame in a missing frame's place, as Q2PRO does.
    pub lenient: bool,
    /// Take the parcels of an MVD2 apart.
    pub parcels: bool,
    /// Longest block.
    pub longest: usize,
}

impl<'a> Input<'a> {
    /// Options for a walk that decodes everything.
    pub fn walk_options(&self) -> WalkOptions {
        WalkOptions { skim: false, detail: Detail::Full, lenient: self.lenient, parcels: true, longest: self.limits.message_bytes }
    }

    /// A walk that starts before the first block and advances on request.
    pub fn playback(&self, options: WalkOptions) -> Playback<'a> {
        Playback::new(self, options)
    }

    /// Walks the whole recording. See [`walk`].
    pub fn walk(&self, options: WalkOptions, visitor: &mut impl Visitor) -> (WalkSummary, State) {
        walk(self, options, visitor)
    }
}

/// Walks the whole file.
pub fn walk(input: &Input<'_>, options: WalkOptions, visitor: &mut impl Visitor) -> (WalkSummary, State) {
    let mut playback = Playback::new(input, options);
    while playback.step(visitor) {}
    let summary = playback.summary(visitor.done());
    if !summary.stopped {
        report_end(input.bytes, summary.end, input.container, !input.dialect.ends_with_mark(), visitor);
    }
    (summary, playback.state)
}

/// A walk that goes on when it is asked to, a block at a time. A clone goes on by itself from the same place.
#[derive(Debug, Clone)]
pub struct Playback<'a> {
    bytes: &'a [u8],
    source: Source<'a>,
    options: WalkOptions,
    /// The state after the last block.
    pub state: State,
    /// The number of the next block.
    number: u32,
    /// The block that the visitor stopped in.
    paused: Option<PartialBlock>,
    /// Where the next block begins.
    offset: u64,
}

/// A place in a recording that [`Playback::enter`] can go to.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    blocks: BlockPosition,
    context: Context,
    pub state: Packed,
    number: u32,
    paused: Option<PartialBlock>,
    offset: u64,
}

impl Checkpoint {
    /// Bytes that it takes beside another one's state.
    pub fn bytes_beside(&self, like: Option<&Packed>) -> usize {
        self.context.bytes() + self.state.bytes_beside(like)
    }
}

#[derive(Debug)]
enum BlockPosition {
    Dm2(dm2::Blocks<'static>),
    Mvd2(mvd2::Records<'static>),
}

/// A block that was read in part.
#[derive(Debug, Clone, Copy)]
struct PartialBlock {
    offset: u64,
    data_offset: u64,
    length: usize,
    /// How far it was read.
    read: usize,
}

impl PartialBlock {
    fn window<'a>(&self, bytes: &'a [u8]) -> Window<'a> {
        let from = self.data_offset as usize;
        Window { offset: self.offset, data_offset: self.data_offset, data: bytes.get(from..from + self.length).unwrap_or_default() }
    }
}

/// Where blocks come from, and who reads them.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one to a walk")]
enum Source<'a> {
    Dm2 { blocks: dm2::Blocks<'a>, reader: Reader },
    Mvd2 { records: mvd2::Records<'a>, reader: MvdReader, inner: Reader },
}

impl<'a> Playback<'a> {
    /// A walk that begins with the first block.
    pub fn new(input: &Input<'a>, options: WalkOptions) -> Self {
        let (bytes, dialect) = (input.bytes, input.dialect);
        let source = match input.container {
            Framing::Dm2 => Source::Dm2 { blocks: dm2::Blocks::recovering(bytes, dialect.numbering), reader: Reader::new(dialect).skimming(options.skim) },
            Framing::Mvd2 => {
                Source::Mvd2 { records: mvd2::Records::new(bytes), reader: MvdReader::new(dialect).skimming(options.skim), inner: Reader::new(dialect) }
            }
        };
        Playback { bytes, source, options, state: State::new(dialect, options.detail, options.lenient), number: 0, paused: None, offset: 0 }
    }

    /// The same walk over more bytes of the recording, of which those it has seen are the first. `last` says that nothing follows them;
    /// until then a block that is not complete waits.
    pub fn over(self, bytes: &[u8], last: bool) -> Playback<'_> {
        let source = match self.source {
            Source::Dm2 { blocks, reader } => Source::Dm2 { blocks: blocks.over(bytes, last), reader },
            Source::Mvd2 { records, reader, inner } => Source::Mvd2 { records: records.over(bytes, last), reader, inner },
        };
        Playback { bytes, source, options: self.options, state: self.state, number: self.number, paused: self.paused, offset: self.offset }
    }

    /// Reads the next block and shows it to the visitor; one that has had enough in the middle of a block sees the rest of it next.
    /// `false`: there is none, or the visitor has had enough.
    pub fn step(&mut self, visitor: &mut impl Visitor) -> bool {
        let begun = self.paused.take();
        let (window, from) = match begun {
            Some(begun) => (begun.window(self.bytes), begun.read),
            None => {
                let next = match &mut self.source {
                    Source::Dm2 { blocks, .. } => {
                        let window = blocks.next();
                        report_gap(blocks.gap().filter(|_| window.is_some()), self.number, visitor);
                        window
                    }
                    Source::Mvd2 { records, .. } => records.next(),
                };
                let Some(window) = next else { return false };
                (window, 0)
            }
        };
        self.take(window, from, begun, visitor)
    }

    fn take(&mut self, window: Window<'_>, from: usize, begun: Option<PartialBlock>, visitor: &mut impl Visitor) -> bool {
        let part = BlockPart { window, from, number: self.number, begun: begun.is_some() };
        self.offset = window.data_offset + window.data.len() as u64;
        let stopped = match &mut self.source {
            Source::Dm2 { reader, .. } => block(part, reader, self.options, &mut self.state, visitor),
            Source::Mvd2 { reader, inner, .. } => record(part, reader, inner, self.options, &mut self.state, visitor),
        };
        match stopped {
            Some(read) => self.paused = Some(PartialBlock { offset: window.offset, data_offset: window.data_offset, length: window.data.len(), read }),
            None => self.number += 1,
        }
        !visitor.done()
    }

    /// The place where it is; `state` is what is to be known there.
    pub(crate) fn checkpoint(&self, state: Packed) -> Checkpoint {
        let (blocks, context) = match &self.source {
            Source::Dm2 { blocks, reader } => (BlockPosition::Dm2(blocks.over(&[], true)), reader.context.clone()),
            Source::Mvd2 { records, reader, .. } => (BlockPosition::Mvd2(records.over(&[], true)), reader.context.clone()),
        };
        Checkpoint { blocks, context, state, number: self.number, paused: self.paused, offset: self.offset }
    }

    /// Goes to a place of the same recording.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) {
        match (&mut self.source, &checkpoint.blocks) {
            (Source::Dm2 { blocks, reader }, BlockPosition::Dm2(placed)) => {
                *blocks = placed.over(self.bytes, true);
                reader.context = checkpoint.context.clone();
            }
            (Source::Mvd2 { records, reader, .. }, BlockPosition::Mvd2(placed)) => {
                *records = placed.over(self.bytes, true);
                reader.context = checkpoint.context.clone();
            }
            _ => return,
        }
        self.state = checkpoint.state.unpack(self.options.detail, self.options.lenient);
        (self.number, self.paused, self.offset) = (checkpoint.number, checkpoint.paused, checkpoint.offset);
    }

    /// Where the next block begins in the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How the walk ended.
    fn summary(&self, stopped: bool) -> WalkSummary {
        let end = match &self.source {
            _ if stopped => End::File,
            Source::Dm2 { blocks, .. } => blocks.end(),
            Source::Mvd2 { records, .. } => records.end(),
        };
        WalkSummary { end, blocks: self.number, stopped }
    }
}

/// For who holds a recording that may grow.
impl Playback<'static> {
    /// As [`step`](Self::step), in `bytes`, which are what there is of it; `last` says that nothing will follow. Visitors that have had enough
    /// see no block to its end.
    pub(crate) fn step_in(&mut self, bytes: &[u8], last: bool, visitor: &mut impl Visitor) -> bool {
        let next = match &mut self.source {
            Source::Dm2 { blocks, .. } => {
                let mut here = blocks.over(bytes, last);
                let window = here.next();
                report_gap(here.gap().filter(|_| window.is_some()), self.number, visitor);
                *blocks = here.over(&[], false);
                window
            }
            Source::Mvd2 { records, .. } => {
                let mut here = records.over(bytes, last);
                let window = here.next();
                *records = here.over(&[], false);
                window
            }
        };
        let Some(window) = next else { return false };
        self.take(window, 0, None, visitor)
    }
}

fn report_gap(gap: Option<(u64, u64)>, number: u32, visitor: &mut impl Visitor) {
    if let Some((from, to)) = gap {
        let error = wire::Error::malformed("a block's length reaches far beyond the end of the file").inside("block", Some(number)).at_offset(from);
        visitor.damage(Damage::of(&error, DamageKind::Framing).skipping(from, to));
    }
}

/// A block, and where to read on in it.
#[derive(Clone, Copy)]
struct BlockPart<'a> {
    window: Window<'a>,
    from: usize,
    number: u32,
    begun: bool,
}

/// Says how far the block was read, if the visitor stopped in it.
fn block(part: BlockPart<'_>, reader: &mut Reader, options: WalkOptions, state: &mut State, visitor: &mut impl Visitor) -> Option<usize> {
    let BlockPart { window, from: first, number, begun } = part;
    if !begun {
        if too_long(window, number, options.longest, visitor) {
            return None;
        }
        visitor.block(number, window);
    }
    let data = &window.data[first..];
    let data_offset = window.data_offset + first as u64;
    let (mut frame, mut read_to) = (None, 0);
    let read = reader.block(data, |message, range, _| {
        read_to = range.end;
        let at = At { block: number, offset: data_offset + range.start as u64 };
        match message.body {
            Body::Frame(_) => unfinished(state, frame.replace(at), visitor),
            Body::PlayerInfo(_) | Body::PacketEntities(_) => {}
            _ if state.ring.is_open() && state.dialect.reads_frames_whole() => interrupted(at, message, visitor),
            _ => {}
        }
        apply(at, message, &data[range], state, visitor);
        !visitor.done()
    });
    if visitor.done() {
        return Some(first + read_to);
    }
    let rest = match &read {
        Err(failure) => {
            let error = failure.error.clone().inside("block", Some(number)).in_message_at(data_offset);
            let from = data_offset + failure.at as u64;
            visitor.damage(Damage::of(&error, DamageKind::Message).skipping(from, data_offset + data.len() as u64));
            &data[failure.at..]
        }
        Ok(()) => &[],
    };
    if rest.is_empty() {
        unfinished(state, frame, visitor);
    }
    state.ring.give_up();
    visitor.block_end(number, window, rest);
    None
}

/// Engines read a frame's player and entities with its header: what else follows stops them.
fn unfinished(state: &State, frame: Option<At>, visitor: &mut impl Visitor) {
    if let Some(at) = frame.filter(|_| state.ring.is_open()) {
        let error = wire::Error::malformed("the frame has no entities").inside("frame", None).inside("block", Some(at.block)).at_offset(at.offset);
        visitor.damage(Damage::of(&error, DamageKind::Message));
    }
}

/// A message, and the messages inside it.
#[inline]
fn apply(at: At, message: &mut Message, bytes: &[u8], state: &mut State, visitor: &mut impl Visitor) {
    let effect = state.apply(message);
    visitor.message(at, message, bytes, effect, state);
    match effect {
        Effect::MissingBase(base) => visitor.damage(missing(at, base)),
        Effect::OutOfPlace => visitor.damage(out_of_place(at, message)),
        _ => {}
    }
    if let Body::ZPacket(packed) | Body::ConfigBlast(packed) | Body::BaselineBlast(packed) = &mut message.body {
        if let Some(failure) = &packed.failure {
            let error = wire::Error::malformed(failure.clone()).inside("block", Some(at.block)).at_offset(at.offset);
            visitor.damage(Damage::of(&error, DamageKind::Message));
        }
        if let crate::message::Contents::Messages(messages) = &mut packed.contents {
            for inner in messages {
                apply(at, inner, &[], state, visitor);
            }
        }
    }
}

#[cold]
fn missing(at: At, base: i32) -> Damage {
    let error = wire::Error::malformed(format!("the frame's delta base, frame {base}, is not in the recording"));
    Damage::of(&error.inside("frame", None).inside("block", Some(at.block)).at_offset(at.offset), DamageKind::MissingBase)
}

#[cold]
fn out_of_place(at: At, message: &Message) -> Damage {
    let error = wire::Error::malformed("frame data without a frame before it: engines stop here");
    Damage::of(&error.inside(message.body.op().name(), None).inside("block", Some(at.block)).at_offset(at.offset), DamageKind::Message)
}

/// See [`unfinished`].
#[cold]
fn interrupted(at: At, message: &Message, visitor: &mut impl Visitor) {
    let error = wire::Error::malformed("another message inside a frame: engines stop here");
    let error = error.inside(message.body.op().name(), None).inside("block", Some(at.block)).at_offset(at.offset);
    visitor.damage(Damage::of(&error, DamageKind::Message));
}

fn too_long(window: Window<'_>, number: u32, longest: usize, visitor: &mut impl Visitor) -> bool {
    if window.data.len() <= longest {
        return false;
    }
    let error = wire::Error::limit("the block is longer than the limit for messages").inside("block", Some(number)).at_offset(window.offset);
    visitor.damage(Damage::of(&error, DamageKind::Framing).skipping(window.offset, window.data_offset + window.data.len() as u64));
    visitor.block_end(number, window, window.data);
    true
}

/// The same of an MVD2.
fn record(
    part: BlockPart<'_>,
    reader: &mut MvdReader,
    inner: &mut Reader,
    options: WalkOptions,
    state: &mut State,
    visitor: &mut impl Visitor,
) -> Option<usize> {
    let BlockPart { window, from: first, number, begun } = part;
    if !begun {
        visitor.block(number, window);
    }
    let data = &window.data[first..];
    let data_offset = window.data_offset + first as u64;
    let mut read_to = 0;
    let read = reader.record(data, |message, range, cx| {
        read_to = range.end;
        let at = At { block: number, offset: data_offset + range.start as u64 };
        let effect = state.apply_mvd(message);
        visitor.mvd_message(at, message, &data[range], effect, state);
        if let MvdBody::Parcel(parcel) = &message.body
            && options.parcels
        {
            inner.context = Context::new(cx.dialect);
            let read = inner.block(&parcel.data, |message, range, _| {
                visitor.parcel(at, parcel, message, &parcel.data[range], state);
                true
            });
            if let Err(failure) = read {
                let error = failure.error.inside("parcel", None).inside("record", Some(number)).at_offset(at.offset);
                visitor.damage(Damage::of(&error, DamageKind::Message));
            }
        }
        !visitor.done()
    });
    if visitor.done() {
        return Some(first + read_to);
    }
    let rest = match &read {
        Err(failure) => {
            let error = failure.error.clone().inside("record", Some(number)).in_message_at(data_offset);
            let from = data_offset + failure.at as u64;
            visitor.damage(Damage::of(&error, DamageKind::Message).skipping(from, data_offset + data.len() as u64));
            &data[failure.at..]
        }
        Ok(()) => &[],
    };
    visitor.block_end(number, window, rest);
    None
}

/// What the file's end says. A missing mark is no damage where engines write none.
fn report_end(bytes: &[u8], end: End, framing: Framing, unmarked: bool, visitor: &mut impl Visitor) {
    let length = bytes.len() as u64;
    let entry = |offset: u64, kind, detail: String| Damage { offset, bit: None, path: String::from("end"), kind, detail, skipped: None };
    match end {
        End::Mark { after, .. } if after < length => {
            visitor.damage(entry(after, DamageKind::TrailingData, format!("{} bytes follow the end mark", length - after)).skipping(after, length));
        }
        End::Mark { .. } => {}
        End::File if unmarked && framing == Framing::Dm2 => {}
        End::File => visitor.damage(entry(length, DamageKind::NoEndMarker, String::from("the recording has no end mark"))),
        End::InLength(at) => visitor.damage(entry(at, DamageKind::Truncated, String::from("the file ends inside a block's length")).skipping(at, length)),
        End::InBlock { at, stated, present } => {
            let detail = format!("the file ends inside a block: {present} of {stated} bytes are there");
            visitor.damage(entry(at, DamageKind::Truncated, detail).skipping(at, length));
        }
    }
}
