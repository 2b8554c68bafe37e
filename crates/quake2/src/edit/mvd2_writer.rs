//! Copies runs of frames of an MVD2. Every frame changes the state in place, so after a signon with all states, the rest stays byte for byte.

use std::collections::BTreeMap;

use fragreel_model::{Action, Damage, DamageKind, Fate, Place};

use super::part_writer::{CopyOptions, Hook, Location, PartWriter, Phase};
use crate::container::mvd2::{MAGIC, write_record};
use crate::container::{End, Window};
use crate::dialect::Dialect;
use crate::encode::mvd::{difference, write};
use crate::encode::mvd_signon::{ClientKey, MvdSignonState};
use crate::encode::strings::StringSlots;
use crate::limits::{self, Left};
use crate::message::{Body, ConfigString, Context, Destination, MvdBody, MvdMessage, MvdServerData, Parcel, Reader, Text};
use crate::state::{Effect, InPlace, State};
use crate::walk::{At, Visitor};

/// An unfinished copy to which the frames of another recording are added.
pub(crate) struct MvdResume {
    file: Vec<u8>,
    cx: Context,
    server_data: Option<MvdServerData>,
    image: StringSlots,
    single: BTreeMap<ClientKey, Parcel>,
    in_place: InPlace,
}

impl MvdResume {
    /// Closes the file like Q2PRO.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.file.extend_from_slice(&[0, 0]);
        self.file
    }
}

/// The maximum record size that Q2PRO reads.
const LONGEST: usize = 0x8000;

/// The copying visitor.
pub(crate) struct Mvd2Writer<'h> {
    pub parts: PartWriter<'h>,
    /// The whole recording, for bytes outside of records.
    source: &'h [u8],
    file: Vec<u8>,
    record: Vec<u8>,
    /// The start of each message in the record.
    starts: Vec<usize>,
    cx: Context,
    level: MvdSignonState,
    /// The messages of this record before its frame.
    before: Vec<Vec<u8>>,
    has_frame: bool,
    resume: Option<MvdResume>,
    /// What the clients have at the end of the copy, while the record with the signon of the next part repeats it.
    repeated: BTreeMap<ClientKey, Parcel>,
}

impl<'h> Mvd2Writer<'h> {
    pub(super) fn new(dialect: Dialect, source: &'h [u8], options: CopyOptions, hook: Option<&'h mut dyn Hook>) -> Self {
        Mvd2Writer {
            parts: PartWriter::new(options, hook),
            source,
            file: MAGIC.to_vec(),
            record: Vec::new(),
            starts: Vec::new(),
            cx: Context::new(dialect),
            level: MvdSignonState::default(),
            before: Vec::new(),
            has_frame: false,
            resume: None,
            repeated: BTreeMap::new(),
        }
    }

    /// Continues the copy in `resume`.
    pub(super) fn continuing(dialect: Dialect, source: &'h [u8], options: CopyOptions, resume: MvdResume) -> Self {
        let mut writer = Mvd2Writer { resume: Some(resume), ..Self::new(dialect, source, options, None) };
        writer.parts.phase = Phase::Waiting;
        writer
    }

    /// Suspends the copy. `state` is the state at the end of the walk.
    pub(super) fn suspend(self, state: &State) -> MvdResume {
        let MvdSignonState { server_data, image, single } = self.level;
        MvdResume { file: self.file, cx: self.cx, server_data, image, single, in_place: state.in_place.clone() }
    }

    /// Writes how the signon of the part differs from the end of the copy, or the signon itself if it is of another level.
    fn continue_run(&mut self, resume: MvdResume, message: &MvdMessage, bytes: &[u8], state: &State) {
        (self.file, self.cx, self.parts.phase) = (resume.file, resume.cx, Phase::Copying);
        let level = |data: &MvdServerData| (data.minor, data.flags, data.servercount, data.gamedir.clone());
        let MvdBody::ServerData(data) = &message.body else { return };
        if resume.server_data.as_ref().map(level) != Some(level(data)) {
            self.put(bytes);
            return;
        }
        self.repeated = resume.single;
        let old: Vec<(u16, &[u8])> = resume.image.recorded().collect();
        let new: Vec<(u16, &[u8])> = self.level.image.recorded().collect();
        let gone = old.iter().filter(|(index, _)| !new.iter().any(|(other, _)| other == index)).map(|(index, _)| (*index, &b""[..]));
        let changed = new.iter().filter(|string| !old.contains(string)).copied().chain(gone);
        let mut messages: Vec<MvdBody> = changed.map(|(index, text)| MvdBody::ConfigString(ConfigString { index, text: Text(text.to_vec()) })).collect();
        messages.push(MvdBody::Frame(Box::new(difference(&resume.in_place, state, data.frame.portals.clone()))));
        for body in messages {
            let bytes = write(&MvdMessage { extra: 0, body }, &mut self.cx);
            self.put(&bytes);
        }
    }

    fn start_run(&mut self, state: &State, portals: &[u8]) {
        self.file = MAGIC.to_vec();
        self.record.clear();
        self.starts.clear();
        self.cx = Context::new(state.dialect);
        let Some(mut opening) = self.level.signon_message(state) else { return };
        if let MvdBody::ServerData(data) = &mut opening.body {
            data.frame.portals = portals.to_vec();
        }
        let opening = write(&opening, &mut self.cx);
        self.put(&opening);
        for parcel in self.level.single.clone().into_values() {
            let bytes = write(&MvdMessage { extra: 0, body: MvdBody::Parcel(parcel) }, &mut self.cx);
            self.put(&bytes);
        }
        for bytes in std::mem::take(&mut self.before) {
            self.put(&bytes);
        }
        self.parts.report.opened = Some(Action::SignonMade { frames: 1 });
        self.parts.phase = Phase::Copying;
    }

    fn put(&mut self, bytes: &[u8]) {
        self.starts.push(self.record.len());
        self.record.extend_from_slice(bytes);
    }

    fn end_record(&mut self) {
        if self.record.is_empty() {
            return;
        }
        let limit = if self.parts.source_bytes > LONGEST { usize::from(u16::MAX) } else { LONGEST };
        let (mut start, ends) = (0, self.starts.iter().copied().skip(1).chain([self.record.len()]).collect::<Vec<_>>());
        for (at, &end) in ends.iter().enumerate() {
            if ends.get(at + 1).is_none_or(|next| next - start > limit) {
                self.parts.report.oversized += u64::from(end - start > limit);
                write_record(&mut self.file, &self.record[start..end.min(start + usize::from(u16::MAX))]);
                start = end;
            }
        }
        self.record.clear();
        self.starts.clear();
    }

    fn finish_run(&mut self, mark: bool) {
        if mark {
            self.file.extend_from_slice(&[0, 0]);
        }
        let report = std::mem::take(&mut self.parts.report);
        self.parts.add_file(report.into_edited_mvd(std::mem::take(&mut self.file)));
    }

    /// Ends the run that frame `ordinal` does not belong to. Returns whether the frame starts the next run.
    fn begin_frame(&mut self, ordinal: u64) -> bool {
        self.parts.ordinal = ordinal;
        let Some(run) = self.parts.options.runs.get(self.parts.run).copied() else { return false };
        let begun = self.parts.is_copying() && ordinal > run.first;
        let ends = self.parts.ends_before(ordinal, begun, self.file.len(), self.parts.source_bytes + 4);
        if ends && self.parts.is_copying() {
            self.record.clear();
            self.starts.clear();
            self.finish_run(true);
            self.parts.next_run();
        }
        self.parts.starts(ordinal)
    }

    /// Handles the end of the file.
    pub(super) fn finish(&mut self, end: End, bytes: &[u8]) {
        if !self.parts.is_copying() {
            return;
        }
        if self.parts.options.repair {
            self.finish_run(true);
            return;
        }
        let (mark, rest) = end.behind_blocks(bytes);
        self.file.extend_from_slice(mark);
        let rest = self.parts.leftover((bytes.len() - rest.len()) as u64, rest, &self.cx.dialect);
        self.file.extend_from_slice(&rest);
        self.finish_run(false);
    }
}

/// The length of the readable messages at the start of a parcel, in bytes.
fn readable(parcel: &Parcel, dialect: &Dialect) -> usize {
    match Reader::new(*dialect).block(&parcel.data, |_, _, _| true) {
        Ok(()) => parcel.data.len(),
        Err(failure) => failure.at,
    }
}

impl Visitor for Mvd2Writer<'_> {
    fn block(&mut self, _: u32, window: Window<'_>) {
        self.before.clear();
        self.has_frame = false;
        self.parts.source_bytes = window.data.len();
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, bytes: &[u8], _: Effect, state: &State) {
        if self.parts.is_over() {
            return;
        }
        // Messages that are copied byte for byte do not update the writer's context.
        self.cx.dialect = state.dialect;
        let mut encoded = Vec::new();
        let left = if self.parts.options.repair { limits::clear_mvd(message, &state.dialect) } else { Left::All };
        self.parts.report.unplayable += u64::from(self.parts.is_copying() && left != Left::All);
        if left == Left::Nothing {
            return;
        }
        let bytes = match &mut message.body {
            _ if left == Left::Part => {
                encoded.extend(write(message, &mut self.cx));
                &encoded
            }
            MvdBody::Parcel(parcel) if self.parts.options.repair => match readable(parcel, &state.dialect) {
                all if all == parcel.data.len() => bytes,
                part => {
                    self.parts.report.parcels += u64::from(self.parts.is_copying());
                    if part == 0 {
                        return;
                    }
                    parcel.data.truncate(part);
                    encoded.extend(write(message, &mut self.cx));
                    &encoded
                }
            },
            _ => bytes,
        };
        self.level.take_in(message, state);
        let portals = match &message.body {
            MvdBody::ServerData(data) => Some(&data.frame.portals),
            MvdBody::Frame(frame) => Some(&frame.portals),
            _ => None,
        };
        if let Some(portals) = portals {
            let starts = self.begin_frame(state.clock.frames());
            self.has_frame = true;
            if let Some(resume) = self.resume.take() {
                self.continue_run(resume, message, bytes, state);
                return;
            }
            if starts {
                self.start_run(state, portals);
                return;
            }
        }
        if !self.has_frame && !matches!(message.body, MvdBody::ConfigString(_) | MvdBody::ServerData(_)) && !self.is_told(message, state) {
            self.before.push(bytes.to_vec());
        }
        if !self.parts.is_copying() || self.repeats(message, state) {
            return;
        }
        let place = Place { message: at.block, time: state.clock.time() };
        self.parts.place = place;
        let mut more = Vec::new();
        let fate = match &mut self.parts.hook {
            Some(hook) => hook.mvd_message(Location { place, offset: at.offset }, message, state, &mut more),
            None => {
                self.put(bytes);
                return;
            }
        };
        if fate == Fate::Drop {
            self.parts.report.changed += 1;
            return;
        }
        let again = write(message, &mut self.cx);
        self.parts.report.changed += u64::from(again != bytes);
        self.put(&again);
        for message in more {
            let bytes = write(&message, &mut self.cx);
            self.put(&bytes);
        }
    }

    fn block_end(&mut self, _: u32, window: Window<'_>, rest: &[u8]) {
        self.repeated.clear();
        if !self.parts.is_copying() {
            return;
        }
        if !rest.is_empty() {
            if self.parts.options.repair {
                self.parts.report.damaged = true;
            } else {
                let rest = self.parts.leftover(window.data_offset + (window.data.len() - rest.len()) as u64, rest, &self.cx.dialect);
                if !rest.is_empty() {
                    self.put(&rest);
                }
            }
        }
        self.end_record();
        if self.parts.run_is_complete() {
            self.finish_run(true);
            self.parts.next_run();
        }
    }

    fn damage(&mut self, damage: Damage) {
        let (copying, repair) = (self.parts.is_copying(), self.parts.options.repair);
        self.parts.damage(&damage, damage.kind != DamageKind::MissingBase);
        match damage.skipped.filter(|_| copying && damage.kind == DamageKind::Framing) {
            Some(_) if repair => self.parts.report.damaged = true,
            Some(gap) => {
                let bytes = self.parts.leftover(gap.from, &self.source[gap.from as usize..gap.to as usize], &self.cx.dialect);
                self.file.extend_from_slice(&bytes);
            }
            None => {}
        }
    }

    fn done(&self) -> bool {
        self.parts.is_over()
    }
}

impl Mvd2Writer<'_> {
    /// Whether the message is of the signon of a part and repeats what a client has. A signon has each of them once, in order.
    fn repeats(&mut self, message: &MvdMessage, state: &State) -> bool {
        let MvdBody::Parcel(parcel) = &message.body else { return false };
        if self.repeated.is_empty() {
            return false;
        }
        let key = MvdSignonState::keys(parcel, state).first().map(|(key, _)| *key);
        let Some(key) = key else { return false };
        let later = self.repeated.split_off(&key);
        self.repeated = later;
        self.repeated.remove(&key).is_some_and(|had| had == *parcel)
    }

    /// Whether the signon repeats everything in the message.
    fn is_told(&self, message: &MvdMessage, state: &State) -> bool {
        let MvdBody::Parcel(Parcel { destination: Destination::Client(_), data, .. }) = &message.body else { return false };
        let mut all = true;
        let read = Reader::new(state.dialect).block(data, |message, _, _| {
            all &= matches!(message.body, Body::Layout(_) | Body::ConfigString(_));
            all
        });
        all && read.is_ok()
    }
}
