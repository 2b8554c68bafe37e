//! Copies runs of frames of a `.dm2` or `.rla`, byte for byte where it can: a run that starts later gets an opening and a
//! whole first frame, and a frame whose base is not in the copy is told anew. Cut, split, repair and rewrite are this.

use std::collections::VecDeque;

use model::{Damage, Edited, Fate, Place};

use super::encode::{self, Telling};
use super::opening::{Background, is_kept, open, write};
use super::retell::{Picture, Teller, bytes as bytes_of, start};
use super::sheet::{Sheet, Written};
use super::strings::opening as opening_strings;
use super::timeline::Run;
use crate::container::{End, Window};
use crate::dialect::{Dialect, FrameHeader};
use crate::message::{Body, ConfigString, Context, Contents, Frame, Message, Op, Packed, Text};
use crate::playback::{At, Visitor};
use crate::state::{Baselines, Effect, NOTHING, State};

/// What is done to messages on their way.
pub(crate) trait Hook {
    /// Called for every message that is copied, after the state took it in.
    fn message(&mut self, place: Place, message: &mut Message, state: &State) -> Fate;

    /// Called when something is copied that could not be read.
    fn unread(&mut self);
}

/// Frames that readers keep.
const BACKUP: usize = 16;

/// How to copy.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// The runs, in order; each becomes a file.
    pub runs: Vec<Run>,
    /// Frames in the recording.
    pub frames: u64,
    /// Start a further file where one would exceed so many bytes.
    pub most_bytes: Option<u64>,
    /// Leave out what cannot be read, empty blocks and what follows the end; take over-long blocks apart; close with the
    /// engine's end mark.
    pub mend: bool,
}

/// Where a copy stands to which another recording's frames are to be added.
pub(crate) struct Resume {
    sheet: Sheet,
    cx: Context,
    background: Background,
    baselines: Baselines,
    dialect: Dialect,
    had: VecDeque<i32>,
    /// The last frame.
    tail: Option<(i32, Picture)>,
    actions: Vec<String>,
}

/// The visitor.
pub(crate) struct Copier<'h> {
    manner: Manner,
    hook: Option<&'h mut dyn Hook>,
    /// The run being copied or waited for.
    run: usize,
    phase: Phase,
    sheet: Sheet,
    /// The context of what was written.
    cx: Context,
    background: Background,
    /// The dialect last written.
    dialect: Dialect,
    /// Numbers of the frames that a reader of the copy has, oldest first.
    had: VecDeque<i32>,
    /// Numbers of frames that were left out on purpose.
    lost: Vec<i32>,
    /// The whole recording, for what is not in any block.
    source: &'h [u8],
    /// Where a block starts that was copied although it is too long to be looked at.
    passed: Option<u64>,
    /// The frame being copied.
    frame: Option<Open>,
    /// Messages of the block before the first frame of a run.
    before: Vec<Vec<u8>>,
    /// The messages inside a compressed packet.
    group: Option<Group>,
    /// Whether this block was changed or begins a run.
    changed: bool,
    /// Bytes of this block as it was read, and whether it had a frame yet.
    block_was: usize,
    block_has_frame: bool,
    /// Frames begun in the recording.
    ordinal: u64,
    /// Frames that the walk told from another base than theirs.
    recovered: u64,
    notes: Notes,
    /// What is to be continued, until it is.
    resume: Option<Resume>,
    /// Frames left out because the copy had them.
    overlap: u64,
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
struct Open {
    header: Frame,
    /// Where it starts in the block.
    from: usize,
    fate: FrameFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameFate {
    Copy,
    Retell,
    /// As `Retell`, from nothing.
    Whole,
    Drop,
}

struct Group {
    original: Vec<u8>,
    inflated: Vec<u8>,
    remaining: usize,
    out: Vec<u8>,
}

/// What was done, counted.
#[derive(Debug, Clone, Default)]
struct Notes {
    opened: Option<String>,
    retold: u64,
    unknown: u64,
    long: u64,
    apart: u64,
    empty: u64,
    damage: Vec<String>,
    changed: u64,
}

impl<'h> Copier<'h> {
    pub fn new(dialect: Dialect, source: &'h [u8], manner: Manner, hook: Option<&'h mut dyn Hook>) -> Self {
        let from_start = manner.runs.first().is_some_and(|run| run.first <= 1);
        Copier {
            phase: if from_start { Phase::Copying } else { Phase::Waiting },
            manner,
            hook,
            run: 0,
            sheet: Sheet::default(),
            cx: Context::new(dialect),
            background: Background::default(),
            dialect,
            had: VecDeque::new(),
            lost: Vec::new(),
            source,
            passed: None,
            frame: None,
            before: Vec::new(),
            group: None,
            changed: false,
            block_was: 0,
            block_has_frame: false,
            ordinal: 0,
            recovered: 0,
            notes: Notes::default(),
            resume: None,
            overlap: 0,
            done: Vec::new(),
        }
    }

    /// Adds to what `resume` holds; `anew`: as another level, whatever it says of itself.
    pub fn continuing(dialect: Dialect, source: &'h [u8], manner: Manner, resume: Resume, anew: bool) -> Self {
        let copier = Self::new(dialect, source, manner, None);
        if anew {
            return Copier { sheet: resume.sheet, cx: resume.cx, ..copier };
        }
        Copier { phase: Phase::Waiting, resume: Some(resume), ..copier }
    }

    /// The copy as it stands, to be continued. `state`: the state at the end of the walk.
    pub fn suspend(mut self, state: &State) -> Result<Resume, wire::Error> {
        if self.phase != Phase::Copying {
            return Err(wire::Error::misuse("a part has no frame that comes after those of the parts before it: give the parts in order"));
        }
        let view = state.ring.current().filter(|view| self.had.back() == Some(&view.number()));
        let mut actions = std::mem::take(&mut self.notes).report(Vec::new(), self.dialect).actions;
        if self.overlap > 0 {
            actions.push(format!("left out {} frames that the part before has too", self.overlap));
        }
        Ok(Resume {
            tail: view.map(|view| (view.number(), Picture::of(view, &state.dialect))),
            sheet: self.sheet,
            cx: self.cx,
            background: self.background,
            baselines: state.baselines.clone(),
            dialect: self.dialect,
            had: self.had,
            actions,
        })
    }

    /// Whether the level that begins is the one that the copy ended in; otherwise the recording is added as it is.
    fn same_level(&mut self) {
        let Some(resume) = &self.resume else { return };
        let level = |background: &Background| {
            let data = background.server_data.as_ref();
            data.map(|data| (data.servercount & 0xffff, data.gamedir.clone(), data.levelname.clone(), data.clientnum))
        };
        if level(&resume.background) == level(&self.background) {
            return;
        }
        if let Some(resume) = self.resume.take() {
            (self.sheet, self.cx) = (resume.sheet, resume.cx);
            self.phase = Phase::Copying;
        }
    }

    /// Adds the first frame that the copy does not have, and what changed on the way to it.
    fn continue_run(&mut self, resume: Resume, header: &Frame, unicast: Option<u8>, state: &State) {
        let Some(view) = state.ring.current() else { return };
        let to = Picture::of(view, &state.dialect);
        (self.sheet, self.cx, self.dialect, self.had) = (resume.sheet, resume.cx, state.dialect, resume.had);
        let strings = |background: &Background| opening_strings(&state.dialect, &background.image, &state.strings);
        let (old, new) = (strings(&resume.background), strings(&self.background));
        let gone = old.iter().filter(|(index, _)| !new.iter().any(|(other, _)| other == index)).map(|(index, _)| (*index, Vec::new()));
        let changed: Vec<_> = new.iter().filter(|string| !old.contains(string)).cloned().chain(gone).collect();
        let mut messages: Vec<Message> =
            changed.into_iter().map(|(index, text)| Message::new(Body::ConfigString(ConfigString { index, text: Text(text) }))).collect();
        for (number, row) in state.baselines.iter().filter(|(number, row)| resume.baselines.get(*number) != *row) {
            let delta = encode::entity(&state.dialect, number, &NOTHING, row, Telling { force: true, new: true });
            messages.extend(delta.map(|delta| Message::new(Body::SpawnBaseline(Box::new(delta)))));
        }
        messages.extend(self.background.kept.messages().filter(|message| !resume.background.kept.messages().any(|old| old == *message)).cloned());
        for message in messages {
            let bytes = write(&message, &mut self.cx);
            self.sheet.message(&bytes);
        }
        for bytes in std::mem::take(&mut self.before) {
            self.sheet.message(&bytes);
        }
        let server = self.dialect.frame == FrameHeader::Server;
        let base = resume.tail.as_ref().map(|(number, picture)| (*number, picture));
        let base = base.filter(|(number, _)| !server && *number > 0 && *number as usize % BACKUP != header.number as usize % BACKUP);
        let teller = Self::teller(state);
        let messages = teller.frame(header, base, &to, teller.entities(base.map(|(_, picture)| picture), &to.entities));
        self.notes.opened = Some(match resume.tail.as_ref().map(|(number, _)| header.number - number) {
            Some(1) | None => String::from("a part goes on where the one before ends"),
            Some(gap) => format!("a part goes on {} frames after the end of the one before", gap - 1),
        });
        self.phase = Phase::Copying;
        self.finish_retelling(messages, header.number, unicast);
        self.notes.retold -= 1;
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
            self.notes.changed += 1;
        }
        self.put(&message.body, &again);
    }

    fn put(&mut self, body: &Body, bytes: &[u8]) {
        let of_frame = matches!(body, Body::PlayerInfo(_) | Body::PacketEntities(_)) && self.frame.is_some();
        match &mut self.group {
            Some(group) => group.out.extend_from_slice(bytes),
            None if of_frame => self.sheet.glued(bytes),
            None => self.sheet.message(bytes),
        }
    }

    fn written(&self) -> usize {
        self.group.as_ref().map_or_else(|| self.sheet.length(), |group| group.out.len())
    }

    fn take_back(&mut self, length: usize) {
        self.changed = true;
        match &mut self.group {
            Some(group) => group.out.truncate(length),
            None => self.sheet.truncate(length),
        }
    }

    /// A frame begins.
    fn begin_frame(&mut self, message: &mut Message, bytes: &[u8], effect: Effect, state: &State, fate: Fate) {
        let Body::Frame(header) = &message.body else { return };
        let header = (**header).clone();
        let ordinal = state.clock.frames();
        self.ordinal = ordinal;
        self.leave_run(ordinal);
        self.block_has_frame = true;
        let tail = self.resume.as_ref().and_then(|resume| resume.tail.as_ref());
        let known = tail.is_some_and(|(number, _)| header.number <= *number);
        self.overlap += u64::from(known);
        let starts = self.phase == Phase::Waiting && !known && self.manner.runs.get(self.run).is_some_and(|run| ordinal >= run.first);
        if starts {
            self.phase = Phase::Starting;
        }
        if self.phase == Phase::Waiting || self.phase == Phase::Over {
            return;
        }
        if self.had.back().is_some_and(|&last| header.number < last) {
            self.had.clear();
            self.lost.clear();
        }
        let missing = matches!(effect, Effect::MissingBase(_));
        self.notes.unknown += u64::from(missing);
        // Where nothing is mended, a frame that no reader can have been told from stays what it is.
        let there = if self.manner.mend { header.delta != header.number && self.had.contains(&header.delta) } else { !self.lost.contains(&header.delta) };
        let known = header.delta <= 0 || there;
        let fate = match fate {
            Fate::Drop => FrameFate::Drop,
            Fate::Keep if missing && (self.manner.mend || self.phase == Phase::Starting) => FrameFate::Drop,
            Fate::Keep if missing || known || self.dialect.frame == FrameHeader::Server => FrameFate::Copy,
            Fate::Keep if state.ring.recovered() > self.recovered => FrameFate::Whole,
            Fate::Keep => FrameFate::Retell,
        };
        self.recovered = state.ring.recovered();
        self.frame = Some(Open { header, from: self.written(), fate });
        if self.phase == Phase::Copying && fate == FrameFate::Copy {
            self.copy(message, bytes);
        }
        if self.dialect.frame == FrameHeader::Packed {
            self.end_frame(message.unicast, effect == Effect::Frame, state);
        }
    }

    /// The frame is complete, or will never be.
    fn end_frame(&mut self, unicast: Option<u8>, complete: bool, state: &State) {
        let Some(open) = self.frame.take() else { return };
        if self.phase == Phase::Starting {
            if complete && open.fate != FrameFate::Drop {
                self.start_run(&open.header, unicast, state);
            }
            return;
        }
        match open.fate {
            FrameFate::Drop => {
                self.changed = true;
                self.lost.push(open.header.number);
            }
            FrameFate::Copy if complete => self.remember(open.header.number),
            FrameFate::Retell | FrameFate::Whole if complete => self.retell(&open.header, unicast, open.fate == FrameFate::Whole, state),
            _ => {}
        }
    }

    fn remember(&mut self, number: i32) {
        self.had.retain(|&old| old as usize % BACKUP != number as usize % BACKUP);
        self.had.push_back(number);
        self.lost.retain(|&lost| lost != number);
    }

    fn teller<'s>(state: &'s State) -> Teller<'s> {
        let max_clients = std::str::from_utf8(state.strings.get(state.dialect.strings.maxclients)).ok().and_then(|text| text.parse().ok()).unwrap_or(1);
        Teller { dialect: &state.dialect, baselines: &state.baselines, max_clients }
    }

    /// Tells the frame from the last that the reader has, or, if wanted and short enough, from nothing.
    fn retell(&mut self, header: &Frame, unicast: Option<u8>, whole: bool, state: &State) {
        let Some(view) = state.ring.current() else { return };
        let to = Picture::of(view, &state.dialect);
        if whole {
            let begun = start(Self::teller(state), &Frame { number: 1, ..header.clone() }, &to, self.limit(), &self.cx);
            if begun.fits
                && let Some(mut messages) = begun.frames.into_iter().next()
            {
                if let Some(Body::Frame(first)) = messages.first_mut().map(|message| &mut message.body) {
                    first.number = header.number;
                }
                self.finish_retelling(messages, header.number, unicast);
                return;
            }
        }
        let base = self.had.iter().rev().filter(|&&number| number as usize % BACKUP != header.number as usize % BACKUP && number < header.number);
        let base = base.filter_map(|&number| Some((number, Picture::of(state.ring.find(number)?, &state.dialect)))).next();
        let teller = Self::teller(state);
        let base = base.as_ref().map(|(number, picture)| (*number, picture));
        let deltas = teller.entities(base.map(|(_, picture)| picture), &to.entities);
        let messages = teller.frame(header, base, &to, deltas);
        self.finish_retelling(messages, header.number, unicast);
    }

    fn finish_retelling(&mut self, mut messages: Vec<Message>, number: i32, unicast: Option<u8>) {
        if let Some(last) = messages.last_mut() {
            last.unicast = unicast;
        }
        self.put_frame(&messages);
        self.notes.retold += 1;
        self.remember(number);
    }

    fn put_frame(&mut self, messages: &[Message]) {
        self.changed = true;
        for (at, bytes) in bytes_of(messages, &mut self.cx).into_iter().enumerate() {
            match &mut self.group {
                Some(group) => group.out.extend_from_slice(&bytes),
                None if at > 0 => self.sheet.glued(&bytes),
                None => self.sheet.message(&bytes),
            }
        }
    }

    /// The opening and the first frame of a run.
    fn start_run(&mut self, header: &Frame, unicast: Option<u8>, state: &State) {
        if let Some(resume) = self.resume.take() {
            self.continue_run(resume, header, unicast, state);
            return;
        }
        let Some(view) = state.ring.current() else { return };
        self.dialect = state.dialect;
        self.cx = Context::new(state.dialect);
        self.sheet = Sheet::default();
        self.group = None;
        self.had.clear();
        let limit = self.limit();
        open(&mut self.sheet, &mut self.cx, &self.background, state);
        let to = Picture::of(view, &state.dialect);
        let begun = start(Self::teller(state), header, &to, limit, &self.cx);
        let count = begun.frames.len();
        let mut frames = begun.frames;
        if let Some(last) = frames.last_mut().and_then(|frame| frame.last_mut()) {
            last.unicast = unicast;
        }
        for (at, frame) in frames.iter().enumerate() {
            if at + 1 == count {
                for bytes in std::mem::take(&mut self.before) {
                    self.sheet.message(&bytes);
                }
            }
            self.put_frame(frame);
            if at + 1 < count {
                self.sheet.end_block(limit);
            }
        }
        let mut opened = format!(
            "the recording opens at server time {} with its strings and baselines as of then, and a whole first frame",
            state.clock.server_time()
        );
        if count > 1 {
            opened += &format!(", which is told in {count} steps of a frame each, because it would be longer than engines play");
        }
        if !begun.fits {
            self.notes.long += 1;
        }
        self.notes.opened = Some(opened);
        self.remember(header.number);
        self.phase = Phase::Copying;
    }

    /// Ends the run if the frame about to come does not belong to it.
    fn leave_run(&mut self, ordinal: u64) {
        if !matches!(self.phase, Phase::Copying | Phase::Starting) {
            return;
        }
        let Some(run) = self.manner.runs.get(self.run).copied() else { return };
        let full = self.phase == Phase::Copying
            && !self.had.is_empty()
            && self.manner.most_bytes.is_some_and(|most| (self.sheet.file_length() + self.block_was + 4 + 4 + 4) as u64 > most);
        if full {
            self.manner.runs[self.run].last = ordinal - 1;
            self.manner.runs.insert(self.run + 1, Run { first: ordinal, last: run.last });
        }
        if full || ordinal > run.last {
            if self.phase == Phase::Copying {
                self.sheet.forget_block();
                self.finish_run();
            }
            self.next_run();
        }
    }

    fn next_run(&mut self) {
        self.run += 1;
        self.phase = if self.run < self.manner.runs.len() { Phase::Waiting } else { Phase::Over };
    }

    fn finish_run(&mut self) {
        let bytes = self.sheet.finish(self.dialect.ends_with_mark());
        let notes = std::mem::take(&mut self.notes);
        let edited = notes.report(bytes, self.dialect);
        self.done.push(edited);
    }

    /// The end of the file.
    pub fn finish(&mut self, end: End) {
        if self.phase == Phase::Copying {
            if self.manner.mend {
                self.finish_run();
                return;
            }
            if let End::Mark { at, .. } | End::InLength(at) | End::InBlock { at, .. } = end {
                self.sheet.tail(&self.source[at as usize..]);
            }
            let bytes = self.sheet.finish(false);
            let notes = std::mem::take(&mut self.notes);
            self.done.push(notes.report(bytes, self.dialect));
        }
    }

    /// Whether the run ends here, and nothing more of the file is wanted.
    fn run_is_complete(&self) -> bool {
        let Some(run) = self.manner.runs.get(self.run) else { return true };
        let next = self.manner.runs.get(self.run + 1);
        let goes_on = run.last >= self.manner.frames || next.is_some_and(|next| next.first == run.last + 1) || self.manner.most_bytes.is_some();
        !goes_on && self.ordinal >= run.last
    }

    fn end_block(&mut self, window: Window<'_>, limit: usize) {
        if window.data.is_empty() {
            if self.manner.mend { self.notes.empty += 1 } else { self.sheet.empty_block() }
            return;
        }
        let apart = self.manner.mend || self.changed && window.data.len() <= limit;
        match self.sheet.end_block(if apart { limit } else { usize::MAX }) {
            Written::Several(_) => self.notes.apart += 1,
            Written::TooLong => self.notes.long += 1,
            Written::Nothing | Written::One => {}
        }
    }
}

/// Messages that belong to an opening, or that playback must not see twice.
pub(crate) fn is_of_opening(message: &Message) -> bool {
    match &message.body {
        Body::StuffText(text) => is_handshake(&text.0),
        body => matches!(
            body.op(),
            Op::ServerData
                | Op::ConfigString
                | Op::SpawnBaseline
                | Op::GameState
                | Op::ConfigStringStream
                | Op::BaselineStream
                | Op::ConfigBlast
                | Op::BaselineBlast
                | Op::LevelRestart
                | Op::Frame
                | Op::PlayerInfo
                | Op::PacketEntities
                | Op::Reconnect
                | Op::Disconnect
                | Op::Download
                | Op::ZDownload
        ),
    }
}

/// Commands of the handshake between server and client, which playback must not run.
pub(crate) fn is_handshake(text: &[u8]) -> bool {
    const COMMANDS: [&[u8]; 6] = [b"cmd configstrings", b"cmd baselines", b"reconnect", b"changing", b"record ", b"precache"];
    COMMANDS.iter().any(|command| text.starts_with(command))
}

impl Visitor for Copier<'_> {
    fn block(&mut self, _: u32, window: Window<'_>) {
        // What stands before the first frame of a part belongs to that frame, in whatever block it is.
        if self.resume.is_none() || self.block_has_frame {
            self.before.clear();
        }
        self.frame = None;
        self.group = None;
        self.changed = false;
        self.block_was = window.data.len();
        self.block_has_frame = false;
    }

    fn message(&mut self, at: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        if self.phase == Phase::Over {
            return;
        }
        self.background.take_in(message, state);
        if let Body::ServerData(_) = &message.body {
            self.same_level();
            self.had.clear();
            self.lost.clear();
            if self.phase == Phase::Copying {
                self.dialect = state.dialect;
            }
        }
        if self.is_packet(message, bytes) {
            return;
        }
        let place = Place { message: at.block, time: state.clock.time() };
        let copying = self.phase == Phase::Copying;
        let fate = match &mut self.hook {
            Some(hook) if copying => hook.message(place, message, state),
            _ => Fate::Keep,
        };
        let open = self.frame.as_ref().map(|open| open.fate);
        match &message.body {
            Body::Frame(_) => self.begin_frame(message, bytes, effect, state, fate),
            Body::PlayerInfo(_) | Body::PacketEntities(_) if open.is_some() => {
                if copying && open == Some(FrameFate::Copy) {
                    self.copy(message, bytes);
                }
                if matches!(message.body, Body::PacketEntities(_)) {
                    self.end_frame(message.unicast, effect == Effect::Frame, state);
                }
            }
            Body::PlayerInfo(_) | Body::PacketEntities(_) if self.manner.mend => self.changed = true,
            _ if fate == Fate::Drop => {
                self.changed = true;
                self.notes.changed += 1;
            }
            _ => {
                if !self.block_has_frame && !is_of_opening(message) && !is_kept(message) {
                    self.before.push(write(message, &mut Context::new(state.dialect)));
                }
                if copying {
                    self.copy(message, bytes);
                }
            }
        }
        self.end_packet_message(bytes);
    }

    fn block_end(&mut self, _: u32, window: Window<'_>, rest: &[u8]) {
        if self.phase != Phase::Copying || self.passed.take() == Some(window.offset) {
            return;
        }
        if let Some(group) = self.group.take() {
            self.sheet.message(&group.original);
        }
        if self.manner.mend
            && let Some(open) = self.frame.take()
        {
            self.notes.unknown += u64::from(open.fate == FrameFate::Copy);
            self.take_back(open.from);
        }
        if !rest.is_empty() && !self.manner.mend {
            self.sheet.message(rest);
            if let Some(hook) = &mut self.hook {
                hook.unread();
            }
        }
        self.end_block(window, self.limit());
        if self.run_is_complete() {
            self.finish_run();
            self.next_run();
        }
    }

    fn damage(&mut self, damage: Damage) {
        if self.phase == Phase::Copying && self.manner.mend && !matches!(damage.kind, model::DamageKind::MissingBase | model::DamageKind::NoEndMarker) {
            self.notes.damage.push(format!("left out what cannot be read at offset {}: {}", damage.offset, damage.detail));
        }
        if let Some(passed) = damage.skipped.filter(|_| self.phase == Phase::Copying && !self.manner.mend && damage.kind == model::DamageKind::Framing) {
            self.sheet.tail(&self.source[passed.from as usize..passed.to as usize]);
            self.passed = Some(passed.from);
            if let Some(hook) = &mut self.hook {
                hook.unread();
            }
        }
    }

    fn done(&self) -> bool {
        self.phase == Phase::Over
    }
}

impl Copier<'_> {
    /// Whether this is a compressed packet whose messages come one by one.
    fn is_packet(&mut self, message: &Message, bytes: &[u8]) -> bool {
        let Body::ZPacket(packed) = &message.body else { return false };
        let Contents::Messages(messages) = &packed.contents else { return false };
        if messages.is_empty() || bytes.is_empty() {
            return false;
        }
        self.group = Some(Group { original: bytes.to_vec(), inflated: packed.inflated.clone(), remaining: messages.len(), out: Vec::new() });
        true
    }

    /// A message from inside a compressed packet was dealt with.
    fn end_packet_message(&mut self, bytes: &[u8]) {
        let Some(group) = self.group.as_mut().filter(|_| bytes.is_empty()) else { return };
        group.remaining -= 1;
        if group.remaining > 0 {
            return;
        }
        let Some(group) = self.group.take() else { return };
        if self.phase != Phase::Copying {
            return;
        }
        if group.out == group.inflated {
            self.sheet.message(&group.original);
        } else if !group.out.is_empty() {
            self.changed = true;
            match Packed::of(group.out.clone(), false) {
                Some(packed) => self.sheet.message(&write(&Message::new(Body::ZPacket(Box::new(packed))), &mut self.cx)),
                None => self.sheet.message(&group.out),
            }
        }
    }
}

impl Resume {
    /// The file, closed as engines do.
    pub fn finish(mut self) -> Vec<u8> {
        self.sheet.finish(self.dialect.ends_with_mark())
    }

    /// What was done to the last part.
    pub fn actions(&mut self) -> Vec<String> {
        std::mem::take(&mut self.actions)
    }
}

impl Notes {
    fn report(self, bytes: Vec<u8>, dialect: Dialect) -> Edited {
        let mut edited = Edited { bytes, extension: extension(&dialect).to_owned(), ..Edited::default() };
        edited.actions.extend(self.opened);
        edited.actions.extend(self.damage);
        let mut count = |number: u64, what: &str| {
            if number > 0 {
                edited.actions.push(format!("{number} {what}"));
            }
        };
        count(self.retold, "frames are told from another frame, because theirs is not there");
        count(self.unknown, "frames left out, because the frames that they are told from are missing");
        count(self.empty, "blocks without data left out");
        count(self.apart, "blocks taken apart, because they were longer than engines play");
        count(self.changed, "messages changed or left out");
        if self.long > 0 {
            edited.lose(format!("{} blocks are longer than every engine of this protocol plays ({} bytes), and cannot be taken apart", self.long, dialect.safe_block()));
        }
        if self.unknown > 0 {
            edited.lose("frames whose bases are missing");
        }
        edited
    }
}

/// The extension that recordings of this dialect have.
pub(crate) fn extension(dialect: &Dialect) -> &'static str {
    if dialect.unicasts() { "rla" } else { "dm2" }
}

