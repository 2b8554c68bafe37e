//! Looks for cuts and edits in a recording (`docs/audit.md`, "Quake III").

use std::collections::HashSet;

use fragreel_base::wire::Limits;
use fragreel_model::{Audit, Extent, Finding, FindingKind, Grade, Losses, Milliseconds};

use crate::container::{self, Frame};
use crate::encode::MERGE_MARK;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Outcome, State};
use crate::strings::{clean, info};
use crate::walk::{Input, Playback, RunTime, Step};

/// Gaps of this many packets or more are rarely packet loss.
const LONG_GAP: i64 = 10;

/// A snapshot is encoded against one of the last 32 packets.
const RING: i64 = 32;

/// Configstring 0: what the server states about itself.
const SERVER_INFO: usize = 0;

/// Configstring 1: the server's settings that clients must share.
const SYSTEM_INFO: usize = 1;

pub(crate) fn audit(input: &Input<'_>) -> Audit {
    let limits = &input.limits;
    let mut auditor = Auditor {
        audit: Audit::of(&super::verify::verify(input), limits),
        limits,
        segment: Segment::default(),
        skipped_bytes: false,
        opening: None,
        elapsed: 0,
        gamestates: HashSet::new(),
        lost: Losses::default(),
        settings: String::new(),
        run_time: None,
    };
    let mut playback = Playback::new(input, Depth::Whole);
    let mut current = None;
    while let Some(step) = playback.step() {
        match (step, &current) {
            (Step::Message { frame, message, .. }, _) => {
                let begins = auditor.message(&frame, message, container::data(input.bytes, &frame));
                current = Some((frame, begins));
            }
            (Step::Level { state, .. }, Some((frame, _))) => auditor.level(frame, state),
            (Step::Command { state, command, .. }, Some((frame, begins))) => {
                auditor.command(frame, command.sequence);
                if *begins && command.text.starts_with(MERGE_MARK) {
                    auditor.found(Grade::Normal, FindingKind::Merge, frame, clean(&command.text["// ".len()..]));
                }
                if state.changed_string() == Some(SYSTEM_INFO) {
                    auditor.read_settings(frame, state);
                }
            }
            (Step::Snapshot { state, snapshot, outcome }, Some((frame, _))) => auditor.snapshot(frame, snapshot, state, outcome),
            (Step::MessageEnd { error: Some(_), .. }, _) => auditor.hole(),
            (Step::Opaque { .. }, _) => {
                auditor.skipped_bytes = true;
                auditor.hole();
            }
            _ => {}
        }
    }
    auditor.finish()
}

/// What is known about the recording since the last gamestate.
#[derive(Default)]
struct Segment {
    /// The packets that the recording has, as far back as a delta may reach.
    there: HashSet<i64>,
    first: Option<i64>,
    last: Option<i64>,
    /// The last reliable command, and the last client command that the server had seen.
    command: Option<i32>,
    /// Whether a command came since the gamestate, and whether damage may have cost some.
    commanded: bool,
    commands_lost: bool,
    acknowledged: Option<u32>,
    time: Option<(i64, i64)>,
    /// Damage came before: its consequences are no findings of their own.
    hole: bool,
}

struct Auditor<'a> {
    audit: Audit,
    limits: &'a Limits,
    segment: Segment,
    /// Whether bytes were skipped that belong to no message: messages behind them may come in any order.
    skipped_bytes: bool,
    /// The number of the gamestate that the recording begins with.
    opening: Option<i64>,
    /// Milliseconds of the segments before this one.
    elapsed: i64,
    /// The gamestates so far, byte for byte.
    gamestates: HashSet<Vec<u8>>,
    lost: Losses,
    settings: String,
    run_time: Option<RunTime>,
}

impl Auditor<'_> {
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
        let falls = self.segment.last.is_some_and(|last| i64::from(frame.sequence) <= last);
        let repeated = !self.gamestates.insert(data.to_vec());
        if let Some(last) = self.segment.last {
            let evidence = format!("a gamestate in packet {} after packet {last}", frame.sequence);
            match (falls, repeated) {
                (true, true) => self.found(Grade::Edited, FindingKind::SequenceFall, frame, format!("{evidence}, byte for byte one that was there already")),
                (true, false) => self.found(Grade::Suspicious, FindingKind::Part, frame, evidence),
                _ => self.found(Grade::Normal, FindingKind::Part, frame, evidence),
            }
        }
        self.end_segment();
        if self.gamestates.len() == 1 && frame.number == 0 {
            self.opening = Some(i64::from(frame.sequence));
        }
        let hole = self.segment.hole;
        self.segment = Segment {
            first: Some(i64::from(frame.sequence)),
            last: Some(i64::from(frame.sequence)),
            command: Some(gamestate.command_sequence),
            hole,
            ..Segment::default()
        };
        self.segment.there.insert(i64::from(frame.sequence));
    }

    /// Notes damage, whose consequences are no findings of their own.
    fn hole(&mut self) {
        self.segment.hole = true;
        self.segment.commands_lost = true;
    }

    fn sequence(&mut self, frame: &Frame, message: &Message) {
        let sequence = i64::from(frame.sequence);
        let Some(last) = self.segment.last.replace(sequence) else {
            self.segment.first = Some(sequence);
            self.segment.there.insert(sequence);
            return;
        };
        // A recording begun during the game has its gamestate under the number of the packet that came before or comes next.
        let after_gamestate = self.segment.there.len() == 1 && self.segment.first == Some(last);
        let missing = sequence - last - 1;
        // Some servers send voice in a packet of its own under the number of the snapshot before.
        let same = sequence == last && message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_)));
        if sequence < last || same && !after_gamestate {
            let grade = if self.skipped_bytes { Grade::Suspicious } else { Grade::Edited };
            self.found(grade, FindingKind::SequenceFall, frame, format!("packet {sequence} follows packet {last}: clients drop packets that come late"));
            self.segment.there.clear();
            self.segment.first = Some(sequence);
            self.hole();
        } else if missing > 0 && !after_gamestate && !self.segment.hole {
            if missing >= LONG_GAP {
                self.found(Grade::Suspicious, FindingKind::SequenceGap, frame, format!("{missing} packets are missing between {last} and {sequence}"));
            } else {
                let time = self.time();
                self.lost.add(missing as u64, || Finding::new(Grade::Normal, FindingKind::SequenceGap, frame.number, frame.offset, "").at(time));
            }
        }
        self.segment.there.retain(|&kept| kept > sequence - 2 * RING);
        self.segment.there.insert(sequence);
    }

    /// Checks the number of a reliable command, which the server repeats until it arrives.
    fn command(&mut self, frame: &Frame, sequence: i32) {
        let Some(before) = self.segment.command.filter(|_| !self.segment.commands_lost) else {
            (self.segment.command, self.segment.commands_lost) = (Some(sequence), false);
            return;
        };
        if sequence > before.saturating_add(1) {
            // A recording begun during the game may lack commands that came with its gamestate.
            let grade = if self.segment.commanded { Grade::Edited } else { Grade::Normal };
            let evidence = format!("reliable command {sequence} follows {before}: the game sends each until it arrives");
            self.found(grade, FindingKind::CommandGap, frame, evidence);
        }
        self.segment.commanded |= sequence > before;
        self.segment.command = Some(before.max(sequence));
    }

    fn acknowledgement(&mut self, frame: &Frame, acknowledged: u32) {
        let Some(before) = self.segment.acknowledged.replace(acknowledged) else { return };
        if (acknowledged as i32) < before as i32 && !self.segment.hole {
            self.found(Grade::Edited, FindingKind::Acknowledgement, frame, format!("the server acknowledges client command {acknowledged} after {before}"));
        }
    }

    fn snapshot(&mut self, frame: &Frame, snapshot: &Snapshot, state: &State, outcome: Outcome) {
        let (sequence, time) = (i64::from(frame.sequence), i64::from(snapshot.server_time));
        let base = sequence - i64::from(snapshot.delta);
        let reachable = snapshot.delta != 0 && self.segment.first.is_some_and(|first| base > first);
        if reachable && !self.segment.there.contains(&base) && !self.segment.hole {
            let evidence = format!("packet {sequence} is a delta against packet {base}, which the client had received and the recording lacks");
            self.found(Grade::Edited, FindingKind::MissingBase, frame, evidence);
        }
        if outcome == Outcome::Applied {
            // A full snapshot can be decoded after damage. Later deltas may still start from lost packets.
            if self.segment.hole && snapshot.delta == 0 {
                self.segment.hole = false;
                self.segment.first = Some(sequence);
            }
            let sure = state.snapshot().is_some_and(|snapshot| !snapshot.is_uncertain());
            let holds = self.run_time.as_mut().filter(|_| sure).and_then(|run_time| run_time.check(state));
            if holds == Some(false) {
                self.found(Grade::Edited, FindingKind::Seal, frame, "the run time that DeFRaG sealed does not fit place, speed, health and time");
            }
        }
        if self.segment.time.is_none() && self.elapsed == 0 && self.opening == Some(sequence - 1) && time > LATE {
            // Recorders give the gamestate that they write the number of the packet before the last, and the next is not in the recording yet.
            let evidence = format!("the gamestate has the number right before that of the first snapshot, {sequence}, {} into the game", Milliseconds(time));
            self.found(Grade::Normal, FindingKind::Cut, frame, evidence);
        } else if self.segment.time.is_none() && self.elapsed == 0 {
            self.audit.opening(Milliseconds(time), frame.number, frame.offset, self.limits);
        }
        let origin = self.segment.time.map_or(time, |(origin, _)| origin);
        if let Some((_, before)) = self.segment.time {
            let jump = time - before;
            if jump < 0 {
                self.found(Grade::Normal, FindingKind::ClockFall, frame, format!("server time {time} follows {before}"));
            } else if jump > LONG_JUMP {
                self.found(Grade::Normal, FindingKind::ClockJump, frame, format!("server time {time} follows {before}"));
            }
        }
        self.segment.time = Some((origin, time));
    }

    /// Compares the stated protocol with that of the recording.
    fn read_protocol(&mut self, frame: &Frame, state: &State) {
        let stated = clean(info(state.string(SERVER_INFO), "protocol"));
        let read = state.dialect().protocol.to_string();
        if !stated.is_empty() && stated != read {
            self.found(Grade::Normal, FindingKind::Strings, frame, format!("the server states protocol {stated}, and the recording follows {read}"));
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
            self.found(Grade::Normal, FindingKind::Settings, frame, said.clone());
        }
        self.settings = said;
    }

    /// The time since the recording's first snapshot.
    fn time(&self) -> Option<Milliseconds> {
        self.segment.time.map(|(origin, now)| Milliseconds(self.elapsed + (now - origin).max(0)))
    }

    fn end_segment(&mut self) {
        self.elapsed = self.time().map_or(self.elapsed, |time| time.0);
        self.lost.end("packets", &mut self.audit, self.limits);
    }

    fn found(&mut self, grade: Grade, kind: FindingKind, frame: &Frame, evidence: impl Into<String>) {
        let finding = Finding::new(grade, kind, frame.number, frame.offset, evidence).at(self.time());
        self.audit.add(Finding { extent: Some(Extent { from: frame.offset, to: frame.end() }), ..finding }, self.limits);
    }

    fn finish(mut self) -> Audit {
        self.end_segment();
        self.audit.seals.extend(self.run_time.as_ref().and_then(RunTime::seal));
        self.audit.sort();
        self.audit
    }
}

/// A first snapshot that far into the game, in milliseconds, is no beginning.
const LATE: i64 = 3000;

/// A jump of the server's clock that is remarked, in milliseconds.
const LONG_JUMP: i64 = 1000;
