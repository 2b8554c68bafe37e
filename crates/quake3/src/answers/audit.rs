//! Looks for cuts and edits in a recording (`docs/audit.md`, "Quake III").

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{self, Chunks, Fed, Numbering, Rule, Share, Whole, feed_all};
use fragreel_model::{Audit, Extent, Family, FindingKind, Grade, Milliseconds};

use super::verify::{Listener, verify_and};
use crate::container::{self, Frame};
use crate::encode::MERGE_MARK;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Outcome, State};
use crate::strings::{clean, info};
use crate::walk::{Input, Playback, RunTime, Step};

/// A snapshot is encoded against one of the last 32 packets; twice as many, for packets that come late.
const NUMBERING: Numbering = Numbering { what: "packet", ring: 64 };

/// Configstring 0: what the server states about itself.
const SERVER_INFO: usize = 0;

/// Configstring 1: the server's settings that clients must share.
const SYSTEM_INFO: usize = 1;

/// Audits a recording in memory.
pub(crate) fn audit(input: &Input<'_>) -> Audit {
    let Ok(audit) = audit_chunks(input, &mut Whole(input.bytes));
    audit
}

/// Audits the recording in `chunks`. `input` says how to read it.
pub(crate) fn audit_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Audit, C::Error> {
    let core = replay::Auditor::new(Family::Quake3, &input.limits, NUMBERING);
    let (report, steps) = verify_and(input, Share::all(), chunks, AuditSteps::new(core))?;
    steps.auditor.finish().weigh(&report, |core| Ok(feed_all(AuditWalk::new(input, core), chunks)?.steps.auditor.finish()))
}

/// A walk that only audits.
struct AuditWalk<'a> {
    playback: Playback<'static>,
    steps: AuditSteps<'a>,
}

impl<'a> AuditWalk<'a> {
    fn new(input: &Input<'_>, core: replay::Auditor<'a>) -> Self {
        AuditWalk { playback: Playback::new(input, Depth::Whole).over(Chunk::none()), steps: AuditSteps::new(core) }
    }
}

impl Fed for AuditWalk<'_> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let AuditWalk { playback, mut steps } = self;
        let mut playback = playback.over(chunk);
        while let Some(step) = playback.step() {
            steps.take(chunk, &step);
        }
        AuditWalk { playback: playback.over(Chunk::none()), steps }
    }

    /// The previous message is still needed, because each message is compared with the one right before it.
    fn needed(&self) -> usize {
        let offset = self.playback.place().offset();
        let before = self.steps.current.as_ref().map(|(frame, _)| frame).or(self.steps.repeated.as_ref());
        before.filter(|before| before.end() == offset).map_or(offset, |before| before.offset) as usize
    }
}

/// What is audited of each step of a walk.
struct AuditSteps<'a> {
    auditor: Auditor<'a>,
    /// The last message, and whether it begins a level. `None` for one that repeats the message before it.
    current: Option<(Frame, bool)>,
    /// The last message, if it repeats the message before it.
    repeated: Option<Frame>,
}

impl<'a> AuditSteps<'a> {
    fn new(core: replay::Auditor<'a>) -> Self {
        let auditor = Auditor {
            core,
            segment: Segment::default(),
            skipped_bytes: false,
            opening: None,
            elapsed: 0,
            gamestates: HashSet::new(),
            settings: String::new(),
            run_time: None,
            seal_broken: false,
            seals_broken: 0,
        };
        AuditSteps { auditor, current: None, repeated: None }
    }
}

impl Listener for AuditSteps<'_> {
    fn take(&mut self, chunk: Chunk<'_>, step: &Step<'_>) {
        let AuditSteps { auditor, current, repeated } = self;
        match (step, &*current) {
            (Step::Message { frame, .. }, Some((before, _))) if container::is_repeated(chunk, before, frame) => {
                let evidence = format!("message {} repeats the previous one", frame.number);
                auditor.at(frame).found(Grade::Suspicious, FindingKind::SequenceFall, evidence);
                (*current, *repeated) = (None, Some(*frame));
            }
            (Step::Message { frame, message, .. }, _) => {
                if repeated.take().is_some_and(|before| container::is_repeated(chunk, &before, frame)) {
                    (*current, *repeated) = (None, Some(*frame));
                    return;
                }
                let begins = auditor.message(frame, message, container::data_in(chunk, frame));
                *current = Some((*frame, begins));
            }
            (Step::Level { state, .. }, Some((frame, _))) => auditor.level(frame, state),
            (Step::Command { state, command, .. }, Some((frame, begins))) => {
                auditor.command(frame, command.sequence);
                if *begins && command.text.starts_with(MERGE_MARK) {
                    auditor.at(frame).found(Grade::Normal, FindingKind::Merge, clean(&command.text["// ".len()..]));
                }
                if state.changed_string() == Some(SYSTEM_INFO) {
                    auditor.read_settings(frame, state);
                }
            }
            (Step::Snapshot { state, snapshot, outcome }, Some((frame, _))) => auditor.snapshot(frame, snapshot, state, *outcome),
            (Step::MessageEnd { error: Some(_), .. }, _) => auditor.hole(),
            (Step::Opaque { .. }, _) => {
                auditor.skipped_bytes = true;
                auditor.hole();
            }
            _ => {}
        }
    }
}

/// How far behind a late packet is. Stock clients drop such packets before they record.
const LATE_BY: i64 = 64;
/// How numbers follow each other in an undamaged recording.
const PACKETS: Rule = Rule::Rising(1000, LATE_BY);
const COMMANDS: Rule = Rule::Rising(1, 0);
const ACKNOWLEDGEMENTS: Rule = Rule::Rising(1000, 0);

/// What is known about the recording since the last gamestate.
#[derive(Default)]
struct Segment {
    /// The last reliable command, and the last client command that the server had seen.
    command: Option<i32>,
    /// Whether a command came since the gamestate, and whether damage may have cost some.
    commanded: bool,
    commands_lost: bool,
    acknowledged: Option<u32>,
    time: Option<(i64, i64)>,
}

struct Auditor<'a> {
    core: replay::Auditor<'a>,
    segment: Segment,
    /// Whether bytes were skipped that belong to no message: messages behind them may come in any order.
    skipped_bytes: bool,
    /// The number of the gamestate that the recording begins with.
    opening: Option<i64>,
    /// Milliseconds of the segments before this one.
    elapsed: i64,
    /// The hashes of all gamestates so far.
    gamestates: HashSet<u64>,
    settings: String,
    run_time: Option<RunTime>,
    /// Whether the last seal was broken, and how often one was behind one that held.
    seal_broken: bool,
    seals_broken: u32,
}

/// How often seals must break to speak for an edit.
const EDITED_SEALS: u32 = 3;

impl<'a> Auditor<'a> {
    /// Checks the packet's place among the others. Returns whether it begins a level.
    fn message(&mut self, frame: &Frame, message: &Message, data: &[u8]) -> bool {
        let gamestate = message.operations.iter().find_map(|operation| match operation {
            Operation::Gamestate(gamestate) => Some(gamestate),
            _ => None,
        });
        match gamestate {
            Some(gamestate) => self.begin(frame, gamestate, data),
            None => self.sequence(frame, message),
        }
        // A recorder writes the gamestate by itself, with the number of the client's last command, which the server may not have seen yet.
        if gamestate.is_none() {
            self.acknowledgement(frame, message.acknowledged);
        }
        gamestate.is_some()
    }

    /// Checks the strings of a new level.
    fn level(&mut self, frame: &Frame, state: &State) {
        self.read_protocol(frame, state);
        self.read_settings(frame, state);
        self.run_time = RunTime::sealed(state).or(self.run_time.take());
    }

    /// Starts a segment at a gamestate: the first one, a level change, a new connection, or another recording appended to this one.
    fn begin(&mut self, frame: &Frame, gamestate: &Gamestate, data: &[u8]) {
        let falls = self.core.last.is_some_and(|last| i64::from(frame.sequence) <= last);
        let mut hasher = DefaultHasher::new();
        data.hash(&mut hasher);
        let repeated = !self.gamestates.insert(hasher.finish());
        if let Some(last) = self.core.last {
            let evidence = format!("a gamestate in packet {} after packet {last}", frame.sequence);
            match (falls, repeated) {
                (true, true) => self.at(frame).found(Grade::Edited, FindingKind::SequenceFall, format!("{evidence}, identical to an earlier one")),
                (true, false) => self.at(frame).found(Grade::Suspicious, FindingKind::Part, evidence),
                _ => self.at(frame).found(Grade::Normal, FindingKind::Part, evidence),
            }
        }
        self.end_segment();
        if self.gamestates.len() == 1 && frame.number == 0 {
            self.opening = Some(i64::from(frame.sequence));
        }
        self.segment = Segment { command: Some(gamestate.command_sequence), ..Segment::default() };
        self.core.forget_numbers();
        if self.at(frame).believes("packet", PACKETS, i64::from(frame.sequence)) {
            self.core.number(i64::from(frame.sequence));
        }
    }

    /// Notes damage, whose consequences are no findings of their own.
    fn hole(&mut self) {
        self.core.hole = true;
        self.segment.commands_lost = true;
    }

    fn sequence(&mut self, frame: &Frame, message: &Message) {
        let sequence = i64::from(frame.sequence);
        if !self.at(frame).believes("packet", PACKETS, sequence) {
            return;
        }
        let Some(last) = self.core.last else {
            self.core.number(sequence);
            return;
        };
        // A recording begun during the game has its gamestate under the number of the packet that came before or comes next.
        let after_gamestate = self.core.there.len() == 1 && self.core.first == Some(last);
        // Some servers send voice in a packet of its own under the number of the snapshot before.
        let same = sequence == last && message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_)));
        if sequence < last || same && !after_gamestate {
            let grade = if self.skipped_bytes { Grade::Suspicious } else { Grade::Edited };
            self.at(frame).found(grade, FindingKind::SequenceFall, format!("packet {sequence} follows packet {last}: clients drop late packets"));
            self.core.forget_numbers();
            self.hole();
        } else if !after_gamestate {
            self.at(frame).gap(last, sequence);
        }
        self.core.number(sequence);
    }

    /// Checks the number of a reliable command, which the server repeats until it arrives.
    fn command(&mut self, frame: &Frame, sequence: i32) {
        if !self.at(frame).believes("reliable command", COMMANDS, i64::from(sequence)) {
            return;
        }
        let Some(before) = self.segment.command.filter(|_| !self.segment.commands_lost) else {
            (self.segment.command, self.segment.commands_lost) = (Some(sequence), false);
            return;
        };
        if sequence > before.saturating_add(1) {
            // A recording begun during the game may lack commands that came with its gamestate.
            let grade = if self.segment.commanded { Grade::Edited } else { Grade::Normal };
            let evidence = format!("reliable command {sequence} follows {before}: the game sends each until it arrives");
            self.at(frame).found(grade, FindingKind::CommandGap, evidence);
        }
        self.segment.commanded |= sequence > before;
        self.segment.command = Some(before.max(sequence));
    }

    fn acknowledgement(&mut self, frame: &Frame, acknowledged: u32) {
        if !self.at(frame).believes("acknowledgement", ACKNOWLEDGEMENTS, i64::from(acknowledged as i32)) {
            return;
        }
        let Some(before) = self.segment.acknowledged.replace(acknowledged) else { return };
        if (acknowledged as i32) < before as i32 && !self.core.hole {
            self.at(frame).found(Grade::Edited, FindingKind::Acknowledgement, format!("the server acknowledges client command {acknowledged} after {before}"));
        }
    }

    fn snapshot(&mut self, frame: &Frame, snapshot: &Snapshot, state: &State, outcome: Outcome) {
        let (sequence, time) = (i64::from(frame.sequence), i64::from(snapshot.server_time));
        if snapshot.delta != 0 {
            self.at(frame).base(sequence, sequence - i64::from(snapshot.delta));
        }
        if outcome == Outcome::Applied {
            // A full snapshot can be decoded after damage. Later deltas may still start from lost packets.
            if snapshot.delta == 0 {
                self.core.end_hole(Some(sequence));
            }
            let sure = state.snapshot().is_some_and(|snapshot| !snapshot.is_uncertain());
            let holds = self.run_time.as_mut().filter(|_| sure).and_then(|run_time| run_time.check(state));
            self.seal(frame, holds);
        }
        if self.segment.time.is_none() && self.elapsed == 0 && self.opening == Some(sequence - 1) && time > LATE {
            // Recorders give the gamestate that they write the number of the packet before the last, and the next is not in the recording yet.
            let evidence = format!("the gamestate has the number right before that of the first snapshot, {sequence}, {} into the game", Milliseconds(time));
            self.at(frame).found(Grade::Normal, FindingKind::Cut, evidence);
        } else if self.segment.time.is_none() && self.elapsed == 0 {
            self.core.audit.opening(Milliseconds(time), frame.number, frame.offset, self.core.limits);
        }
        let origin = self.segment.time.map_or(time, |(origin, _)| origin);
        if let Some((_, before)) = self.segment.time {
            let jump = time - before;
            if jump < 0 {
                self.at(frame).found(Grade::Normal, FindingKind::ClockFall, format!("server time {time} follows {before}"));
            } else if jump > LONG_JUMP {
                self.at(frame).found(Grade::Normal, FindingKind::ClockJump, format!("server time {time} follows {before}"));
            }
        }
        self.segment.time = Some((origin, time));
    }

    /// Follows the seals of run times. One damaged byte breaks those up to the next message that states its field, and one in the map's name breaks all.
    fn seal(&mut self, frame: &Frame, holds: Option<bool>) {
        let Some(broken) = holds.map(|holds| !holds) else { return };
        if broken && !std::mem::replace(&mut self.seal_broken, broken) {
            self.seals_broken += 1;
            let grade = if self.seals_broken >= EDITED_SEALS { Grade::Edited } else { Grade::Suspicious };
            self.at(frame).found(grade, FindingKind::Seal, "from here on, the run time that DeFRaG sealed does not match place, speed, health and time");
        }
        self.seal_broken = broken;
    }

    /// Compares the stated protocol with that of the recording.
    fn read_protocol(&mut self, frame: &Frame, state: &State) {
        let stated = clean(info(state.string(SERVER_INFO), "protocol"));
        let read = state.dialect().protocol.to_string();
        if !stated.is_empty() && stated != read {
            self.at(frame).found(Grade::Normal, FindingKind::Strings, format!("the server states protocol {stated}, and the recording follows {read}"));
        }
    }

    /// Reports cheats and unusual speed.
    fn read_settings(&mut self, frame: &Frame, state: &State) {
        let settings = state.string(SYSTEM_INFO);
        let value = |key: &str| clean(info(settings, key));
        let (cheats, scale) = (value("sv_cheats"), value("timescale"));
        let mut said = Vec::new();
        if cheats.parse().is_ok_and(|cheats: i32| cheats != 0) {
            said.push(format!("sv_cheats {cheats}"));
        }
        if scale.parse().is_ok_and(|scale: f64| scale != 1.0) {
            said.push(format!("timescale {scale}"));
        }
        let said = said.join(", ");
        if said != self.settings && !said.is_empty() {
            self.at(frame).found(Grade::Normal, FindingKind::Settings, said.clone());
        }
        self.settings = said;
    }

    /// The time since the recording's first snapshot.
    fn time(&self) -> Option<Milliseconds> {
        self.segment.time.map(|(origin, now)| Milliseconds(self.elapsed + (now - origin).max(0)))
    }

    fn end_segment(&mut self) {
        self.elapsed = self.time().map_or(self.elapsed, |time| time.0);
        self.core.end_part();
    }

    /// For what is found at a message.
    fn at(&mut self, frame: &Frame) -> &mut replay::Auditor<'a> {
        self.core.message = frame.number;
        self.core.extent = Extent { from: frame.offset, to: frame.end() };
        self.core.time = self.time();
        &mut self.core
    }

    fn finish(mut self) -> replay::Auditor<'a> {
        self.core.audit.seals.extend(self.run_time.as_ref().and_then(RunTime::seal));
        self.core
    }
}

/// A first snapshot that far into the game, in milliseconds, is no beginning.
const LATE: i64 = 3000;

/// A jump of the server's clock that is remarked, in milliseconds.
const LONG_JUMP: i64 = 1000;
