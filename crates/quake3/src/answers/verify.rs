//! Verification: decodes every message, encodes it again, and compares the bytes.

use fragreel_base::wire::{Chunk, Limits};
use fragreel_model::replay::{Chunks, Fed, Findings, Share, Whole, causes, feed_all};
use fragreel_model::{Damage, DamageKind, Family, RoundTrip, Verification};

use super::engine_rules::EngineRules;
use crate::container::{self, END_MARK, Frame};
use crate::dialect::Dialect;
use crate::encode::canonical;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Outcome, State};
use crate::walk::{
    CommandNumbers, Input, Playback, ServerTimes, Step, begins_level, broken_message, container_damage, early_end, falling_time, missing_end_marker,
    numbered_operations, opaque_bytes, second_recording, snapshot_finding,
};

/// Verifies a recording in memory. Encodes only the messages of `share` again.
pub(crate) fn verify(input: &Input<'_>, share: Share) -> Verification {
    let Ok(report) = verify_chunks(input, share, &mut Whole(input.bytes));
    report
}

/// Verifies the recording that `chunks` give. `input` says how it is read.
pub(crate) fn verify_chunks<C: Chunks>(input: &Input<'_>, share: Share, chunks: &mut C) -> Result<Verification, C::Error> {
    Ok(verify_and(input, share, chunks, ())?.0)
}

/// Verifies the recording that `chunks` give, and shows `listener` each step of the walk.
pub(super) fn verify_and<C: Chunks, L: Listener>(input: &Input<'_>, share: Share, chunks: &mut C, listener: L) -> Result<(Verification, L), C::Error> {
    feed_all(VerifyWalk::new(input, share, listener), chunks)?.finish(chunks)
}

/// What learns from the same walk.
pub(super) trait Listener {
    fn take(&mut self, chunk: Chunk<'_>, step: &Step<'_>);
}

impl Listener for () {
    #[inline]
    fn take(&mut self, _: Chunk<'_>, _: &Step<'_>) {}
}

/// The walk that verifies.
struct VerifyWalk<L> {
    playback: Playback<'static>,
    progress: Progress,
    listener: L,
}

/// How far the walk came.
struct Progress {
    check: Check,
    /// Whether the recording ended, and where its end marker is.
    ended: bool,
    end: Option<u64>,
    /// Bytes that were walked over.
    length: usize,
}

impl<L: Listener> VerifyWalk<L> {
    fn new(input: &Input<'_>, share: Share, listener: L) -> Self {
        let mut report = Verification::new(Family::Quake3, input.dialect.protocol.to_string(), 0);
        report.round_trip = RoundTrip::Identical;
        let check = Check {
            dialect: input.dialect,
            limits: input.limits,
            report,
            share,
            encodes: true,
            stopped: false,
            written: Vec::new(),
            again: Vec::new(),
            same: false,
            sequence: None,
            before: None,
            findings: Findings::default(),
            times: ServerTimes::default(),
            commands: CommandCheck::default(),
            rules: EngineRules::default(),
            expected: None,
        };
        let playback = Playback::new(input, Depth::Whole).over(Chunk::none());
        VerifyWalk { playback, progress: Progress { check, ended: false, end: None, length: 0 }, listener }
    }

    fn finish<C: Chunks>(self, chunks: &mut C) -> Result<(Verification, L), C::Error> {
        let Progress { mut check, ended, length, .. } = self.progress;
        let finding = check.findings.close();
        check.add(finding);
        check.report.bytes = length as u64;
        check.report.notes.extend(check.commands.note());
        check.report.notes.extend(std::mem::take(&mut check.rules).notes());
        if !ended {
            check.add(Some(missing_end_marker(length)));
        }
        let is_damage = |damage: &Damage| !matches!(damage.kind, DamageKind::NoEndMarker | DamageKind::Unsupported);
        if check.report.damage.iter().any(is_damage) {
            check.report.damage.extend(causes::text_mode_in(chunks)?);
        }
        Ok((check.report, self.listener))
    }
}

impl Progress {
    fn play(&mut self, playback: &mut Playback<'_>, listener: &mut impl Listener) {
        let chunk = playback.chunk();
        let Progress { check, ended, end, length } = self;
        *length = chunk.end();
        while let Some(step) = playback.step() {
            listener.take(chunk, &step);
            match step {
                Step::Message { frame, message, .. } => {
                    if check.share.stops_at(frame.offset) {
                        check.stopped = true;
                        break;
                    }
                    if let Some(offset) = end.take() {
                        *ended = false;
                        if begins_level(message) {
                            check.report.notes.push(second_recording(frame.offset));
                            (check.commands.numbers, check.sequence) = (CommandNumbers::default(), None);
                        } else {
                            let finding = check.findings.cause(early_end(offset));
                            check.add(finding);
                        }
                    }
                    check.begin_message(&frame, playback);
                }
                Step::Level { state, gamestate } => check.level(state, gamestate),
                Step::Command { .. } | Step::Operation => check.pass(),
                Step::Snapshot { state, snapshot, outcome } => check.snapshot(state, snapshot, outcome),
                Step::MessageEnd { frame, message, error, .. } => check.end_message(&frame, message, error.is_none(), container::data_in(chunk, &frame)),
                Step::End(range) => {
                    (*ended, *end) = (true, Some(range.start));
                    check.compare(chunk, range.start, &END_MARK);
                }
                Step::Opaque { range, fault } if fault.kind == DamageKind::TrailingData => {
                    *ended = true;
                    check.report.notes.push(opaque_bytes(&range, fault));
                }
                Step::Opaque { range, fault } => {
                    *ended |= fault.kind == DamageKind::Truncated;
                    let finding = check.findings.cause(opaque_bytes(&range, fault));
                    check.commands.broken = true;
                    check.add(finding);
                }
                Step::Prologue => {}
            }
        }
    }
}

impl<L: Listener> Fed for VerifyWalk<L> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let VerifyWalk { playback, mut progress, mut listener } = self;
        let mut playback = playback.over(chunk);
        progress.play(&mut playback, &mut listener);
        VerifyWalk { playback: playback.over(Chunk::none()), progress, listener }
    }

    /// A message is compared with the one right before it.
    fn needed(&self) -> usize {
        let offset = self.playback.place().offset();
        self.progress.check.before.filter(|before| before.end() == offset).map_or(offset, |before| before.offset) as usize
    }

    fn is_over(&self) -> bool {
        self.progress.check.stopped
    }
}

struct Check {
    dialect: &'static Dialect,
    limits: Limits,
    report: Verification,
    /// The messages that the walk encodes again, and whether the current message is one of them.
    share: Share,
    encodes: bool,
    /// True if the walk stopped at the end of its share.
    stopped: bool,
    written: Vec<u8>,
    again: Vec<u8>,
    /// Whether the current message was encoded to the same bytes.
    same: bool,
    sequence: Option<i32>,
    before: Option<Frame>,
    findings: Findings,
    times: ServerTimes,
    commands: CommandCheck,
    rules: EngineRules,
    /// The current message.
    expected: Option<Expected>,
}

/// The current message, as the stock server would have written it.
struct Expected {
    frame: Frame,
    /// Operations that were applied.
    applied: usize,
    /// Those that the stock server would have written otherwise, with their index. `None` if a snapshot cannot be decoded, or the message is not encoded.
    others: Option<Vec<(usize, Operation)>>,
}

/// Checks the numbers of commands.
#[derive(Default)]
struct CommandCheck {
    numbers: CommandNumbers,
    /// Whether there was a whole gamestate.
    begun: bool,
    /// Whether something was lost that may have held commands.
    broken: bool,
    /// The first that is missing without that, where it is, and how many are.
    missing: Option<(i32, Damage, u64)>,
}

impl CommandCheck {
    fn take(&mut self, frame: &Frame, message: &Message, whole: bool) {
        let mut numbered = numbered_operations(message);
        self.broken |= !whole;
        self.begun |= whole && message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
        if !whole || !self.begun || numbered.is_empty() {
            return;
        }
        let missing = self.numbers.pass(&mut numbered);
        // damage is a finding of its own
        let broken = std::mem::take(&mut self.broken);
        if let Some((_, number)) = missing.first().filter(|_| !broken) {
            let place = || Damage { path: format!("message {}", frame.number), ..container_damage(DamageKind::Compatibility, frame.offset, "") };
            self.missing.get_or_insert_with(|| (*number, place(), 0)).2 += missing.len() as u64;
        }
    }

    fn note(&mut self) -> Option<Damage> {
        let (number, place, count) = self.missing.take()?;
        let more = if count > 1 { format!(", the first of {count} that are") } else { String::from(" is") };
        let detail = format!("server command {number}{more} missing: engines execute the one 64 numbers before it; `repair` inserts an empty one");
        Some(Damage { detail, ..place })
    }
}

impl Check {
    fn add(&mut self, finding: Option<Damage>) {
        if let Some(damage) = finding {
            self.report.add(damage, &self.limits);
        }
    }

    /// Encodes a message again before it is applied.
    fn begin_message(&mut self, frame: &Frame, playback: &mut Playback<'_>) {
        self.report.messages += 1;
        let (chunk, data) = (playback.chunk(), playback.data(frame));
        self.same = false;
        self.encodes = self.share.encodes(frame.offset);
        match &playback.error {
            None => {
                self.note_rest(frame, &playback.message);
                if self.encodes {
                    self.same = self.write_again(chunk, frame, data, &mut playback.message);
                }
            }
            Some(error) => {
                self.report.count_opaque("damaged ones");
                let finding = self.findings.cause(broken_message(error, frame));
                self.add(finding);
            }
        }
        let message = &playback.message;
        self.note_sequence(frame, message);
        if self.before.replace(*frame).is_some_and(|before| container::is_repeated(chunk, &before, frame)) {
            let detail = "the message repeats the previous one";
            self.report.notes.push(Damage { path: format!("message {}", frame.number), ..container_damage(DamageKind::Compatibility, frame.offset, detail) });
        }
        self.commands.take(frame, message, playback.error.is_none());
        self.expected = Some(Expected { frame: *frame, applied: 0, others: self.encodes.then(Vec::new) });
    }

    /// Passes an operation that all servers write the same way.
    fn pass(&mut self) {
        if let Some(expected) = &mut self.expected {
            expected.applied += 1;
        }
    }

    fn level(&mut self, state: &State, gamestate: &Gamestate) {
        self.times.start_level();
        if let Some(Expected { applied, others: Some(others), .. }) = &mut self.expected {
            let canonical = canonical::gamestate(state, gamestate);
            if canonical != *gamestate {
                others.push((*applied, Operation::Gamestate(canonical)));
            }
        }
        self.pass();
    }

    fn snapshot(&mut self, state: &State, snapshot: &Snapshot, outcome: Outcome) {
        let Some(Expected { frame, applied, others }) = &mut self.expected else { return };
        self.report.snapshots += 1;
        let certain = outcome == Outcome::Applied && state.snapshot().is_some_and(|snapshot| !snapshot.is_uncertain());
        if let Some(list) = others {
            match certain.then(|| canonical::agrees(state, snapshot)).flatten() {
                Some(true) => {}
                Some(false) => list.extend(canonical::snapshot(state, snapshot).map(|snapshot| (*applied, Operation::Snapshot(Box::new(snapshot))))),
                None => *others = None,
            }
        }
        *applied += 1;
        let finding = match self.times.falls_below(snapshot).filter(|_| outcome.is_shown()) {
            Some(before) => self.findings.consequence(falling_time(frame, snapshot, before)),
            None => {
                if outcome.is_shown() {
                    self.times.advance(snapshot);
                }
                snapshot_finding(&mut self.findings, state, outcome, frame)
            }
        };
        self.add(finding);
    }

    /// Compares the canonical message.
    fn end_message(&mut self, frame: &Frame, message: &Message, sound: bool, data: &[u8]) {
        let Some(Expected { others, .. }) = self.expected.take() else { return };
        if sound {
            self.rules.take(frame, message, self.dialect);
        }
        if sound && self.encodes && message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_) | Operation::Gamestate(_))) {
            self.report.canonical_attempted += 1;
            if let Some(others) = others {
                self.compare_canonical(frame, message, data, others);
            }
        }
    }

    fn note_rest(&mut self, frame: &Frame, message: &Message) {
        if message.rest.len() > 1 {
            let offset = frame.end() - message.rest.len() as u64;
            let detail = "there are bytes after the message's end; they are kept";
            self.report.notes.push(Damage { path: format!("message {}", frame.number), ..container_damage(DamageKind::TrailingData, offset, detail) });
        }
    }

    /// Encodes the message again. Returns true if the bytes are the same.
    fn write_again(&mut self, chunk: Chunk<'_>, frame: &Frame, data: &[u8], message: &mut Message) -> bool {
        let again = message.write_into(std::mem::take(&mut self.again), self.dialect);
        self.written.clear();
        frame.write(&again, &mut self.written);
        let same = again == data;
        if same {
            let written = std::mem::take(&mut self.written);
            self.compare(chunk, frame.offset, &written);
            self.written = written;
        } else {
            self.differs(frame, data, &again);
        }
        self.again = again;
        same
    }

    /// Compares bytes written for the place `offset` with the file's.
    fn compare(&mut self, chunk: Chunk<'_>, offset: u64, written: &[u8]) {
        let original = chunk.from(offset as usize).get(..written.len());
        if original == Some(written) {
            return;
        }
        self.report.round_trip = RoundTrip::Differs;
        self.report.first_difference.get_or_insert_with(|| container_damage(DamageKind::RoundTrip, offset, "encoding the frame again gives different bits"));
    }

    #[cold]
    fn differs(&mut self, frame: &Frame, data: &[u8], again: &[u8]) {
        self.report.round_trip = RoundTrip::Differs;
        let byte = data.iter().zip(again).position(|(a, b)| a != b).unwrap_or(data.len().min(again.len()));
        let bit = match (data.get(byte), again.get(byte)) {
            (Some(a), Some(b)) => byte as u64 * 8 + u64::from((a ^ b).trailing_zeros()),
            _ => byte as u64 * 8,
        };
        let (spans, _) = Message::default().explain(data, self.dialect);
        let field = spans.iter().find(|span| (span.from..span.to).contains(&bit)).map_or("", |span| span.field);
        self.report.first_difference.get_or_insert_with(|| Damage {
            offset: frame.data_offset() + byte as u64,
            bit: Some(bit),
            path: format!("message {} › {field}", frame.number),
            kind: DamageKind::RoundTrip,
            detail: format!("encoding the message again gives {} bytes instead of {}, or different bits", again.len(), data.len()),
            skipped: None,
        });
    }

    fn note_sequence(&mut self, frame: &Frame, message: &Message) {
        let restarts = message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
        if let Some(before) = self.sequence.filter(|&before| frame.sequence < before && !restarts) {
            let detail = format!("the message's sequence {} is below the previous one, {before}", frame.sequence);
            let place = container_damage(DamageKind::Compatibility, frame.offset, "");
            self.report.notes.push(Damage { path: format!("message {}", frame.number), detail, ..place });
        }
        self.sequence = Some(frame.sequence);
    }

    /// Compares the bytes of a message with those that the stock server would have written. `others` are the operations that it would have written otherwise.
    fn compare_canonical(&mut self, frame: &Frame, message: &Message, data: &[u8], others: Vec<(usize, Operation)>) {
        // equal trees give equal bytes, except for leftovers behind the end
        if self.same && message.padding == 0 && message.gaps.iter().all(|&gap| gap == 0) && others.is_empty() {
            let count =
                if message.rest.iter().all(|&byte| byte == 0) { &mut self.report.canonical_identical } else { &mut self.report.canonical_but_leftovers };
            *count += 1;
            self.report.canonical.count(frame.number, frame.offset, true);
            return;
        }
        let mut operations = message.operations.clone();
        for (at, other) in others {
            if let Some(operation) = operations.get_mut(at) {
                *operation = other;
            }
        }
        let (acknowledged, end, late_voice) = (message.acknowledged, message.end, message.late_voice.clone());
        let mut canonical = Message { acknowledged, end, operations, late_voice, ..Message::default() };
        let mut bytes = canonical.write(self.dialect);
        let used = bytes.len();
        // the engine counts one byte more when the message ends on a byte boundary
        bytes.extend(message.rest.iter().map(|_| 0));
        let mut identical = true;
        if bytes == data {
            self.report.canonical_identical += 1;
        } else if bytes.len() == data.len() && bytes[..used] == data[..used] {
            self.report.canonical_but_leftovers += 1;
        } else {
            identical = false;
        }
        self.report.canonical.count(frame.number, frame.offset, identical);
    }
}
