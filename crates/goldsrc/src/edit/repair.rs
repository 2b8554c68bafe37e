//! `repair`: a file that plays, made of what is whole in a damaged one (`docs/formats/goldsrc.md`, "Repair").

use model::{Action, Damage, DamageKind, Edited};
use wire::Error;

use crate::container::body;
use crate::container::{Entry, Header, Macro, MacroKind, MacroType, Source, Step, directory, looks_like_directory};
use crate::dialect::Dialect;
use crate::message::Message;
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::recording::Recording;
use crate::state::State;

use super::cut::START;

impl Recording<'_> {
    /// Rebuilds the directory from the macros, drops what is no macro and what stands there twice, closes segments that
    /// have no end, cuts data blocks before a message that cannot be read, and leaves out frames that are changes of
    /// frames that are lost: behind a damaged middle the game goes on with the next frame that can be rebuilt. Everything
    /// whole is copied as it is. A file without fault comes back unchanged, without actions.
    ///
    /// # Errors
    /// [`Fault::Malformed`](wire::Fault::Malformed) when there is not one macro in the file.
    pub fn repair(&self) -> Result<Edited, Error> {
        if self.container.macros().all(|step| matches!(step, Step::Damage(_))) {
            return Err(Error::malformed("there is not one macro in the file"));
        }
        let mut writer = RepairWriter::new(self);
        for step in self.container.macros() {
            match step {
                Step::Macro { number, segment, window } => writer.add(number, segment, window),
                Step::Damage(damage) => writer.skip(&damage),
            }
        }
        writer.finish()
    }
}

fn edited(bytes: Vec<u8>, actions: Vec<Action>) -> Edited {
    Edited { bytes, extension: String::from("dem"), actions, losses: Vec::new() }
}

struct RepairWriter<'r, 'a> {
    recording: &'r Recording<'a>,
    decoder: Option<Decoder>,
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
    state: State,
    /// Whether a server stated itself.
    server: bool,
    /// Frames without base since the last that could be rebuilt: how many, the first and the last macro.
    lost: Option<(usize, u32, u32)>,
    /// Bytes of the old file that are in the new one.
    used: usize,
}

impl<'r, 'a> RepairWriter<'r, 'a> {
    fn new(recording: &'r Recording<'a>) -> Self {
        let container = &recording.container;
        let header = container.dialect.header_bytes();
        let actions = container.damage.iter().map(|damage| Action::DirectoryRebuilt { why: damage.detail.clone() }).collect();
        RepairWriter {
            recording,
            decoder: recording.dialect().messages.map(|rules| Decoder::new(Context::new(rules))),
            out: container.bytes[..header].to_vec(),
            actions,
            entries: Vec::new(),
            open: None,
            frames: 0,
            last: None,
            before: None,
            written: None,
            state: State::default(),
            server: false,
            lost: None,
            used: header,
        }
    }

    fn add(&mut self, number: u32, segment: usize, window: Macro<'a>) {
        if self.open.is_none_or(|(open, _)| open != segment) {
            self.close();
            self.open = Some((segment, self.out.len()));
            if is_startless(self.recording, segment, &window) {
                self.out.extend_from_slice(&[START.0, 0, 0, 0, 0, 0, 0, 0, 0]);
                self.actions.push(Action::SegmentStartAdded { segment: segment as u64 });
            }
        }
        self.used += window.end() - window.offset;
        let repeated = self.before.replace(window).is_some_and(|before| is_repeated(&before, &window, self.recording.dialect()));
        if repeated {
            self.actions.push(Action::RepeatedMacroLeftOut { number });
            return;
        }
        let from = self.out.len();
        let bytes = self.recording.container.bytes;
        self.out.extend_from_slice(&bytes[window.offset..window.end()]);
        let mut window = window;
        if !window.time.is_finite() {
            // a game would wait for it for ever
            window.time = self.last.map_or(0.0, |(_, time, _)| time);
            self.out[from + 1..from + 5].copy_from_slice(&window.time.to_le_bytes());
            self.actions.push(Action::MacroTimeGiven { number });
        }
        self.frames += i32::from(matches!(window.kind, MacroKind::Data | MacroKind::Packet) && window.id.0 == 1);
        self.last = Some((window.kind, window.time, window.frame));
        self.check_messages(number, &window, from);
        self.clear_duplicate(number, &window, from);
    }

    /// What is cut may leave two macros alike that were not. The second keeps its place and loses its messages, which the first has: as it
    /// is, it would pass for the first once more.
    fn clear_duplicate(&mut self, number: u32, window: &Macro, from: usize) {
        let duplicate = self.written.replace(from).is_some_and(|before| self.out[before..from] == self.out[from..]);
        let messages = body::messages(window, self.recording.dialect()).filter(|_| duplicate && window.kind == MacroKind::Data);
        let Some(head) = messages.map(|(offset, _)| from + offset - window.offset).filter(|&head| head < self.out.len()) else { return };
        self.out.truncate(head);
        self.out[head - 4..head].copy_from_slice(&0u32.to_le_bytes());
        self.actions.push(Action::RepeatedRestLeftOut { number });
    }

    /// Cuts a data block before the first message that cannot be read: the game would stop there. Leaves out what is a
    /// change of a frame that is lost: the game would change whatever it finds in that frame's place.
    fn check_messages(&mut self, number: u32, window: &Macro, from: usize) {
        let dialect = self.recording.dialect();
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, dialect)) else { return };
        let (state, server) = (&mut self.state, &mut self.server);
        state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let (mut left_out, mut without_base, mut rebuilt) = (Vec::new(), false, false);
        // games store entities under the number of the client data before them: with it, they are lost as well
        let (mut without_client_data, mut without_time) = (false, false);
        let read = decoder.block(data, offset, |context, message, range| {
            if matches!(message, Message::Time(time) if !time.time.is_finite()) {
                without_time = true;
                left_out.push(range);
                return;
            }
            *server |= matches!(message, Message::ServerInfo(_));
            let entities = matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_));
            // one that is a change of a frame that is lost is lost, too, and so is one that does not come out as it says
            let lost = entities && without_client_data || state.apply(context, message).is_err();
            if lost && entities {
                state.forget_entities();
            }
            without_client_data |= lost && !entities;
            rebuilt |= !lost && entities;
            if lost {
                without_base = true;
                left_out.push(range);
            }
        });
        let good_bytes = decoder.good_bytes;
        if rebuilt {
            self.end_lost_run();
        }
        if without_base {
            let (frames, first, _) = self.lost.unwrap_or((0, number, number));
            self.lost = Some((frames + 1, first, number));
        }
        let good = if let Err(error) = read {
            self.actions.push(Action::MessagesCut { bytes: (data.len() - good_bytes) as u64, number, why: error.to_string() });
            good_bytes
        } else if left_out.is_empty() {
            return;
        } else {
            data.len()
        };
        let head = from + offset - window.offset;
        self.out.truncate(head);
        let mut at = 0;
        if without_time {
            self.actions.push(Action::ServerTimeLeftOut { number });
        }
        for range in left_out {
            self.out.extend_from_slice(&data[at..range.start]);
            at = range.end;
        }
        self.out.extend_from_slice(&data[at..good]);
        let length = (self.out.len() - head) as u32;
        self.out[head - 4..head].copy_from_slice(&length.to_le_bytes());
    }

    /// A frame can be rebuilt again, or nothing follows.
    fn end_lost_run(&mut self) {
        if let Some((blocks, first, last)) = self.lost.take() {
            self.actions.push(Action::EntitiesLeftOutBaseless { blocks: blocks as u64, first, last });
        }
    }

    fn skip(&mut self, damage: &Damage) {
        match (&damage.skipped, damage.kind) {
            (Some(extent), _) => {
                self.used += (extent.to - extent.from) as usize;
                self.actions.push(Action::BytesLeftOutAt { bytes: extent.to - extent.from, offset: extent.from, why: damage.detail.clone() });
            }
            // `close` says what it does about it
            (None, DamageKind::NoEndMarker) => {}
            (None, _) => self.actions.push(Action::DirectoryCorrected { why: damage.detail.clone() }),
        }
    }

    /// Ends the segment that is being written, and makes its entry.
    fn close(&mut self) {
        let Some((segment, from)) = self.open.take() else { return };
        let container = &self.recording.container;
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
        self.end_lost_run();
        let container = &self.recording.container;
        let empty = container.segments.len() - self.entries.len();
        if empty > 0 {
            self.actions.push(Action::EmptySegmentsLeftOut { segments: empty as u64 });
        }
        // without the server's statement no game takes what stands behind it
        let stripped = !self.actions.is_empty() && self.decoder.is_some() && !self.server;
        if stripped || !self.entries.iter().any(|entry| entry.kind == directory::LOADING) {
            self.actions.push(Action::LoadingNotFound);
        }
        let offset = i32::try_from(self.out.len()).map_err(|_| Error::limit("the directory would lie beyond 2 GiB"))?;
        if container.source == Source::Walked {
            self.adopt();
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
        let header = Header { directory_offset: offset, ..container.header.clone() }.bytes(&container.dialect);
        self.out[..header.len()].copy_from_slice(&header);
        Ok(edited(self.out, self.actions))
    }

    /// A directory that the header does not name but that stands behind the macros: its titles, flags, times and
    /// tracks are better than made-up ones, when its entries are the segments found.
    fn adopt(&mut self) {
        let container = &self.recording.container;
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

/// Whether a segment is played whose first macro is this one and not its start: a game counts its times from there.
pub(crate) fn is_startless(recording: &Recording, segment: usize, first: &Macro) -> bool {
    recording.container.segments[segment].is_playback() && first.kind != MacroKind::Start
}

/// Whether a data block with messages is there for the second time: the netchan's numbers in it never come twice.
pub(crate) fn is_repeated(before: &Macro, window: &Macro, dialect: &Dialect) -> bool {
    let same = before.kind == MacroKind::Data && (before.id, before.frame, before.body) == (window.id, window.frame, window.body);
    same && before.time.to_bits() == window.time.to_bits() && body::messages(window, dialect).is_some_and(|(_, data)| !data.is_empty())
}
