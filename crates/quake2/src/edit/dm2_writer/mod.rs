//! Copies runs of frames of a `.dm2` or `.rla`, byte for byte where it can: a run that starts later gets an opening and a
//! whole first frame, and a frame whose base is not in the copy is told anew. Cut, split, repair and rewrite are this.

mod frames;
mod packets;
mod report;
mod resume;
mod runs;

use std::collections::VecDeque;

use model::{Action, Damage, Edited, Fate, Place};
use replay::{SizePlan, SizedParts};

use wire::Error;

use crate::container::Window;
use crate::dialect::{Dialect, FrameHeader};
use crate::encode::block_writer::{BlockOutcome, BlockWriter};
use crate::encode::signon::{SignonState, is_screen_message, write};
use crate::limits::{self, Left, is_handshake};
use crate::message::{Body, Context, Frame, Message, Op, Packed};
use crate::state::{Effect, State};
use crate::walk::timeline::Run;
use crate::walk::{At, Visitor};

use packets::PacketContents;
use report::Report;

pub(crate) use report::extension;
pub(crate) use resume::ResumeState;

/// What is done to messages on their way.
pub(crate) trait Hook {
    /// Called for every message that is copied, after the state took it in.
    fn message(&mut self, at: Location, message: &mut Message, state: &State) -> Fate;

    /// Shown bytes that nobody reads: they stay as many as they are, or none stays.
    fn leftover(&mut self, _: Location, _: &mut Vec<u8>, _: &Dialect) {}

    /// Called when something is broken.
    fn damaged(&mut self) {}

    /// Shown what stands behind the stream of a compressed packet whose messages come one by one.
    fn behind_packet(&mut self, _: Location, _: &mut Packed) {}
}

/// Where something stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    pub place: Place,
    /// In the file.
    pub offset: u64,
}

/// Frames that readers keep.
const BACKUP: usize = 16;

/// How to copy.
#[derive(Debug, Clone)]
pub(crate) struct CopyOptions {
    /// The runs, in order; each becomes a file.
    pub runs: Vec<Run>,
    /// Frames in the recording.
    pub frames: u64,
    /// Start a further file where one would be too long.
    pub sizing: Option<SizePlan>,
    /// Leave out what cannot be read, empty blocks and what follows the end; take over-long blocks apart; close with the
    /// engine's end mark.
    pub repair: bool,
}

impl CopyOptions {
    /// Lets a run end before the frame `ordinal` where its file would be too long with it: the frame comes behind `bytes` and takes
    /// `more`. `begun` says that the file has a frame.
    pub fn divide(&mut self, run: usize, ordinal: u64, begun: bool, bytes: usize, more: usize) {
        let Some(sizing) = &mut self.sizing else { return };
        if !begun {
            sizing.open(bytes);
        } else if sizing.ends(bytes, more) {
            let last = std::mem::replace(&mut self.runs[run].last, ordinal - 1);
            self.runs.insert(run + 1, Run { first: ordinal, last });
        }
    }
}

/// The visitor.
pub(crate) struct PartWriter<'h> {
    options: CopyOptions,
    hook: Option<&'h mut dyn Hook>,
    /// The run being copied or waited for.
    run: usize,
    phase: Phase,
    blocks: BlockWriter,
    /// The context of what was written.
    cx: Context,
    signon: SignonState,
    /// The dialect last written.
    dialect: Dialect,
    /// The run's first dialect.
    first: Dialect,
    /// Numbers of the frames that a reader of the copy has, oldest first.
    had: VecDeque<i32>,
    /// Frames in the file so far.
    frames: u64,
    /// Numbers of frames that were left out on purpose.
    dropped: Vec<i32>,
    /// Where the last message was.
    place: Place,
    /// The whole recording, for what is not in any block.
    source: &'h [u8],
    /// Where a block starts that was copied although it is too long to be looked at.
    skipped_block: Option<u64>,
    /// The frame being copied.
    frame: Option<OpenFrame>,
    /// Messages of the block before the first frame of a run.
    before: Vec<Message>,
    /// The messages inside a compressed packet.
    packet: Option<PacketContents>,
    /// Whether this block was changed or begins a run.
    changed: bool,
    /// Whether the message's list is merged in another way than its source's, as something was taken out of it.
    merge_order_differs: bool,
    /// Bytes of this block as it was read, and whether it had a frame yet.
    block_was: usize,
    block_has_frame: bool,
    /// Frames begun in the recording.
    ordinal: u64,
    /// Frames that the walk told from another base than theirs.
    recovered: u64,
    report: Report,
    /// What is to be continued, until it is.
    resume: Option<ResumeState>,
    /// Frames left out because the copy had them.
    overlap: u64,
    /// A file was longer than wanted: no further are made.
    failed: Option<Result<SizedParts, Error>>,
    /// The files made.
    pub done: Vec<Edited>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before the run's first frame.
    Waiting,
    /// The run's first frame is being read.
    Starting,
    Copying,
    /// After the last run.
    Over,
}

/// A frame whose messages come.
struct OpenFrame {
    header: Frame,
    /// Where it starts in the block.
    from: usize,
    fate: FrameFate,
    /// What stated the level before its entities, which may start from it: that is written before the frame.
    level: Vec<Message>,
    /// Other messages that came before its entities: engines want them behind.
    deferred: Vec<Message>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameFate {
    Copy,
    Reencode,
    /// As `Reencode`, from nothing.
    Full,
    Drop,
}

impl<'h> PartWriter<'h> {
    pub fn new(dialect: Dialect, source: &'h [u8], options: CopyOptions, hook: Option<&'h mut dyn Hook>) -> Self {
        let from_start = options.runs.first().is_some_and(|run| run.first <= 1);
        PartWriter {
            phase: if from_start { Phase::Copying } else { Phase::Waiting },
            options,
            hook,
            run: 0,
            blocks: BlockWriter::default(),
            cx: Context::new(dialect),
            signon: SignonState::default(),
            dialect,
            first: dialect,
            had: VecDeque::new(),
            frames: 0,
            dropped: Vec::new(),
            place: Place { message: 0, time: model::Milliseconds(0) },
            source,
            skipped_block: None,
            frame: None,
            before: Vec::new(),
            packet: None,
            changed: false,
            merge_order_differs: false,
            block_was: 0,
            block_has_frame: false,
            ordinal: 0,
            recovered: 0,
            report: Report::default(),
            resume: None,
            overlap: 0,
            failed: None,
            done: Vec::new(),
        }
    }

    fn limit(&self) -> usize {
        self.dialect.safe_block()
    }

    /// Writes a message that stays as it is.
    fn copy(&mut self, message: &mut Message, bytes: &[u8]) {
        // Whether the rerelease's entities are solid must be followed; and what a compressed packet held has no bytes.
        if self.hook.is_none() && !self.dialect.floats && !bytes.is_empty() {
            self.cx.learn(&message.body);
            self.put(&message.body, bytes);
            return;
        }
        let again = write(message, &mut self.cx);
        if !bytes.is_empty() && again != bytes {
            self.changed = true;
            self.report.changed += 1;
        }
        self.put(&message.body, &again);
    }

    fn put(&mut self, body: &Body, bytes: &[u8]) {
        let of_frame = matches!(body, Body::PlayerInfo(_) | Body::PacketEntities(_)) && self.frame.is_some();
        match &mut self.packet {
            Some(packet) => packet.out.extend_from_slice(bytes),
            None if of_frame => self.blocks.append(bytes),
            None => self.blocks.message(bytes),
        }
    }

    fn written(&self) -> usize {
        self.packet.as_ref().map_or_else(|| self.blocks.length(), |packet| packet.out.len())
    }

    fn truncate_output(&mut self, length: usize) {
        self.changed = true;
        match &mut self.packet {
            Some(packet) => packet.out.truncate(length),
            None => self.blocks.truncate(length),
        }
    }

    /// Bytes that cannot be read, as they are to be written.
    fn leftover(&mut self, offset: u64, bytes: &[u8]) -> Vec<u8> {
        let mut left = bytes.to_vec();
        if let Some(hook) = self.hook.as_mut().filter(|_| !bytes.is_empty()) {
            hook.leftover(Location { place: self.place, offset }, &mut left, &self.dialect);
        }
        self.report.changed += u64::from(left != bytes);
        left
    }

    /// Gives up the frame that is being copied, as its entities did not come.
    fn abandon_frame(&mut self) {
        let Some(open) = self.frame.take() else { return };
        if self.phase == Phase::Copying {
            self.report.unfinished += 1;
            if open.fate == FrameFate::Copy {
                self.truncate_output(open.from);
            }
            self.dropped.push(open.header.number);
        }
        self.write_deferred(open.level);
        self.write_deferred(open.deferred);
    }

    /// The frame that is being copied is encoded from what it shows.
    fn reencode_open_frame(&mut self) {
        let Some(from) = self.frame.as_mut().map(|open| {
            open.fate = FrameFate::Reencode;
            open.from
        }) else {
            return;
        };
        self.truncate_output(from);
    }

    /// Writes messages in another place than they were read in: what is known there of entities may be other.
    fn write_deferred(&mut self, deferred: Vec<Message>) {
        if self.phase != Phase::Copying {
            return;
        }
        for message in deferred {
            let bytes = write(&message, &mut self.cx);
            self.put(&message.body, &bytes);
        }
    }

    fn end_block(&mut self, window: Window<'_>, limit: usize) {
        if window.data.is_empty() {
            if self.options.repair {
                self.report.empty += 1;
            } else {
                self.blocks.empty_block();
            }
            return;
        }
        let apart = self.options.repair || self.changed && window.data.len() <= limit;
        match self.blocks.end_block(if apart { limit } else { usize::MAX }) {
            BlockOutcome::Split(_) => self.report.split += 1,
            BlockOutcome::TooLong => self.report.oversized += 1,
            BlockOutcome::Empty | BlockOutcome::Single => {}
        }
    }
}

/// Messages that belong to an opening, or that playback must not see twice.
pub(crate) fn is_signon(message: &Message) -> bool {
    match &message.body {
        Body::StuffText(text) => is_handshake(&text.0),
        body => {
            use Op::{Disconnect, Download, Frame, LevelRestart, PacketEntities, PlayerInfo, Reconnect, ServerData, ZDownload};
            let op = body.op();
            states_level(message)
                || matches!(op, ServerData | LevelRestart | Frame | PlayerInfo | PacketEntities | Reconnect | Disconnect | Download | ZDownload)
        }
    }
}

/// Messages that state the level: its strings, and what its entities start from.
fn states_level(message: &Message) -> bool {
    use Op::{BaselineBlast, BaselineStream, ConfigBlast, ConfigString, ConfigStringStream, GameState, SpawnBaseline};
    matches!(message.body.op(), GameState | ConfigString | ConfigStringStream | ConfigBlast | SpawnBaseline | BaselineStream | BaselineBlast)
}

/// Whether a frame can be encoded against another one: readers keep the last of each slot.
fn can_be_base(dialect: &Dialect, number: i32, base: i32) -> bool {
    number as usize % BACKUP != base as usize % BACKUP && Frame::can_name(dialect, number, base)
}

impl Visitor for PartWriter<'_> {
    fn block(&mut self, _: u32, window: Window<'_>) {
        // What stands before the first frame of a part belongs to that frame, in whatever block it is.
        if self.resume.is_none() || self.block_has_frame {
            self.before.clear();
        }
        self.frame = None;
        self.packet = None;
        self.changed = false;
        self.block_was = window.data.len();
        self.block_has_frame = false;
    }

    fn message(&mut self, at: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        if self.phase == Phase::Over {
            return;
        }
        self.signon.take_in(message, state);
        if let Body::ServerData(_) = &message.body {
            if self.options.repair {
                self.abandon_frame();
            }
            self.same_level();
            self.before.clear();
            self.had.clear();
            self.dropped.clear();
            if self.phase == Phase::Copying {
                self.dialect = state.dialect;
                if self.frames == 0 {
                    self.first = state.dialect;
                }
            }
        }
        self.place = Place { message: at.block, time: state.clock.time() };
        let spot = Location { place: self.place, offset: at.offset };
        if self.is_packet(spot, message, bytes) {
            return;
        }
        let copying = self.phase == Phase::Copying;
        let ordered = !self.options.repair || limits::in_order(message);
        let mut left = if self.options.repair { limits::clear(message, &state.dialect) } else { Left::All };
        if self.options.repair && limits::clear_stray(message, state.ring.stray_removals()) {
            left = Left::Part;
        }
        self.report.unplayable += u64::from(copying && left != Left::All);
        // a server's frames are all full
        self.merge_order_differs = left == Left::Part && !ordered && self.dialect.frame != FrameHeader::Server;
        let fate = match &mut self.hook {
            _ if left == Left::Nothing => Fate::Drop,
            Some(hook) if copying => hook.message(spot, message, state),
            _ => Fate::Keep,
        };
        // What is left of a message has to be encoded again.
        let (whole, bytes) = (bytes, if left == Left::Part { &[][..] } else { bytes });
        self.changed |= copying && left != Left::All;
        let open = self.frame.as_ref().map(|open| open.fate);
        match &message.body {
            Body::Frame(_) => self.begin_frame(message, bytes, effect, state, fate),
            Body::PlayerInfo(_) if self.options.repair && effect == Effect::OutOfPlace => self.changed = true,
            Body::PacketEntities(_) if self.options.repair && effect == Effect::OutOfPlace => {
                self.changed = true;
                self.abandon_frame();
            }
            Body::PlayerInfo(_) | Body::PacketEntities(_) if open.is_some() => {
                if copying && open == Some(FrameFate::Copy) {
                    if self.merge_order_differs { self.reencode_open_frame() } else { self.copy(message, bytes) }
                }
                if matches!(message.body, Body::PacketEntities(_)) {
                    self.end_frame(message.unicast, effect == Effect::Frame, state);
                }
            }
            Body::PlayerInfo(_) | Body::PacketEntities(_) if self.options.repair => self.changed = true,
            Body::ZPacket(packed) | Body::ConfigBlast(packed) | Body::BaselineBlast(packed) if self.options.repair && packed.failure.is_some() => {
                self.changed = true;
            }
            _ if fate == Fate::Drop => {
                self.changed = true;
                self.report.changed += u64::from(left == Left::All);
            }
            _ if self.options.repair && self.frame.is_some() => {
                self.changed = true;
                let first = states_level(message);
                if let Some(open) = &mut self.frame {
                    if first { &mut open.level } else { &mut open.deferred }.push(message.clone());
                    if first && open.fate == FrameFate::Copy {
                        self.reencode_open_frame();
                    }
                }
            }
            _ => {
                if !self.block_has_frame && !is_signon(message) && !is_screen_message(message) {
                    self.before.push(message.clone());
                }
                if copying {
                    self.copy(message, bytes);
                }
            }
        }
        self.end_packet_message(whole);
    }

    fn block_end(&mut self, _: u32, window: Window<'_>, rest: &[u8]) {
        if self.phase != Phase::Copying || self.skipped_block.take() == Some(window.offset) {
            return;
        }
        if let Some(packet) = self.packet.take() {
            self.blocks.message(&packet.original);
        }
        if self.options.repair {
            self.abandon_frame();
        }
        if !rest.is_empty() && !self.options.repair {
            let left = self.leftover(window.data_offset + (window.data.len() - rest.len()) as u64, rest);
            if left.is_empty() {
                self.changed = true;
                self.abandon_frame();
            } else {
                self.blocks.message(&left);
            }
        }
        self.end_block(window, self.limit());
        if self.run_is_complete() {
            self.finish_run();
            self.next_run();
        }
    }

    fn damage(&mut self, damage: Damage) {
        if let Some(hook) = self.hook.as_mut().filter(|_| damage.kind != model::DamageKind::NoEndMarker) {
            hook.damaged();
        }
        if self.phase == Phase::Copying && self.options.repair && !matches!(damage.kind, model::DamageKind::MissingBase | model::DamageKind::NoEndMarker) {
            self.report.damage.push(Action::UnreadableLeftOut { offset: damage.offset, why: damage.detail.clone() });
        }
        if let Some(skipped_block) =
            damage.skipped.filter(|_| self.phase == Phase::Copying && !self.options.repair && damage.kind == model::DamageKind::Framing)
        {
            let bytes = self.leftover(skipped_block.from, &self.source[skipped_block.from as usize..skipped_block.to as usize]);
            self.blocks.append_raw(&bytes);
            self.skipped_block = Some(skipped_block.from);
        }
    }

    fn done(&self) -> bool {
        self.phase == Phase::Over
    }
}
