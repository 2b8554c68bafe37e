//! Whether a recording is whole.

use model::{Damage, DamageKind, Family, RoundTrip, Verification};

use replay::Findings;

use super::Recording;
use crate::canonical;
use crate::container::{self, END_MARK, Frame, Frames, Piece};
use crate::edit::{Numbers, numbered};
use crate::message::{Depth, Message, Operation};
use crate::playback::{ServerTimes, broken_message, container_damage, falling_time, missing_base};
use crate::state::{Outcome, State};

pub(super) fn verify(recording: &Recording<'_>) -> Verification {
    let bytes = recording.bytes;
    let mut report = Verification::new(Family::Quake3, recording.dialect.protocol.to_string(), bytes.len() as u64);
    report.round_trip = RoundTrip::Identical;
    let mut check = Check {
        recording,
        report,
        message: Message::default(),
        state: State::new(recording.dialect),
        written: Vec::new(),
        again: Vec::new(),
        sequence: None,
        findings: Findings::default(),
        times: ServerTimes::default(),
        commands: Commands::default(),
    };
    let mut ended = false;
    for piece in Frames::new(bytes) {
        match piece {
            Piece::Message(frame) => check.message(&frame),
            Piece::End(range) => {
                ended = true;
                check.compare(range.start, &END_MARK);
            }
            Piece::Opaque(range, fault) => {
                ended |= fault.kind == DamageKind::Truncated;
                let damage = container_damage(fault.kind, range.start, fault.rule).skipping(range.start, range.end);
                let finding = check.findings.cause(damage);
                check.commands.broken = true;
                check.add(finding);
            }
            Piece::Prologue(_) => {}
        }
    }
    let finding = check.findings.close();
    check.add(finding);
    check.report.notes.extend(check.commands.note());
    if !ended {
        let damage = container_damage(DamageKind::NoEndMarker, bytes.len() as u64, "the mark that ends a recording is missing");
        check.report.add(damage, &recording.limits);
    }
    check.report
}

struct Check<'a> {
    recording: &'a Recording<'a>,
    report: Verification,
    message: Message,
    state: State,
    written: Vec<u8>,
    again: Vec<u8>,
    sequence: Option<i32>,
    findings: Findings,
    times: ServerTimes,
    commands: Commands,
}

/// The numbers of commands as far as the recording was read.
#[derive(Default)]
struct Commands {
    numbers: Numbers,
    /// Whether there was a whole gamestate.
    begun: bool,
    /// Whether something was lost that may have held commands.
    broken: bool,
    /// The first that is missing without that, where it is, and how many are.
    missing: Option<(i32, Damage, u64)>,
}

impl Commands {
    fn take(&mut self, frame: &Frame, message: &Message, whole: bool) {
        let mut numbered = numbered(message);
        self.broken |= !whole;
        self.begun |= whole && message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
        if !whole || !self.begun || numbered.is_empty() {
            return;
        }
        let missing = self.numbers.pass(&mut numbered);
        // what is broken is a finding of its own
        let broken = std::mem::take(&mut self.broken);
        if let Some((_, number)) = missing.first().filter(|_| !broken) {
            let place = || Damage { path: format!("message {}", frame.number), ..container_damage(DamageKind::Compatibility, frame.offset, "") };
            self.missing.get_or_insert_with(|| (*number, place(), 0)).2 += missing.len() as u64;
        }
    }

    fn note(&mut self) -> Option<Damage> {
        let (number, place, count) = self.missing.take()?;
        let more = if count > 1 { format!(", the first of {count} that are") } else { String::from(" is") };
        let detail = format!("server command {number}{more} missing: engines execute the one 64 numbers before it; `repair` puts an empty one there");
        Some(Damage { detail, ..place })
    }
}

impl Check<'_> {
    fn add(&mut self, finding: Option<Damage>) {
        if let Some(damage) = finding {
            self.report.add(damage, &self.recording.limits);
        }
    }

    fn message(&mut self, frame: &Frame) {
        let data = container::data(self.recording.bytes, frame);
        self.report.messages += 1;
        let from_here = &self.recording.bytes[frame.data_offset() as usize..];
        let result = self.message.read_ahead(from_here, data.len(), self.recording.dialect, Depth::Whole);
        let mut same = false;
        match &result {
            Ok(()) => same = self.write_again(frame, data),
            Err(error) => {
                self.report.opaque += 1;
                let finding = self.findings.cause(broken_message(error, frame));
                self.add(finding);
            }
        }
        self.note_sequence(frame);
        self.commands.take(frame, &self.message, result.is_ok());
        let canonical = self.apply(frame);
        if result.is_ok() && self.message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_) | Operation::Gamestate(_))) {
            self.report.canonical_attempted += 1;
            self.compare_canonical(frame, data, canonical, same);
        }
    }

    /// Whether the message comes out as it was.
    fn write_again(&mut self, frame: &Frame, data: &[u8]) -> bool {
        if self.message.rest.len() > 1 {
            let offset = frame.end() - self.message.rest.len() as u64;
            let detail = "there are bytes behind the message's end; they are kept";
            self.report.notes.push(Damage { path: format!("message {}", frame.number), ..container_damage(DamageKind::TrailingData, offset, detail) });
        }
        let again = self.message.write_into(std::mem::take(&mut self.again), self.recording.dialect);
        self.written.clear();
        frame.write(&again, &mut self.written);
        let same = again == data;
        if same {
            let written = std::mem::take(&mut self.written);
            self.compare(frame.offset, &written);
            self.written = written;
        } else {
            self.differs(frame, data, &again);
        }
        self.again = again;
        same
    }

    /// Compares bytes written for the place `offset` with the file's.
    fn compare(&mut self, offset: u64, written: &[u8]) {
        let original = self.recording.bytes.get(offset as usize..).and_then(|rest| rest.get(..written.len()));
        if original == Some(written) {
            return;
        }
        self.report.round_trip = RoundTrip::Differs;
        self.report.first_difference.get_or_insert_with(|| container_damage(DamageKind::RoundTrip, offset, "the frame comes out differently"));
    }

    #[cold]
    fn differs(&mut self, frame: &Frame, data: &[u8], again: &[u8]) {
        self.report.round_trip = RoundTrip::Differs;
        let byte = data.iter().zip(again).position(|(a, b)| a != b).unwrap_or(data.len().min(again.len()));
        let bit = match (data.get(byte), again.get(byte)) {
            (Some(a), Some(b)) => byte as u64 * 8 + u64::from((a ^ b).trailing_zeros()),
            _ => byte as u64 * 8,
        };
        let (spans, _) = Message::default().explain(data, self.recording.dialect);
        let field = spans.iter().find(|span| (span.from..span.to).contains(&bit)).map_or("", |span| span.field);
        self.report.first_difference.get_or_insert_with(|| Damage {
            offset: frame.data_offset() + byte as u64,
            bit: Some(bit),
            path: format!("message {} › {field}", frame.number),
            kind: DamageKind::RoundTrip,
            detail: format!("the message comes out with {} bytes instead of {} or with other bits", again.len(), data.len()),
            skipped: None,
        });
    }

    fn note_sequence(&mut self, frame: &Frame) {
        let restarts = self.message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
        if let Some(before) = self.sequence.filter(|&before| frame.sequence < before && !restarts) {
            let detail = format!("the message's sequence {} is behind the last one's, {before}", frame.sequence);
            let place = container_damage(DamageKind::Compatibility, frame.offset, "");
            self.report.notes.push(Damage { path: format!("message {}", frame.number), detail, ..place });
        }
        self.sequence = Some(frame.sequence);
    }

    /// Applies the message, and makes what the stock server would have written instead.
    fn apply(&mut self, frame: &Frame) -> Option<Message> {
        let mut canonical = Message { acknowledged: self.message.acknowledged, end: self.message.end, ..Message::default() };
        let mut whole = true;
        let mut found = Vec::new();
        let (findings, times) = (&mut self.findings, &mut self.times);
        for operation in &self.message.operations {
            let written = match operation {
                Operation::Gamestate(gamestate) => {
                    self.state.apply_gamestate(gamestate);
                    times.level();
                    Operation::Gamestate(canonical::gamestate(&self.state, gamestate))
                }
                Operation::ServerCommand(command) => {
                    self.state.apply_command(command);
                    operation.clone()
                }
                Operation::Snapshot(snapshot) => {
                    self.report.snapshots += 1;
                    match self.state.apply_snapshot(frame.sequence, snapshot) {
                        Outcome::Applied => {
                            match times.fallen_behind(snapshot) {
                                Some(before) => found.extend(findings.consequence(falling_time(frame, snapshot, before))),
                                None => {
                                    times.shown(snapshot);
                                    found.extend(findings.close());
                                }
                            }
                            match canonical::snapshot(&self.state, snapshot) {
                                Some(snapshot) => Operation::Snapshot(Box::new(snapshot)),
                                None => {
                                    whole = false;
                                    continue;
                                }
                            }
                        }
                        Outcome::MissingBase(missing) => {
                            whole = false;
                            found.extend(findings.consequence(missing_base(missing, frame)));
                            continue;
                        }
                    }
                }
                other => other.clone(),
            };
            canonical.operations.push(written);
        }
        found.into_iter().for_each(|damage| self.report.add(damage, &self.recording.limits));
        canonical.late_voice.clone_from(&self.message.late_voice);
        whole.then_some(canonical)
    }

    fn compare_canonical(&mut self, frame: &Frame, data: &[u8], canonical: Option<Message>, same: bool) {
        let Some(mut canonical) = canonical else { return };
        let message = &self.message;
        // the same tree is the same bytes, up to what is left behind the end
        if same && message.padding == 0 && message.gaps.iter().all(|&gap| gap == 0) && canonical.operations == message.operations {
            let count =
                if message.rest.iter().all(|&byte| byte == 0) { &mut self.report.canonical_identical } else { &mut self.report.canonical_but_leftovers };
            *count += 1;
            self.report.canonical.count(frame.number, frame.offset, true);
            return;
        }
        let mut bytes = canonical.write(self.recording.dialect);
        let used = bytes.len();
        // the engine counts one byte more when the message ends on a byte boundary
        bytes.extend(self.message.rest.iter().map(|_| 0));
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
