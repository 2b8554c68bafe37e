//! Writes parts of a recording: a signon, frames that need nothing from before, an end mark.

use std::ops::Range;

use fragreel_base::wire::Chunk;
use fragreel_model::{Action, DeltaBase, Edited, Milliseconds};

use crate::container::{Framing, Stamp, is_likely_time, kind};
use crate::dialect::Dialect;
use crate::message::{Float, Message, StatLong};
use crate::state::{Game, World, stat};
use crate::walk::input::Input;
use crate::walk::playback::Delivery;

use crate::encode::block_writer::BlockWriter;
use crate::encode::reencode::{self, EVERYBODY};
use crate::encode::signon::{SignonPart, SignonState};
use crate::encode::signon_writer;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};
use crate::walk::timeline::Blocks;

/// What was done to make a part.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    /// Frames re-encoded in full because their delta base was cut off.
    pub full: u32,
    /// Bytes between blocks of the source, left out.
    pub skipped: u64,
    /// Empty blocks, at which engines stop, left out.
    pub empty: u32,
    /// True if the part has the source's own signon.
    pub own_opening: bool,
    /// True if the part has the source's own end mark.
    pub own_end: bool,
}

impl Report {
    /// The finished part. `is_source` says that its bytes are those of the source.
    pub(super) fn edited(self, out: BlockWriter, is_source: bool) -> Edited {
        let mut edited = Edited { extension: out.container.extension().to_owned(), bytes: out.bytes, ..Edited::default() };
        if is_source {
            return edited;
        }
        if !self.own_opening {
            edited.actions.push(Action::SignonMade { frames: 1 });
        }
        if self.full > 0 {
            edited.actions.push(Action::FramesReencoded { frames: u64::from(self.full), base: DeltaBase::CutOff });
        }
        if self.skipped > 0 {
            edited.actions.push(Action::NoBlocksLeftOut { bytes: self.skipped });
        }
        if self.empty > 0 {
            edited.actions.push(Action::EmptyBlocksLeftOut { blocks: u64::from(self.empty) });
        }
        if !self.own_end {
            edited.actions.push(Action::EndMarkAdded);
        }
        if edited.actions.is_empty() {
            edited.actions.push(Action::RangeKept);
        }
        edited
    }
}

/// Writes consecutive parts of a recording in one walk over it.
pub(super) struct PartWriter<'a> {
    reading: DecodedBlocks<'a>,
    part: OpenPart,
    /// The blocks whose entities openings need, if that is known.
    needed: Option<Vec<Range<u32>>>,
}

impl<'a> PartWriter<'a> {
    /// Starts before the first block.
    pub(super) fn new(recording: &Input<'a>) -> Self {
        PartWriter { reading: DecodedBlocks::new(recording), part: OpenPart::new(recording), needed: None }
    }

    /// Continues over another chunk of the recording.
    pub(super) fn over<'b>(self, chunk: Chunk<'b>) -> PartWriter<'b> {
        PartWriter { reading: self.reading.over(chunk), part: self.part, needed: self.needed }
    }

    /// The same for parts whose openings need the entities of these blocks alone. Where frames stand alone, those of others are left out.
    pub(super) fn needing(self, blocks: Vec<Range<u32>>) -> Self {
        PartWriter { needed: Some(blocks), ..self }
    }

    /// Writes the next part. Its blocks come after those of the parts before. `from_start` says that no frame comes before them; the
    /// source's signon is kept then.
    pub(super) fn part(&mut self, blocks: Blocks, from_start: bool) -> Edited {
        if from_start {
            self.begin(true);
        }
        self.write(blocks, from_start);
        self.end()
    }

    /// Goes on with the next part, to its end or to that of the bytes.
    pub(super) fn write(&mut self, blocks: Blocks, from_start: bool) {
        while self.part.next < blocks.end {
            if self.part.next == blocks.first && !from_start {
                self.begin(false);
            }
            if !self.step() {
                break;
            }
        }
    }

    /// The byte at which the next block starts.
    pub(super) fn offset(&self) -> u64 {
        self.reading.offset()
    }

    /// The number of the next block.
    pub(super) fn next(&self) -> u32 {
        self.part.next
    }

    /// Starts a part at the next block.
    pub(super) fn begin(&mut self, from_start: bool) {
        self.part.begin(from_start);
    }

    /// Reads a block, and writes it if a part has started. Returns false at the end.
    pub(super) fn step(&mut self) -> bool {
        let PartWriter { reading, part, needed } = self;
        part.opening = part.out.bytes.len();
        let before = part.start();
        part.signon.start_block();
        let now = reading.clock().demo;
        let stand_alone = reading.frames_stand_alone();
        part.encodes = part.emitted.is_some() && (part.starts || !stand_alone);
        part.skims = stand_alone && needed.as_ref().is_some_and(|needed| !needed.iter().any(|blocks| blocks.contains(&part.next)));
        reading.set_skim(part.skims);
        let encodes = part.encodes;
        let keeps = |message: &Message| encodes || message.changes_dialect() || matches!(message, Message::Disconnect(_));
        match reading.next_with(keeps, |d, message, delivery| part.take(d, message, delivery, now)) {
            None => return false,
            Some(NextDecoded::Broken(_, (from, to))) => part.broken(from, to),
            Some(NextDecoded::Block(mut unit)) => {
                part.next = unit.block.number + 1;
                part.follow(&unit);
                if let Some(before) = before {
                    part.write_opening(reading, &before, &mut unit);
                }
                part.write_unit(reading.chunk(), &mut unit);
            }
        }
        true
    }

    /// The size of the part in bytes, and the size before its last block.
    pub(super) fn bytes(&self) -> (usize, usize) {
        (self.part.out.bytes.len(), self.part.opening)
    }

    /// Finishes the part.
    pub(super) fn end(&mut self) -> Edited {
        let (report, out) = self.finish();
        let is_source = out.bytes == self.reading.chunk().bytes();
        report.edited(out, is_source)
    }

    /// Finishes the part, whose bytes are still to be compared with the source's.
    pub(super) fn finish(&mut self) -> (Report, BlockWriter) {
        self.part.close();
        let empty = BlockWriter::new(self.part.out.container, &self.part.header);
        (std::mem::take(&mut self.part.report), std::mem::replace(&mut self.part.out, empty))
    }
}

/// The state before a part's first block.
struct StateBefore {
    signon: SignonState,
    game: Game,
    /// The last client data (NetQuake).
    own: Option<Message>,
}

struct OpenPart {
    /// The line that a NetQuake recording begins with.
    header: Box<[u8]>,
    out: BlockWriter,
    report: Report,
    /// The source's next block.
    next: u32,
    signon: SignonState,
    /// The source's game.
    game: Game,
    /// The level's last client data.
    own: Option<Message>,
    /// The entities as the part has them. `None` before it starts.
    emitted: Option<World>,
    /// True once a full frame of entities has been written.
    begun: bool,
    /// True if the block may have to be encoded. Others are copied, and have no trees.
    encodes: bool,
    /// True if the block's entities are left out.
    skims: bool,
    /// The number of messages in this block so far.
    count: usize,
    /// Messages of this block to write in full, by number.
    full: Vec<(usize, Message)>,
    /// Messages to add to this block, and the number of the message before which they come.
    added: (usize, Vec<Message>),
    changed: bool,
    /// The number of the next packet sent.
    outgoing: u32,
    /// True while a part is being written.
    started: bool,
    /// True if the next block is the part's first, after the signon.
    starts: bool,
    /// The size before the last block.
    opening: usize,
    time: Float,
    angles: [Float; 3],
}

impl OpenPart {
    fn new(recording: &Input<'_>) -> Self {
        OpenPart {
            header: recording.header().into(),
            out: BlockWriter::new(recording.container, recording.header()),
            report: Report::default(),
            next: 0,
            signon: SignonState::default(),
            game: Game::default(),
            own: None,
            emitted: None,
            begun: false,
            encodes: false,
            skims: false,
            count: 0,
            full: Vec::new(),
            added: (0, Vec::new()),
            changed: false,
            outgoing: 0,
            started: false,
            starts: false,
            opening: 0,
            time: Float(0),
            angles: [Float(0); 3],
        }
    }

    /// Starts a part at the next block.
    fn begin(&mut self, from_start: bool) {
        self.out = BlockWriter::new(self.out.container, &self.header);
        self.report = Report { own_opening: from_start, ..Report::default() };
        (self.started, self.starts) = (true, !from_start);
        (self.begun, self.changed) = (false, false);
        self.forget_block();
        self.emitted = None;
    }

    /// The state before the next block, if a signon comes next.
    fn start(&mut self) -> Option<StateBefore> {
        if !self.starts {
            return None;
        }
        let mut emitted = World::default();
        let d = signon_writer::dialect(&self.signon, self.out.container);
        for part in [SignonPart::Baselines, SignonPart::Statics] {
            for entry in self.signon.part(part) {
                let _ = emitted.apply(&d, &entry.message, 0);
            }
        }
        self.emitted = Some(emitted);
        Some(StateBefore { signon: self.signon.clone(), game: self.game.clone(), own: self.own.clone() })
    }

    /// Follows a message of the source, and decides what to write for it.
    fn take(&mut self, d: &Dialect, message: &Message, delivery: &Delivery, now: Milliseconds) {
        if self.skims && matches!(message, Message::FastUpdate(_)) {
            return;
        }
        self.signon.apply(d, message, delivery.target, now);
        let number = self.game.packet_number(d, delivery.sequence);
        self.game.apply(d, message, delivery.target, number);
        match message {
            Message::ClientData(_) => self.own = Some(message.clone()),
            Message::ServerInfo(_) => self.own = None,
            _ => {}
        }
        let lost = self.game.take_missing().is_some();
        let Some(emitted) = self.emitted.as_mut().filter(|_| self.encodes) else { return };
        if let Some(full) = reencode::reencode_if_base_missing(d, message, number, &self.game, lost, emitted, &mut self.begun) {
            self.changed = true;
            self.report.full += 1;
            self.full.push((self.count, full));
        }
        self.count += 1;
    }

    fn broken(&mut self, from: u64, to: u64) {
        if self.started {
            self.report.skipped += to - from;
        }
    }

    /// Follows the connection's numbers and the clocks.
    fn follow(&mut self, unit: &DecodedBlock<'_>) {
        match unit.block.framing {
            Framing::Sequences { outgoing, .. } => self.outgoing = outgoing,
            Framing::Command { .. } => self.outgoing = self.outgoing.wrapping_add(1),
            Framing::NetQuake { angles } => self.angles = angles,
            Framing::Packet { .. } => {}
        }
        if let Some(time) = unit.block.framing.time().filter(|time| is_likely_time(*time) && !unit.block.contradicted) {
            self.time = time;
        }
    }

    /// Writes the signon, and prepares the first block.
    fn write_opening(&mut self, reading: &DecodedBlocks<'_>, before: &StateBefore, unit: &mut DecodedBlock<'_>) {
        let at = signon_writer::SignonPoint {
            now: reading.clock().demo,
            server: reading.clock().server,
            time: self.time,
            angles: self.angles,
            sequences: (self.outgoing.max(unit.sequence()), unit.sequence().wrapping_sub(1)),
        };
        signon_writer::write(&mut self.out, &before.signon, &before.game, &at);
        (self.starts, self.opening) = (false, self.out.bytes.len());
        if let (Framing::Packet { time: Stamp::After(delay), target }, Some(resolved)) = (&mut unit.block.framing, unit.target) {
            // the signon is addressed to all
            *delay = signon_writer::BEFORE_FIRST_FRAME;
            *target = if resolved.kind == kind::READ || resolved.kind == 0 { EVERYBODY } else { resolved };
            self.changed = true;
        }
        let d = reading.dialect();
        // clients drop the rest
        let messages = if unit.dropped { &[] } else { &unit.messages[..] };
        let mut first = Vec::new();
        if let Some(emitted) = &mut self.emitted {
            first = reencode::entities_not_restated(d, emitted, &before.game.world, messages, reading.clock().server);
            let number = before.game.packet_number(d, unit.sequence());
            for message in &first {
                let _ = emitted.apply(d, message, number);
                self.begun |= matches!(message, Message::UpdateEntities(_));
            }
        }
        // the part's first frame may already be full
        self.report.full = self.report.full.max(u32::from(!first.is_empty()));
        if !unit.messages.iter().any(|message| matches!(message, Message::ClientData(_))) {
            let behind_time = usize::from(first.first().is_some_and(is_time));
            first.splice(behind_time..behind_time, own_data(d, before));
        }
        self.changed |= !first.is_empty();
        self.added = (messages.iter().position(is_time).map_or(0, |at| at + 1), first);
    }

    fn write_unit(&mut self, chunk: Chunk<'_>, unit: &mut DecodedBlock<'_>) {
        let changed = std::mem::take(&mut self.changed);
        if self.started && unit.stops_engines() {
            self.report.empty += 1;
        } else if self.started {
            self.report.own_end = unit.messages.iter().any(|message| matches!(message, Message::Disconnect(_)));
            if changed {
                self.change(unit);
                self.out.encode_block(unit);
            } else {
                self.out.copy_block(chunk, unit);
            }
        }
        self.forget_block();
    }

    /// Puts what the part needs into a block.
    fn change(&mut self, unit: &mut DecodedBlock<'_>) {
        if unit.dropped {
            unit.messages.clear();
        }
        for (at, full) in self.full.drain(..) {
            unit.messages[at] = full;
        }
        let (at, added) = std::mem::take(&mut self.added);
        unit.messages.splice(at..at, added);
    }

    fn forget_block(&mut self) {
        self.count = 0;
        self.full.clear();
        self.added = (0, Vec::new());
    }

    fn close(&mut self) {
        if !self.report.own_end {
            self.out.write_end(self.time, self.angles);
        }
        (self.started, self.starts, self.emitted) = (false, false, None);
        self.forget_block();
    }
}

fn is_time(message: &Message) -> bool {
    matches!(message, Message::NqTime(_))
}

/// The last client data, and the stats after it. NetQuake servers send it with every frame; if a part's first frame has none, the last one stays valid.
fn own_data(d: &Dialect, before: &StateBefore) -> Vec<Message> {
    let Some(own) = before.own.clone() else { return Vec::new() };
    let mut game = before.game.clone();
    game.apply(d, &own, EVERYBODY, 0);
    let (stated, known) = (game.own_stats().copied().unwrap_or([0; stat::COUNT]), before.game.own_stats().copied().unwrap_or([0; stat::COUNT]));
    let later = (0u8..).zip(stated.iter().zip(&known)).filter(|(_, (stated, known))| stated != known);
    std::iter::once(own).chain(later.map(|(stat, (_, value))| Message::StatLong(StatLong { stat, value: *value }))).collect()
}
