//! `repair`: makes a file that plays from the undamaged parts of a damaged one (`docs/formats/goldsrc.md`, "Repair").

use std::ops::Range;

use fragreel_base::wire::Error;
use fragreel_model::{Action, Damage, DamageKind, DeltaBase, Edited, Loss};

use crate::container::body;
use crate::container::{Entry, Header, Macro, MacroKind, MacroType, Source, Step, directory, looks_like_directory};
use crate::dialect::Dialect;
use crate::encode::reencode::FrameEncoder;
use crate::message::context::Context;
use crate::message::munge::unmunge;
use crate::message::{Message, ServerInfo};
use crate::state::{ApplyError, State};
use crate::walk::findings::{is_repeated, lacks_start};
use crate::walk::input::Input;
use crate::walk::playable::stop_at_message;
use crate::walk::playback::{FrameOutcome, Playback, Visitor};

use super::part_writer::START;

/// Makes a file that plays from the undamaged parts of a damaged one.
pub(crate) fn repair(input: &Input) -> Result<Edited, Error> {
    if input.container.macros().all(|step| matches!(step, Step::Damage(_))) {
        return Err(Error::malformed("the file has no macros"));
    }
    let mut writer = RepairWriter::new(input);
    while let Some(step) = writer.playback.next() {
        match step {
            Step::Macro { number, segment, window } => writer.add(number, segment, window),
            Step::Damage(damage) => writer.skip(&damage),
        }
    }
    writer.finish()
}

/// What a recorder writes into the header of a level.
fn stated_header(info: &ServerInfo) -> Header {
    let file = &info.map.0[..];
    let map = file.strip_prefix(b"maps/").unwrap_or(file);
    let map = map.strip_suffix(b".bsp").unwrap_or(map).to_vec();
    Header { map, game: info.game.0.clone(), map_crc: unmunge(info.munged_crc, info.player_number), ..Header::default() }
}

fn edited(bytes: Vec<u8>, actions: Vec<Action>) -> Edited {
    Edited { bytes, extension: String::from("dem"), actions, losses: Vec::new() }
}

struct RepairWriter<'r, 'a> {
    input: &'r Input<'a>,
    playback: Playback<'a>,
    out: Vec<u8>,
    actions: Vec<Action>,
    entries: Vec<Entry>,
    /// The segment that is being written, and where it starts in the new file.
    open: Option<(usize, usize)>,
    frames: i32,
    last: Option<(MacroKind, f32, i32)>,
    /// The macro before, in the old file.
    before: Option<Macro<'a>>,
    /// Where it starts in the new file.
    written: Option<usize>,
    /// The header as the first server information states it.
    server: Option<Header>,
    encoder: FrameEncoder,
    /// Frames encoded in full, and frames that rest on the last known state.
    reencoded: u64,
    uncertain: u64,
    /// Bytes of the old file that are in the new one.
    used: usize,
}

/// Finds the messages of a block that the game must see otherwise.
struct BlockRepair<'w> {
    encoder: &'w mut FrameEncoder,
    /// Bytes of messages to replace, by what.
    edits: Vec<(Range<usize>, Vec<u8>)>,
    /// The frame was encoded in full.
    reencoded: bool,
    /// The server's time is not a number.
    without_time: bool,
    /// Messages that engines stop at: where they stand, and why.
    unplayable: Vec<(usize, String)>,
    /// The network protocol that the recording follows, and whether the server information got it.
    protocol: i32,
    protocol_given: bool,
    /// The header as the server information in the block states it.
    server: Option<Header>,
}

impl Visitor for BlockRepair<'_> {
    fn before(&mut self, _: &State, _: &Context, message: &mut Message, _: Range<usize>) {
        self.encoder.observe(message);
    }

    fn after(&mut self, state: &mut State, context: &Context, message: &Message, range: Range<usize>, result: Result<(), ApplyError>) {
        if let Some(why) = stop_at_message(message) {
            self.unplayable.push((range.start, why));
            self.edits.push((range, Vec::new()));
            return;
        }
        match message {
            Message::Time(time) if !time.time.is_finite() => {
                self.without_time = true;
                self.edits.push((range, Vec::new()));
            }
            Message::ServerInfo(info) => {
                self.server = Some(stated_header(info));
                if info.protocol != self.protocol && Dialect::new(5, info.protocol).is_none_or(|dialect| dialect.messages.is_none()) {
                    // the number stands behind the message's own
                    let at = range.start + 1;
                    self.edits.push((at..at + 4, self.protocol.to_le_bytes().to_vec()));
                    self.protocol_given = true;
                }
            }
            Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => {
                let is_lost = matches!(result, Err(ApplyError::MissingBase | ApplyError::MissingReference));
                if is_lost {
                    self.reencoded = true;
                    self.edits.push((range, self.encoder.entities(state, context, None)));
                } else if state.entities_uncertain()
                    && let Some(new) = FrameEncoder::recounted(state, context, message)
                {
                    self.edits.push((range, new));
                }
            }
            Message::ClientData(_) if result.is_err() => {
                self.reencoded = true;
                self.edits.push((range, self.encoder.client_data(state, context)));
            }
            _ => {}
        }
    }
}

impl<'r, 'a> RepairWriter<'r, 'a> {
    fn new(input: &'r Input<'a>) -> Self {
        let container = &input.container;
        let header = container.dialect.header_bytes();
        let about_directory = container.damage.iter().skip(usize::from(container.header_lost));
        let actions = about_directory.map(|damage| Action::DirectoryRebuilt { why: damage.detail.clone() }).collect();
        RepairWriter {
            input,
            playback: Playback::new(input),
            out: container.bytes[..header].to_vec(),
            actions,
            entries: Vec::new(),
            open: None,
            frames: 0,
            last: None,
            before: None,
            written: None,
            server: None,
            encoder: FrameEncoder::default(),
            reencoded: 0,
            uncertain: 0,
            used: container.foreign.as_ref().map_or(header, |foreign| foreign.bytes + header + foreign.directory.as_ref().map_or(0, ExactSizeIterator::len)),
        }
    }

    fn add(&mut self, number: u32, segment: usize, window: Macro<'a>) {
        if self.open.is_none_or(|(open, _)| open != segment) {
            self.close();
            self.open = Some((segment, self.out.len()));
            if lacks_start(self.input, segment, &window) {
                self.out.extend_from_slice(&[START.0, 0, 0, 0, 0, 0, 0, 0, 0]);
                self.actions.push(Action::SegmentStartAdded { segment: segment as u64 });
            }
        }
        self.used += window.end() - window.offset;
        let repeated = self.before.replace(window).is_some_and(|before| is_repeated(&before, &window, self.input.dialect()));
        if repeated {
            self.actions.push(Action::RepeatedMacroLeftOut { number });
            return;
        }
        let from = self.out.len();
        let bytes = self.input.container.bytes;
        self.out.extend_from_slice(&bytes[window.offset..window.end()]);
        let mut window = window;
        if !window.time.is_finite() || self.playback.time_contradicted() {
            // a game would wait for it
            window.time = self.last.map_or(0.0, |(_, time, _)| time);
            self.out[from + 1..from + 5].copy_from_slice(&window.time.to_le_bytes());
            self.actions.push(Action::TimeGiven { to: "macro", number });
        }
        self.frames += i32::from(matches!(window.kind, MacroKind::Data | MacroKind::Packet) && window.id.0 == 1);
        self.last = Some((window.kind, window.time, window.frame));
        self.check_messages(number, &window, from);
        self.clear_duplicate(number, &window, from);
    }

    /// Cutting messages can make two different macros equal. The second then keeps its place but loses its messages, which the first has:
    /// otherwise it would count as a repetition of the first.
    fn clear_duplicate(&mut self, number: u32, window: &Macro, from: usize) {
        let duplicate = self.written.replace(from).is_some_and(|before| self.out[before..from] == self.out[from..]);
        let messages = body::messages(window, self.input.dialect()).filter(|_| duplicate && window.kind == MacroKind::Data);
        let Some(head) = messages.map(|(offset, _)| from + offset - window.offset).filter(|&head| head < self.out.len()) else { return };
        self.out.truncate(head);
        self.out[head - 4..head].copy_from_slice(&0u32.to_le_bytes());
        self.actions.push(Action::RepeatedRestLeftOut { number });
    }

    /// Cuts a data block before the first message that cannot be read, because the game would stop there. Encodes deltas against a lost frame
    /// in full, because the game would apply them to another frame.
    fn check_messages(&mut self, number: u32, window: &Macro<'a>, from: usize) {
        let Some((offset, data)) = self.playback.messages(window).filter(|_| self.playback.context().is_some()) else { return };
        let mut check = BlockRepair {
            encoder: &mut self.encoder,
            edits: Vec::new(),
            reencoded: false,
            without_time: false,
            unplayable: Vec::new(),
            protocol: self.input.dialect().network_protocol,
            protocol_given: false,
            server: None,
        };
        let (outcome, read) = self.playback.visit(window, &mut check);
        let BlockRepair { mut edits, reencoded, without_time, unplayable, protocol_given, server, .. } = check;
        self.uncertain += u64::from(matches!(outcome, FrameOutcome::Uncertain(_)));
        self.server = self.server.take().or(server);
        self.reencoded += u64::from(reencoded);
        let good_bytes = self.playback.good_bytes();
        let skipped = self.playback.skipped().to_vec();
        let good = if let (Err(error), false) = (&read, skipped.is_empty()) {
            for range in skipped {
                let offset = (offset + range.start) as u64;
                self.actions.push(Action::BytesLeftOut { bytes: Some(range.len() as u64), offset, why: error.to_string() });
                edits.push((range, Vec::new()));
            }
            edits.sort_by_key(|(range, _)| range.start);
            data.len()
        } else if let Err(error) = read {
            self.actions.push(Action::MessagesCut { bytes: Some((data.len() - good_bytes) as u64), of: "macro", number, why: error.to_string() });
            good_bytes
        } else if edits.is_empty() {
            return;
        } else {
            data.len()
        };
        let head = from + offset - window.offset;
        self.out.truncate(head);
        let mut at = 0;
        if protocol_given {
            self.actions.push(Action::ProtocolGiven { number, protocol: self.input.dialect().network_protocol });
        }
        for (at, why) in unplayable {
            self.actions.push(Action::MessageLeftOut { message: number, offset: (offset + at) as u64, why });
        }
        if without_time {
            self.actions.push(Action::ServerTimeLeftOut { number });
        }
        for (range, new) in edits {
            self.out.extend_from_slice(&data[at..range.start]);
            self.out.extend_from_slice(&new);
            at = range.end;
        }
        self.out.extend_from_slice(&data[at..good]);
        let length = (self.out.len() - head) as u32;
        self.out[head - 4..head].copy_from_slice(&length.to_le_bytes());
    }

    fn skip(&mut self, damage: &Damage) {
        match (&damage.skipped, damage.kind) {
            (Some(extent), _) => {
                self.used += (extent.to - extent.from) as usize;
                self.actions.push(Action::BytesLeftOut { bytes: Some(extent.to - extent.from), offset: extent.from, why: damage.detail.clone() });
            }
            // `close` says what it does about it
            (None, DamageKind::NoEndMarker) => {}
            (None, _) => self.actions.push(Action::DirectoryCorrected { why: damage.detail.clone() }),
        }
    }

    /// Ends the open segment and makes its entry.
    fn close(&mut self) {
        let Some((segment, from)) = self.open.take() else { return };
        let container = &self.input.container;
        let old = &container.segments[segment];
        if let Some((kind, time, frame)) = self.last.take()
            && kind != MacroKind::End
        {
            self.out.push(MacroType::end(container.dialect.macros).0);
            self.out.extend_from_slice(&time.to_le_bytes());
            self.out.extend_from_slice(&frame.to_le_bytes());
            self.last = Some((MacroKind::End, time, frame));
            self.actions.push(Action::SegmentEndAdded { segment: segment as u64 });
        }
        let frames = std::mem::take(&mut self.frames);
        let mut entry = Entry { offset: from as i32, length: (self.out.len() - from) as i32, ..old.entry.clone() };
        if old.is_playback() && entry.frames != frames {
            if container.source == Source::Directory {
                self.actions.push(Action::FrameCountCorrected { segment: segment as u64, from: entry.frames, to: frames });
            }
            entry.frames = frames;
        }
        self.entries.push(entry);
    }

    fn finish(mut self) -> Result<Edited, Error> {
        self.close();
        if self.reencoded > 0 {
            self.actions.push(Action::FramesReencoded { frames: self.reencoded, base: DeltaBase::Dropped });
        }
        let container = &self.input.container;
        if let Some(foreign) = &container.foreign {
            let why = container.damage[0].detail.clone();
            self.actions.insert(0, Action::BytesLeftOut { bytes: Some(foreign.bytes as u64), offset: 0, why });
        } else if container.header_lost {
            self.actions.insert(0, Action::HeaderRebuilt { why: container.damage[0].detail.clone() });
        }
        let empty = container.segments.len() - self.entries.len();
        if empty > 0 {
            self.actions.push(Action::EmptySegmentsLeftOut { segments: empty as u64 });
        }
        // games reject all that follows without the server information
        let stripped = !self.actions.is_empty() && self.playback.context().is_some() && self.server.is_none();
        if stripped || !self.entries.iter().any(|entry| entry.kind == directory::LOADING) {
            self.actions.push(Action::LoadingNotFound);
        }
        let offset = i32::try_from(self.out.len()).map_err(|_| Error::limit("the directory would be beyond 2 GiB"))?;
        if container.source == Source::Walked {
            self.keep_old_directory();
        }
        if self.actions.is_empty() {
            return Ok(edited(container.bytes.to_vec(), Vec::new()));
        }
        let directory = directory::bytes(&self.entries);
        let spare = container.bytes.len().saturating_sub(self.used);
        let old_directory = if container.source == Source::Directory { directory.len() } else { 0 };
        if spare > old_directory {
            self.actions.push(Action::UnreferencedLeftOut { bytes: (spare - old_directory) as u64 });
        }
        self.out.extend_from_slice(&directory);
        let header = match &container.foreign {
            Some(foreign) => foreign.header.clone(),
            None if container.header_lost => self.new_header(),
            None => container.header.clone(),
        };
        let header = Header { directory_offset: offset, ..header }.bytes(&container.dialect);
        self.out[..header.len()].copy_from_slice(&header);
        let mut edited = edited(self.out, self.actions);
        if self.uncertain > 0 {
            edited.lose(Loss::ChangesInMissingFrames { frames: self.uncertain });
        }
        Ok(edited)
    }

    /// The header that the dialect and the server state.
    fn new_header(&mut self) -> Header {
        let dialect = self.input.dialect();
        let stated = self.server.take().unwrap_or_default();
        let padded = |mut text: Vec<u8>| {
            text.resize(dialect.header_string, 0);
            text
        };
        Header {
            magic: Header::MAGIC_BYTES.to_vec(),
            demo_protocol: dialect.demo_protocol,
            network_protocol: dialect.network_protocol,
            map: padded(stated.map),
            game: padded(stated.game),
            ..stated
        }
    }

    /// Takes titles, flags, times and tracks from a directory behind the macros that the header does not name, if its entries are the
    /// segments found.
    fn keep_old_directory(&mut self) {
        let container = &self.input.container;
        let Some(behind) = container.segments.iter().map(|segment| segment.to).max() else { return };
        if !looks_like_directory(container.bytes, behind) {
            return;
        }
        let Ok(found) = directory::read(container.bytes, behind as i32) else { return };
        let same = found.len() == container.segments.len()
            && found.iter().zip(&container.segments).all(|(entry, segment)| entry.range() == Some((segment.from, segment.to)));
        if same {
            for (entry, found) in self.entries.iter_mut().zip(found) {
                *entry = Entry { offset: entry.offset, length: entry.length, frames: entry.frames, ..found };
            }
            self.used += 4 + directory::ENTRY_BYTES * self.entries.len();
            self.actions.push(Action::DirectoryKept { offset: behind as u64 });
        }
    }
}
