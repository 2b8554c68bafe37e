//! Copies runs of frames of a `.dm2` or `.rla`, byte for byte where possible. A run that starts later gets a signon and a full first
//! frame. A frame whose base is not in the copy is re-encoded. Cut, split, join, repair and rewrite use this.

mod frames;
mod packets;
mod resume;
mod runs;

use std::collections::VecDeque;

use fragreel_model::{Damage, Fate, Place};

use super::part_writer::{CopyOptions, Hook, Location, PartWriter};

use crate::container::Window;
use crate::dialect::{Dialect, FrameHeader};
use crate::encode::block_writer::{BlockOutcome, BlockWriter};
use crate::encode::signon::{SignonState, is_screen_message, write};
use crate::limits::{self, Left, is_handshake};
use crate::message::{Body, Context, Frame, Message, MessageKind};
use crate::state::{Effect, State};
use crate::walk::{At, Visitor};

pub(crate) use resume::ResumeState;

/// The number of frames that clients keep.
const BACKUP: usize = 16;

/// The messages of a compressed packet.
pub(super) struct PacketContents {
    pub(super) original: Vec<u8>,
    pub(super) inflated: Vec<u8>,
    pub(super) remaining: usize,
    pub(super) out: Vec<u8>,
}

/// The copying visitor.
pub(crate) struct Dm2Writer<'h> {
    pub parts: PartWriter<'h>,
    blocks: BlockWriter,
    /// The context of the written messages.
    cx: Context,
    signon: SignonState,
    /// The dialect of the current level.
    dialect: Dialect,
    /// The dialect of the first level of the run.
    first: Dialect,
    /// The numbers of the frames that a client of the copy has, oldest first.
    available: VecDeque<i32>,
    /// Frames in the file so far.
    frames: u64,
    /// The numbers of frames that were dropped on purpose.
    dropped: Vec<i32>,
    /// The whole recording, for bytes outside of blocks.
    source: &'h [u8],
    /// The offset of an oversized block that was copied unread.
    skipped_block: Option<u64>,
    /// The current frame.
    frame: Option<OpenFrame>,
    /// Messages before the first frame of a run.
    before: Vec<Message>,
    /// The messages of a compressed packet.
    packet: Option<PacketContents>,
    /// Whether this block was changed or begins a run.
    changed: bool,
    /// Whether clients merge the list of the message differently, because entities were removed from an unordered list.
    merge_order_differs: bool,
    /// Whether this block had a frame yet.
    block_has_frame: bool,
    /// Frames that the walk decoded against another base.
    recovered: u64,
    /// The copy to continue, until the first frame.
    resume: Option<ResumeState>,
    /// Frames that were dropped because the copy had them.
    overlap: u64,
}

/// A frame whose messages are still arriving.
struct OpenFrame {
    header: Frame,
    /// Its offset in the block.
    from: usize,
    fate: FrameFate,
    /// Baselines and strings that arrived before its entities. They are written before the frame, because entities may depend on them.
    level: Vec<Message>,
    /// Other messages that arrived before its entities. Engines want them after the frame.
    deferred: Vec<Message>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameFate {
    Copy,
    Reencode,
    /// Like `Reencode`, in full.
    Full,
    Drop,
}

impl<'h> Dm2Writer<'h> {
    pub(super) fn new(dialect: Dialect, source: &'h [u8], options: CopyOptions, hook: Option<&'h mut dyn Hook>) -> Self {
        Dm2Writer {
            parts: PartWriter::new(options, hook),
            blocks: BlockWriter::default(),
            cx: Context::new(dialect),
            signon: SignonState::default(),
            dialect,
            first: dialect,
            available: VecDeque::new(),
            frames: 0,
            dropped: Vec::new(),
            source,
            skipped_block: None,
            frame: None,
            before: Vec::new(),
            packet: None,
            changed: false,
            merge_order_differs: false,
            block_has_frame: false,
            recovered: 0,
            resume: None,
            overlap: 0,
        }
    }

    fn limit(&self) -> usize {
        self.dialect.safe_block()
    }

    /// Writes a message unchanged.
    fn copy(&mut self, message: &mut Message, bytes: &[u8]) {
        // The context must track which entities of the rerelease are solid. Messages from a compressed packet have no bytes.
        if self.parts.hook.is_none() && !self.dialect.floats && !bytes.is_empty() {
            self.cx.learn(&message.body);
            self.put(&message.body, bytes);
            return;
        }
        let again = write(message, &mut self.cx);
        if !bytes.is_empty() && again != bytes {
            self.changed = true;
            self.parts.report.changed += 1;
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

    /// Abandons the current frame, because its entities are missing.
    fn abandon_frame(&mut self) {
        let Some(open) = self.frame.take() else { return };
        if self.parts.is_copying() {
            self.parts.report.unfinished += 1;
            if open.fate == FrameFate::Copy {
                self.truncate_output(open.from);
            }
            self.dropped.push(open.header.number);
        }
        self.write_deferred(open.level);
        self.write_deferred(open.deferred);
    }

    /// Re-encodes the current frame from state.
    fn reencode_open_frame(&mut self) {
        let Some(from) = self.frame.as_mut().map(|open| {
            open.fate = FrameFate::Reencode;
            open.from
        }) else {
            return;
        };
        self.truncate_output(from);
    }

    /// Writes messages in another place. Encodes them again, because the known entities may differ there.
    fn write_deferred(&mut self, deferred: Vec<Message>) {
        if !self.parts.is_copying() {
            return;
        }
        for message in deferred {
            let bytes = write(&message, &mut self.cx);
            self.put(&message.body, &bytes);
        }
    }

    fn end_block(&mut self, window: Window<'_>, limit: usize) {
        if window.data.is_empty() {
            if self.parts.options.repair {
                self.parts.report.empty += 1;
            } else {
                self.blocks.empty_block();
            }
            return;
        }
        let apart = self.parts.options.repair || self.changed && window.data.len() <= limit;
        match self.blocks.end_block(if apart { limit } else { usize::MAX }) {
            BlockOutcome::Split(_) => self.parts.report.split += 1,
            BlockOutcome::TooLong => self.parts.report.oversized += 1,
            BlockOutcome::Empty | BlockOutcome::Single => {}
        }
    }
}

/// Whether the message belongs to a signon, or must not be played twice.
pub(crate) fn is_signon(message: &Message) -> bool {
    match &message.body {
        Body::StuffText(text) => is_handshake(&text.0),
        body => {
            use MessageKind::{Disconnect, Download, Frame, LevelRestart, PacketEntities, PlayerInfo, Reconnect, ServerData, ZDownload};
            let op = body.kind();
            states_level(message)
                || matches!(op, ServerData | LevelRestart | Frame | PlayerInfo | PacketEntities | Reconnect | Disconnect | Download | ZDownload)
        }
    }
}

/// Whether the message sets strings or baselines.
fn states_level(message: &Message) -> bool {
    use MessageKind::{BaselineBlast, BaselineStream, ConfigBlast, ConfigString, ConfigStringStream, GameState, SpawnBaseline};
    matches!(message.body.kind(), GameState | ConfigString | ConfigStringStream | ConfigBlast | SpawnBaseline | BaselineStream | BaselineBlast)
}

/// Whether a frame can be a delta base. Clients keep the last frame of each slot.
fn can_be_base(dialect: &Dialect, number: i32, base: i32) -> bool {
    number as usize % BACKUP != base as usize % BACKUP && Frame::can_name(dialect, number, base)
}

impl Visitor for Dm2Writer<'_> {
    fn block(&mut self, _: u32, window: Window<'_>) {
        // Messages before the first frame of a part belong to that frame, even in another block.
        if self.resume.is_none() || self.block_has_frame {
            self.before.clear();
        }
        self.frame = None;
        self.packet = None;
        self.changed = false;
        self.parts.source_bytes = window.data.len();
        self.block_has_frame = false;
    }

    fn message(&mut self, at: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        if self.parts.is_over() {
            return;
        }
        self.signon.take_in(message, state);
        if let Body::ServerData(_) = &message.body {
            if self.parts.options.repair {
                self.abandon_frame();
            }
            self.same_level();
            self.before.clear();
            self.available.clear();
            self.dropped.clear();
            if self.parts.is_copying() {
                self.dialect = state.dialect;
                if self.frames == 0 {
                    self.first = state.dialect;
                }
            }
        }
        self.parts.place = Place { message: at.block, time: state.clock.time() };
        let spot = Location { place: self.parts.place, offset: at.offset };
        if self.is_packet(spot, message, bytes) {
            return;
        }
        let copying = self.parts.is_copying();
        let ordered = !self.parts.options.repair || limits::in_order(message);
        let mut left = if self.parts.options.repair { limits::clear(message, &state.dialect) } else { Left::All };
        if self.parts.options.repair && limits::clear_stray(message, state.ring.stray_removals()) {
            left = Left::Part;
        }
        self.parts.report.unplayable += u64::from(copying && left != Left::All);
        // Frames of a server are always full.
        self.merge_order_differs = left == Left::Part && !ordered && self.dialect.frame != FrameHeader::Server;
        let fate = match &mut self.parts.hook {
            _ if left == Left::Nothing => Fate::Drop,
            Some(hook) if copying => hook.message(spot, message, state),
            _ => Fate::Keep,
        };
        // A message that lost parts must be encoded again.
        let (whole, bytes) = (bytes, if left == Left::Part { &[][..] } else { bytes });
        self.changed |= copying && left != Left::All;
        let open = self.frame.as_ref().map(|open| open.fate);
        match &message.body {
            Body::Frame(_) => self.begin_frame(message, bytes, effect, state, fate),
            Body::PlayerInfo(_) if self.parts.options.repair && effect == Effect::OutOfPlace => self.changed = true,
            Body::PacketEntities(_) if self.parts.options.repair && effect == Effect::OutOfPlace => {
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
            Body::PlayerInfo(_) | Body::PacketEntities(_) if self.parts.options.repair => self.changed = true,
            Body::ZPacket(packed) | Body::ConfigBlast(packed) | Body::BaselineBlast(packed) if self.parts.options.repair && packed.failure.is_some() => {
                self.changed = true;
            }
            _ if fate == Fate::Drop => {
                self.changed = true;
                self.parts.report.changed += u64::from(left == Left::All);
            }
            _ if self.parts.options.repair && self.frame.is_some() => {
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
        if !self.parts.is_copying() || self.skipped_block.take() == Some(window.offset) {
            return;
        }
        if let Some(packet) = self.packet.take() {
            self.blocks.message(&packet.original);
        }
        if self.parts.options.repair {
            self.abandon_frame();
        }
        if !rest.is_empty() && !self.parts.options.repair {
            let left = self.parts.leftover(window.data_offset + (window.data.len() - rest.len()) as u64, rest, &self.dialect);
            if left.is_empty() {
                self.changed = true;
                self.abandon_frame();
            } else {
                self.blocks.message(&left);
            }
        }
        self.end_block(window, self.limit());
        if self.parts.run_is_complete() {
            self.finish_run();
            self.parts.next_run();
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.parts.damage(&damage, damage.kind != fragreel_model::DamageKind::MissingBase);
        if let Some(skipped_block) =
            damage.skipped.filter(|_| self.parts.is_copying() && !self.parts.options.repair && damage.kind == fragreel_model::DamageKind::Framing)
        {
            let bytes = self.parts.leftover(skipped_block.from, &self.source[skipped_block.from as usize..skipped_block.to as usize], &self.dialect);
            self.blocks.append_raw(&bytes);
            self.skipped_block = Some(skipped_block.from);
        }
    }

    fn done(&self) -> bool {
        self.parts.is_over()
    }
}
