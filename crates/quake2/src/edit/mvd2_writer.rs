//! Copies runs of frames of an MVD2. Everything changes in place there, so that after an opening, which tells all states, the
//! rest stays byte for byte.

use model::{Action, Damage, Edited, Fate, Loss, Place};
use replay::SizedParts;
use wire::Error;

use super::copy::{CopyOptions, Location};
use crate::container::mvd2::{MAGIC, write_record};
use crate::container::{End, Window};
use crate::dialect::Dialect;
use crate::encode::mvd::{difference, write};
use crate::encode::mvd_signon::MvdSignonState;
use crate::encode::strings::StringSlots;
use crate::limits::{self, Left};
use crate::message::{Body, ConfigString, Context, Destination, MvdBody, MvdMessage, MvdServerData, Parcel, Reader, Text};
use crate::state::{Effect, InPlace, State};
use crate::walk::{At, Visitor};

/// What is done to messages on their way.
pub(crate) trait MvdHook {
    /// Called for every message that is copied, after the state took it in. `more`: messages to write behind it.
    fn message(&mut self, at: Location, message: &mut MvdMessage, state: &State, more: &mut Vec<MvdMessage>) -> Fate;

    /// Called when something is broken.
    fn damaged(&mut self) {}

    /// Shown bytes that nobody reads: they stay as many as they are, or none stays.
    fn leftover(&mut self, _: Location, _: &mut Vec<u8>, _: &Dialect) {}
}

/// Where a copy stands to which another recording's frames are to be added.
pub(crate) struct MvdResume {
    file: Vec<u8>,
    cx: Context,
    server_data: Option<MvdServerData>,
    image: StringSlots,
    in_place: InPlace,
}

impl MvdResume {
    /// The file, closed as Q2PRO does.
    pub fn finish(mut self) -> Vec<u8> {
        self.file.extend_from_slice(&[0, 0]);
        self.file
    }
}

/// Longest record that Q2PRO reads.
const LONGEST: usize = 0x8000;

/// The visitor.
pub(crate) struct MvdPartWriter<'h> {
    options: CopyOptions,
    hook: Option<&'h mut dyn MvdHook>,
    run: usize,
    copying: bool,
    over: bool,
    file: Vec<u8>,
    record: Vec<u8>,
    /// Where the last message was.
    place: Place,
    /// Where messages of the record start.
    starts: Vec<usize>,
    cx: Context,
    level: MvdSignonState,
    /// Messages of this record before its frame.
    before: Vec<Vec<u8>>,
    has_frame: bool,
    ordinal: u64,
    record_was: usize,
    changed: u64,
    actions: Vec<Action>,
    oversized: u64,
    damaged: bool,
    /// Parcels of which something was left out because it cannot be read.
    parcels: u64,
    /// Messages with numbers that engines do not hold.
    unplayable: u64,
    resume: Option<MvdResume>,
    /// A file was longer than wanted: no further are made.
    failed: Option<Result<SizedParts, Error>>,
    pub done: Vec<Edited>,
}

impl<'h> MvdPartWriter<'h> {
    pub fn new(dialect: Dialect, options: CopyOptions, hook: Option<&'h mut dyn MvdHook>) -> Self {
        let copying = options.runs.first().is_some_and(|run| run.first <= 1);
        MvdPartWriter {
            options,
            hook,
            run: 0,
            copying,
            over: false,
            file: MAGIC.to_vec(),
            record: Vec::new(),
            place: Place { message: 0, time: model::Milliseconds(0) },
            starts: Vec::new(),
            cx: Context::new(dialect),
            level: MvdSignonState::default(),
            before: Vec::new(),
            has_frame: false,
            ordinal: 0,
            record_was: 0,
            changed: 0,
            actions: Vec::new(),
            oversized: 0,
            damaged: false,
            parcels: 0,
            unplayable: 0,
            resume: None,
            failed: None,
            done: Vec::new(),
        }
    }

    /// Adds to what `resume` holds.
    pub fn continuing(dialect: Dialect, options: CopyOptions, resume: MvdResume) -> Self {
        MvdPartWriter { copying: false, resume: Some(resume), ..Self::new(dialect, options, None) }
    }

    /// The copy as it stands, to be continued. `state`: the state at the end of the walk.
    pub fn suspend(self, state: &State) -> MvdResume {
        MvdResume { file: self.file, cx: self.cx, server_data: self.level.server_data, image: self.level.image, in_place: state.in_place.clone() }
    }

    /// What the part's opening says beyond what the copy ended with; the opening itself when it is another level's.
    fn continue_run(&mut self, resume: MvdResume, message: &MvdMessage, bytes: &[u8], state: &State) {
        (self.file, self.cx, self.copying) = (resume.file, resume.cx, true);
        let level = |data: &MvdServerData| (data.minor, data.flags, data.servercount, data.gamedir.clone());
        let MvdBody::ServerData(data) = &message.body else { return };
        if resume.server_data.as_ref().map(level) != Some(level(data)) {
            self.put(bytes);
            return;
        }
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
        for parcel in std::mem::take(&mut self.level.single).values() {
            let bytes = write(&MvdMessage { extra: 0, body: MvdBody::Parcel(parcel.clone()) }, &mut self.cx);
            self.put(&bytes);
        }
        for bytes in std::mem::take(&mut self.before) {
            self.put(&bytes);
        }
        self.actions.push(Action::LevelStartMade { server_time: state.clock.server_time().to_string() });
        self.copying = true;
    }

    fn put(&mut self, bytes: &[u8]) {
        self.starts.push(self.record.len());
        self.record.extend_from_slice(bytes);
    }

    /// Bytes that cannot be read, as they are to be written.
    fn leftover(&mut self, offset: u64, bytes: &[u8]) -> Vec<u8> {
        let mut left = bytes.to_vec();
        if let Some(hook) = self.hook.as_mut().filter(|_| !bytes.is_empty()) {
            hook.leftover(Location { place: self.place, offset }, &mut left, &self.cx.dialect);
        }
        self.changed += u64::from(left != bytes);
        left
    }

    fn end_record(&mut self) {
        if self.record.is_empty() {
            return;
        }
        let limit = if self.record_was > LONGEST { usize::from(u16::MAX) } else { LONGEST };
        let (mut start, ends) = (0, self.starts.iter().copied().skip(1).chain([self.record.len()]).collect::<Vec<_>>());
        for (at, &end) in ends.iter().enumerate() {
            if ends.get(at + 1).is_none_or(|next| next - start > limit) {
                self.oversized += u64::from(end - start > limit);
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
        let mut edited = Edited { bytes: std::mem::take(&mut self.file), extension: String::from("mvd2"), ..Edited::default() };
        edited.actions = std::mem::take(&mut self.actions);
        if self.changed > 0 {
            edited.actions.push(Action::MessagesChangedOrLeftOut { messages: self.changed });
        }
        if self.parcels > 0 {
            edited.actions.push(Action::ParcelsLeftOut { parcels: self.parcels });
        }
        if self.unplayable > 0 {
            edited.actions.push(Action::NumbersCleared { messages: self.unplayable });
        }
        if self.oversized > 0 {
            edited.lose(Loss::LongRecords { records: self.oversized });
        }
        if self.damaged {
            edited.lose(Loss::ChangesOfStates);
        }
        (self.changed, self.oversized, self.parcels, self.unplayable) = (0, 0, 0, 0);
        if let Some(sizing) = &mut self.options.sizing {
            self.failed = sizing.close(edited.bytes.len()).transpose();
        }
        self.done.push(edited);
    }

    /// The files, or why there are none.
    pub fn made(self) -> Result<SizedParts, Error> {
        self.failed.unwrap_or(Ok(SizedParts::Parts(self.done)))
    }

    fn next_run(&mut self) {
        self.copying = false;
        self.run += 1;
        self.over = self.run >= self.options.runs.len() || self.failed.is_some();
    }

    /// A frame comes: ends the run that it does not belong to, and says whether it begins the next.
    fn frame(&mut self, ordinal: u64) -> bool {
        self.ordinal = ordinal;
        let Some(run) = self.options.runs.get(self.run).copied() else { return false };
        let begun = self.copying && ordinal > run.first;
        self.options.divide(self.run, ordinal, begun, self.file.len(), self.record_was + 4);
        if self.copying && ordinal > self.options.runs[self.run].last {
            self.record.clear();
            self.starts.clear();
            self.finish_run(true);
            self.next_run();
        }
        !self.copying && self.options.runs.get(self.run).is_some_and(|run| ordinal >= run.first)
    }

    fn complete(&self) -> bool {
        let Some(run) = self.options.runs.get(self.run) else { return true };
        let next = self.options.runs.get(self.run + 1);
        let goes_on = run.last >= self.options.frames || next.is_some_and(|next| next.first == run.last + 1) || self.options.sizing.is_some();
        !goes_on && self.ordinal >= run.last
    }

    /// The end of the file.
    pub fn finish(&mut self, end: End, bytes: &[u8]) {
        if !self.copying {
            return;
        }
        if self.options.repair {
            self.finish_run(true);
            return;
        }
        let (mark, rest) = end.behind_blocks(bytes);
        self.file.extend_from_slice(mark);
        let rest = self.leftover((bytes.len() - rest.len()) as u64, rest);
        self.file.extend_from_slice(&rest);
        self.finish_run(false);
    }
}

/// Bytes of a parcel up to the first message that cannot be read.
fn readable(parcel: &Parcel, dialect: &Dialect) -> usize {
    match Reader::new(*dialect).block(&parcel.data, |_, _, _| true) {
        Ok(()) => parcel.data.len(),
        Err(failure) => failure.at,
    }
}

impl Visitor for MvdPartWriter<'_> {
    fn block(&mut self, _: u32, window: Window<'_>) {
        self.before.clear();
        self.has_frame = false;
        self.record_was = window.data.len();
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, bytes: &[u8], _: Effect, state: &State) {
        if self.over {
            return;
        }
        // messages that are copied byte for byte announce nothing to the writer
        self.cx.dialect = state.dialect;
        let mut mended = Vec::new();
        let left = if self.options.repair { limits::clear_mvd(message, &state.dialect) } else { Left::All };
        self.unplayable += u64::from(self.copying && left != Left::All);
        if left == Left::Nothing {
            return;
        }
        let bytes = match &mut message.body {
            _ if left == Left::Part => {
                mended.extend(write(message, &mut self.cx));
                &mended
            }
            MvdBody::Parcel(parcel) if self.options.repair => match readable(parcel, &state.dialect) {
                all if all == parcel.data.len() => bytes,
                part => {
                    self.parcels += u64::from(self.copying);
                    if part == 0 {
                        return;
                    }
                    parcel.data.truncate(part);
                    mended.extend(write(message, &mut self.cx));
                    &mended
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
            let starts = self.frame(state.clock.frames());
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
        if !self.copying {
            return;
        }
        let place = Place { message: at.block, time: state.clock.time() };
        self.place = place;
        let mut more = Vec::new();
        let fate = match &mut self.hook {
            Some(hook) => hook.message(Location { place, offset: at.offset }, message, state, &mut more),
            None => {
                self.put(bytes);
                return;
            }
        };
        if fate == Fate::Drop {
            self.changed += 1;
            return;
        }
        let again = write(message, &mut self.cx);
        self.changed += u64::from(again != bytes);
        self.put(&again);
        for message in more {
            let bytes = write(&message, &mut self.cx);
            self.put(&bytes);
        }
    }

    fn block_end(&mut self, _: u32, window: Window<'_>, rest: &[u8]) {
        if !self.copying {
            return;
        }
        if !rest.is_empty() {
            if self.options.repair {
                self.damaged = true;
            } else {
                let rest = self.leftover(window.data_offset + (window.data.len() - rest.len()) as u64, rest);
                if !rest.is_empty() {
                    self.put(&rest);
                }
            }
        }
        self.end_record();
        if self.complete() {
            self.finish_run(true);
            self.next_run();
        }
    }

    fn damage(&mut self, damage: Damage) {
        if let Some(hook) = self.hook.as_mut().filter(|_| damage.kind != model::DamageKind::NoEndMarker) {
            hook.damaged();
        }
        if self.copying && self.options.repair && damage.kind != model::DamageKind::NoEndMarker {
            self.actions.push(Action::UnreadableLeftOut { offset: damage.offset, why: damage.detail.clone() });
        }
    }

    fn done(&self) -> bool {
        self.over
    }
}

impl MvdPartWriter<'_> {
    /// Whether an opening repeats all that the message says.
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
