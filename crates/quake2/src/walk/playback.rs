//! Walks over a recording block by block and message by message, and keeps its state.

use fragreel_base::wire::Chunk;
use fragreel_model::{Damage, DamageKind};

use super::input::Input;
use super::witnesses;
use crate::container::{Cause, End, Gap, Window, dm2, mvd2};
use crate::detect::Framing;
use crate::message::{Body, Context, Message, MvdBody, MvdMessage, MvdReader, Reader};
use crate::state::{Detail, Effect, Packed, State};

/// The position of a message.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// Block or record number, from 0.
    pub block: u32,
    /// File offset of the first byte of the message. Inside an MVD2 parcel, that of the parcel.
    pub offset: u64,
}

/// Callbacks of a walk. Every method has an empty default.
pub trait Visitor {
    /// A block begins.
    fn block(&mut self, _block: u32, _window: Window<'_>) {}
    /// The state applied a message. `bytes` are the message as it stands in the file.
    fn message(&mut self, _at: At, _message: &mut Message, _bytes: &[u8], _effect: Effect, _state: &State) {}
    /// The state applied a message of an MVD2. The messages of a parcel follow through [`parcel`](Visitor::parcel).
    fn mvd_message(&mut self, _at: At, _message: &mut MvdMessage, _bytes: &[u8], _effect: Effect, _state: &State) {}
    /// A message inside an MVD2 parcel.
    fn parcel(&mut self, _at: At, _parcel: &crate::message::Parcel, _message: &mut Message, _bytes: &[u8], _state: &State) {}
    /// A block ends. `rest` is the part that could not be read.
    fn block_end(&mut self, _block: u32, _window: Window<'_>, _rest: &[u8]) {}
    /// Something is broken.
    fn damage(&mut self, _damage: Damage) {}
    /// Returns true to stop the walk.
    fn done(&self) -> bool {
        false
    }
}

impl Visitor for () {}

/// Two visitors of one walk. The first changes no message, and stops the walk.
impl<A: Visitor, B: Visitor> Visitor for (A, B) {
    fn block(&mut self, block: u32, window: Window<'_>) {
        self.0.block(block, window);
        self.1.block(block, window);
    }

    fn message(&mut self, at: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        self.0.message(at, message, bytes, effect, state);
        self.1.message(at, message, bytes, effect, state);
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, bytes: &[u8], effect: Effect, state: &State) {
        self.0.mvd_message(at, message, bytes, effect, state);
        self.1.mvd_message(at, message, bytes, effect, state);
    }

    fn parcel(&mut self, at: At, parcel: &crate::message::Parcel, message: &mut Message, bytes: &[u8], state: &State) {
        self.0.parcel(at, parcel, message, bytes, state);
        self.1.parcel(at, parcel, message, bytes, state);
    }

    fn block_end(&mut self, block: u32, window: Window<'_>, rest: &[u8]) {
        self.0.block_end(block, window, rest);
        self.1.block_end(block, window, rest);
    }

    fn damage(&mut self, damage: Damage) {
        self.1.damage(damage.clone());
        self.0.damage(damage);
    }

    fn done(&self) -> bool {
        self.0.done()
    }
}

/// The result of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkSummary {
    /// How the file ends. [`End::File`] if the visitor stopped the walk.
    pub end: End,
    /// The number of blocks visited.
    pub blocks: u32,
    /// True if the visitor stopped the walk.
    pub stopped: bool,
}

/// Options of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkOptions {
    /// Skip player states and entities.
    pub skim: bool,
    /// How much state to keep.
    pub detail: Detail,
    /// Decode the parcels of an MVD2.
    pub parcels: bool,
    /// Maximum block size in bytes.
    pub longest: usize,
    /// Leave out entities that are no players, where they are separate messages.
    pub players_only: bool,
}

impl<'a> Input<'a> {
    /// Options for a walk that decodes everything.
    pub fn walk_options(&self) -> WalkOptions {
        WalkOptions { skim: false, detail: Detail::Full, parcels: true, longest: self.limits.message_bytes, players_only: false }
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

/// Walks the whole file, and reports how it ends.
pub fn walk(input: &Input<'_>, options: WalkOptions, visitor: &mut impl Visitor) -> (WalkSummary, State) {
    let mut playback = Playback::new(input, options);
    while playback.step(visitor) {}
    (playback.close(input, visitor), playback.state)
}

/// A walk that advances one block at a time. A clone continues independently.
#[derive(Debug, Clone)]
pub struct Playback<'a> {
    source: Source<'a>,
    /// Where blocks start whose frames the blocks behind them in the chunk can judge.
    judged: usize,
    options: WalkOptions,
    /// The state after the last block.
    pub state: State,
    /// The number of the next block.
    number: u32,
    /// The block in which the visitor stopped.
    paused: Option<PartialBlock>,
    /// The file offset of the next block.
    offset: u64,
}

/// A position in a recording that [`Playback::restore`] returns to.
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
    /// Its size in bytes, beside another one that shares parts of the state.
    pub(crate) fn bytes_beside(&self, like: Option<&Packed>) -> usize {
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
    /// The number of bytes read.
    read: usize,
}

impl PartialBlock {
    fn window<'a>(&self, chunk: Chunk<'a>) -> Window<'a> {
        let from = self.data_offset as usize;
        Window { offset: self.offset, data_offset: self.data_offset, data: chunk.get(from..from + self.length).unwrap_or_default() }
    }
}

/// The blocks and their reader.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one to a walk")]
enum Source<'a> {
    Dm2 {
        blocks: dm2::Blocks<'a>,
        reader: Reader,
    },
    /// `checker` tries records before they are read, where their heads make no sense.
    Mvd2 {
        records: mvd2::Records<'a>,
        reader: MvdReader,
        checker: Option<Box<MvdReader>>,
        inner: Reader,
    },
}

impl<'a> Playback<'a> {
    /// A walk that starts before the first block.
    pub fn new(input: &Input<'a>, options: WalkOptions) -> Self {
        let (bytes, dialect) = (input.bytes, input.dialect);
        let source = match input.container {
            Framing::Dm2 => Source::Dm2 {
                blocks: dm2::Blocks::recovering(bytes, dialect),
                reader: Reader::new(dialect).skimming(options.skim).of_players(options.players_only),
            },
            Framing::Mvd2 => Source::Mvd2 {
                records: mvd2::Records::new(bytes),
                reader: MvdReader::new(dialect).skimming(options.skim),
                checker: None,
                inner: Reader::new(dialect),
            },
        };
        Playback { source, judged: 0, options, state: State::new(dialect, options.detail, true), number: 0, paused: None, offset: 0 }
    }

    /// The options that it was made with.
    pub(crate) fn options(&self) -> WalkOptions {
        self.options
    }

    /// Continues the walk in more bytes of the same recording, which must start with the bytes seen so far. Set `last` once no more
    /// bytes will arrive. Until then the walk waits for incomplete blocks.
    pub fn over(self, bytes: &[u8], last: bool) -> Playback<'_> {
        self.over_chunk(Chunk::growing(bytes, last))
    }

    /// Continues the walk in another chunk of the same recording, which holds its bytes from [`needed`](Self::needed) on.
    pub(crate) fn over_chunk(self, chunk: Chunk<'_>) -> Playback<'_> {
        let source = match self.source {
            Source::Dm2 { blocks, reader } => Source::Dm2 { blocks: blocks.over_chunk(chunk), reader },
            Source::Mvd2 { records, reader, checker, inner } => Source::Mvd2 { records: records.over_chunk(chunk), reader, checker, inner },
        };
        Playback { source, judged: 0, options: self.options, state: self.state, number: self.number, paused: self.paused, offset: self.offset }
    }

    /// Continues in another chunk.
    pub(crate) fn set_chunk(&mut self, chunk: Chunk<'a>) {
        match &mut self.source {
            Source::Dm2 { blocks, .. } => *blocks = blocks.over_chunk(chunk),
            Source::Mvd2 { records, .. } => *records = records.over_chunk(chunk),
        }
    }

    /// The bytes that it plays.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        match &self.source {
            Source::Dm2 { blocks, .. } => blocks.chunk(),
            Source::Mvd2 { records, .. } => records.chunk(),
        }
    }

    /// The first byte that the next chunk must hold.
    pub(crate) fn needed(&self) -> usize {
        match (self.paused, &self.source) {
            (Some(paused), _) => paused.offset as usize,
            (None, Source::Dm2 { blocks, .. }) => blocks.offset(),
            (None, Source::Mvd2 { records, .. }) => records.offset(),
        }
    }

    /// True if the chunk shows all blocks that may judge the frames of the next one.
    #[inline]
    fn can_be_judged(&mut self) -> bool {
        match &self.source {
            Source::Dm2 { blocks, .. } if blocks.chunk().hides_more() && blocks.offset() >= self.judged => {
                self.judged = judged_before(blocks.clone());
                blocks.offset() < self.judged
            }
            _ => true,
        }
    }

    /// Visits the next block. If the visitor stops inside a block, the next step continues there.
    ///
    /// Returns false at the end, or if the visitor stopped.
    pub fn step(&mut self, visitor: &mut impl Visitor) -> bool {
        if !self.can_be_judged() {
            return false;
        }
        let begun = self.paused.take();
        let (window, from) = match begun {
            Some(begun) => (begun.window(self.chunk()), begun.read),
            None => {
                let next = match &mut self.source {
                    Source::Dm2 { blocks, .. } => {
                        let window = blocks.next();
                        report_gap(blocks.gap().filter(|_| window.is_some()), self.number, visitor);
                        window
                    }
                    Source::Mvd2 { records, reader, checker, .. } => {
                        let window = if records.needs_no_reader() {
                            records.next()
                        } else {
                            let checker = checker.get_or_insert_with(|| Box::new(MvdReader::new(reader.context.dialect).skimming(true)));
                            checker.context.restore(&reader.context);
                            records.next_readable(checker)
                        };
                        if let Some(gap) = records.gap().filter(|_| window.is_some()) {
                            report_gap(Some(gap), self.number, visitor);
                            if gap.cause != Cause::SecondRecording {
                                self.state.in_place.lose();
                            }
                        }
                        window
                    }
                };
                let Some(window) = next else { return false };
                (window, 0)
            }
        };
        self.take(window, from, begun, None, visitor)
    }

    /// `following` are the blocks after this one, if the walk does not hold them itself.
    fn take(&mut self, window: Window<'_>, from: usize, begun: Option<PartialBlock>, following: Option<&dm2::Blocks<'_>>, visitor: &mut impl Visitor) -> bool {
        let part = BlockPart { window, from, number: self.number, begun: begun.is_some() };
        self.offset = window.data_offset + window.data.len() as u64;
        let stopped = match &mut self.source {
            Source::Dm2 { reader, blocks } => block(part, (reader, following.unwrap_or(blocks)), self.options, &mut self.state, visitor),
            Source::Mvd2 { reader, inner, .. } => record(part, reader, inner, self.options, &mut self.state, visitor),
        };
        match stopped {
            Some(read) => self.paused = Some(PartialBlock { offset: window.offset, data_offset: window.data_offset, length: window.data.len(), read }),
            None => self.number += 1,
        }
        !visitor.done()
    }

    /// The context in which the next message is read.
    pub(crate) fn context(&self) -> &Context {
        match &self.source {
            Source::Dm2 { reader, .. } => &reader.context,
            Source::Mvd2 { reader, .. } => &reader.context,
        }
    }

    /// Saves the current position. `state` is the packed state there.
    pub(crate) fn checkpoint(&self, state: Packed) -> Checkpoint {
        let (blocks, context) = match &self.source {
            Source::Dm2 { blocks, reader } => (BlockPosition::Dm2(blocks.over_chunk(Chunk::none())), reader.context.clone()),
            Source::Mvd2 { records, reader, .. } => (BlockPosition::Mvd2(records.over_chunk(Chunk::none())), reader.context.clone()),
        };
        Checkpoint { blocks, context, state, number: self.number, paused: self.paused, offset: self.offset }
    }

    /// Returns to a checkpoint of the same recording.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) {
        match (&mut self.source, &checkpoint.blocks) {
            (Source::Dm2 { blocks, reader }, BlockPosition::Dm2(placed)) => {
                *blocks = placed.over(blocks.chunk().bytes(), true);
                reader.context = checkpoint.context.clone();
            }
            (Source::Mvd2 { records, reader, .. }, BlockPosition::Mvd2(placed)) => {
                *records = placed.over(records.chunk().bytes(), true);
                reader.context = checkpoint.context.clone();
            }
            _ => return,
        }
        self.state = checkpoint.state.unpack(self.options.detail);
        (self.number, self.paused, self.offset) = (checkpoint.number, checkpoint.paused, checkpoint.offset);
    }

    /// The number of the next block.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The file offset of the next block.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The result of the walk so far.
    /// Reports how the file ends, unless the visitor stopped before.
    pub(crate) fn close(&self, input: &Input<'_>, visitor: &mut impl Visitor) -> WalkSummary {
        self.close_at(self.chunk().end(), input, visitor)
    }

    /// The same for a file of this length.
    pub(crate) fn close_at(&self, length: usize, input: &Input<'_>, visitor: &mut impl Visitor) -> WalkSummary {
        let summary = self.summary(visitor.done());
        if !summary.stopped {
            report_end(length as u64, summary.end, input.container, !input.dialect.ends_with_mark(), visitor);
        }
        summary
    }

    fn summary(&self, stopped: bool) -> WalkSummary {
        let end = match &self.source {
            _ if stopped => End::File,
            Source::Dm2 { blocks, .. } => blocks.end(),
            Source::Mvd2 { records, .. } => records.end(),
        };
        WalkSummary { end, blocks: self.number, stopped }
    }
}

/// For recordings that are still being written.
impl Playback<'static> {
    /// Like [`step`](Self::step). `bytes` is the file so far. Set `last` once no more bytes will arrive. If the visitor stops inside a
    /// block, the rest of the block is skipped.
    pub fn step_in(&mut self, bytes: &[u8], last: bool, visitor: &mut impl Visitor) -> bool {
        let mut following = None;
        let next = match &mut self.source {
            Source::Dm2 { blocks, .. } => {
                let mut here = blocks.over(bytes, last);
                let window = here.next();
                report_gap(here.gap().filter(|_| window.is_some()), self.number, visitor);
                *blocks = here.over(&[], false);
                following = Some(here);
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
        self.take(window, 0, None, following.as_ref(), visitor)
    }
}

/// The offset before which blocks have enough others behind them in the chunk that these can judge their frames.
#[cold]
fn judged_before(mut blocks: dm2::Blocks<'_>) -> usize {
    /// Blocks that are looked at in one go.
    const AT_ONCE: usize = 512;
    let first = blocks.offset();
    let mut starts = Vec::with_capacity(AT_ONCE);
    while starts.len() < AT_ONCE {
        let start = blocks.offset();
        if blocks.next().is_none() {
            break;
        }
        starts.push(start);
    }
    // the block itself, and those behind it
    starts.len().checked_sub(witnesses::BLOCKS).and_then(|before| starts.get(before).copied()).unwrap_or(first)
}

fn report_gap(gap: Option<Gap>, number: u32, visitor: &mut impl Visitor) {
    if let Some(Gap { from, to, cause }) = gap {
        let (rule, kind) = match cause {
            Cause::Length => ("no block begins here: its length is impossible", DamageKind::Framing),
            Cause::Zeros => ("a run of zeros instead of blocks", DamageKind::Framing),
            Cause::Mark => ("an end mark, although the recording continues", DamageKind::Framing),
            Cause::SecondRecording => ("a second recording begins here", DamageKind::Framing),
        };
        let error = fragreel_base::wire::Error::malformed(rule).inside("block", Some(number)).at_offset(from);
        visitor.damage(Damage::of(&error, kind).skipping(from, to));
    }
}

/// A block, and where to continue in it.
#[derive(Clone, Copy)]
struct BlockPart<'a> {
    window: Window<'a>,
    from: usize,
    number: u32,
    begun: bool,
}

/// Returns how far the block was read if the visitor stopped in it.
fn block(
    part: BlockPart<'_>,
    (reader, following): (&mut Reader, &dm2::Blocks<'_>),
    options: WalkOptions,
    state: &mut State,
    visitor: &mut impl Visitor,
) -> Option<usize> {
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
    let read = reader.block(data, |message, range, cx| {
        read_to = range.end;
        let at = At { block: number, offset: data_offset + range.start as u64 };
        let contradicted = match &message.body {
            Body::Frame(frame) => witnesses::contradict(frame, &state.clock, cx, &data[range.end..], following),
            _ => false,
        };
        match message.body {
            Body::Frame(_) => unfinished(state, frame.replace(at), visitor),
            Body::PlayerInfo(_) | Body::PacketEntities(_) => {}
            _ if state.ring.is_open() && state.dialect.reads_frames_whole() => interrupted(at, message, visitor),
            _ => {}
        }
        apply(at, message, &data[range], Taking { options, contradicted }, state, visitor);
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

/// Reports a frame without entities. Engines read player and entities together with the frame header, so they stop here.
fn unfinished(state: &State, frame: Option<At>, visitor: &mut impl Visitor) {
    if let Some(at) = frame.filter(|_| state.ring.is_open()) {
        let error =
            fragreel_base::wire::Error::malformed("the frame has no entities").inside("frame", None).inside("block", Some(at.block)).at_offset(at.offset);
        visitor.damage(Damage::of(&error, DamageKind::Message));
    }
}

/// How a message is taken in.
#[derive(Clone, Copy)]
struct Taking {
    options: WalkOptions,
    /// The frames around this one contradict its number.
    contradicted: bool,
}

/// Applies a message and the messages inside it.
#[inline]
fn apply(at: At, message: &mut Message, bytes: &[u8], taking: Taking, state: &mut State, visitor: &mut impl Visitor) {
    let effect = if taking.contradicted { state.reject() } else { state.apply(message) };
    visitor.message(at, message, bytes, effect, state);
    match (effect, &message.body) {
        (Effect::Contradicted, Body::Frame(frame)) => visitor.damage(contradicted(at, frame.number)),
        (_, Body::Frame(_)) if taking.options.detail == Detail::Full => {
            if let Some(base) = state.ring.lacking() {
                visitor.damage(missing(at, base));
            }
        }
        (Effect::OutOfPlace, _) => visitor.damage(out_of_place(at, message)),
        _ => {}
    }
    if let Body::ZPacket(packed) | Body::ConfigBlast(packed) | Body::BaselineBlast(packed) = &mut message.body {
        if let Some(failure) = &packed.failure {
            let error = fragreel_base::wire::Error::malformed(failure.clone()).inside("block", Some(at.block)).at_offset(at.offset);
            visitor.damage(Damage::of(&error, DamageKind::Message));
        }
        if let crate::message::Contents::Messages(messages) = &mut packed.contents {
            for inner in messages {
                apply(at, inner, &[], Taking { contradicted: false, ..taking }, state, visitor);
            }
        }
    }
}

#[cold]
fn missing(at: At, base: i32) -> Damage {
    let error = fragreel_base::wire::Error::malformed(format!(
        "the frame's delta base, frame {base}, is not in the recording: the frame is decoded against the last one"
    ));
    Damage::of(&error.inside("frame", None).inside("block", Some(at.block)).at_offset(at.offset), DamageKind::MissingBase)
}

#[cold]
fn lost(at: At) -> Damage {
    let error = fragreel_base::wire::Error::malformed("the frame depends on lost data: it is decoded against the last one");
    Damage::of(&error.inside("frame", None).inside("record", Some(at.block)).at_offset(at.offset), DamageKind::MissingBase)
}

#[cold]
fn contradicted(at: At, number: i32) -> Damage {
    let error = fragreel_base::wire::Error::malformed(format!("the frames around this one contradict its number, {number}: its time is unknown"));
    Damage::of(&error.inside("frame", None).inside("block", Some(at.block)).at_offset(at.offset), DamageKind::Message)
}

#[cold]
fn out_of_place(at: At, message: &Message) -> Damage {
    let error = fragreel_base::wire::Error::malformed("frame data without a frame before it: engines stop here");
    Damage::of(&error.inside(message.body.kind().name(), None).inside("block", Some(at.block)).at_offset(at.offset), DamageKind::Message)
}

/// Reports a message inside a frame. See [`unfinished`].
#[cold]
fn interrupted(at: At, message: &Message, visitor: &mut impl Visitor) {
    let error = fragreel_base::wire::Error::malformed("another message inside a frame: engines stop here");
    let error = error.inside(message.body.kind().name(), None).inside("block", Some(at.block)).at_offset(at.offset);
    visitor.damage(Damage::of(&error, DamageKind::Message));
}

fn too_long(window: Window<'_>, number: u32, longest: usize, visitor: &mut impl Visitor) -> bool {
    if window.data.len() <= longest {
        return false;
    }
    let error = fragreel_base::wire::Error::limit("the block is longer than the limit for messages").inside("block", Some(number)).at_offset(window.offset);
    visitor.damage(Damage::of(&error, DamageKind::Framing).skipping(window.offset, window.data_offset + window.data.len() as u64));
    visitor.block_end(number, window, window.data);
    true
}

/// Like [`block`], for an MVD2.
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
        if effect == Effect::Frame && state.in_place.is_first_uncertain() {
            visitor.damage(lost(at));
        }
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
            let to = data_offset + data.len() as u64;
            visitor.damage(Damage::of(&error, DamageKind::Message).skipping(from, to));
            state.in_place.lose();
            &data[failure.at..]
        }
        Ok(()) => &[],
    };
    visitor.block_end(number, window, rest);
    None
}

/// Reports how the file ends. A missing end mark is not damage where engines write none.
fn report_end(length: u64, end: End, framing: Framing, unmarked: bool, visitor: &mut impl Visitor) {
    let entry = |offset: u64, kind, detail: String| Damage { offset, bit: None, path: String::from("end"), kind, detail, skipped: None };
    match end {
        End::Mark { after, .. } if after < length => {
            visitor.damage(entry(after, DamageKind::TrailingData, format!("{} bytes follow the end mark", length - after)).skipping(after, length));
        }
        End::Mark { .. } => {}
        End::File if unmarked && framing == Framing::Dm2 => {}
        End::File => visitor.damage(entry(length, DamageKind::NoEndMarker, String::from("the recording has no end mark"))),
        End::InLength(at) => visitor.damage(entry(at, DamageKind::Truncated, String::from("the file ends inside a block's length")).skipping(at, length)),
        End::Zeros(at) => {
            let detail = format!("zero from here to the end, {} bytes: an unfinished download or copy", length - at);
            visitor.damage(entry(at, DamageKind::Truncated, detail).skipping(at, length));
        }
        End::InBlock { at, stated, present } => {
            let detail = format!("the file ends inside a block: {present} of {stated} bytes are there");
            visitor.damage(entry(at, DamageKind::Truncated, detail).skipping(at, length));
        }
    }
}
